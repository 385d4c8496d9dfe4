"""A contrastive run in a terminal, as JSON and for experiment trackers."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from rich.console import RenderableType
from rich.text import Text

from tellapart.contrastive.page import accuracy, controls, distractors, language_models, methods, pairs, slots
from tellapart.contrastive.page.report import headline, sentences
from tellapart.contrastive.page.view import View
from tellapart.contrastive.validate import SetUps
from tellapart.core.comparison import to_json
from tellapart.report import comparison as block
from tellapart.report.document import present
from tellapart.report.terminal import fitted_table, rich_list
from tellapart.report.tracked import Figure, Tracked, pair_figures, tracked, with_ends


def terminal(view: View) -> list[RenderableType]:
    """Show the verdict first with its pairs, then accuracy, controls and the swap test."""
    order = [slots.by_fifth(view), language_models.flips(view)] if view.llms else []
    shown = present(
        accuracy.by_level(view),
        *language_models.missing_tables(view),
        distractors.strategies(view),
        *order,
        language_models.combined(view),
        language_models.writers(view),
        language_models.usage(view),
        *controls.tables(view),
    )
    fingerprint = Text(f"\nbenchmark {view.report.fingerprint}", style="dim")
    return [*_verdict(view), rich_list(sentences(view)), *map(fitted_table, shown), fingerprint]


def _verdict(view: View) -> list[RenderableType]:
    comparison = view.comparison
    title = Text(f"{headline(view)}{'' if comparison is None else '.'}", style="bold")
    if comparison is None:
        return [title]
    levels = pairs.by_level(comparison, view.levels) if len(view.levels) > 1 else None
    # The block's own first line is the verdict alone.
    whole = block.terminal(comparison, strata=False, what=view.compared)[1:]
    return [title, *whole, *([fitted_table(levels)] if levels else [])]


def json_figures(view: View) -> dict[str, Any]:
    """Give all figures for scripts: those stored, and the comparison of the models.

    ``renamed`` is there beside a run before renaming, ``excluded`` where items were left out.
    """
    results = view.report.to_json()
    results["suspects"] = view.suspect_effect.to_json()
    if view.order_holds is not None:
        results["renamed"] = [pair.to_json() for pair in view.order_holds]
    if view.exclusion is not None:
        results["excluded"] = view.exclusion.record.to_json()
    return results if view.comparison is None else {**results, "comparison": to_json(view.comparison)}


def validation_tables(setups: SetUps) -> list[RenderableType]:
    """Show the set-ups compared in a terminal."""
    compared = block.terminal(setups.comparison, strata=False) if setups.comparison else []
    return [*compared, *map(fitted_table, [*methods.validation(setups), methods.gaps(setups)])]


def tracked_figures(view: View) -> Tracked:
    """Give experiment trackers the figures of each model, overall and by level, and those of the pairs."""
    return tracked("contrastive", _figures(view))


def _figures(view: View) -> Iterator[Figure]:
    for scope, by_model in {"overall": view.report.overall, **view.report.by_difficulty}.items():
        for model, result in by_model.items():
            yield from with_ends((scope, model, "accuracy"), result.accuracy, result.accuracy_ci)
            for name in ("top3", "top5", "mrr", "mean_rank", "n"):
                yield (scope, model, name), getattr(result, name)
            yield (scope, model, "missing"), result.askings_missing
    if view.comparison is not None:
        yield from pair_figures(view.comparison.primary.pairs)
