"""What an audit finds: what ``tellapart audit --json`` prints, and what its page shows."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Any, Self

import polars as pl
from pydantic import ConfigDict, Field, SerializerFunctionWrapHandler, field_serializer, model_serializer

from tellapart.audit.options import AuditOptions
from tellapart.core.comparison import Comparison, ItemsNeeded, PairComparison, Verdict
from tellapart.core.comparison.judge import JudgeCard
from tellapart.core.record import Record
from tellapart.core.score_grid import ScoreGrid
from tellapart.core.stats.paired_parts import VarianceComponents

if TYPE_CHECKING:
    from tellapart.report.tracked import Figure, Tracked

Ends = tuple[float, float]
"""The ends of an interval."""

OpenEnds = tuple[float | None, float | None]
"""The least and the greatest value; None where scores have no limit on that side."""


class Worded(StrEnum):
    """Values that a page gives in words."""

    words: str

    def __new__(cls, value: str, words: str) -> Self:
        """Make a value."""
        made = str.__new__(cls, value)
        made._value_, made.words = value, words
        return made


class Cause(Worded):
    """Why two models are not separated, as words behind a colon."""

    CEILING = "ceiling", "the items are too easy"
    FLOOR = "floor", "the items are too hard"
    TOO_FEW_ITEMS = "too_few_items", "too few items"
    TOO_FEW_SOURCES = "too_few_sources", "too few sources"
    TOO_FEW_LABELS = "too_few_labels", "too few labels"
    REPLICATE_NOISE = "replicate_noise", "answers differ from run to run"
    GRADER_NOISE = "grader_noise", "the grader is not consistent"
    BROKEN_ITEMS = "broken_items", "items rank the models backwards"
    MISSING_DATA = "missing_data", "missing scores could undo it"
    NO_SCORES = "no_scores", "one has no score at all"
    EQUIVALENT = "equivalent", "they are equivalent"
    NOT_INDEPENDENT = "not_independent", "what they are measured against is not independent of them"


class Action(Worded):
    """What can be done about it."""

    ADD_ITEMS = "add_items", "add items"
    HARDER_ITEMS = "harder_items", "add harder items"
    EASIER_ITEMS = "easier_items", "add easier items"
    ADD_REPLICATES = "add_replicates", "ask again"
    REPEAT_GRADING = "repeat_grading", "grade again"
    LABEL_MORE = "label_more", "label more answers"
    DROP_ITEMS = "drop_items", "check broken items"
    RERUN_MISSING = "rerun_missing", "rerun what is missing"
    CHOOSE_OTHERWISE = "choose_otherwise", "choose by something else"


class Flag(Worded):
    """What is the matter with an item."""

    ALL_PASS = "all_pass", "passed by every model"
    ALL_FAIL = "all_fail", "failed by every model"
    NEGATIVE = "negative_discrimination", "rank the models backwards"


PARTS = {
    "model": "between models",
    "item": "between items",
    "model_item": "model × item",
    "replicate": "between answers",
    "grading": "between gradings",
}
"""Parts of the variance, in the order in which they are listed."""


class Caution(Record):
    """Something to know before any figure is read.

    Attributes:
        kind: Of one word, for scripts.
    """

    kind: str
    text: str


class Why(Record):
    """A cause, and the sentence that gives its evidence."""

    cause: Cause
    text: str


class Fix(Record):
    """Something that would separate two models, or settle that they are equivalent.

    Attributes:
        cost_items: New items it takes; 0 for none.
        cost_replicates: Further answers (or gradings) an item and model it takes; 0 for none. To rerun what
            is missing it is 1, of those items and models alone whose score is missing.
        cost_answers: Single answers (gradings, to grade again) to collect in all, of both models and every
            item, new ones included. None where it is not known.
        chance: That the two then separate; None where that is not known.
        items: Ids of the items it is about, in ascending order.
    """

    action: Action
    cost_items: int = 0
    cost_replicates: int = 0
    cost_answers: int | None = None
    chance: float | None = None
    text: str
    items: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True)
class Pair(PairComparison):
    """Two models as they were compared, why they are not separated, and what to do about it.

    Attributes:
        why: Causes, where the two are not separated.
        fix: What to do, the cheapest first.
    """

    why: tuple[Why, ...]
    fix: tuple[Fix, ...]

    @classmethod
    def explained(cls, pair: PairComparison, why: Sequence[Why] = (), fix: Sequence[Fix] = ()) -> Pair:
        """Add causes and fixes to a pair of a comparison."""
        return cls(**vars(pair), why=tuple(why), fix=tuple(fix))

    @property
    def names(self) -> str:
        """Both models, the one ahead first."""
        return f"{self.ahead} and {self.behind}"

    @property
    def cost(self) -> float:
        """New answers of the two that the cheapest fix takes; infinite without one."""
        if not self.fix:
            return float("inf")
        cheapest = self.fix[0]
        if cheapest.cost_answers is not None:
            return cheapest.cost_answers
        return 2 * (cheapest.cost_items + cheapest.cost_replicates * self.n)


class Stratum(Record):
    """What one kind of items separates.

    Attributes:
        separated_paired: Share of pairs separated, Holm over all kinds of the column; None without a pair.
        means: Mean score by model, or None where nothing was scored.
        items_needed: By pair (`pair_key`), items of this kind that would separate it, were
            its gap the one seen; at the level of Holm's next claim over all kinds of the column.
    """

    separated_paired: float | None
    items: int
    means: dict[str, float | None]
    items_needed: dict[str, ItemsNeeded]


class Ranked(Record):
    """A model in the ranking.

    Attributes:
        n: Items it has a score on.
        mean: Mean score, or None where nothing was scored.
        ci: 95 % interval of the mean: Wilson's for scores of 0 and 1, else Student's; or None. The lower end
            of the best model's allows for its being the best of so many.
        bounds: The mean if every missing score were the worst, and the best; or None.
        rank: From 1; models with equal means share the best rank; None where nothing was scored.
        rank_ci: Best and worst rank that the separated pairs leave; simultaneous over all models.
    """

    model: str
    n: int
    mean: float | None
    ci: Ends | None
    bounds: OpenEnds | None
    rank: int | None
    rank_ci: tuple[int, int] | None


class FlaggedItem(Record):
    """An item to look at.

    Attributes:
        discrimination: Corrected item-total correlation over models, or None where it is undefined.
    """

    item: str
    reason: Flag
    discrimination: float | None


class Suspects(Record):
    """Items that may rank the models backwards, as with a wrong key; none where there is no reason to look.

    Attributes:
        items: The likeliest first.
        expected_backwards: How many of them are expected to.
    """

    items: tuple[str, ...]
    expected_backwards: float


class Reliability(Record):
    """How consistently the items rank the models.

    Attributes:
        kr20: The coefficient for scores of 0 and 1: at most 1, may be negative; None where ``reason`` says
            why. Only one of ``kr20`` and ``alpha`` is set, and only that one is in the JSON.
        alpha: That for other scores.
        items: How many items; those that some model has no score on are left out.
        reason: Why there is none, or empty.
    """

    kr20: float | None = None
    alpha: float | None = None
    over_models: tuple[str, ...]
    items: int
    reason: str

    @property
    def name(self) -> str:
        """What the field calls the coefficient."""
        return "KR-20" if "kr20" in self.model_fields_set else "Cronbach's α"

    @property
    def value(self) -> float | None:
        """The coefficient, None where ``reason`` says why."""
        return self.kr20 if "kr20" in self.model_fields_set else self.alpha

    @model_serializer(mode="wrap")
    def _without_the_other_coefficient(self, dump: SerializerFunctionWrapHandler) -> dict[str, Any]:
        other = {"kr20", "alpha"} - self.model_fields_set
        return {name: value for name, value in dump(self).items() if name not in other}


class Order(Record):
    """How firmly the models are ordered.

    Attributes:
        between_strata: Kendall's tau-b of the models' means, by column, then by two of its values as
            `pair_key` writes them.
        halves_tau: Mean tau-b between random halves of the items, or None.
        halves_correlation: Mean Pearson correlation between the halves' means, or None.
        spearman_brown: ``halves_correlation`` stepped up to the whole length, or None.
        without_flagged: tau-b between all items and those that are not flagged as negative; None without any.
        reason: Why there are no halves, or empty.
    """

    between_strata: dict[str, dict[str, float | None]]
    halves_tau: float | None
    halves_correlation: float | None
    spearman_brown: float | None
    without_flagged: float | None
    reason: str


@dataclass(frozen=True)
class ItemScores:
    """Every score behind an audit, item by item.

    Attributes:
        missing: By the places of a model and an item of the grid without a score, the causes, separated by
            commas.
    """

    grid: ScoreGrid
    missing: dict[tuple[int, int], str]

    @property
    def strata(self) -> dict[str, list[str | None]]:
        """Of each column that sorts the items, the value of each item; None where it has none."""
        return {
            name: [None if code < 0 else stratum.values[code] for code in stratum.codes]
            for name, stratum in self.grid.strata.items()
        }


class Findings(Record):
    """A whole audit.

    Attributes:
        sources: The form of each file that was read, by its path; empty where a table was audited.
        read_as: The options of the command line with which the files are read in the same way.
        notes: What reading them made necessary, such as which metric was taken; sentences.
        models: In ascending order.
        limits: Lowest and highest possible score.
        cautions: What to know first.
        missing: Rows without a score by model and cause.
        comparison: What the models' verdicts are.
        pairs: Those of the primary family of ``comparison``, with causes and fixes.
        separated_paired: Share of pairs separated by the paired test, or None without a pair.
        separated_arena_hard: Share of pairs whose 95 % intervals do not overlap, or None.
        signal_to_noise: Greatest difference between two models' means over the noise of a mean, or None.
        by_stratum: What each kind of items separates, by column and value.
        ranking: Best first.
        items_flagged: Items to look at, by flag and then id.
        reliability: Over all items.
        labels: The judge beside people's labels; None without labels.
        item_table: A row an item, with the columns of `tellapart.audit.items.examine`; not in the JSON.
        item_scores: Every score; not in the JSON, and None where the figures were read from it.
    """

    model_config = ConfigDict(arbitrary_types_allowed=True)

    sources: dict[str, str] = Field(default_factory=dict)
    read_as: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    models: tuple[str, ...]
    items: int
    limits: OpenEnds
    options: AuditOptions
    cautions: tuple[Caution, ...]
    missing: dict[str, dict[str, int]]
    comparison: Comparison
    pairs: tuple[Pair, ...]
    separated_paired: float | None
    separated_arena_hard: float | None
    signal_to_noise: float | None
    by_stratum: dict[str, dict[str, Stratum]]
    ranking: tuple[Ranked, ...]
    items_flagged: tuple[FlaggedItem, ...]
    suspects: Suspects
    reliability: Reliability
    variance: VarianceComponents
    order: Order
    labels: JudgeCard | None = None
    item_table: pl.DataFrame = Field(default_factory=pl.DataFrame, exclude=True, repr=False)
    item_scores: ItemScores | None = Field(default=None, exclude=True, repr=False)

    @field_serializer("pairs")
    def _without_figures(self, pairs: tuple[Pair, ...]) -> list[dict[str, Any]]:
        """Store the pairs' figures once: they are in ``comparison``."""
        return [
            {
                "a": pair.a,
                "b": pair.b,
                "why": [why.model_dump(mode="json") for why in pair.why],
                "fix": [fix.model_dump(mode="json") for fix in pair.fix],
            }
            for pair in pairs
        ]

    @property
    def planned_level(self) -> float:
        """Holm's level of the next claim, at which items are planned."""
        pairs = self.comparison.primary.pairs
        return pairs[0].planned_level if pairs else self.options.alpha

    @property
    def unseparated(self) -> list[Pair]:
        """Pairs of which neither is better, the cheapest to separate first, equivalent ones last."""
        pairs = [pair for pair in self.pairs if not pair.is_separated]
        return sorted(pairs, key=lambda pair: (pair.verdict is Verdict.EQUIVALENT, pair.cost, pair.a, pair.b))

    @property
    def separated(self) -> list[Pair]:
        """Pairs of which one is better, the closest last."""
        pairs = [pair for pair in self.pairs if pair.is_separated]
        return sorted(pairs, key=lambda pair: (-abs(pair.difference or 0.0), pair.a, pair.b))

    @property
    def cheapest(self) -> Pair | None:
        """The pair that is cheapest to separate, of those that something would; None without one."""
        can_be = (pair for pair in self.unseparated if pair.fix and pair.verdict is not Verdict.EQUIVALENT)
        return next(can_be, None)

    @property
    def missing_rows(self) -> int:
        """Rows without a score."""
        return sum(sum(causes.values()) for causes in self.missing.values())

    @property
    def tracked(self) -> Tracked:
        """The figures for experiment trackers: of the whole, each model, and each pair."""
        from tellapart.report.tracked import tracked

        return tracked("audit", self._figures())

    def _figures(self) -> Iterator[Figure]:
        from tellapart.report.tracked import pair_figures, with_ends

        yield ("models",), len(self.models)
        yield ("items",), self.items
        yield ("missing",), self.missing_rows
        yield ("pairs",), len(self.pairs)
        yield ("pairs_separated",), len(self.separated)
        yield ("separated_paired",), self.separated_paired
        yield ("signal_to_noise",), self.signal_to_noise
        yield ("reliability",), self.reliability.value
        for ranked in self.ranking:
            yield from with_ends((ranked.model, "mean"), ranked.mean, ranked.ci)
            yield (ranked.model, "rank"), ranked.rank
            yield (ranked.model, "n"), ranked.n
            yield (ranked.model, "missing"), sum(self.missing.get(ranked.model, {}).values())
        yield from pair_figures(self.pairs)


def finite_ends(ends: Sequence[float]) -> OpenEnds:
    """Give two ends as they are stored: None where scores have no limit on that side."""
    low, high = (end if abs(end) < float("inf") else None for end in ends)
    return low, high
