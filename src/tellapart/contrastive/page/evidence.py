"""The report of a run, whichever kind of evidence on models or writers it holds."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from shlex import quote
from typing import Any, NoReturn

import polars as pl
from rich.console import RenderableType

from tellapart.contrastive.benchmark import read_benchmark
from tellapart.contrastive.cautions import cautions
from tellapart.contrastive.evidence_kinds import CONTRASTIVE, JUDGE, RETRIEVAL, kind_of
from tellapart.contrastive.excluded_run import without
from tellapart.contrastive.item_table import ITEM_SCHEMA
from tellapart.contrastive.page import judging, output, retrieval, sections
from tellapart.contrastive.page.browser import item_texts
from tellapart.contrastive.page.view import load
from tellapart.contrastive.parts import SUSPECTS
from tellapart.contrastive.review.effect import suspect_items
from tellapart.contrastive.review.results import SuspectItems
from tellapart.contrastive.tracked import tracked_run
from tellapart.core.comparison import ComparisonSettings
from tellapart.core.progress import SILENT, Progress
from tellapart.core.scores import ScoreTable
from tellapart.errors import FingerprintError, InputError, UsageError
from tellapart.report.document import Document, Links
from tellapart.report.tracked import Tracked
from tellapart.store import ItemText, RunDirectory, load_record


@dataclass(frozen=True)
class ShownRun:
    """A run as ``report`` shows it.

    Attributes:
        figures: For scripts, as JSON has them.
        terminal: For a terminal.
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
    progress: Progress = SILENT,
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
        found = retrieval.load_retrieval(run, settings)
        return ShownRun(
            partial(retrieval.retrieval_json, found),
            partial(retrieval.retrieval_terminal, found),
            partial(retrieval.retrieval_document, found),
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
    left_out = None if exclude is None else without(run, exclude)
    view = load(left_out or run, ComparisonSettings(by="difficulty", baseline=baseline, primary=primary))
    # Those of today are kept with the scores; an earlier version kept none.
    with progress.step("looking for second right answers", None):
        view = replace(
            view, cautions=cautions(view.report, view.comparison, view.items), suspects=_suspects(run)
        )
    return ShownRun(
        partial(output.json_figures, view),
        partial(output.terminal, view),
        partial(sections.document, view),
        partial(item_texts, view),
        lambda: tracked_run(view.report, view.comparison),
        left_out.scores() if left_out else None,
    )


def _no_figures(run: RunDirectory) -> NoReturn:
    raise UsageError(
        "--metrics-json is for runs in which models picked code",
        where=run.path,
        next_step=f"Write those of its scores: tellapart audit {quote(str(run.path))} --metrics-json FILE",
    )


def _suspects(run: RunDirectory) -> SuspectItems | None:
    """Which items hold a suspect, as the run keeps it; an earlier version kept nothing."""
    path = run.path / SUSPECTS
    if path.exists():
        return load_record(path, SuspectItems, "part of a run")
    try:
        return suspect_items(
            read_benchmark(run.artifacts / "benchmark"), run.frame("items.parquet", ITEM_SCHEMA)
        )
    except (FingerprintError, InputError, pl.exceptions.ColumnNotFoundError):
        # The rest of a report needs neither every unit of the benchmark nor today's columns.
        return None
