"""What an audit finds, as data, in the order in which it is told."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum

import polars as pl

from tellapart.audit.pairs import Pair
from tellapart.core.comparison import Comparison
from tellapart.core.stats import Interval


class Flag(StrEnum):
    """What is the matter with an item."""

    ALL_PASS = "all_pass"
    ALL_FAIL = "all_fail"
    NEGATIVE = "negative_discrimination"
    DUPLICATE = "duplicate"


@dataclass(frozen=True)
class Caution:
    """Something to know before any figure is read.

    Attributes:
        kind: Of one word, for scripts.
        text: A sentence.
    """

    kind: str
    text: str


@dataclass(frozen=True)
class Ranked:
    """A model in the ranking.

    Attributes:
        model: Its name.
        n: Items it has a score on.
        mean: Mean score, or None where nothing was scored.
        interval: Of the mean: Wilson's for scores of 0 and 1, else by bootstrap; or None.
        resampled: Interval of the mean by bootstrap, by which Arena-Hard separates; or None.
        bounds: The mean if every missing score were the worst, and the best; or None.
        rank: From 1; models with equal means share the best rank; None where nothing was scored.
        rank_interval: Best and worst rank that the separated pairs leave; simultaneous over all models.
        win_rate: Mean over the other models of the share of common items that it scores higher on, equal
            scores counting half; None without another.
    """

    model: str
    n: int
    mean: float | None
    interval: Interval | None
    resampled: Interval | None
    bounds: tuple[float, float] | None
    rank: int | None
    rank_interval: tuple[int, int] | None
    win_rate: float | None


@dataclass(frozen=True)
class StratumSeparation:
    """What one kind of items separates.

    Attributes:
        column: The stratum.
        value: The kind.
        items: Items of the kind.
        means: Mean score by model, or None where nothing was scored.
        separated_paired: Share of pairs separated, Holm over all kinds of the column; None without a pair.
        items_needed: By pair ``(a, b)``, items of this kind that would separate it, or None; at the level of
            Holm's next claim over all kinds of the column, so that kinds can be compared.
        planned_level: That level.
    """

    column: str
    value: str
    items: int
    means: dict[str, float | None]
    separated_paired: float | None
    items_needed: dict[tuple[str, str], int | None]
    planned_level: float


@dataclass(frozen=True)
class FlaggedItem:
    """An item to look at.

    Attributes:
        item: Its id.
        flag: What is the matter.
        discrimination: Corrected item-total correlation over models, or None where it is undefined.
        twin: The item that it duplicates, or None.
    """

    item: str
    flag: Flag
    discrimination: float | None
    twin: str | None = None


@dataclass(frozen=True)
class Reliability:
    """How consistently the items rank the models.

    Attributes:
        coefficient: ``kr20`` for scores of 0 and 1, else ``alpha``.
        value: At most 1, may be negative; None where ``reason`` says why.
        models: The models that it was computed over.
        items: How many items; those that some model has no score on are left out.
        reason: Why there is none, or empty.
    """

    coefficient: str
    value: float | None
    models: tuple[str, ...]
    items: int
    reason: str = ""


@dataclass(frozen=True)
class ItemFindings:
    """What the items are like.

    Attributes:
        table: A row an item: ``item``, ``n_models``, ``difficulty`` (mean score), ``discrimination``
            (corrected item-total correlation over models, null where undefined), ``p_negative``, ``flag`` (or
            null), and where the two-parameter model was fitted ``irt_difficulty``, ``irt_discrimination``.
        flagged: Items to look at, by flag and then id.
        reliability: Over all items.
        irt_reason: Why no two-parameter model was fitted, or empty.
    """

    table: pl.DataFrame
    flagged: tuple[FlaggedItem, ...]
    reliability: Reliability
    irt_reason: str

    def of(self, flag: Flag) -> list[str]:
        """Ids of the items with a flag."""
        return [item.item for item in self.flagged if item.flag is flag]


@dataclass(frozen=True)
class Variance:
    """Where the scores' variance comes from; a part that was not recorded is None.

    Attributes:
        model: Between models.
        item: Between items.
        model_item: Models that differ in what they find hard; holds the noise of single answers where
            ``replicate`` is None.
        replicate: Between answers of one model to one item; holds the grader's where ``grading`` is None.
        grading: Between gradings of one answer.
        reason: What could not be told apart and why, or empty.
    """

    model: float | None
    item: float | None
    model_item: float | None
    replicate: float | None
    grading: float | None
    reason: str = ""


@dataclass(frozen=True)
class Order:
    """How firmly the models are ordered.

    Attributes:
        between_strata: Kendall's tau-b of the models' means, by column, then ``(value, value)``.
        halves_tau: Mean tau-b between random halves of the items, or None.
        halves_correlation: Mean Pearson correlation between the halves' means, or None.
        spearman_brown: ``halves_correlation`` stepped up to the whole length, or None.
        without_flagged: tau-b between all items and those that are not flagged as negative; None without any.
        reason: Why there are no halves, or empty.
    """

    between_strata: dict[str, dict[tuple[str, str], float | None]]
    halves_tau: float | None
    halves_correlation: float | None
    spearman_brown: float | None
    without_flagged: float | None
    reason: str = ""


@dataclass(frozen=True)
class SmallestSet:
    """The fewest items that keep the ranking.

    Attributes:
        items: Their ids; empty where ``reason`` says why.
        chosen_on: Models that they were chosen on.
        confirmed_on: Models held out.
        tau_chosen: tau-b between the set and all items over the former, or None.
        tau_heldout: The same over the latter, or None.
        reason: Why there is none, or why it is not confirmed; or empty.
    """

    items: tuple[str, ...]
    chosen_on: tuple[str, ...]
    confirmed_on: tuple[str, ...]
    tau_chosen: float | None
    tau_heldout: float | None
    reason: str = ""


@dataclass(frozen=True)
class Findings:
    """A whole audit.

    Attributes:
        models: In ascending order.
        items: How many.
        missing: Rows without a score by model and cause.
        limits: Lowest and highest possible score.
        cautions: What to know first.
        pairs: Those of ``comparison.primary``, with causes and fixes.
        comparison: What the models' verdicts are.
        separated_paired: Share of pairs separated by the paired test, or None without a pair.
        separated_arena_hard: Share of pairs whose 95 % bootstrap intervals do not overlap, or None.
        signal_to_noise: Greatest difference between two models' means over the noise of a mean, or None.
        strata: By column and value.
        ranking: Best first.
        item_findings: About items.
        variance: Its parts.
        order: Its firmness.
        smallest: The smallest set.
    """

    models: tuple[str, ...]
    items: int
    missing: dict[str, dict[str, int]]
    limits: tuple[float, float]
    cautions: tuple[Caution, ...]
    pairs: tuple[Pair, ...]
    comparison: Comparison
    separated_paired: float | None
    separated_arena_hard: float | None
    signal_to_noise: float | None
    strata: tuple[StratumSeparation, ...]
    ranking: tuple[Ranked, ...]
    item_findings: ItemFindings
    variance: Variance
    order: Order
    smallest: SmallestSet = field(repr=False)
