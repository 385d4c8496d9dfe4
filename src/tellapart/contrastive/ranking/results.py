"""The ranking of writers as records: what ``contrastive rank --json`` prints and its page shows."""

from __future__ import annotations

from tellapart.core.comparison import ComparisonRecord
from tellapart.core.estimate import Estimate
from tellapart.core.record import Record


class WriterResult(Record):
    """One writer of summaries.

    Attributes:
        name: As the benchmark has it.
        contrastive: Mean share of items whose target was picked, over matchers; in [0, 1]. ``n`` counts
            units, here as in the next three.
        retrieval: Mean score of the summaries as an index of the repository; in [0, 1].
        judge: Mean score by judges; in [0, 1].
        combined: Weighted mean of the three, in [0, 1], over the units that have all evidence that counts.
        missing: Units without a score in the combined evidence, by cause.
        cost: Of one summary, in ``currency``; ``n`` counts summaries. It is counted and has no interval.
        cost_total: Of all of them.
        currency: Of the costs.
        latency_s: Median seconds of a summary; ``n`` counts summaries that were asked for.
        latency_p95_s: Seconds that 95 % of the summaries took at most.
    """

    name: str
    contrastive: Estimate
    retrieval: Estimate
    judge: Estimate
    combined: Estimate
    missing: dict[str, int]
    cost: Estimate
    cost_total: float | None
    currency: str = "USD"
    latency_s: Estimate
    latency_p95_s: Estimate


class WeightsRecord(Record):
    """What each source of evidence weighs.

    Attributes:
        asked: As asked for, summing to 1.
        effective: Over the evidence that is there, summing to 1.
        absent: Why other evidence is not there, and which command makes it.
    """

    asked: dict[str, float]
    effective: dict[str, float]
    absent: dict[str, str]


class RankingRecord(Record):
    """Writers of summaries, the best first by their combined score; ties by name.

    Attributes:
        writers: In that order; writers without a combined score come last.
        comparison: Of the writers by their combined scores; each evidence alone is the secondary family.
        weights: Of the sources of evidence.
        fingerprint: Of the benchmark.
        units: Targets that the combined score is over.
    """

    writers: tuple[WriterResult, ...]
    comparison: ComparisonRecord
    weights: WeightsRecord
    fingerprint: str
    units: int
