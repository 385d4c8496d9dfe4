"""The ranking of writers as records: what ``contrastive rank --json`` prints and its page shows."""

from __future__ import annotations

from tellapart.contrastive.excluding import ExcludedItems
from tellapart.core.comparison import Comparison
from tellapart.core.estimate import Estimate
from tellapart.core.record import Record


class WriterResult(Record):
    """One writer of summaries.

    Attributes:
        contrastive: Mean share of items whose target was picked, over matchers; in [0, 1]. ``n`` counts
            units, here as in the next three.
        retrieval: Mean score of the summaries as an index of the repository; in [0, 1].
        judge: Mean score by judges; in [0, 1].
        combined: Weighted mean of the three, in [0, 1], over the units that have all evidence that counts.
        missing: Units without a score in the combined evidence, by cause.
        cost: Of one summary, in ``currency``; ``n`` counts summaries. It is counted and has no interval.
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


class NearestChange(Record):
    """The least change of the weights after which another writer is first.

    Attributes:
        writer: Who is then level with the first.
        moved: How much weight moves from some sources to others, in [0, 1].
        weights: Under which the two are level.
    """

    writer: str
    moved: float
    weights: dict[str, float]


class SensitivityRecord(Record):
    """How the order changes as the weights change, were the means of the sources exact.

    Attributes:
        nearest: None where no weights put another writer first.
        alone: By source, the writers in their order by that source alone.
    """

    nearest: NearestChange | None
    alone: dict[str, tuple[str, ...]]


class SourceAgreement(Record):
    """How alike two sources of evidence see the writers.

    Attributes:
        tau: Kendall's tau-b of the writers' means; None of fewer than three writers.
        correlation: Pearson's, of the scores of units, each less the mean of the writers on that unit: do the
            summaries that one source finds better than the others on their unit look better to the other.
        units: That both have scores of all these writers for.
    """

    a: str
    b: str
    tau: float | None
    correlation: float | None
    writers: int
    units: int


class RankingRecord(Record):
    """Writers of summaries, the best first by their combined score; ties by name.

    Attributes:
        writers: In that order; writers without a combined score come last.
        comparison: Of the writers by their combined scores; each evidence alone is the secondary family.
        weights: Of the sources of evidence.
        sensitivity: To the weights; None where fewer than two writers have a combined score.
        agreement: Of every two sources there are.
        units: Targets that the combined score is over.
        excluded: Items that were left out after the evidence was known; None where none was.
    """

    writers: tuple[WriterResult, ...]
    comparison: Comparison
    weights: WeightsRecord
    sensitivity: SensitivityRecord | None
    agreement: tuple[SourceAgreement, ...]
    fingerprint: str
    units: int
    excluded: ExcludedItems | None = None
