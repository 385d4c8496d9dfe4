"""The shell of the ranking: it opens runs, reads their evidence and hands it to the pure steps."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from tellapart.contrastive.kept_benchmark import CALL_SCHEMA, CALLS_BY_UNIT, KEPT, kept_models
from tellapart.core.comparison import ComparisonSettings
from tellapart.core.progress import SILENT, Progress
from tellapart.embed import load_matcher
from tellapart.errors import InputError, Refused, UsageError
from tellapart.files import texts_of
from tellapart.report import numbers as show
from tellapart.store import RunDirectory, read_frame
from tellapart.writers.evidence import Evidence, matcher_units
from tellapart.writers.judge_figures import Verdicts, judge_evidence, judging
from tellapart.writers.page import Ranking
from tellapart.writers.queries import asked, offline_queries
from tellapart.writers.ranking import (
    Combined,
    RankingFigures,
    Weights,
    WriterResult,
    sensitivity,
    writer_result,
)
from tellapart.writers.retrieval import (
    OF_THE_CODE,
    OFFLINE,
    QUERY_FILE,
    RANKS,
    check_searchable,
    retrieval_evidence,
    writer_ranks,
)
from tellapart.writers.retrieval_figures import Retrieval, retrieval
from tellapart.writers.sources import (
    COMMANDS,
    CONTRASTIVE,
    JUDGE,
    RETRIEVAL,
    SOURCES,
    WEIGHTS,
    checked_weights,
    weights_over,
)
from tellapart.writers.written import Written, read_written

if TYPE_CHECKING:
    pass

_FITTED = ("bm25", "tfidf", "lsa")
"""Matchers that are fitted on the summaries themselves and need nothing else."""


@dataclass(frozen=True)
class _Runs:
    """Runs over one benchmark, by what they hold."""

    all: tuple[RunDirectory, ...]
    by_source: Mapping[str, Sequence[RunDirectory]]
    written: Written

    def cautions(self, source: str) -> list[str]:
        """What the runs of a source say of their scores, each once."""
        notes = (run.scores().notes for run in self.by_source[source])
        return list(dict.fromkeys(caution for note in notes for caution in note.cautions))


def rank(
    runs: str | Path | Sequence[str | Path],
    *,
    weights: Mapping[str, float] | None = None,
    baseline: str | None = None,
    progress: Progress = SILENT,
) -> Ranking:
    """Rank the writers of summaries by the evidence of some runs over one benchmark.

    Args:
        runs: Of ``contrastive run``, ``writers retrieve`` and ``writers judge``.
        weights: Of ``retrieval``, ``contrastive`` and ``judge``; a source that is not named weighs nothing.
        baseline: A writer with which each other one is compared.
        progress: Is told what is done.

    Returns:
        The ranking, to be printed, saved or read.

    Raises:
        InputError: A run cannot be read, or fewer than two wrote.
        Refused: The runs are over several benchmarks.
        UsageError: Of the sources with a weight there is no evidence.
    """
    asked_weights = checked_weights(WEIGHTS if weights is None else weights)
    given = _opened([Path(runs)] if isinstance(runs, str | Path) else [Path(run) for run in runs])
    written = given.written
    evidence: dict[str, Evidence] = {}
    searched = _searched(given, asked_weights[RETRIEVAL], progress)
    if searched is not None:
        evidence[RETRIEVAL] = searched[0]
    if given.by_source[CONTRASTIVE]:
        evidence[CONTRASTIVE] = _answered(given)
    verdicts = _verdicts(given)
    if verdicts is not None:
        evidence[JUDGE] = judge_evidence(verdicts, given.cautions(JUDGE))
    _check_scored(evidence, given, asked_weights)
    combined = Combined(evidence, weights_over(asked_weights, evidence))
    cautions = tuple(dict.fromkeys(caution for part in evidence.values() for caution in part.cautions))
    with progress.step("comparing writers", None):
        comparison = combined.compared(ComparisonSettings(baseline=baseline), cautions)
        figures = RankingFigures(
            writers=_writers(given, combined),
            comparison=comparison,
            weights=Weights(asked_weights, dict(combined.weights), _absent(combined)),
            sensitivity=sensitivity(combined.writers, combined.weights, combined.source_means()),
            fingerprint=written.fingerprint,
            units=combined.units["unit"].n_unique(),
            retrieval=searched and searched[1],
            judging=judging(verdicts) if verdicts else None,
        )
    models = tuple(
        (name, "judging" if source == JUDGE else "queries", model)
        for source in (JUDGE, RETRIEVAL)
        for run in given.by_source[source]
        for name, model in run.record.models.items()
        if "requested" in model
    )
    paths, version = tuple(run.path for run in given.all), given.all[0].record.tellapart_version
    return Ranking(figures, combined, written, cautions, paths, models, version)


def _opened(paths: Sequence[Path]) -> _Runs:
    if not paths:
        raise UsageError("no run is given", next_step=f"Make one with '{COMMANDS[CONTRASTIVE]}'")
    # Neither the order of the runs nor one that is given twice changes anything.
    distinct = {path.resolve(): path for path in paths}
    for resolved, path in distinct.items():
        if (resolved / "benchmark.json").exists():
            raise InputError(
                "this is a benchmark, and writers are ranked by runs over one",
                where=path,
                next_step=f"Let models answer it first: tellapart contrastive run {shlex.quote(str(path))} "
                "--model bm25 --model lsa --out RUN",
            )
    runs = tuple(RunDirectory.open(distinct[resolved]) for resolved in sorted(distinct))
    by_source: dict[str, list[RunDirectory]] = {source: [] for source in SOURCES}
    for run in runs:
        by_source[_source(run)].append(run)
        here, first = (str(one.record.inputs.get("benchmark", "unknown")) for one in (run, runs[0]))
        if here != first:
            raise Refused(
                f"this run is over the benchmark {here}, but {runs[0].path} is over {first}; writers are "
                "ranked by evidence about the same summaries",
                where=run.path,
                next_step="Give runs over one benchmark",
            )
    written = read_written(runs[0].path / KEPT)
    if len(written.writers) < 2:
        raise InputError(
            f"the only writer of summaries is {' and '.join(written.writers)!r}, and it takes two to rank",
            where=runs[0].path,
            next_step="Let several write: tellapart contrastive build REPO --out BENCH "
            "--summaries llm:PROVIDER/MODEL,PROVIDER/MODEL",
        )
    return _Runs(runs, by_source, written)


def _source(run: RunDirectory) -> str:
    """Name the evidence that a run holds."""
    if run.record.suite == "contrastive":
        return CONTRASTIVE
    run.check_suite("writers")
    source = run.record.config.get("evidence")
    if source not in (RETRIEVAL, JUDGE):
        raise InputError(f"its evidence is {source!r}, expected {RETRIEVAL!r} or {JUDGE!r}", where=run.path)
    return str(source)


def _answered(runs: _Runs) -> Evidence:
    """Evidence of models that picked code, by the share of a unit's items that were answered right."""
    frames = [run.frame("items.parquet").filter(condition="summary") for run in runs.by_source[CONTRASTIVE]]
    items = pl.concat(frames)
    rows = items.select(
        "path",
        "matcher",
        "missing",
        writer="source",
        unit=pl.col("target").replace_strict(dict(enumerate(runs.written.units)), return_dtype=pl.String),
        part="item",
        score=pl.col("correct").cast(pl.Float64),
    )
    made_by = show.listed(items["matcher"].unique().sort().to_list())
    return Evidence(matcher_units(rows), made_by, tuple(runs.cautions(CONTRASTIVE)))


