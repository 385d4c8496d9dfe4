"""From ranks to figures: how well each writer's summaries are found, by kind of query and by matcher."""

from __future__ import annotations

from dataclasses import dataclass

import polars as pl

from tellapart.contrastive.summaries import leaks_name
from tellapart.core.estimate import Estimate
from tellapart.core.stats import clustered_mean, clustered_rate, mean_once
from tellapart.writers.measures import MEASURES
from tellapart.writers.queries import KINDS, REPEATED, asked
from tellapart.writers.written import Written


@dataclass(frozen=True)
class WriterRanks:
    """One writer's summaries as an index, over some queries and matchers.

    Attributes:
        n: Pairs of query and matcher with a rank.
        missing: Those without, because the writer has no summary of the unit.
        measures: By the names of ir_measures (``RR`` is MRR, ``Success`` hit rate), clustered by file.
        mrr_bounds: MRR if each missing summary were found last and every one that this writer lacks came
            before those that it has, and if each were found first.
        mean_rank: Mean expected rank of the first relevant summary, from 1.
    """

    n: int
    missing: int
    missing_by_cause: dict[str, int]
    measures: dict[str, Estimate]
    mrr_bounds: tuple[float, float] | None
    mean_rank: float | None


@dataclass(frozen=True)
class QueryCounts:
    """Queries by kind, and units without one by kind and cause.

    Attributes:
        source: ``offline``, ``jsonl``, or the language model that wrote the queries.
        repeated: Queries left out, since they are the text of a writer's summary.
        names_leaked: Queries that contain the name of their unit, as the code spells it.
    """

    source: str
    by_kind: dict[str, int]
    missing: dict[str, dict[str, int]]
    repeated: int
    names_leaked: int


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
    usable = asked(queries)
    kinds = {kind: usable.filter(kind=kind).height for kind in KINDS}
    lacking = queries.filter(pl.col("missing") != REPEATED)
    causes = {kind: lacking.filter(kind=kind)["missing"].value_counts().sort("missing") for kind in KINDS}
    return Retrieval(
        queries=QueryCounts(
            source=source,
            by_kind=kinds,
            missing={kind: dict(counts.iter_rows()) for kind, counts in causes.items() if counts.height},
            repeated=queries.filter(missing=REPEATED).height,
            names_leaked=sum(
                leaks_name(written.units[unit], text)
                for unit, text in usable.select("unit", "text").iter_rows()
            ),
        ),
        index={writer: len(texts) for writer, texts in written.texts.items()},
        overall=ranks_by_writer(rows),
        by_kind={kind: ranks_by_writer(rows.filter(query_kind=kind)) for kind in KINDS if kinds[kind]},
        by_matcher={
            name: ranks_by_writer(rows.filter(matcher=name)) for name in rows["matcher"].unique().sort()
        },
    )


def ranks_by_writer(ranks: pl.DataFrame) -> dict[str, WriterRanks]:
    """Compute the figures of each writer."""
    return {str(name): _figures(rows) for (name,), rows in ranks.group_by("model", maintain_order=True)}


def _figures(rows: pl.DataFrame) -> WriterRanks:
    scored = rows.drop_nulls("score")
    low, high = mean_once(rows["least_RR"].fill_null(0.0)), mean_once(rows["score"].fill_null(1.0))
    return WriterRanks(
        n=scored.height,
        missing=rows.height - scored.height,
        missing_by_cause=dict(rows["missing"].drop_nulls().value_counts().sort("missing").iter_rows()),
        measures={name: _measure(scored, name) for name in MEASURES},
        mrr_bounds=None if low is None or high is None else (low, high),
        mean_rank=mean_once(scored["expected_rank"]),
    )


def _measure(scored: pl.DataFrame, name: str) -> Estimate:
    """A rate, which is 0 or 1 but for ties, has Wilson's interval; a mean of grades has Student's."""
    spread = clustered_rate if name.startswith("Success") else clustered_mean
    estimate = spread(scored[name].to_numpy(), scored["cluster"].to_list())
    low, high = estimate.interval.within(0.0, 1.0) if estimate.interval else (None, None)
    return Estimate(estimate.value, low, high, estimate.n, estimate.reason)
