"""What is known about two models, and about a family of pairs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from math import inf, isfinite
from typing import Annotated, Any, ClassVar, Literal, TypeVar

import polars as pl
from pydantic import BeforeValidator, ConfigDict, PlainSerializer, TypeAdapter, computed_field

from tellapart.core.estimate import Interval
from tellapart.core.stats.paired import PairedTest


class Verdict(StrEnum):
    """What can be said of two models, A and B."""

    A_BETTER = "a>b"
    B_BETTER = "b>a"
    EQUIVALENT = "equivalent"
    NOT_SEPARATED = "not_separated"
    WITHHELD = "withheld"


@dataclass(frozen=True)
class ItemsNeeded:
    """The items that would separate two models, were the gap the one seen: how efficient an evaluation is.

    It promises nothing: the gap that was seen is too large by luck.

    Attributes:
        value: None where no number would do.
        low: Were the gap at the far end of its 95 % interval; None where that is not known.
        high: At the near end; None where no number would do, as where the interval holds 0.
    """

    value: int | None
    low: int | None
    high: int | None


NOTHING_NEEDED = ItemsNeeded(None, None, None)
"""Where there is nothing to plan from."""


def _stored(bounds: tuple[float, float] | None) -> list[float | None] | None:
    return bounds and [end if isfinite(end) else None for end in bounds]


def _read(bounds: Any) -> Any:
    ends = zip(bounds, (-inf, inf), strict=True) if isinstance(bounds, list) else None
    return bounds if ends is None else tuple(open_ if end is None else end for end, open_ in ends)


Bounds = Annotated[tuple[float, float], BeforeValidator(_read), PlainSerializer(_stored)]
"""The least and the greatest value; in JSON an end without limit is null."""


@dataclass(frozen=True)
class PairComparison:
    """Two models on the items that both have scores on; A comes first in ascending order of names.

    Attributes:
        n: Items that both have scores on.
        clusters: Sources of these items.
        difference: Mean of a - b, or None without an item.
        sd: Standard deviation of a - b over items (n - 1), or None.
        design_effect: Variance inflation by clusters, or None.
        binary: Whether every score is 0 or 1.
        interval: Of the difference, at ``1 - level``: what ``test`` accepts, so that it holds 0 exactly where
            the test does not separate the models. None where ``reason`` says why.
        interval_95: The same at 95 %, for this pair alone.
        level: At which Holm's method tested this pair; for pairs after the first that was not rejected, that
            one's level. None without a test.
        test: That ``p`` is of, or None without one.
        p: Of no difference, two-sided, or None.
        p_adjusted: The same, adjusted over the pairs of the family.
        p_equivalent: Of a difference of at least the smallest that matters, adjusted likewise, or None.
        bounds: Least and greatest difference that any values of the missing scores could give, or None.
        verdict: What can be said. Where there is no test, not separated, and ``reason`` says why.
        settle_items: Items, these included, that find the smallest difference that matters, should there be
            one, and else show equivalence, each with the planned power and with as large a share of scores
            missing; see `plan`. None where the pair is decided, or no number would do.
        chance: For some numbers of items asked afresh, how likely the two separate; None where they are
            decided.
        items_needed: Items, these included, with which ``test`` would separate the two with the planned power
            at ``planned_level``, were the rates, or the difference and its spread, as observed.
        planned_level: Holm's level of the next claim: alpha over the pairs of the family that are not
            separated.
        reason: Why there is no interval, and with fewer than two items or clusters no p either; or empty.
        only_a: Items that only A gets right, where all scores are 0 or 1; else None.
        only_b: Items that only B gets right.
        withheld: Why the scores bear no verdict on these two, whatever they are; or empty. A verdict that is
            withheld without it could be turned round by missing scores.
        stratum: The value of the secondary column whose items these are; None for the primary family.
    """

    a: str
    b: str
    n: int
    clusters: int
    difference: float | None
    interval: Interval | None
    interval_95: Interval | None
    level: float | None
    test: PairedTest | None
    p: float | None
    p_adjusted: float | None
    p_equivalent: float | None
    bounds: Bounds | None
    verdict: Verdict
    items_needed: ItemsNeeded
    planned_level: float
    reason: str
    binary: bool
    sd: float | None
    design_effect: float | None
    settle_items: int | None = None
    chance: tuple[tuple[int, float], ...] | None = None
    only_a: int | None = None
    only_b: int | None = None
    withheld: str = ""
    stratum: str | None = None

    @property
    def is_separated(self) -> bool:
        """Whether one of the two is better."""
        return self.verdict in (Verdict.A_BETTER, Verdict.B_BETTER)

    @property
    def ahead(self) -> str:
        """The model with the higher mean; ``a`` of a tie."""
        return self.b if (self.difference or 0.0) < 0 else self.a

    @property
    def behind(self) -> str:
        """The other one."""
        return self.a if (self.difference or 0.0) < 0 else self.b

    @property
    def misses_more_than_chance_leaves(self) -> bool:
        """Whether values of the missing scores could move the difference by more than chance does."""
        if self.bounds is None or self.interval_95 is None:
            return False
        return self.bounds[1] - self.bounds[0] > self.interval_95.high - self.interval_95.low

    def of(self, model: str) -> tuple[float | None, Interval | None]:
        """Give the difference and its interval as ``model`` minus the other one."""
        if model == self.a:
            return self.difference, self.interval
        turned = None if self.interval is None else negated(self.interval)
        return None if self.difference is None else 0.0 - self.difference, turned


PairT = TypeVar("PairT", bound=PairComparison)


def negated(interval: Interval) -> Interval:
    """Give the interval of b - a from that of a - b."""
    return Interval(0.0 - interval.high, 0.0 - interval.low)


@dataclass(frozen=True)
class Family:
    """Pairs that are corrected together, in ascending order of stratum and names."""

    pairs: tuple[PairComparison, ...]

    # What is computed is written, and need not be read.
    __pydantic_config__: ClassVar[ConfigDict] = ConfigDict(extra="ignore")

    @property
    def separated(self) -> tuple[PairComparison, ...]:
        """The pairs of which one model is better."""
        return tuple(pair for pair in self.pairs if pair.is_separated)

    @computed_field  # type: ignore[prop-decorator]
    @property
    def method(self) -> Literal["holm"]:
        """How they are corrected."""
        return "holm"

    @computed_field  # type: ignore[prop-decorator]
    @property
    def size(self) -> int:
        """How many they are."""
        return len(self.pairs)


@dataclass(frozen=True)
class Primary(Family):
    """The family that makes headlines.

    Attributes:
        scope: ``all items``, or ``COLUMN=VALUE``.
        declared: Whether it was fixed before the scores were known; only such a family makes headlines.
        left_out: Items that were left out after the scores were known.
    """

    scope: str
    declared: bool = True
    left_out: int = 0


@dataclass(frozen=True)
class Secondary(Family):
    """Pairs in every value of a column, which are detail."""

    by: str


@dataclass(frozen=True)
class Comparison:
    """Models told apart, or not: the one answer that every command shows.

    Attributes:
        alpha: Chance of any false claim in a family.
        power: Chance that items are planned for.
        sesoi: Smallest difference that matters, in score units.
        baseline: The model that the others are compared with, or None for every pair.
        primary: Pairs on all items, or on the part that was declared; the only family that makes headlines.
        secondary: Pairs in every value of one column, corrected all together; None without such a column.
        cautions: Sentences that stand wherever a verdict does.
        resolution: For some numbers of items the smallest gap that they find with the planned power, at the
            level of the next claim, in the middle one of the open pairs, or of all where none is open.
    """

    alpha: float
    power: float
    sesoi: float
    baseline: str | None
    primary: Primary
    secondary: Secondary | None
    cautions: tuple[str, ...] = ()
    resolution: tuple[tuple[int, float | None], ...] = ()


@cache
def _json() -> TypeAdapter[Comparison]:
    return TypeAdapter(Comparison)


def to_json(comparison: Comparison) -> dict[str, Any]:
    """Give what stands under ``comparison`` in the JSON of every command that compares models."""
    read: dict[str, Any] = _json().dump_python(comparison, mode="json")
    return read


def from_json(record: Any) -> Comparison:
    """Read what `to_json` gave."""
    return _json().validate_python(record)


def pair_key(a: str, b: str) -> str:
    r"""Write a pair of names as one key, different pairs as different keys."""
    return "|".join(name.replace("\\", r"\\").replace("|", r"\|") for name in (a, b))


_SCHEMA = {
    "a": pl.String,
    "b": pl.String,
    "verdict": pl.String,
    "better": pl.String,
    "worse": pl.String,
    "difference": pl.Float64,
    "low": pl.Float64,
    "high": pl.Float64,
    "p": pl.Float64,
    "p_adjusted": pl.Float64,
    "items_needed": pl.Int64,
    "n": pl.Int64,
    "clusters": pl.Int64,
    "test": pl.String,
    "reason": pl.String,
}


def pair_frame(pairs: Sequence[PairComparison], **further: Sequence[str]) -> pl.DataFrame:
    """Lay pairs out, one row each, with further columns of text.

    ``better`` and ``worse`` are null where neither is, ``difference`` is a - b, ``low`` and ``high`` are the
    ends of its interval, and ``reason`` is also why a verdict is withheld; where the pairs are of strata,
    ``stratum`` comes first. What is undefined is null.
    """
    rows = []
    for pair in pairs:
        low, high = pair.interval or (None, None)
        better, worse = (pair.ahead, pair.behind) if pair.is_separated else (None, None)
        shown = {"low": low, "high": high, "better": better, "worse": worse}
        shown |= {"items_needed": pair.items_needed.value, "reason": pair.withheld or pair.reason}
        rows.append([{**vars(pair), **shown}[name] for name in _SCHEMA])
    frame = pl.DataFrame(rows, schema=_SCHEMA, orient="row").with_columns(
        pl.Series(name, values, dtype=pl.String) for name, values in further.items()
    )
    strata = [pair.stratum for pair in pairs if pair.stratum is not None]
    if len(strata) < len(pairs) or not strata:
        return frame
    return frame.select(pl.Series("stratum", strata, dtype=pl.String), pl.all())