def _searched(runs: _Runs, weight: float, progress: Progress) -> tuple[Evidence, Retrieval] | None:
    """Ranks of the runs; where there are none but retrieval counts, queries from the code are searched."""
    written, found = runs.written, runs.by_source[RETRIEVAL]
    if found:
        ranks = pl.concat(run.frame("items.parquet").select(RANKS.names()) for run in found)
        queries = pl.concat(run.frame(QUERY_FILE) for run in found)
        sources = [run.record.config["queries"] for run in found]
        names = dict.fromkeys(name if isinstance(name, str) else name["model"] for name in sources)
        source, cautions, how = ", ".join(names), runs.cautions(RETRIEVAL), ""
    else:
        queries = offline_queries(written)
        if not weight or asked(queries).is_empty():
            return None
        check_searchable(written, queries)
        used = {
            name
            for run in runs.all
            for name in texts_of(run.record.config.get("models"), f"{run.path}: 'config'")
        }
        matchers = [name for name in _FITTED if name in used] or [_FITTED[0]]
        ranks = pl.concat(
            writer_ranks(written, writer, name, partial(_fitted, name), queries, progress)
            for name in matchers
            for writer in written.writers
        )
        source, cautions, how = OFFLINE, [OF_THE_CODE], " with queries from the code"
    made_by = show.listed(ranks["matcher"].unique().sort().to_list()) + how
    return retrieval_evidence(ranks, cautions, made_by), retrieval(written, source, queries, ranks)


