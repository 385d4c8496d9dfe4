"""The figures of an evaluation, block by block, as ``metrics`` and ``gold`` of its JSON have them."""

from __future__ import annotations

from typing import TypeAlias

from pydantic import Field, model_validator

from tellapart.core.estimate import Estimate
from tellapart.core.record import StoredRecord

Number: TypeAlias = int | float  # A figure that is written as it was computed: 1 stays 1, and 1.0 stays 1.0
Interval: TypeAlias = tuple[Number, Number] | None  # Both ends, or None where there is no interval
Bounds: TypeAlias = tuple[Number | None, Number | None]
"""What missing verdicts could make of a figure, lowest and highest; None for an end that is not defined."""

Counts: TypeAlias = dict[str, int]  # How many of each cause, level or name


class Aggregate(StoredRecord):
    """The documented block: means over conversations, to three decimals."""

    precision: Number | None = None
    recall: Number | None = None
    conversations_evaluated: int | None = None


class AreaAggregate(StoredRecord):
    """The documented block of one product area."""

    precision: Number | None = None
    recall: Number | None = None
    count: int | None = None


class CalibrationBlock(StoredRecord):
    """The documented block of calibration: files by which run found them, and the recommendation."""

    opus_only_files: int | None = None
    sonnet_only_files: int | None = None
    both_models_files: int | None = None
    overlap_rate: Number | None = None
    recommendation: str | None = None


class Measure(StoredRecord):
    """One measure of a conversation: in [0, 1], or why it is missing, one of ``core.scores.CAUSES``.

    A conversation that is no item of the measure has neither. Bounds are the lowest and the highest value
    that missing verdicts leave possible; None for an end that is a share of nothing.
    """

    value: Number | None = None
    bounds: Bounds = (None, None)
    missing: str | None = None


class MeasureSummary(StoredRecord):
    """One measure over conversations; see `metrics.aggregate.summary`."""

    macro: Number | None
    interval: Interval
    interval_reason: str | None
    bounds: Bounds
    conversations: int
    missing: Counts


class AreaMeasure(StoredRecord):
    """One measure in a product area, and how far it is below the whole; None where verdicts decide."""

    mean: Number | None
    interval: Interval
    gap: Bounds
    anomaly: bool | None


class JudgingSummary(StoredRecord):
    """How the judging went; see `metrics.judge.judging`."""

    judged: int
    relevant: int = 0
    actionable: Counts = Field(default_factory=dict)
    failed: Counts
    not_shown: Counts = Field(default_factory=dict)
    not_asked: int
    share_failed: Number | None
    reliable: bool | None


class RunSummary(StoredRecord):
    """What became of the explorations of one run; see `metrics.explorations.exploring`."""

    explorer: str
    done: int
    failed: Counts
    failed_conversations: tuple[str, ...] = ()
    suspect: tuple[str, ...]
    files: int


class ExploringSummary(StoredRecord):
    """What became of the explorations, by run."""

    run_a: RunSummary
    run_b: RunSummary

    def of(self, role: str) -> RunSummary:
        """The summary of ``run_a`` or of ``run_b``."""
        return self.run_a if role == "run_a" else self.run_b


class RankingSummary(StoredRecord):
    """How well the order of the files is, or why there are no such figures; see `metrics.ranked.ranked`."""

    reason: str | None = None
    measures: dict[str, Estimate] | None


class Dimension(StoredRecord):
    """One dimension that the judge scores, over searches."""

    mean: Estimate
    counts: Counts


class Classification(StoredRecord):
    """Whether the product area is the one that the judge would have chosen."""

    accuracy: Estimate
    mistaken: Counts = Field(default_factory=dict)


class AssessmentSummary(StoredRecord):
    """What the judge says of searches as a whole; see `metrics.judge.assessment`."""

    assessed: int
    failed: Counts
    dimensions: dict[str, Dimension]
    classification: Classification | None = None


class Retest(StoredRecord):
    """How far an explorer agrees with itself, beside how far it agrees with the other one."""

    conversations: int
    left_out: int
    itself: Estimate
    cross: Estimate
    again: Estimate
    verdict: str


class Explorers(StoredRecord):
    """Who explored as run A and as run B; None without a conversation."""

    run_a: str | None = None
    run_b: str | None = None


class Agreement(StoredRecord):
    """How far run A and run B agree; see `metrics.explorations.agreement`."""

    conversations: int = 0
    left_out: int = 0
    overlap_of_a: Estimate | None = None
    jaccard: Estimate | None = None
    retest: dict[str, Retest] = Field(default_factory=dict)
    decision: str = ""


class RestStratum(StoredRecord):
    """Files that nobody returned, and what a judge says of a random sample of them."""

    files: int
    sampled: int
    relevant: int
    without_verdict: int


class SampledRecall(StoredRecord):
    """Recall of all conversations together, with a sample of what nobody returned."""

    conversations: int
    found: int
    missed: int
    strata: dict[str, RestStratum]
    relevant: Number | None
    relevant_at_most: int
    recall: Number | None
    recall_at_least: Number | None
    confidence: Number
    chapman_recall: Number | None


class Metrics(StoredRecord):
    """All blocks, the documented ones first; a block that has nothing to say is left out."""

    aggregate: Aggregate
    by_product_area: dict[str, AreaAggregate] = Field(default_factory=dict)
    calibration: CalibrationBlock | None = None
    measures: dict[str, MeasureSummary]
    areas: dict[str, dict[str, AreaMeasure]] = Field(default_factory=dict)
    uncertain: Estimate | None = None
    judging: JudgingSummary
    exploring: ExploringSummary
    ranked: RankingSummary | None = None
    assessment: AssessmentSummary | None = None
    sampled_recall: SampledRecall | None = None
    agreement: Agreement | None = None

    @model_validator(mode="after")
    def _has_its_measures(self) -> Metrics:
        both = ("precision", "recall")
        lacking = [n for name in both for n in (name, f"{name}_union") if n not in self.measures]
        for area, figures in self.areas.items():
            either = [{name, f"{name}_union"} for name in both]
            lacking += [f"{min(names)} of {area}" for names in either if names.isdisjoint(figures)]
        if lacking:
            raise ValueError(f"there is no {lacking[0]!r}")
        return self


class SetAgainstGold(StoredRecord):
    """All files that somebody found, held against gold: means over conversations."""

    recall: Estimate
    precision: Estimate


class ExplorersAgainstGold(StoredRecord):
    """What each exploration, and what both together found, held against gold."""

    run_a: SetAgainstGold
    run_b: SetAgainstGold
    union: SetAgainstGold


class GoldSummary(StoredRecord):
    """Gold figures of a whole evaluation."""

    form: str
    conversations: int
    files: int
    absent: int
    left_out: Counts
    missing: Counts
    recall_at: dict[str, Estimate]
    acc_at: dict[str, Estimate]
    mrr: Estimate
    ndcg: Estimate
    system_against_gold: SetAgainstGold
    explorers_against_gold: ExplorersAgainstGold
    lines: Estimate | None = None
