"""The figures of an audit, checked, as they are told."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import Any

import polars as pl
from pydantic import Field, ValidationError

from tellapart.audit.page.parts import (
    Caution,
    Flagged,
    OpenEnds,
    Options,
    Order,
    Pair,
    Part,
    Ranked,
    Reliability,
    SmallestSet,
    Stratum,
    Variance,
)
from tellapart.core.comparison import Comparison, ComparisonRecord, from_json
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


class View(Part):
    """A whole audit."""

    sources: dict[str, str] = Field(default_factory=dict)
    read_as: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    models: tuple[str, ...]
    items: int
    limits: OpenEnds
    options: Options
    cautions: tuple[Caution, ...]
    missing: dict[str, dict[str, int]]
    comparison: ComparisonRecord
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

    @cached_property
    def compared(self) -> Comparison:
        """The comparison, as the block that every page has shows it; its pairs are ``pairs``."""
        primary = self.comparison.primary.model_copy(update={"pairs": self.pairs})
        return from_json(self.comparison.model_copy(update={"primary": primary}))

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
        return sorted(found, key=lambda pair: (-abs(pair.difference or 0.0), pair.a, pair.b))

    @property
    def cheapest(self) -> Pair | None:
        """The pair that is cheapest to tell apart, of those that something would; None without one."""
        return next((pair for pair in self.unseparated if pair.fix and pair.verdict != "equivalent"), None)

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


def _cost(pair: Pair) -> tuple[bool, float]:
    """New answers of the two that the cheapest fix takes; equivalent pairs need none and come last."""
    if pair.fix:
        fix = pair.fix[0]
        answers = 2 * (fix.cost_items + fix.cost_replicates * pair.n)
        cost: float = answers if fix.cost_answers is None else fix.cost_answers
    else:
        cost = float("inf") if pair.items_needed is None else 2 * max(0, pair.items_needed - pair.n)
    return pair.verdict == "equivalent", cost
