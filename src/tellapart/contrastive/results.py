"""The results of this suite as records: what commands print as JSON, a run stores and its page shows."""

from __future__ import annotations

from pydantic import Field

from tellapart.core.comparison import ChanceOutcome, Comparison, ItemsNeeded
from tellapart.core.record import Record

Ends = tuple[float, float]
"""The low and the high end of an interval."""


class ModelResult(Record):
    """One model over some items; replicates of an item count once, by their mean.

    Attributes:
        n: Items with a score.
        missing: Items without any score.
        askings: Answers that were asked for.
        askings_missing: Answers that are missing; an item asked several times may miss some and have a score.
        accuracy: In [0, 1].
        accuracy_ci: Wilson's interval on the effective number of items, clustered on the file.
        accuracy_bounds: The accuracy if every missing answer were wrong, and if every one were right.
        top3: Share of items whose target is among the first three.
        top5: The same for five.
        mrr: Mean reciprocal rank.
        mean_rank: Mean expected rank, from 1.
        confidence_gap: Mean score of the first option less that of the second.
        ties: Items where another option tied with the target.
    """

    n: int
    missing: int
    askings: int
    askings_missing: int
    missing_by_cause: dict[str, int]
    accuracy: float | None
    accuracy_ci: Ends | None
    accuracy_bounds: Ends | None
    top3: float | None
    top5: float | None
    mrr: float | None
    mean_rank: float | None
    confidence_gap: float | None
    ties: int


ByModel = dict[str, ModelResult]


class ControlResult(Record):
    """Accuracy of a model on a control, beside that of guessing.

    Attributes:
        n: Items with a score.
        value: Accuracy, in [0, 1].
        chance: Accuracy of guessing.
        ratio: ``value`` over ``chance``.
        interval: 95 % interval of ``value``.
        interval_90: The one that ``outcome`` is tested on.
        outcome: Of the test that ``value`` is within ``controls.MARGIN`` of ``chance``.
    """

    n: int
    value: float | None
    chance: float | None
    ratio: float | None
    interval: Ends | None
    interval_90: Ends | None
    outcome: ChanceOutcome


class OverlapAccuracy(Record):
    """Accuracy of a model on some of the items, beside that of guessing.

    Attributes:
        n: Items with a score.
        accuracy: In [0, 1].
        ci: Wilson's 95 % interval on the effective number of items, clustered on the file.
        chance: Accuracy of guessing on the same items.
    """

    n: int
    accuracy: float | None
    ci: Ends | None
    chance: float | None


class NameSplit(Record):
    """What names do to accuracy and to the differences of models; see ``names.split_by_names``.

    Attributes:
        accuracy: By how many of the name's words the summary has (``none``, ``some``, ``all``), then model.
        comparisons: By source of summaries: its models on all items, and as detail by how much of the name
            the summary has. Without the sources that fewer than two models were asked with.
    """

    accuracy: dict[str, dict[str, OverlapAccuracy]]
    comparisons: dict[str, Comparison]


class SwapKind(Record):
    """Swaps of one kind: how many, and how often the true summary is preferred, with its interval."""

    n: int
    accuracy: float | None
    ci: Ends | None


class SwapResult(Record):
    """How often a model prefers the true summary to one with a term exchanged, over ``n`` swaps.

    ``missing`` swaps have no answer, for these causes.
    """

    n: int
    accuracy: float | None
    ci: Ends | None
    by_kind: dict[str, SwapKind]
    missing: dict[str, int]


class GapHistogram(Record):
    """Confidence gaps: edges of the bins, and items answered right and wrong in each."""

    edges: tuple[float, ...]
    right: tuple[int, ...]
    wrong: tuple[int, ...]


class GapResult(Record):
    """Whether the confidence gap of a model separates right answers from wrong ones.

    Attributes:
        correlation: Point-biserial, of the gap with being right.
        auroc: 0.5 is chance.
        calibration_error: Of a logistic curve from gap to probability, fitted on other files.
    """

    histogram: GapHistogram
    mean_right: float | None
    mean_wrong: float | None
    correlation: float | None
    auroc: float | None
    calibration_error: float | None


class SlotCount(Record):
    """One slot of a level's lists, from 1.

    Attributes:
        slot: From 1.
        n: Scored answers whose target stands here.
        accuracy: Of these; None without any.
        picked: Scored answers that put this slot first, right or wrong.
    """

    slot: int
    n: int
    accuracy: float | None
    picked: int


class SlotTest(Record):
    """A permutation test that accuracy does not depend on the target's slot; see ``slots.slot_test``."""

    p: float | None
    spread: float | None
    thirds: tuple[float | None, ...]
    z: dict[str, float | None]
    draws: int
    reason: str | None


class SlotResult(Record):
    """What the slot of the target does to a language model's answers."""

    by_slot: dict[str, tuple[SlotCount, ...]]
    test: SlotTest


class FlipResult(Record):
    """How often a language model picks another option when it is asked again.

    Attributes:
        items: Items with two such answers or more.
        flip_rate: Share of these whose picks differ.
        ci: 95 % interval of that share.
        disagreement: Mean over items of the share of pairs of answers whose picks differ.
    """

    items: int
    flip_rate: float
    ci: Ends | None
    disagreement: float | None