def _fitted(name: str, texts: Sequence[str]) -> Any:
    return load_matcher(name, corpus=texts)


def _verdicts(runs: _Runs) -> Verdicts | None:
    judged = runs.by_source[JUDGE]
    if not judged:
        return None
    judgements = pl.concat(run.frame("judgements.parquet") for run in judged)
    keys = ("judge", "method", "target", "writer", "opponent")
    twice = judgements.filter(judgements.select(keys).is_duplicated())
    if twice.height:
        raise InputError(
            f"{twice['judge'][0]} judged {twice['target'][0]} in several of these runs",
            where=", ".join(str(run.path) for run in judged),
            next_step="Give one of them",
        )
    targets = {unit for run in judged for unit in runs.written.sample(run.record.config["units"])}
    families = {name: family for run in judged for name, family in run.record.config["families"].items()}
    return Verdicts(runs.written, judgements, sorted(targets), families)


def _absent(combined: Combined) -> dict[str, str]:
    return {
        source: f"no run of this kind was given; make one with: {COMMANDS[source]}"
        for source in SOURCES
        if source not in combined.evidence
    }


def _check_scored(evidence: Mapping[str, Evidence], runs: _Runs, weights: Mapping[str, float]) -> None:
    """Name the runs of a source that counts and in which no writer has a score."""
    for source, part in evidence.items():
        if weights[source] and part.units["score"].null_count() == part.units.height:
            raise InputError(
                f"the evidence of the kind {source!r} holds no score of any writer",
                where=", ".join(str(run.path) for run in runs.by_source[source]),
                next_step=f"Leave out the run, or leave the evidence out with --weights {source}=0 and a "
                "weight for another kind",
            )


def _writers(runs: _Runs, combined: Combined) -> tuple[WriterResult, ...]:
    """Figures of each writer, the best first."""
    # All runs keep the same of the models that wrote, but for older ones without the times of calls.
    kept = [run.path / KEPT for run in runs.all]
    models: dict[str, Any] = next(filter(None, map(kept_models, kept)), {})
    timed = next((path / CALLS_BY_UNIT for path in kept if (path / CALLS_BY_UNIT).exists()), None)
    calls = None if timed is None else read_frame(timed, schema=CALL_SCHEMA)
    absent = _absent(combined)
    results = [
        writer_result(name, combined, absent, models.get(name), calls, len(runs.written.texts[name]))
        for name in combined.writers
    ]
    return tuple(sorted(results, key=_place))


def _place(writer: WriterResult) -> tuple[float, str]:
    return -(writer.combined.value if writer.combined.value is not None else -np.inf), writer.name
