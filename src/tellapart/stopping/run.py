"""From scores in the order in which they came to what should be asked next."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from tellapart.audit.reading import Reading
from tellapart.core.asking_order import asking_order
from tellapart.core.comparison import (
    ComparisonSettings,
    LookPlan,
    Method,
    PairComparison,
    Stopping,
    StopReason,
    check_stopping,
    to_json,
)
from tellapart.core.score_grid import score_grid
from tellapart.core.score_scale import ScoreScale
from tellapart.errors import InputError, UsageError, placed
from tellapart.files import read_text
from tellapart.files.tables import kind_of, read_table
from tellapart.report import comparison as block
from tellapart.report import numbers as show
from tellapart.report.comparison import Scale


@dataclass(frozen=True)
class Pool:
    """Items that can be asked.

    Attributes:
        items: Their ids, ascending.
        kinds: The kind of each item that has one.
        clusters: The source of each item that has one.
    """

    items: tuple[str, ...]
    kinds: dict[str, str]
    clusters: dict[str, str]


def read_pool(path: Path, by: str | None = None) -> Pool:
    """Read the items that can be asked."""
    frame = _pool_frame(path)
    if "item" not in frame.columns:
        raise InputError(f"this table has no column 'item'; it has {frame.columns}", where=path)
    columns = [name for name in frame.columns if name not in ("item", "cluster")]
    if by is not None and by not in columns:
        raise InputError(f"this table has no column of kinds {by!r}; it has {columns}", where=path)
    kind = by or next(iter(columns), None)
    used = [name for name in ("item", "cluster", kind) if name in frame.columns]
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
        raise InputError(f"the item {again!r} occurs twice", where=path)
    return Pool(tuple(sorted(items)), _by_item(frame, kind), _by_item(frame, "cluster"))


def _pool_frame(path: Path) -> pl.DataFrame:
    kind = kind_of(path)
    if kind is not None:
        return read_table(path, kind)
    lines = [line.strip() for line in read_text(path).splitlines()]
    ids = [line for line in lines[lines[:1] == ["item"] :] if line]
    return pl.DataFrame({"item": ids}, schema={"item": pl.String})


def _by_item(frame: pl.DataFrame, column: str | None) -> dict[str, str]:
    if column is None or column not in frame.columns:
        return {}
    return dict(frame.select("item", column).drop_nulls().iter_rows())


def _too_early(pair: PairComparison) -> str:
    return "it is too early to tell"


@dataclass(frozen=True)
class Asking:
    """What to ask next, or to stop.

    Attributes:
        stopping: What the looks found.
        asked: Items that all models were asked.
        plan: When looks are.
        next_items: What to ask before the next look, in this order; empty where nothing is to be asked, and
            where nobody said which items there are.
        is_exhausted: Whether all items there are were asked.
        scale: How scores are shown.
    """

    stopping: Stopping
    asked: int
    plan: LookPlan
    next_items: tuple[str, ...]
    is_exhausted: bool
    scale: Scale

    @property
    def stop(self) -> bool:
        """Whether no more items need be asked."""
        return self.stopping.reason is not None or self.is_exhausted

    @property
    def reason(self) -> str:
        """Why, in one or two sentences."""
        comparison, next_size = self.stopping.comparison, self.stopping.next_size
        used = show.plural(self.stopping.used, "item")
        lead = ""
        if comparison is not None:
            why = None if self.stop else _too_early
            lead = f"After {used}: {block.headline(comparison, why, self.scale)}. "
        if self.stopping.reason is StopReason.DECIDED:
            return f"{lead}No more items are needed."
        if self.stopping.reason is StopReason.BUDGET and not self.is_exhausted:
            return f"{lead}The {show.plural(self.plan.max_items or 0, 'item')} of --max-items were asked."
        if self.is_exhausted:
            return f"{lead}All items of --items were asked."
        more = (next_size or 0) - self.asked
        where = "" if self.next_items else ", in random order; --items FILE names them"
        return f"{lead}Not decided: ask {show.plural(more, 'more item')}{where}."

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
            "method": str(self.stopping.method),
            "max_items": self.plan.max_items,
            "asked": self.asked,
            "used": self.stopping.used,
            "looks": self.stopping.looks,
            "next_look": self.stopping.next_size,
            "comparison": to_json(comparison) if comparison else None,
        }


def check_asked(
    reading: Reading,
    plan: LookPlan,
    settings: ComparisonSettings | None = None,
    pool: Pool | None = None,
) -> Asking:
    """Say whether enough items were asked, and which to ask next."""
    if reading.table.notes.looks is not None:
        raise UsageError(
            f"{reading.place} is a run that stopped by itself when models were told apart",
            next_step="Its verdict is that of: tellapart audit RUN",
        )
    settings = settings or ComparisonSettings()
    scale = ScoreScale.of(reading.table)
    table = scale.table(reading.table) if scale else reading.table
    decides = replace(settings, sesoi=scale.threshold(settings.sesoi)) if scale else settings
    grid = score_grid(table)
    place_of = {item: k for k, item in enumerate(grid.items)}
    everybody = np.asarray(grid.asked.all(axis=0))
    asked = [item for item in reading.order if everybody[place_of[item]]]
    # Items that some model was asked come first, in the order in which they were.
    begun = [item for item in reading.order if not everybody[place_of[item]]]
    known = set(reading.order)
    fresh = [item for item in pool.items if item not in known] if pool else []
    kinds = pool.kinds if pool else {}
    # A bet is on a whole source; levels that are spent gain from many sources early.
    clusters = pool.clusters if pool and plan.method is Method.BETTING else {}
    if pool and not known & set(pool.items):
        raise InputError(
            f"none of the {len(known):,} items that were asked is among the {len(pool.items):,} of --items",
            where=reading.place,
            next_step=f"Compare the ids: {reading.order[0]!r} was asked, and {pool.items[0]!r} is there",
        )
    left = [*begun, *asking_order(fresh, seed=settings.seed, kinds=kinds, clusters=clusters)]
    if pool and plan.max_items is not None:
        # Fixed before the first answer as well: so many there are.
        plan = replace(plan, max_items=min(plan.max_items, len(known | set(pool.items))))
    is_exhausted = pool is not None and not left
    with placed(reading.place):
        places = [place_of[item] for item in asked]
        stopping = check_stopping(grid, places, plan, decides, ends=is_exhausted)
    if scale and stopping.comparison:
        restored = scale.restored(stopping.comparison, sesoi=settings.sesoi)
        stopping = replace(stopping, comparison=restored)
    more = 0 if stopping.next_size is None else stopping.next_size - len(asked)
    return Asking(
        stopping,
        len(asked),
        plan,
        tuple(left[:more]) if stopping.reason is None else (),
        is_exhausted=is_exhausted,
        scale=Scale.of(reading.table.limits),
    )
