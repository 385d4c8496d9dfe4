"""The figures of an audit, checked, as they are told."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

import polars as pl
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from tellapart.errors import InputError

ITEM_COLUMNS = {
    "item": pl.String,
    "n_models": pl.Int64,
    "difficulty": pl.Float64,
    "discrimination": pl.Float64,
    "p_negative": pl.Float64,
    "flag": pl.String,
}
"""Columns of the table of items that a report reads; those that are absent are null."""

Verdict = Literal["a>b", "b>a", "equivalent", "not_separated", "withheld"]
Ends = tuple[float, float]
OpenEnds = tuple[float | None, float | None]


class _Part(BaseModel):
    """A part of the figures: nothing may be left out, and nothing may stand there that is not shown."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class Caution(_Part):
    """Something to know first."""

    kind: str
    text: str


class Why(_Part):
    """A cause and its evidence."""

    cause: str
    text: str


class Fix(_Part):
    """Something to do, and what it costs."""

    action: str
    cost_items: int
    cost_replicates: int
    text: str


class Pair(_Part):
    """Two models; see ``Pair`` of the audit for each figure."""

    a: str
    b: str
    n: int
    clusters: int
    diff: float | None
    ci: Ends | None
    sd: float | None
    design_effect: float | None
    binary: bool
    test: str | None = None
    p: float | None
    p_holm: float | None
    p_equivalent: float | None
    bounds: OpenEnds | None
    verdict: Verdict
    items_needed: int | None
    reason: str
    why: tuple[Why, ...]
    fix: tuple[Fix, ...]

    @property
    def separated(self) -> bool:
        """Whether one of the two is better."""
        return self.verdict in ("a>b", "b>a")

    @property
    def ahead(self) -> str:
        """The better one; of two that are not separated, the one with the higher mean, ``a`` of a tie."""
        behind = self.verdict == "b>a" or (not self.separated and (self.diff or 0.0) < 0)
        return self.b if behind else self.a

    @property
    def behind(self) -> str:
        """The other one."""
        return self.a if self.ahead == self.b else self.b

    @property
    def names(self) -> str:
        """Both, in the order of ``ahead`` and ``behind``."""
        return f"{self.ahead} and {self.behind}"

    @property
    def lead(self) -> float | None:
        """Difference of the one ahead and the other."""
        return self.diff if self.diff is None or self.ahead == self.a else -self.diff

    @property
    def lead_interval(self) -> Ends | None:
        """Interval of ``lead``."""
        return self.ci if self.ci is None or self.ahead == self.a else (-self.ci[1], -self.ci[0])


class Stratum(_Part):
    """What one kind of items separates."""

    separated_paired: float | None
    items: int
    means: dict[str, float | None]
    items_needed: dict[str, int | None]


class Ranked(_Part):
    """A model in the ranking."""

    model: str
    n: int
    mean: float | None
    ci: Ends | None
    ci_bootstrap: Ends | None
    bounds: OpenEnds | None
    rank: int | None
    rank_ci: tuple[int, int] | None
    win_rate: float | None


class Flagged(_Part):
    """An item to look at."""

    item: str
    reason: str
    discrimination: float | None
    twin: str | None


class Reliability(_Part):
    """How consistently the items rank the models, as ``kr20`` or ``alpha``."""

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


class Variance(_Part):
    """Where the scores' variance comes from."""

    model: float | None
    item: float | None
    model_item: float | None
    replicate: float | None
    grading: float | None
    reason: str

    @property
    def parts(self) -> dict[str, float | None]:
        """By name, in the order in which they are told."""
        return {name: value for name, value in self.model_dump().items() if name != "reason"}


class Order(_Part):
    """How firmly the models are ordered."""

    between_strata: dict[str, dict[str, float | None]]
    halves_tau: float | None
    halves_correlation: float | None
    spearman_brown: float | None
    without_flagged: float | None
    reason: str


class SmallestSet(_Part):
    """The fewest items that keep the ranking."""

    items: tuple[str, ...]
    chosen_on: tuple[str, ...]
    confirmed_on: tuple[str, ...]
    tau_chosen: float | None
    tau_heldout: float | None
    reason: str


class Options(_Part):
    """What the audit was asked."""

    by: str | None
    sesoi: float
    alpha: float
    alpha_planned: float | None = None
    power: float
    resamples: int
    seed: int


class View(_Part):
    """A whole audit."""

    sources: dict[str, str] = Field(default_factory=dict)
    notes: tuple[str, ...] = ()
    models: tuple[str, ...]
    items: int
    limits: OpenEnds
    options: Options
    cautions: tuple[Caution, ...]
    missing: dict[str, dict[str, int]]
    pairs: tuple[Pair, ...]
    separated_paired: float | None
    separated_arena_hard: float | None
    signal_to_noise: float | None
    by_stratum: dict[str, dict[str, Stratum]]
    ranking: tuple[Ranked, ...]
    items_flagged: tuple[Flagged, ...]
    irt_reason: str
    reliability: Reliability
    variance: Variance
    order: Order
    smallest_set: SmallestSet

    @property
    def order_of(self) -> dict[str, int]:
        """Place of each model in the ranking, from 0."""
        return {ranked.model: i for i, ranked in enumerate(self.ranking)}

    @property
    def unseparated(self) -> list[Pair]:
        """Pairs of which neither is better, those that are cheapest to separate first."""
        apart = [pair for pair in self.pairs if not pair.separated]
        return sorted(apart, key=lambda pair: (_cost(pair), pair.a, pair.b))

    @property
    def separated(self) -> list[Pair]:
        """Pairs of which one is better, the closest last."""
        found = [pair for pair in self.pairs if pair.separated]
        return sorted(found, key=lambda pair: (-abs(pair.diff or 0.0), pair.a, pair.b))

    @property
    def missing_rows(self) -> int:
        """Rows without a score."""
        return sum(sum(causes.values()) for causes in self.missing.values())


def load(figures: Mapping[str, Any]) -> View:
    """Check the figures of an audit.

    Args:
        figures: As ``tellapart audit --json`` prints them.

    Raises:
        InputError: They are not those of an audit.
    """
    try:
        return View.model_validate(figures)
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(map(str, first["loc"]))
        raise InputError(
            f"these are no figures of an audit: {where or 'the whole'}: {first['msg']}",
            next_step="Make them with 'tellapart audit SCORES --json'",
        ) from None


def item_table(items: pl.DataFrame) -> pl.DataFrame:
    """Give the columns of ``ITEM_COLUMNS``, in their types.

    Args:
        items: One row an item, with ``item`` at least.
    """
    return items.select(
        (pl.col(name) if name in items.columns else pl.lit(None).alias(name)).cast(kind)
        for name, kind in ITEM_COLUMNS.items()
    )


def _cost(pair: Pair) -> float:
    """Items of the cheapest fix; a pair that none helps comes last."""
    if pair.fix:
        return pair.fix[0].cost_items
    return float("inf") if pair.items_needed is None else max(0, pair.items_needed - pair.n)
