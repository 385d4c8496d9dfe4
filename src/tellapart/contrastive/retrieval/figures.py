"""Figures of a retrieval run, from the ranks."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable

import polars as pl

from tellapart.contrastive.benchmark import Benchmark
from tellapart.contrastive.retrieval.llm_queries import names_in
from tellapart.contrastive.retrieval.measures import MEASURES
from tellapart.contrastive.retrieval.queries import KINDS, Queries
from tellapart.contrastive.retrieval.results import (
    QueryCounts,
    RetrievalFigures,
    RetrievalReport,
)
from tellapart.core.estimate import Estimate
from tellapart.core.stats import ClusteredEstimate, clustered_mean, clustered_rate, mean_once

OFFLINE = "offline"
"""The source of queries that no language model wrote."""

OF_THE_CODE = (
    "queries of the code's own words favour writers that repeat them; 'contrastive retrieve --queries "
    "llm:PROVIDER/MODEL' asks as people do"
)
"""What to know of such queries before a verdict is believed."""


def report_retrieval(
    benchmark: Benchmark, queries: Queries, source: str, evidence: pl.DataFrame
) -> RetrievalReport:
    """Compute all figures of a run."""
    rows = evidence.sort("model", "item")
    kinds = Counter(query.kind for query in queries.by_id.values())
    return RetrievalReport(
        evidence="retrieval",
        fingerprint=benchmark.header.fingerprint,
        queries=QueryCounts(
            source=source,
            by_kind={kind: kinds[kind] for kind in KINDS},
            missing=queries.missing_by_kind(),
            repeated=queries.repeated,
            names_leaked=names_in(benchmark, list(queries.by_id.values())),
        ),
        index={writer: len(benchmark.texts(writer)) for writer in benchmark.sources},
        overall=_by_writer(rows),
        by_kind={kind: _by_writer(rows.filter(query_kind=kind)) for kind in KINDS if kinds[kind]},
        by_matcher={
            matcher: _by_writer(rows.filter(matcher=matcher)) for matcher in rows["matcher"].unique().sort()
        },
    )


def cautions(report: RetrievalReport) -> tuple[str, ...]:
    """Say what decides how much a verdict on these writers is worth, a sentence each."""
    return (*_of_offline(report), *_of_own_queries(report), *_of_smaller_indices(report))


def _of_offline(report: RetrievalReport) -> list[str]:
    if report.queries.source != OFFLINE:
        return []
    return [OF_THE_CODE]


def _of_own_queries(report: RetrievalReport) -> list[str]:
    source = report.queries.source
    if source not in report.index:
        return []
    return [f"{source} wrote both queries and summaries, and may find its own words more easily"]


def _of_smaller_indices(report: RetrievalReport) -> list[str]:
    largest = max(report.index.values(), default=0)
    sentences = []
    for writer, figures in report.overall.items():
        if report.index[writer] < largest and figures.mrr_bounds:
            low, high = figures.mrr_bounds
            sentences.append(
                f"the index of {writer} holds {report.index[writer]:,} "
                f"{'summary' if report.index[writer] == 1 else 'summaries'}, the largest {largest:,}: "
                f"among fewer a unit is found more easily; with the missing ones its MRR lies between "
                f"{low:.3f} and {high:.3f}"
            )
    return sentences


def _by_writer(rows: pl.DataFrame) -> dict[str, RetrievalFigures]:
    return {str(writer): _figures(group) for (writer,), group in rows.group_by("model", maintain_order=True)}


def _figures(rows: pl.DataFrame) -> RetrievalFigures:
    scored = rows.drop_nulls("score")
    clusters = scored["cluster"].to_list()
    causes = Counter(rows["missing"].drop_nulls())
    lacking = rows.height - scored.height
    low, high = mean_once(rows["least_RR"].fill_null(0.0)), mean_once(rows["score"].fill_null(1.0))
    return RetrievalFigures(
        n=scored.height,
        missing=lacking,
        missing_by_cause=dict(sorted(causes.items())),
        measures={name: _estimate(_spread(name)(scored[name].to_numpy(), clusters)) for name in MEASURES},
        mrr_bounds=None if low is None or high is None else (low, high),
        mean_rank=mean_once(scored["expected_rank"]),
    )


def _spread(measure: str) -> Callable[..., ClusteredEstimate]:
    """A rate, which is 0 or 1 but for ties, has Wilson's interval; a mean of grades has Student's."""
    return clustered_rate if measure.startswith("Success") else clustered_mean


def _estimate(estimate: ClusteredEstimate) -> Estimate:
    interval = estimate.interval
    low, high = (None, None) if interval is None else interval.within(0.0, 1.0)
    return Estimate(estimate.value, low, high, estimate.n, estimate.reason)
