"""The ranking: it opens runs over one benchmark, and combines what they say of the writers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import polars as pl

from tellapart.contrastive.benchmark import KEPT, Benchmark, kept_models
from tellapart.core.comparison import ComparisonSettings
from tellapart.core.estimate import Estimate
from tellapart.core.progress import SILENT, Progress
from tellapart.errors import InputError, Refused, UsageError
from tellapart.report import numbers as show
from tellapart.store import RunDirectory
from tellapart.writers.evidence import combine, compared, counts, matcher_units, source_means, writer_mean
from tellapart.writers.page import Ranking, RankingFigures, WriterResult
from tellapart.writers.retrieval import OFFLINE, QUERY_FILE, of_several, query_counts, retrieval_evidence
from tellapart.writers.verdicts import JudgeUse, judge_evidence, judges_asked, pair_strengths
from tellapart.writers.weights import (
    COMMANDS,
    CONTRASTIVE,
    JUDGE,
    RETRIEVAL,
    SOURCES,
    WEIGHTS,
    checked_weights,
    nearest_change,
    weights_over,
)


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

    Raises:
        InputError: A run cannot be read, or fewer than two wrote.
        Refused: The runs are over several benchmarks.
        UsageError: Of the sources with a weight there is no evidence.
    """
    requested = checked_weights(WEIGHTS if weights is None else weights)
    opened = _opened([Path(runs)] if isinstance(runs, str | Path) else [Path(run) for run in runs])
    by_source = {source: [run for run in opened if _source(run) == source] for source in SOURCES}
    kept = opened[0].path / KEPT
    benchmark = of_several(kept)
    evidence, made_by, asked = {}, {}, None
    judges: tuple[JudgeUse, ...] = ()
    strengths: dict[str, Estimate] = {}
    if searches := by_source[RETRIEVAL]:
        ranks = _joined(searches, "items.parquet", "matcher", "model", "item")
        queries = pl.concat(run.frame(QUERY_FILE) for run in searches).unique(maintain_order=True)
        sources = [run.record.config["queries"] for run in searches]
        source = ", ".join(dict.fromkeys(one if one == OFFLINE else one["model"] for one in sources))
        evidence[RETRIEVAL], asked = retrieval_evidence(ranks), query_counts(source, queries)
        made_by[RETRIEVAL] = _listed(ranks["matcher"])
    if answered := by_source[CONTRASTIVE]:
        items = pl.concat(run.frame("items.parquet").filter(condition="summary") for run in answered)
        evidence[CONTRASTIVE] = _contrastive_evidence(benchmark, items)
        made_by[CONTRASTIVE] = _listed(items["matcher"])
    if by_source[JUDGE]:
        keys = ("judge", "method", "target", "writer", "opponent")
        judgements = _joined(by_source[JUDGE], "judgements.parquet", *keys)
        evidence[JUDGE], judges = judge_evidence(benchmark, judgements), judges_asked(judgements)
        strengths = pair_strengths(benchmark, judgements)
        made_by[JUDGE] = _listed(judgements["judge"])
    weighed = weights_over(requested, evidence)
    combined = combine(evidence, weighed.effective)
    notes = [run.scores().notes for source in evidence for run in by_source[source]]
    cautions = tuple(dict.fromkeys(caution for note in notes for caution in note.cautions))
    with progress.step("comparing writers", None):
        figures = RankingFigures(
            writers=_results(benchmark, evidence, combined, weighed.absent, kept_models(kept)),
            comparison=compared(combined, evidence, ComparisonSettings(baseline=baseline), cautions),
            made_by=made_by,
            weights=weighed,
            nearest_change=nearest_change(weighed.effective, source_means(combined, [*weighed.effective])),
            fingerprint=benchmark.header.fingerprint,
            units=combined["unit"].n_unique(),
            queries=asked,
            judges=judges,
            strengths=strengths,
        )
    models = tuple(
        (name, "judging" if source == JUDGE else "queries", model)
        for source in (JUDGE, RETRIEVAL)
        for run in by_source[source]
        for name, model in run.record.models.items()
        if "requested" in model
    )
    version = opened[0].record.tellapart_version
    return Ranking(figures, cautions, tuple(run.path for run in opened), models, version)


