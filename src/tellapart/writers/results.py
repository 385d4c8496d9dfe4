"""What a ranking of writers comes to: everything that ``writers rank --json`` prints."""

from __future__ import annotations

from dataclasses import dataclass

from tellapart.core.comparison import Comparison
from tellapart.core.estimate import Estimate
from tellapart.writers.retrieval import QueryCounts
from tellapart.writers.verdicts import JudgeUse
from tellapart.writers.weights import NearestChange, Weights


@dataclass(frozen=True)
class WriterResult:
    """One writer of summaries; ``n`` of the first four counts units.

    Attributes:
        contrastive: Mean share of items whose target was picked, over matchers; in [0, 1].
        retrieval: Mean reciprocal rank.
        judge: Mean score by judges, in [0, 1].
        combined: Weighted mean of the three, in [0, 1], over the units that have all evidence that counts.
        missing: Units without a combined score, by cause.
        cost: Of one summary, in dollars; counted, so without an interval.
        cost_total: Of all its summaries, in dollars.
    """

    name: str
    contrastive: Estimate
    retrieval: Estimate
    judge: Estimate
    combined: Estimate
    missing: dict[str, int]
    cost: Estimate
    cost_total: float | None


@dataclass(frozen=True)
class RankingFigures:
    """Everything about some writers.

    Attributes:
        writers: The best first by their combined score, ties by name; those without one come last.
        comparison: Of the writers by their combined scores; each source alone is the secondary family. None
            where fewer than two have a score.
        made_by: By source of evidence, what measured it, such as ``bm25 and tfidf``.
        nearest_change: None where fewer than two writers have a combined score, and where no weights put
            another one first.
        units: Targets that the combined score is over.
        queries: None without a search.
        strengths: Bradley and Terry's by writer, of pairs of summaries; empty without pairs.
    """

    writers: tuple[WriterResult, ...]
    comparison: Comparison | None
    made_by: dict[str, str]
    weights: Weights
    nearest_change: NearestChange | None
    fingerprint: str
    units: int
    queries: QueryCounts | None
    judges: tuple[JudgeUse, ...]
    strengths: dict[str, Estimate]
