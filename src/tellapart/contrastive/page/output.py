"""A contrastive run in a terminal and as JSON."""

from __future__ import annotations

from typing import Any

from rich.console import RenderableType
from rich.text import Text

from tellapart.contrastive.page import methods, tables
from tellapart.contrastive.page.llm_tables import missing_tables
from tellapart.contrastive.page.names import accuracy_by_names
from tellapart.contrastive.page.sections import first_look, headline, sentences
from tellapart.contrastive.page.view import View
from tellapart.contrastive.results import SelectionBias, SetUps
from tellapart.core.comparison import from_json, to_json
from tellapart.report import comparison as block
from tellapart.report.terminal import fitted_table, rich_list


def terminal(view: View) -> list[RenderableType]:
    """Show the verdict first with its pairs, then accuracy, controls and the swap test."""
    shown = [
        tables.accuracy_by_level(view),
        *missing_tables(view),
        *([by_names] if (by_names := accuracy_by_names(view)) else []),
        tables.distractors(view),
        *([by_strategy] if (by_strategy := tables.misses(view, hardest=True)) else []),
        *first_look(view),
        *([tables.controls(view)] if view.embedders else []),
        *([tables.swaps(view)] if view.report.swap_accuracy else []),
    ]
    fingerprint = Text(f"\nbenchmark {view.report.fingerprint}", style="dim")
    return [
        *_verdict(view),
        rich_list(sentences(view)),
        *map(fitted_table, shown),
        fingerprint,
    ]


def _verdict(view: View) -> list[RenderableType]:
    comparison = view.comparison
    if comparison is None:
        return [Text(headline(view), style="bold")]
    levels = tables.by_level(comparison, view.levels) if len(view.levels) > 1 else None
    return [
        *block.terminal(comparison, strata=False, what=view.compared),
        *([fitted_table(levels)] if levels else []),
    ]


def json_figures(view: View) -> dict[str, Any]:
    """Give all figures for scripts: those stored, and the comparison of the models.

    ``names`` is there where the scored items have summaries, ``excluded`` where items were left out.
    """
    results = view.report.to_json() | ({"names": view.names.to_json()} if view.names else {})
    results["suspects"] = view.suspect_effect.to_json()
    if view.exclusion is not None:
        results["excluded"] = view.exclusion.record.to_json()
    return results if view.comparison is None else {**results, "comparison": to_json(view.comparison)}


def bias_tables(bias: SelectionBias) -> list[RenderableType]:
    """Show figures of the selection bias in a terminal."""
    return [fitted_table(table) for table in methods.bias(bias)]


def validation_tables(setups: SetUps) -> list[RenderableType]:
    """Show the set-ups compared in a terminal."""
    compared: list[RenderableType] = []
    if setups.comparison:
        compared = block.terminal(from_json(setups.comparison), strata=False)
    shown = [*methods.validation(setups), methods.gaps(setups)]
    return [*compared, *map(fitted_table, shown)]