def _opened(paths: Sequence[Path]) -> list[RunDirectory]:
    if not paths:
        raise UsageError("no run is given", next_step=f"Make one with '{COMMANDS[CONTRASTIVE]}'")
    # Neither the order of the runs nor one that is given twice changes anything.
    distinct = {path.resolve(): path for path in paths}
    runs = [RunDirectory.open(distinct[resolved]) for resolved in sorted(distinct)]
    for run in runs:
        _source(run)
        here, first = (str(one.record.inputs.get("benchmark", "unknown")) for one in (run, runs[0]))
        if here != first:
            raise Refused(
                f"this run is over the benchmark {here}, but {runs[0].path} is over {first}",
                where=run.path,
                next_step="Give runs over one benchmark",
            )
    return runs


def _source(run: RunDirectory) -> str:
    """Name the evidence that a run holds."""
    if run.record.suite == "contrastive":
        return CONTRASTIVE
    run.check_suite("writers")
    source = run.record.config.get("evidence")
    if source not in (RETRIEVAL, JUDGE):
        raise InputError(f"its evidence is {source!r}, expected {RETRIEVAL!r} or {JUDGE!r}", where=run.path)
    return str(source)


def _listed(names: pl.Series) -> str:
    return show.listed(names.unique().sort().to_list())


def _contrastive_evidence(benchmark: Benchmark, items: pl.DataFrame) -> pl.DataFrame:
    """The share of a unit's items that were answered right."""
    ids = pl.Series([unit.id for unit in benchmark.units])
    return matcher_units(
        items.select(
            "path",
            "matcher",
            "missing",
            writer="source",
            unit=ids.gather(items["target"]),
            part="item",
            score=pl.col("correct").cast(pl.Float64),
        )
    )


def _joined(runs: Sequence[RunDirectory], file: str, *keys: str) -> pl.DataFrame:
    """The rows of several runs of one kind; each answer is in one of them."""
    rows = pl.concat(run.frame(file) for run in runs)
    twice = rows.filter(rows.select(keys).is_duplicated())
    if twice.height:
        raise InputError(
            f"{twice[keys[0]][0]} answered about {twice['target'][0]} in several of these runs",
            where=", ".join(str(run.path) for run in runs),
            next_step="Give one of them",
        )
    return rows


def _results(
    benchmark: Benchmark,
    evidence: Mapping[str, pl.DataFrame],
    combined: pl.DataFrame,
    absent: Mapping[str, str],
    models: Mapping[str, Any],
) -> tuple[WriterResult, ...]:
    """Figures of each writer, the best first."""
    results = []
    for name in combined["writer"].unique():
        of_source = {source: Estimate(None, None, None, 0, why) for source, why in absent.items()}
        for source, units in evidence.items():
            of_source[source] = writer_mean(units, name, "this writer is in none of the runs")
        results.append(
            WriterResult(
                name=name,
                **of_source,
                combined=writer_mean(combined, name, "no unit has all evidence that counts"),
                missing=counts(combined.filter(writer=name)["missing"]),
                cost=_cost(models.get(name), len(benchmark.texts[name])),
                cost_total=models.get(name, {}).get("cost"),
            )
        )
    return tuple(
        sorted(results, key=lambda one: (one.combined.value is None, -(one.combined.value or 0.0), one.name))
    )


def _cost(record: Mapping[str, Any] | None, summaries: int) -> Estimate:
    """What one summary cost, from the record of how its writer was asked."""
    if record is None:
        reason = "the runs keep no record of a language model that wrote these summaries"
    elif (total := record.get("cost")) is None:
        reason = "no price was given: build with --price IN,OUT"
    elif not summaries:
        reason = "no summary was written"
    else:
        return Estimate(total / summaries, None, None, summaries, "counted, not sampled")
    return Estimate(None, None, None, 0, reason)
