"""Retrieval: each writer's summaries are an index of their own, and queries search it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import polars as pl

from tellapart.contrastive.benchmark import Benchmark, keep_benchmark, read_benchmark
from tellapart.contrastive.models import Models, recorded_server, require_models
from tellapart.contrastive.summaries import neutral_text
from tellapart.core.progress import SILENT, Progress, counted
from tellapart.core.score_notes import ScoreNotes
from tellapart.core.settings import AMONG_INPUTS, NO_EFFECT, Recorded, Unrecorded
from tellapart.core.stats.intervals import cluster_codes
from tellapart.embed.lineups import Lineups
from tellapart.embed.protocol import Matcher
from tellapart.embed.similarity import embed
from tellapart.errors import InputError
from tellapart.extraction.unit import Unit
from tellapart.llm import costs
from tellapart.llm.budget import NO_LIMITS, Limits
from tellapart.llm.models import LanguageModel
from tellapart.llm.run_models import RunCalls, prompt_hashes
from tellapart.store import RunDirectory
from tellapart.writers.evidence import counts, matcher_units, planned_run, why_missing
from tellapart.writers.queries import (
    EXAMPLE,
    QUERY_KINDS,
    offline_queries,
    queries_from,
    queries_prompt,
    query_questions,
)
from tellapart.writers.weights import RETRIEVAL

OFFLINE = "offline"
"""The source of queries that no language model wrote."""

OF_THE_CODE = (
    "queries of the code's own words favour writers that repeat them; 'writers retrieve --queries "
    "llm:PROVIDER/MODEL' asks as people do"
)
SMALLEST_INDEX = 2
"""Summaries that an index needs, since among fewer nothing can be ranked."""

QUERY_FILE = "artifacts/queries.parquet"
_STRATA = ("target", "query_kind", "matcher", "language", "unit_type")


def _queries(settings: RetrievalSettings) -> dict[str, Any]:
    if settings.queries is None:
        return {"queries": OFFLINE}
    return {"queries": settings.queries.requested(), **prompt_hashes({"prompt": queries_prompt()})}


@dataclass(frozen=True)
class RetrievalSettings:
    """How the writers of a benchmark are compared by retrieval.

    Attributes:
        models: Names of matchers.
        queries: The language model that writes queries; None for those from the code.
        base_url: Where an OpenAI-compatible server of embeddings is.
        reuse: An earlier run, or its journal of calls, whose answers are taken over.
    """

    models: Sequence[str]
    queries: Annotated[LanguageModel | None, Recorded(_queries)] = None
    base_url: Annotated[str | None, Recorded(recorded_server)] = None
    limits: Annotated[Limits, Unrecorded(NO_EFFECT)] = NO_LIMITS
    reuse: Annotated[Path | None, Unrecorded(AMONG_INPUTS)] = None


def _options(units: Sequence[Unit]) -> Callable[[int], np.ndarray]:
    """Make a function from the place of a unit to those that a search for it ranks, its own first.

    Its parts, what it is a part of, and units of the same documentation would be right answers as well.
    """
    path, said = (
        cluster_codes(labels, len(units))[0]
        for labels in ([unit.path for unit in units], [neutral_text(unit) for unit in units])
    )
    start, end = (np.array([getattr(unit, line) for unit in units]) for line in ("start_line", "end_line"))

    def options(own: int) -> np.ndarray:
        overlapping = (path == path[own]) & (start <= end[own]) & (start[own] <= end)
        return np.append(own, np.flatnonzero(~(overlapping | (said == said[own]))))

    return options


def writer_ranks(
    benchmark: Benchmark, writer: str, name: str, matcher: Matcher | None, queries: pl.DataFrame
) -> pl.DataFrame:
    """Rank the summaries of one writer, the ``model``, for each query without a cause."""
    texts = dict(sorted(benchmark.texts[writer].items()))
    rows = queries.filter(pl.col("missing").is_null()).drop("missing").sort("unit", "kind")
    found = rows.filter(pl.col("unit").is_in([*texts]) & (matcher is not None)).select("unit", "kind", "text")
    ranks = found.clear().with_columns(rank=pl.lit(0), ties=pl.lit(0), RR=pl.lit(0.0))
    if matcher and found.height:
        place = {unit: i for i, unit in enumerate(texts)}
        typed = found["text"].unique(maintain_order=True)
        options = [*map(_options([*map(benchmark.unit, texts)]), map(place.__getitem__, found["unit"]))]
        lineups = Lineups(
            found["text"].replace_strict(typed, range(len(typed))).to_numpy(),
            np.concatenate(options),
            np.cumsum([0, *map(len, options)]),
        )
        ranking = lineups.rank(embed(matcher, typed.to_list(), [*texts.values()]).similarity)
        ranks = found.with_columns(rank=ranking.rank, ties=ranking.ties, RR=ranking.reciprocal_rank)
    asked = [benchmark.unit(unit) for unit in rows["unit"]]
    causes = pl.Series([why_missing(benchmark, writer, unit.id) for unit in asked], dtype=pl.String)
    return rows.join(ranks.drop("text"), on=["unit", "kind"], how="left", maintain_order="left").select(
        model=pl.lit(writer),
        item=pl.format("{}/{} | {}", "kind", "unit", pl.lit(name)),
        score="RR",
        missing=pl.when(pl.col("RR").is_null()).then(causes),
        cluster=pl.Series([unit.path for unit in asked]),
        target="unit",
        query_kind="kind",
        matcher=pl.lit(name),
        language=pl.Series([unit.language for unit in asked]),
        unit_type=pl.Series([unit.type for unit in asked]),
        rank="rank",
        ties="ties",
        RR="RR",
        question="text",
        expected="unit",
        response=pl.format("the unit at rank {}", "rank"),
    )


def _check_searchable(benchmark: Benchmark, queries: pl.DataFrame) -> None:
    if queries["missing"].null_count() == 0:
        raise InputError(
            "there is no query: none could be made, or all of them are the text of a summary",
            next_step="Let a language model write them, with --queries llm:PROVIDER/MODEL",
        )
    if max(map(len, benchmark.texts.values()), default=0) < SMALLEST_INDEX:
        raise InputError(
            f"no writer has {SMALLEST_INDEX} summaries, and among fewer nothing can be ranked",
            next_step="Build the benchmark with more targets: 'tellapart contrastive build REPO --targets N'",
        )


def of_several(path: Path) -> Benchmark:
    """Read a benchmark; refuses one whose summaries have one writer, whom nothing is ranked against."""
    benchmark = read_benchmark(path)
    if len(benchmark.sources) < 2:
        raise InputError(
            f"the only writer of summaries is {' and '.join(benchmark.sources)!r}, and it takes two to rank",
            where=path,
            next_step="Let several write: tellapart contrastive build REPO --out BENCH "
            "--summaries llm:PROVIDER/MODEL,PROVIDER/MODEL",
        )
    return benchmark


def retrieve(
    bench: str | Path,
    settings: RetrievalSettings,
    *,
    out: str | Path | None = None,
    progress: Progress = SILENT,
) -> RunDirectory:
    """Compare the writers of a benchmark by retrieval, or finish an interrupted run of the same.

    Args:
        out: Run directory; by default ``runs/`` and a name that follows from the settings.

    Raises:
        InputError: There is no query, or no index to search.
        UsageError: A matcher is not known, or the language model cannot be asked.
    """
    require_models(settings.models)
    benchmark, llm = of_several(Path(bench)), settings.queries
    run_plan = planned_run(benchmark, RETRIEVAL, settings, [llm] if llm else [], out)
    if (complete := run_plan.finished_run("searched", progress)) is not None:
        return complete
    calls = RunCalls(run_plan, limits=settings.limits, reuse=settings.reuse, progress=progress)
    if llm:
        calls.check(llm, query_questions(benchmark))
    names, records, parts = list(dict.fromkeys(settings.models)), {}, []
    with run_plan.writing() as open_run, Models(settings.base_url, progress) as models:
        keep_benchmark(Path(bench), open_run)
        if llm:
            with calls.opened() as open_calls:
                queries = queries_from(benchmark, open_calls.ask(query_questions(benchmark), llm).by_id)
                records[llm.name] = open_calls.record(llm)
        else:
            queries = offline_queries(benchmark)
        _check_searchable(benchmark, queries)
        for name in names:
            fingerprints = {}
            for writer in counted(benchmark.sources, progress, f"{name} searches", unit="writers"):
                texts = [text for _, text in sorted(benchmark.texts[writer].items())]
                matcher = models.matcher_of(name, texts) if len(texts) >= SMALLEST_INDEX else None
                if matcher:
                    fingerprints[writer] = matcher.fingerprint
                parts.append(writer_ranks(benchmark, writer, name, matcher, queries))
            records[name] = {"fingerprints": fingerprints}
        ranks = pl.concat(parts).sort("model", "item")
        open_run.record.models = records
        open_run.write_frame(QUERY_FILE, queries)
        open_run.write_frame("items.parquet", ranks)
        scores = ranks.select("model", "item", "score", "missing", "cluster", *_STRATA)
        notes = ScoreNotes(by="query_kind", cautions=_cautions(benchmark, llm))
        open_run.write_frame("scores.parquet", scores, notes)
        open_run.record.counts = {"models": scores["model"].n_unique(), "items": scores["item"].n_unique()}
    return run_plan.open()


def _cautions(benchmark: Benchmark, llm: LanguageModel | None) -> tuple[str, ...]:
    """Say what decides how much a verdict on these writers is worth, a sentence each."""
    sentences = [] if llm else [OF_THE_CODE]
    if llm and llm.name in benchmark.texts:
        sentences.append(
            f"{llm.name} wrote both queries and summaries, and may find its own words more easily"
        )
    sizes = {writer: len(texts) for writer, texts in benchmark.texts.items()}
    largest = max(sizes.values())
    sentences += [
        f"the index of {writer} holds {size:,} of {largest:,} summaries: among fewer a unit is found more "
        "easily"
        for writer, size in sizes.items()
        if size < largest
    ]
    return tuple(sentences)


def estimate_query_cost(
    bench: Path, settings: RetrievalSettings, out: Path | None
) -> dict[str, costs.Estimate]:
    """Estimate what it takes to let a language model write the queries; by its name."""
    benchmark, llm = of_several(bench), settings.queries
    run_plan = planned_run(benchmark, RETRIEVAL, settings, [llm] if llm else [], out)
    run_plan.check_path()
    if llm is None:
        return {}
    calls, reply = RunCalls(run_plan, limits=settings.limits, reuse=settings.reuse), EXAMPLE.model_dump_json()
    return {llm.name: calls.estimate(query_questions(benchmark), llm, reply_characters=len(reply))}


@dataclass(frozen=True)
class QueryCounts:
    """Queries by kind, and units without one by kind and cause; ``source`` is who wrote them."""

    source: str
    by_kind: dict[str, int]
    missing: dict[str, dict[str, int]]


def query_counts(source: str, queries: pl.DataFrame) -> QueryCounts:
    """Count the queries that search every index."""
    missing = {kind: queries.filter(kind=kind)["missing"] for kind in QUERY_KINDS}
    used = {kind: causes.null_count() for kind, causes in missing.items()}
    return QueryCounts(source, used, {kind: by for kind in QUERY_KINDS if (by := counts(missing[kind]))})


def retrieval_evidence(ranks: pl.DataFrame) -> pl.DataFrame:
    """Compute one score for each writer and unit: the mean over its queries."""
    part = pl.col("item").str.strip_suffix(pl.format(" | {}", "matcher"))
    return matcher_units(
        ranks.select("matcher", "score", "missing", writer="model", unit="target", path="cluster", part=part)
    )
