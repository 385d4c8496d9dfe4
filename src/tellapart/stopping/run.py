"""From scores in the order in which they came to what should be asked next."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import polars as pl

from tellapart.core.comparison import Comparison, ComparisonSettings
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
from tellapart.core.estimate import Interval
from tellapart.core.randomness import asking_order
from tellapart.core.record import Record
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
    """Items that can be asked, ascending, and their kinds."""

    items: tuple[str, ...]
    kinds: dict[str, str]


def read_pool(path: Path, by: str | None = None) -> Pool:
    """Read the items that can be asked: a table, or an id a line."""
    kind = kind_of(path)
    if kind is not None:
        return pool_of(read_table(path, kind), path, by)
    lines = [line.strip() for line in read_text(path).splitlines()]
    ids = [line for line in lines[lines[:1] == ["item"] :] if line]
    return pool_of(pl.DataFrame({"item": ids}, schema={"item": pl.String}), path, by)


def pool_of(frame: pl.DataFrame, path: object, by: str | None = None) -> Pool:
    """Take the items that can be asked from a table; their kinds are its first other column, or ``by``."""
    if "item" not in frame.columns:
        raise InputError(f"this table has no column 'item'; it has {frame.columns}", where=path)
    columns = [name for name in frame.columns if name not in ("item", "cluster")]
    if by is not None and by not in columns:
        raise InputError(f"this table has no column of kinds {by!r}; it has {columns}", where=path)
    used = ["item", *([by] if by else columns[:1])]
    odd = [name for name in used if frame[name].dtype.is_nested() or frame[name].dtype == pl.Binary]
    if odd:
        raise InputError(f"the column {odd[0]!r} holds neither texts nor numbers", where=path)
    frame = frame.select(pl.col(used).cast(pl.String))
    items = frame["item"].drop_nulls()
    if items.is_empty():
        raise InputError("there are no items in this file", where=path)
    again = items.filter(items.is_duplicated())
    if len(again):
        raise InputError(f"the item {again[0]!r} occurs twice", where=path, next_step="List each item once")
    return Pool(tuple(items.sort()), dict(frame.drop_nulls().iter_rows()) if used[1:] else {})


class Asking(Record):
    """What to ask next, or to stop.

    Attributes:
        stop: Whether no more items need be asked.
        verdict: Of the only pair, when it stops; None of several pairs.
        n: Items of the only pair; of several, those used.
        interval: Of the only pair.
        next_items: What to ask before the next look, in this order; empty where nothing is to be asked, and
            where nobody said which items there are.
        reason: Why, in one or two sentences.
        max_items: The most items; None where they are planned and too few were asked for that.
        asked: Items that all models were asked.
        used: Of these, the items on which the comparison rests.
        looks: How often scores were looked at.
        next_look: The items at which the next look is; None after the last.
    """

    stop: bool
    verdict: str | None
    n: int
    interval: Interval | None
    next_items: tuple[str, ...]
    reason: str
    max_items: int | None
    asked: int
    used: int
    looks: int
    next_look: int | None
    comparison: Comparison | None

    def __str__(self) -> str:
        return "\n".join((self.reason, *self.next_items))


def first_items(
    pool: Pool, *, max_items: int | None = None, batch: int | None = None, seed: int = SEED
) -> Asking:
    """Say what to ask first, before there is a score."""
    there = len(pool.items)
    plan = LookPlan(min(max_items or there, there), batch, PILOT if max_items is None else None)
    size = min(plan.next_size(0) or there, there)
    reason = f"Ask every model these {show.plural(size, 'item')}."
    items = asking_order(pool.items, seed=seed, kinds=pool.kinds)[:size]
    return _asking(Stopping(None, 0, 0, size, None), reason, items, max_items, 0)


def _asking(
    stopping: Stopping, reason: str, items: Sequence[str], max_items: int | None, asked: int
) -> Asking:
    pairs = stopping.comparison.primary.pairs if stopping.comparison else ()
    only, stop = pairs[0] if len(pairs) == 1 else None, stopping.reason is not None
    return Asking(
        stop=stop,
        verdict=str(only.verdict) if only and stop else None,
        n=only.n if only else stopping.used,
        interval=only.interval if only else None,
        next_items=tuple(items),
        reason=reason,
        max_items=max_items,
        asked=asked,
        used=stopping.used,
        looks=stopping.looks,
        next_look=stopping.next_size,
        comparison=stopping.comparison,
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
    grid = score_grid(reading.table)
    settings = (settings or ComparisonSettings()).on(*grid.ends)
    seen = set(reading.order)
    if pool and not seen & set(pool.items):
        raise InputError(
            f"none of the {len(seen):,} items that were asked is among the {len(pool.items):,} of --items",
            where=reading.where,
            next_step=f"Compare the ids: {reading.order[0]!r} was asked, and {pool.items[0]!r} is there",
        )
    place_of = {item: place for place, item in enumerate(grid.items)}
    everybody = np.asarray(grid.attempted.all(axis=0))
    answered = [item for item in reading.order if everybody[place_of[item]]]
    places = [place_of[item] for item in answered]
    order = order_not_of_chance(grid, np.asarray(places, dtype=np.int64))
    if order:
        raise InputError(
            f"the items were asked {order}; the first ones speak for the rest only in a random order",
            where=reading.where,
            next_step=f"To compare on all that were asked: {audit_call(reading.sources)}; to begin anew in a "
            f"random order, give the items there are: {option('items', 'FILE')}",
        )
    fresh = [item for item in pool.items if item not in seen] if pool else []
    all_items = len(seen) + len(fresh) if pool else None
    with placed(reading.where):
        most, limit = _most_items(max_items, all_items, grid, places, settings)
        if most is None:
            check_models(grid, settings.baseline)
            stopping = Stopping(None, 0, 0, PILOT, None)
        else:
            plan = LookPlan(most, batch, PILOT if max_items is None else None)
            stopping = check_stopping(grid, places, plan, settings)
    # Items that some model was asked come first, in the order in which they were.
    begun = [item for item in reading.order if not everybody[place_of[item]]]
    left = [*begun, *asking_order(fresh, seed=settings.seed, kinds=pool.kinds if pool else {})]
    more = max(0, (stopping.next_size or 0) - len(answered))
    reason = _reason(stopping, limit, more, Scale.of(reading.table.limits))
    if stopping.reason is None:
        reason += "." if left[:more] else ", in random order; --items FILE names them."
        if most and max_items is None:
            reason += f" At most {show.plural(most, 'item')} will be asked."
    return _asking(stopping, reason, left[:more], most, len(answered))


def _reason(stopping: Stopping, limit: str, more: int, scale: Scale) -> str:
    """Say what the looks showed, and why no more are needed or, without the full stop, how many are."""
    lead = ""
    if stopping.comparison is not None:
        early = None if stopping.reason else lambda _: "it is too early to tell"
        verdict = block.headline(stopping.comparison, early, scale)
        lead = f"After {show.plural(stopping.used, 'item')}: {verdict}. "
    if stopping.reason is StopReason.DECIDED:
        return f"{lead}No more items are needed."
    if stopping.reason is StopReason.BUDGET:
        return f"{lead}{show.capital(limit)} were asked."
    return f"{lead}Not decided: ask {show.plural(more, 'more item')}"


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
