"""The report of a run, whichever kind of evidence on models or writers it holds."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from shlex import quote
from typing import Any, NoReturn

from rich.console import RenderableType

from tellapart.contrastive.evidence_kinds import CONTRASTIVE, JUDGE, RETRIEVAL, kind_of
from tellapart.contrastive.figures import Report
from tellapart.contrastive.page import judging, output, retrieval
from tellapart.contrastive.page.browser import item_texts
from tellapart.contrastive.page.report import document
from tellapart.contrastive.page.view import load
from tellapart.core.comparison import Comparison, ComparisonSettings
from tellapart.core.scores import ScoreTable
from tellapart.errors import UsageError
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
    """Read a run of this suite by what its ``evidence`` is; without any, models picked code."""
    kind = kind_of(run)
    if exclude is not None and kind != CONTRASTIVE:
        raise UsageError(
            f"--exclude leaves out items of 'contrastive run', and this is a run of the kind {kind!r}",
            where=run.path,
            next_step="Leave out --exclude",
        )
    if kind == RETRIEVAL:
        settings = ComparisonSettings(by="query_kind", baseline=baseline, primary=primary)
        searched = retrieval.load_retrieval(run, settings)
        return ShownRun(
            partial(retrieval.retrieval_json, searched),
            partial(retrieval.retrieval_terminal, searched),
            partial(retrieval.retrieval_document, searched),
            lambda: None,
            partial(_no_figures, run),
        )
    if kind == JUDGE:
        judges = judging.load_judges(run, ComparisonSettings(baseline=baseline, primary=primary))
        return ShownRun(
            partial(judging.json_of_judges, judges),
            partial(judging.terminal_of_judges, judges),
            partial(judging.judging_document, judges),
            lambda: None,
            partial(_no_figures, run),
        )
    view = load(run, ComparisonSettings(by="difficulty", baseline=baseline, primary=primary), exclude)
    return ShownRun(
        partial(output.json_figures, view),
        partial(output.terminal, view),
        partial(document, view),
        partial(item_texts, view),
        lambda: tracked_run(view.report, view.comparison),
        view.scores if exclude else None,
    )


def _no_figures(run: RunDirectory) -> NoReturn:
    raise UsageError(
        "--metrics-json is for runs in which models picked code",
        where=run.path,
        next_step=f"Write those of its scores: tellapart audit {quote(str(run.path))} --metrics-json FILE",
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
