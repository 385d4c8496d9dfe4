"""The report of a run."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from rich.console import RenderableType

from tellapart.contrastive.figures import Report
from tellapart.contrastive.page import output
from tellapart.contrastive.page.browser import item_texts
from tellapart.contrastive.page.report import document
from tellapart.contrastive.page.view import load
from tellapart.core.comparison import Comparison, ComparisonSettings
from tellapart.core.scores import ScoreTable
from tellapart.report.document import Document, Links
from tellapart.report.tracked import Figure, Tracked, pair_figures, tracked, with_ends
from tellapart.store import ItemText, RunDirectory


@dataclass(frozen=True)
class ShownRun:
    """A run as ``report`` shows it.

    Attributes:
        figures: For scripts, as JSON has them.
        document: For Markdown and a page, from the links to other reports.
        texts: What items ask, for the audit beside the report; None for what the run keeps beside its scores.
        tracked: For experiment trackers.
        scores: Of the items that it is about, where some were left out; None where none was.
    """

    figures: Callable[[], dict[str, Any]]
    terminal: Callable[[], Sequence[RenderableType]]
    document: Callable[[Links], Document]
    texts: Callable[[], Mapping[str, tuple[ItemText, ...]] | None]
    tracked: Callable[[], Tracked]
    scores: ScoreTable | None = None


def shown_run(
    run: RunDirectory,
    *,
    baseline: str | None = None,
    primary: tuple[str, str] | None = None,
    exclude: Path | None = None,
) -> ShownRun:
    """Read a run of this suite, in which models picked code."""
    run.check_suite("contrastive")
    view = load(run, ComparisonSettings(by="difficulty", baseline=baseline, primary=primary), exclude)
    return ShownRun(
        partial(output.json_figures, view),
        partial(output.terminal, view),
        partial(document, view),
        partial(item_texts, view),
        lambda: tracked_run(view.report, view.comparison),
        view.scores if exclude else None,
    )


def tracked_run(report: Report, comparison: Comparison | None) -> Tracked:
    """Give the figures of each model, overall and at each level, and those of the pairs."""
    return tracked("contrastive", _figures(report, comparison))


def _figures(report: Report, comparison: Comparison | None) -> Iterator[Figure]:
    for scope, by_model in {"overall": report.overall, **report.by_difficulty}.items():
        for model, result in by_model.items():
            yield from with_ends((scope, model, "accuracy"), result.accuracy, result.accuracy_ci)
            for name in ("top3", "top5", "mrr", "mean_rank", "n"):
                yield (scope, model, name), getattr(result, name)
            yield (scope, model, "missing"), result.askings_missing
    if comparison is not None:
        yield from pair_figures(comparison.primary.pairs)
