"""From scores in the order in which they came to what should be asked next."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from tellapart.core.asking_order import asking_order
from tellapart.core.comparison import ComparisonSettings, PairComparison, to_json
from tellapart.core.comparison.compare import check_models
from tellapart.core.comparison.looks import LookPlan
from tellapart.core.comparison.stopping import (
    PILOT,
    Stopping,
    StopReason,
    check_stopping,
    order_not_of_chance,
    planned_items,
)
from tellapart.core.score_grid import ScoreGrid, score_grid
from tellapart.core.seed import SEED
from tellapart.errors import InputError, UsageError, audit_call, option, placed
from tellapart.files import read_text
from tellapart.files.tables import kind_of, read_table
from tellapart.readers import Reading
from tellapart.report import comparison as block
from tellapart.report import numbers as show
from tellapart.report.comparison import Scale


@dataclass(frozen=True)
class Pool:
    """Items that can be asked.

    Attributes:
        items: Their ids, ascending.
    """

    items: tuple[str, ...]
    kinds: dict[str, str]


def read_pool(path: Path, by: str | None = None) -> Pool:
    """Read the items that can be asked."""
    return pool_of(_pool_frame(path), path, by)


def pool_of(frame: pl.DataFrame, path: object, by: str | None = None) -> Pool:
    """Take the items that can be asked from a table."""
    if "item" not in frame.columns:
        raise InputError(f"this table has no column 'item'; it has {frame.columns}", where=path)
    columns = [name for name in frame.columns if name not in ("item", "cluster")]
    if by is not None and by not in columns:
        raise InputError(f"this table has no column of kinds {by!r}; it has {columns}", where=path)
    kind = by or next(iter(columns), None)
    used = [name for name in ("item", kind) if name in frame.columns]
    odd = next(
        (name for name in used if frame[name].dtype.is_nested() or frame[name].dtype == pl.Binary), None
    )
    if odd is not None:
        raise InputError(f"the column {odd!r} holds neither texts nor numbers", where=path)
    frame = frame.select(pl.col(used).cast(pl.String))
    items = frame["item"].drop_nulls().to_list()
    if not items:
        raise InputError("there are no items in this file", where=path)
    again = next(iter(frame.filter(pl.col("item").is_duplicated())["item"]), None)
    if again is not None:
        raise InputError(f"the item {again!r} occurs twice", where=path, next_step="List each item once")
    kinds = {} if kind is None else dict(frame.drop_nulls().iter_rows())
    return Pool(tuple(sorted(items)), kinds)


def _pool_frame(path: Path) -> pl.DataFrame:
    kind = kind_of(path)
    if kind is not None:
        return read_table(path, kind)
    lines = [line.strip() for line in read_text(path).splitlines()]
    ids = [line for line in lines[lines[:1] == ["item"] :] if line]
    return pl.DataFrame({"item": ids}, schema={"item": pl.String})


def _too_early(pair: PairComparison) -> str:
    return "it is too early to tell"


@dataclass(frozen=True)
class Asking:
    """What to ask next, or to stop.

    Attributes:
        stopping: What the looks showed.
        asked: Items that all models were asked.
        max_items: The most items; None where they are planned and too few were asked for that.
        next_items: What to ask before the next look, in this order; empty where nothing is to be asked, and
            where nobody said which items there are.
        limit: The most items in words: those of ``--max-items``, all of ``--items``, or as planned.
        is_planned: Whether nobody said how many are the most.
        scale: How scores are shown.
    """

    stopping: Stopping
    asked: int
    max_items: int | None
    next_items: tuple[str, ...]
    limit: str
    is_planned: bool
    scale: Scale

    def __str__(self) -> str:
        return "\n".join((self.reason, *self.next_items))

    @property
    def stop(self) -> bool:
        """Whether no more items need be asked."""
        return self.stopping.reason is not None

    @property
    def reason(self) -> str:
        """Why, in one or two sentences."""
        comparison, next_size = self.stopping.comparison, self.stopping.next_size
        lead = ""
        if comparison is not None:
            why = None if self.stop else _too_early
            used = show.plural(self.stopping.used, "item")
            lead = f"After {used}: {block.headline(comparison, why, self.scale)}. "
        if self.stopping.reason is StopReason.DECIDED:
            return f"{lead}No more items are needed."
        if self.stop:
            return f"{lead}{self.limit[:1].upper()}{self.limit[1:]} were asked."
        if not self.asked and self.next_items:
            return f"Ask every model these {show.plural(len(self.next_items), 'item')}."
        more = show.plural((next_size or 0) - self.asked, "more item")
        where = "" if self.next_items else ", in random order; --items FILE names them"
        planned = self.max_items if self.is_planned else None
        at_most = f" At most {show.plural(planned, 'item')} will be asked." if planned else ""
        return f"{lead}Not decided: ask {more}{where}.{at_most}"

    def as_json(self) -> dict[str, Any]:
        """Give it for scripts."""
        comparison = self.stopping.comparison
        pairs = comparison.primary.pairs if comparison else ()
        only = pairs[0] if len(pairs) == 1 else None
        return {
            "stop": self.stop,
            "verdict": str(only.verdict) if only and self.stop else None,
            "n": only.n if only else self.stopping.used,
            "interval": [only.interval.low, only.interval.high] if only and only.interval else None,
            "next_items": list(self.next_items),
            "reason": self.reason,
            "max_items": self.max_items,
            "asked": self.asked,
            "used": self.stopping.used,
            "looks": self.stopping.looks,
            "next_look": self.stopping.next_size,
            "comparison": to_json(comparison) if comparison else None,
        }


def first_items(
    pool: Pool, *, max_items: int | None = None, batch: int | None = None, seed: int = SEED
) -> Asking:
    """Say what to ask first, before there is a score."""
    there = len(pool.items)
    plan = LookPlan(min(max_items or there, there), batch, PILOT if max_items is None else None)
    size = min(plan.next_size(0) or there, there)
    order = tuple(asking_order(pool.items, seed=seed, kinds=pool.kinds))
    return Asking(
        Stopping(None, 0, 0, size, None), 0, max_items, order[:size], "", max_items is None, Scale()
    )


def check_asked(
    reading: Reading,
    settings: ComparisonSettings | None = None,
    pool: Pool | None = None,
    *,
    max_items: int | None = None,
    batch: int | None = None,
) -> Asking:
    """Say whether enough items were asked, and which to ask next.

    Args:
        reading: Scores so far.
        settings: The defaults where None.
        pool: The items there are.
        max_items: The most items that would be asked; None to plan them, see `planned_items`.
        batch: Items between looks.
    """
    if reading.table.notes.looks is not None:
        raise UsageError(
            f"{reading.where} is a run that stopped by itself when models were told apart",
            next_step=f"Its verdict is that of: {audit_call(reading.sources)}",
        )
    settings = settings or ComparisonSettings()
    grid = score_grid(reading.table)
    settings = settings.on(*grid.ends)
    place_of = {item: k for k, item in enumerate(grid.items)}
    everybody = np.asarray(grid.attempted.all(axis=0))
    answered = [item for item in reading.order if everybody[place_of[item]]]
    # Items that some model was asked come first, in the order in which they were.
    begun = [item for item in reading.order if not everybody[place_of[item]]]
    seen = set(reading.order)
    fresh = [item for item in pool.items if item not in seen] if pool else []
    if pool and not seen & set(pool.items):
        raise InputError(
            f"none of the {len(seen):,} items that were asked is among the {len(pool.items):,} of --items",
            where=reading.where,
            next_step=f"Compare the ids: {reading.order[0]!r} was asked, and {pool.items[0]!r} is there",
        )
    places = [place_of[item] for item in answered]
    order = order_not_of_chance(grid, np.asarray(places, dtype=np.int64))
    if order:
        raise InputError(
            f"the items were asked {order}; the first ones speak for the rest only in a random order",
            where=reading.where,
            next_step=f"To compare on all that were asked: {audit_call(reading.sources)}; to begin anew in a "
            f"random order, give the items there are: {option('items', 'FILE')}",
        )
    all_items = len(seen) + len(fresh) if pool else None
    with placed(reading.where):
        most, limit = _most_items(max_items, all_items, grid, places, settings)
        if most is None:
            check_models(grid, settings.baseline)
            stopping = Stopping(None, 0, 0, PILOT, None)
        else:
            plan = LookPlan(most, batch, PILOT if max_items is None else None)
            stopping = check_stopping(grid, places, plan, settings)
    left = [*begun, *asking_order(fresh, seed=settings.seed, kinds=pool.kinds if pool else {})]
    more = 0 if stopping.next_size is None else stopping.next_size - len(answered)
    scale = Scale.of(reading.table.limits)
    return Asking(stopping, len(answered), most, tuple(left[:more]), limit, max_items is None, scale)


def _most_items(
    given: int | None,
    all_items: int | None,
    grid: ScoreGrid,
    places: Sequence[int],
    settings: ComparisonSettings,
) -> tuple[int | None, str]:
    """Give the most items, none where too few were asked to plan them, and where the number comes from."""
    planned = given if given is not None else planned_items(grid, places, settings)
    if all_items is not None and all_items <= (planned or PILOT):
        return max(all_items, 2), "all items of --items"
    if given is not None:
        return given, f"the {show.plural(given, 'item')} of --max-items"
    if planned is None and len(places) >= PILOT:
        raise InputError(
            "no number of items would settle the smallest difference that matters",
            next_step="Give the most items that you would ask: --max-items",
        )
    what = Scale.of(grid.limits).size(settings.least)
    return planned, f"the {show.plural(planned or 0, 'item')} that settle a difference of {what}"
