"""The shell of the ranking: it opens runs, reads their evidence and hands it to the pure steps."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from tellapart.contrastive.benchmark import Benchmark, read_benchmark
from tellapart.contrastive.crossing import matcher_answers
from tellapart.contrastive.evidence_kinds import COMMANDS, CONTRASTIVE, JUDGE, RETRIEVAL, SOURCES, kind_of
from tellapart.contrastive.excluding import Exclusion, read_exclusion
from tellapart.contrastive.judging.evidence import judge_evidence, own_writers
from tellapart.contrastive.kept_benchmark import CALL_SCHEMA, CALLS_BY_UNIT, KEPT, kept_models
from tellapart.contrastive.ranking import page
from tellapart.contrastive.ranking.combined import (
    Combined,
    Evidence,
    mean_estimate,
    source_agreement,
    source_means,
)
from tellapart.contrastive.ranking.costs import Cost, cost_of
from tellapart.contrastive.ranking.evidence import (
    crossed_evidence,
    judged_evidence,
    offline_retrieval,
    retrieval_rows,
)
from tellapart.contrastive.ranking.ranked import Ranked
from tellapart.contrastive.ranking.results import RankingRecord, WeightsRecord, WriterResult
from tellapart.contrastive.ranking.sensitivity import sensitivity
from tellapart.contrastive.ranking.weights import WEIGHTS, checked_weights, over
from tellapart.core.comparison import ComparisonSettings
from tellapart.core.comparison.pair_frame import pair_frame
from tellapart.core.progress import SILENT, Progress
from tellapart.errors import InputError, Refused, UsageError
from tellapart.files import texts_of
from tellapart.report.document import Document
from tellapart.report.result import Result
from tellapart.store import RunDirectory, read_frame

if TYPE_CHECKING:
    from rich.console import RenderableType


@dataclass(frozen=True)
class Ranking(Result):
    """Writers of summaries, ranked.

    ``print`` gives the order and the pairs, a notebook shows the page, and ``pairs`` is a frame.

    Attributes:
        ranked: The order, and what it rests on.
    """

    ranked: Ranked

    @property
    def record(self) -> RankingRecord:
        """Everything, as ``contrastive rank --json`` prints it."""
        return self.ranked.record

    @cached_property
    def pairs(self) -> pl.DataFrame:
        """The pairs of writers by their combined scores, one row each."""
        return pair_frame(self.record.comparison.primary.pairs)

    @cached_property
    def writers(self) -> pl.DataFrame:
        """One row a writer, the best first: ``writer`` and the value of each estimate."""
        names = ("combined", "contrastive", "retrieval", "judge", "cost", "latency_s")
        columns = {name: [getattr(writer, name).value for writer in self.record.writers] for name in names}
        schema = {"writer": pl.String, **dict.fromkeys(names, pl.Float64)}
        return pl.DataFrame(
            {"writer": [writer.name for writer in self.record.writers], **columns}, schema=schema
        )

    def to_dict(self) -> dict[str, Any]:
        """Give everything as the command prints it with ``--json``."""
        return self.record.model_dump(mode="json")

    def document(self) -> Document:
        """Arrange the page."""
        return page.document(self.ranked)

    def shown(self) -> Sequence[RenderableType]:
        """The order, the writers and their pairs, for a terminal."""
        return page.terminal(self.ranked)

    def _summary(self) -> Sequence[RenderableType]:
        return self.shown()


def rank(
    runs: str | Path | Sequence[str | Path],
    *,
    weights: Mapping[str, float] | None = None,
    baseline: str | None = None,
    exclude: str | Path | None = None,
    progress: Progress = SILENT,
) -> Ranking:
    """Rank the writers of summaries by the evidence of some runs over one benchmark."""
    requested = checked_weights(WEIGHTS if weights is None else weights)
    paths = [Path(runs)] if isinstance(runs, str | Path) else [Path(run) for run in runs]
    opened = _opened(paths)
    benchmark = read_benchmark(_benchmark_of(opened))
    _check_several(benchmark.sources, opened[0])
    exclusion = None if exclude is None else _exclusion(Path(exclude), opened, benchmark)
    by_source = {
        source: _evidence(source, opened, benchmark, requested[source], exclusion, progress)
        for source in SOURCES
    }
    evidence = {source: part for source, part in by_source.items() if part is not None}
    _check_scored(evidence, opened, requested)
    if exclusion is not None:
        gone = exclusion.targets_without_items(benchmark.sets)
        evidence = {source: part.without_units(gone) for source, part in evidence.items()}
    excluded = exclusion.record if exclusion else None
    combined = Combined(evidence, over(requested, list(evidence)), excluded.items if excluded else 0)
    cautions = [caution for part in evidence.values() for caution in part.cautions]
    with progress.step("comparing writers", None):
        comparison = combined.compared(ComparisonSettings(baseline=baseline), list(dict.fromkeys(cautions)))
    absent = {
        source: f"no run of this kind was given; make one with: {COMMANDS[source]}"
        for source in SOURCES
        if source not in evidence
    }
    models, calls = _written(opened)
    costs = {name: cost_of(name, models, calls, len(benchmark.texts(name))) for name in combined.writers}
    writers = [_writer(name, combined, absent, costs[name]) for name in combined.writers]
    ordered = tuple(sorted(writers, key=_place))
    record = RankingRecord(
        writers=ordered,
        comparison=comparison,
        weights=WeightsRecord(asked=requested, effective=dict(combined.weights), absent=absent),
        sensitivity=sensitivity(combined.writers, combined.weights, source_means(combined)),
        agreement=tuple(source_agreement(combined)),
        fingerprint=benchmark.header.fingerprint,
        units=combined.units["unit"].n_unique(),
        excluded=excluded,
    )
    version = opened[0].record.tellapart_version
    places = tuple(run.path for run in opened)
    return Ranking(Ranked(record, comparison, combined, benchmark, places, version, exclusion))


def _opened(paths: Sequence[Path]) -> tuple[RunDirectory, ...]:
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
    runs = tuple(RunDirectory.open(distinct[resolved], "contrastive") for resolved in sorted(distinct))
    first, *others = runs
    for other in others:
        here, there = (str(run.record.inputs.get("benchmark", "unknown")) for run in (first, other))
        if here != there:
            raise Refused(
                f"this run is over the benchmark {there}, but {first.path} is over {here}; writers are "
                "ranked by evidence about the same summaries",
                where=other.path,
                next_step="Give runs over one benchmark",
            )
    return runs


def _exclusion(path: Path, runs: Sequence[RunDirectory], benchmark: Benchmark) -> Exclusion:
    if all(kind_of(run) != "contrastive" for run in runs):
        raise UsageError(
            "there is nothing to leave out: none of these runs holds items",
            next_step=f"Leave out --exclude, or add a run made with: {COMMANDS['contrastive']}",
        )
    return read_exclusion(path, benchmark.sets)


def _evidence(
    source: str,
    runs: Sequence[RunDirectory],
    benchmark: Benchmark,
    weight: float,
    exclusion: Exclusion | None,
    progress: Progress,
) -> Evidence | None:
    """What runs say of one source; retrieval that counts is computed where no run is of it."""
    of_source = [run for run in runs if kind_of(run) == source]
    cautions = [caution for run in of_source for caution in run.scores().notes.cautions]
    if source == CONTRASTIVE and of_source:
        answers = pl.concat(map(_answers, of_source))
        if exclusion is not None:
            answers = exclusion.kept(answers.rename({"part": "item"})).rename({"item": "part"})
        return crossed_evidence(answers, cautions)
    if source == RETRIEVAL:
        if of_source:
            rows = pl.concat(retrieval_rows(run.frame("scores.parquet")) for run in of_source)
            return crossed_evidence(rows, cautions)
        if not weight:
            return None
        matchers = {
            name
            for run in runs
            for name in texts_of(run.record.config.get("models"), f"{run.path / 'run.json'}: 'config'")
        }
        return offline_retrieval(benchmark, sorted(matchers), progress=progress)
    if source == JUDGE and of_source:
        judges = {
            judge: names for run in of_source for judge, names in own_writers(run, benchmark.sources).items()
        }
        return judged_evidence(list(map(judge_evidence, of_source)), judges, cautions)
    return None


def _answers(run: RunDirectory) -> pl.DataFrame:
    return matcher_answers(run.frame("items.parquet"))


def _benchmark_of(runs: Sequence[RunDirectory]) -> Path:
    kept = [run.path / KEPT for run in runs]
    return next((path for path in kept if (path / "benchmark.json").exists()), kept[0])


def _written(runs: Sequence[RunDirectory]) -> tuple[dict[str, dict[str, Any]], pl.DataFrame | None]:
    """What runs keep of the language models that wrote: the record of each, and calls by unit."""
    models: dict[str, dict[str, Any]] = {}
    for run in runs:
        benchmark = run.path / KEPT
        if written := kept_models(benchmark):
            models = written
            if (benchmark / CALLS_BY_UNIT).exists():
                return models, read_frame(benchmark / CALLS_BY_UNIT, schema=CALL_SCHEMA)
    return models, None


def _check_scored(
    evidence: Mapping[str, Evidence], runs: Sequence[RunDirectory], weights: Mapping[str, float]
) -> None:
    """Name the runs of a source that counts and in which no writer has a score."""
    for source, part in evidence.items():
        if weights[source] and part.units["score"].null_count() == part.units.height:
            empty = [run.path for run in runs if kind_of(run) == source]
            raise InputError(
                f"the evidence of the kind {source!r} holds no score of any writer",
                where=", ".join(map(str, empty)),
                next_step=f"Leave out the run, or leave the evidence out with --weights {source}=0 and a "
                "weight for another kind",
            )


def _check_several(writers: Sequence[str], run: RunDirectory) -> None:
    if len(writers) < 2:
        raise InputError(
            f"the only writer of summaries is {' and '.join(writers)!r}, and it takes two to rank",
            where=run.path,
            next_step="Let several write: tellapart contrastive build REPO --out BENCH "
            "--summaries llm:PROVIDER/MODEL,PROVIDER/MODEL",
        )


def _writer(name: str, combined: Combined, absent: Mapping[str, str], cost: Cost) -> WriterResult:
    alone = {
        source: mean_estimate(
            combined.evidence[source].units if source in combined.evidence else combined.units.clear(),
            name,
            absent.get(source, "this writer is in none of the runs"),
        )
        for source in SOURCES
    }
    of_writer = combined.units.filter(writer=name)
    causes = of_writer["missing"].drop_nulls().value_counts().sort("missing")
    return WriterResult(
        name=name,
        contrastive=alone["contrastive"],
        retrieval=alone["retrieval"],
        judge=alone["judge"],
        combined=mean_estimate(combined.units, name, "no unit has all evidence that counts"),
        missing=dict(causes.iter_rows()),
        cost=cost.each,
        cost_total=cost.total,
        latency_s=cost.latency,
        latency_p95_s=cost.latency_p95,
    )


def _place(writer: WriterResult) -> tuple[float, str]:
    return -(writer.combined.value if writer.combined.value is not None else -np.inf), writer.name
