"""From ranks to figures: how well each writer's summaries are found, by kind of query and by matcher."""

from __future__ import annotations

from dataclasses import dataclass

import polars as pl

from tellapart.core.estimate import Estimate
from tellapart.core.stats import clustered_mean, clustered_rate, mean_once
from tellapart.writers.evidence import matcher_units
from tellapart.writers.measures import MEASURES
from tellapart.writers.queries import KINDS
from tellapart.writers.written import Written


@dataclass(frozen=True)
class WriterRanks:
    """One writer's summaries as an index, over some queries and matchers.

    Attributes:
        n: Pairs of query and matcher with a rank.
        missing_by_cause: Those without, because the writer has no summary of the unit.
        measures: By the names of ir_measures (``RR`` is MRR, ``Success`` hit rate), clustered by file.
        mrr_bounds: MRR if each query without a summary found nothing, and if it found its unit first.
    """

    n: int
    missing_by_cause: dict[str, int]
    measures: dict[str, Estimate]
    mrr_bounds: tuple[float, float] | None


@dataclass(frozen=True)
class QueryCounts:
    """Queries by kind, and units without one by kind and cause; ``source`` is who wrote them."""

    source: str
    by_kind: dict[str, int]
    missing: dict[str, dict[str, int]]


@dataclass(frozen=True)
class Retrieval:
    """All that ranks come to, by writer; ``index`` counts the summaries of each."""

    queries: QueryCounts
    index: dict[str, int]
    overall: dict[str, WriterRanks]
    by_kind: dict[str, dict[str, WriterRanks]]
    by_matcher: dict[str, dict[str, WriterRanks]]


def retrieval(written: Written, source: str, queries: pl.DataFrame, ranks: pl.DataFrame) -> Retrieval:
    """Compute the figures of ranks."""
    rows = ranks.sort("model", "item")
    counts = {kind: queries.filter(kind=kind)["missing"] for kind in KINDS}
    causes = {kind: _causes(missing) for kind, missing in counts.items()}
    used = {kind: missing.null_count() for kind, missing in counts.items()}
    return Retrieval(
        queries=QueryCounts(source, used, {kind: by for kind, by in causes.items() if by}),
        index={writer: len(texts) for writer, texts in written.texts.items()},
        overall=_by_writer(rows),
        by_kind={kind: _by_writer(rows.filter(query_kind=kind)) for kind in KINDS if used[kind]},
        by_matcher={name: _by_writer(rows.filter(matcher=name)) for name in rows["matcher"].unique().sort()},
    )


def retrieval_evidence(ranks: pl.DataFrame) -> pl.DataFrame:
    """Give one score for each writer and unit: the mean over its queries."""
    part = pl.col("item").str.strip_suffix(pl.format(" | {}", "matcher"))
    return matcher_units(
        ranks.select("matcher", "score", "missing", writer="model", unit="target", path="cluster", part=part)
    )


def _by_writer(ranks: pl.DataFrame) -> dict[str, WriterRanks]:
    return {str(name): _figures(rows) for (name,), rows in ranks.group_by("model", maintain_order=True)}


def _figures(rows: pl.DataFrame) -> WriterRanks:
    scored = rows.drop_nulls("score")
    low, high = (mean_once(rows["score"].fill_null(worst)) for worst in (0.0, 1.0))
    return WriterRanks(
        n=scored.height,
        missing_by_cause=_causes(rows["missing"]),
        measures={name: _measure(scored, name) for name in MEASURES},
        mrr_bounds=None if low is None or high is None else (low, high),
    )


def _causes(missing: pl.Series) -> dict[str, int]:
    return dict(missing.drop_nulls().value_counts().sort("missing").iter_rows())


def _measure(scored: pl.DataFrame, name: str) -> Estimate:
    """A rate, which is 0 or 1 but for ties, has Wilson's interval; a mean of grades has Student's."""
    spread = clustered_rate if name.startswith("Success") else clustered_mean
    estimate = spread(scored[name].to_numpy(), scored["cluster"].to_list())
    low, high = estimate.interval.within(0.0, 1.0) if estimate.interval else (None, None)
    return Estimate(estimate.value, low, high, estimate.n, estimate.reason)