class Agreement(Record):
    """A language model and an embedding model on the ``n`` items that both have a score for."""

    llm: str
    embedding: str
    n: int
    same_pick: int
    both_right: int
    only_llm: int
    only_embedding: int
    both_wrong: int
    kappa: float | None


class CombinedRank(Record):
    """Mean reciprocal rank by embedding models, by language models, and the mean of the two.

    ``n`` items stand in all three, ``missing`` ones in none; ``ci`` is the 95 % interval of ``combined``,
    clustered on the file.
    """

    embedding: float
    llm: float
    combined: float
    ci: Ends | None
    n: int
    missing: int


class StatedConfidence(Record):
    """The probability that a language model states for its pick, over ``n`` answers."""

    n: int
    mean_right: float | None
    mean_wrong: float | None
    auroc: float | None
    calibration_error: float | None


class WrittenSummaries(Record):
    """Summaries of one writer: how many, why others are missing, and how many name what they describe."""

    n: int
    missing: dict[str, int]
    names_leaked: int
    mean_characters: float | None

    @property
    def leak_share(self) -> float:
        """Share of the summaries that name their unit; 0 without any."""
        return self.names_leaked / self.n if self.n else 0.0


class StrategyMisses(Record):
    """How often a strategy's distractors are what a model takes for the target.

    Attributes:
        share: Of the missed items, those whose best distractor the strategy chose.
        ci: 95 % interval of ``share``, clustered on the file.
        expected: What ``share`` were if every distractor of these items were as tempting.
    """

    share: float
    ci: Ends | None
    expected: float


class MissesByStrategy(Record):
    """``n`` items of a level that a model missed, by what chose the distractor that it put first."""

    n: int
    by_strategy: dict[str, StrategyMisses]


class Report(Record):
    """``artifacts/report.json``: all results of a run but the comparison of the models, made from the scores.

    Attributes:
        by_difficulty: By level, then model; so are the other groups.
        by_distractor_count: By level and model, accuracy with 1, 2, … of each item's own distractors.
        controls: By condition, then model.
        mean_distractor_similarity: By level, on the selector's own scale.
        strategies: By level, distractors by what chose them.
        misses: By level of several strategies and model.
        slots: By language model, as are ``failures`` (answers by kind of failure), ``repaired`` (answers that
            a second attempt brought), ``repeats``, ``orders`` and ``confidence``.
        agreement: By source of summaries, language model and embedding model.
        combined: By source; None where no source was ranked by both kinds of models.
        summaries: By source; empty where no language model wrote the summaries.
    """

    fingerprint: str
    overall: ByModel
    by_difficulty: dict[str, ByModel]
    by_language: dict[str, ByModel]
    by_unit_type: dict[str, ByModel]
    by_distractor_count: dict[str, dict[str, tuple[float, ...]]]
    controls: dict[str, dict[str, ControlResult]]
    swap_accuracy: dict[str, SwapResult]
    mean_distractor_similarity: dict[str, float | None]
    strategies: dict[str, dict[str, int]]
    confidence_gap: dict[str, GapResult]
    slots: dict[str, SlotResult]
    failures: dict[str, dict[str, int]]
    repaired: dict[str, int]
    repeats: dict[str, FlipResult]
    orders: dict[str, FlipResult]
    agreement: tuple[Agreement, ...]
    combined: dict[str, CombinedRank] | None
    confidence: dict[str, StatedConfidence]
    summaries: dict[str, WrittenSummaries]
    misses: dict[str, dict[str, MissesByStrategy]]


class ExcludedItems(Record):
    """Items that somebody left out after the scores were known.

    Attributes:
        sha256: Of the file that says which.
    """

    sha256: str
    items: int
    of: int


class SelfEffect(Record):
    """What a selector does to the accuracy of its own model; None with a ``reason``."""

    effect: float | None
    ci: Ends | None
    reason: str | None


class SelectionBias(Record):
    """How much models suffer from distractors that they chose themselves.

    Attributes:
        self_effects: By selector that is also a model; ``self`` in JSON.
        accuracy: By selector, then model.
        n: Rows that are scored, the same under each selector.
    """

    self_effects: dict[str, SelfEffect] = Field(alias="self")
    accuracy: dict[str, dict[str, float]]
    n: int


class SetUp(Record):
    """One way of choosing distractors, on the same targets and models as the others.

    ``comparison`` is that of an experiment of its own; absent of fewer than two models.
    """

    models: ByModel
    confidence_gap: dict[str, GapResult]
    mean_distractor_similarity: float | None
    comparison: Comparison | None = None


class SetUps(Record):
    """The original method, its repair and the levels of this suite beside one another.

    Attributes:
        baseline: The original method.
        items_needed: By set-up and pair of models.
        comparison: Of the hardest level, with every set-up as detail.
    """

    baseline: SetUp | None = None
    phase1: SetUp | None = None
    phase2: dict[str, SetUp]
    items_needed: dict[str, dict[str, ItemsNeeded]]
    comparison: Comparison | None = None
