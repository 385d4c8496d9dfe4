"""Whether it matters to a language model where in the list the target stands."""

from __future__ import annotations

import numpy as np
import polars as pl

from tellapart.contrastive.answers import groups
from tellapart.core.arrays import F64, I64
from tellapart.core.randomness import generator
from tellapart.core.record import Record
from tellapart.core.stats import block_permutation, mean_once


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


CONTRASTS = ("first", "last", "trend", "ends")
"""The first slot, the last one, the later the better, both ends against the middle."""


def contrasts(slot: I64, options: I64) -> F64:
    """Shape (n, 4): what ``CONTRASTS`` are at slots, from 1, of lists with so many options, at least 2."""
    position = (slot - 1) / (options - 1)
    columns = np.column_stack([slot == 1, slot == options, position, np.square(2 * position - 1)])
    return columns.astype(np.float64)


DRAWS = 2000


def slot_result(rows: pl.DataFrame, *, seed: int, model: str) -> SlotResult:
    """Accuracy of one language model by slot, and a test that the slot does not matter."""
    scored = rows.filter(pl.col("correct").is_not_null())
    return SlotResult(
        by_slot={level: _by_slot(group) for level, group in groups(scored, "level")},
        test=slot_test(scored, rng=generator(seed, "slots", model)),
    )


def slot_test(scored: pl.DataFrame, *, rng: np.random.Generator, draws: int = DRAWS) -> SlotTest:
    """Test that accuracy does not depend on the target's slot, by permuting slots within a level or an item.

    Askings of an item in the same order count once, by their mean. Where an item was asked in several
    orders, its own slots are permuted among its orders, so that easy and hard items do not blur what is
    looked for; else the slots of a level's items are. The p is of the largest of four standardised
    contrasts (``CONTRASTS``), which sees a preference for the first or the last slot, for early or late
    ones, and a neglected middle.

    The power is low with few items. A model that always picks the first slot shows with 7 items at each of
    six levels. Of one that is 20 points worse at the end of the list than at its beginning, 55 of 100 runs
    with 600 items tell, and 89 of 100 with 300 items in three orders (simulated, p at most .05). A high p is
    no proof that the slot does not matter.
    """
    orders = _orders(scored)
    right, slot, options = (orders[name].to_numpy() for name in ("correct", "slot", "options"))
    test = block_permutation(right, contrasts(slot, options), orders["block"], rng=rng, draws=draws)
    thirds = _thirds(orders)
    defined = [value for value in thirds if value is not None]
    return SlotTest(
        p=test.p,
        spread=max(defined) - min(defined) if len(defined) > 1 else None,
        thirds=thirds,
        z=dict(zip(CONTRASTS, test.z, strict=True)),
        draws=test.draws,
        reason=test.reason,
    )


def _by_slot(scored: pl.DataFrame) -> tuple[SlotCount, ...]:
    right = dict(scored.group_by("slot").agg("correct").iter_rows())
    picked = dict(scored["picked_slot"].value_counts().iter_rows())
    return tuple(
        SlotCount(
            slot=slot,
            n=len(right.get(slot, [])),
            accuracy=mean_once(right.get(slot, [])),
            picked=picked.get(slot, 0),
        )
        for slot in range(1, max(scored["options"], default=0) + 1)
    )


def _orders(scored: pl.DataFrame) -> pl.DataFrame:
    """One row an item and order, with the block in which it is exchanged for others."""
    orders = scored.group_by("item", "order").agg("correct", pl.first("level", "slot", "options"))
    orders = orders.with_columns(
        pl.Series("correct", [mean_once(right) for right in orders["correct"]], dtype=pl.Float64)
    )
    several = pl.len().over("item") > 1
    # Items have their level's name in front; that of a level alone is no item's.
    block = pl.when(several).then(pl.format("item {}", "item")).otherwise(pl.format("level {}", "level"))
    return orders.with_columns(block.alias("block"))


def _thirds(orders: pl.DataFrame) -> tuple[float | None, ...]:
    overall = mean_once(orders["correct"])
    if overall is None:
        return (None,) * 3
    beyond = [
        group.select(
            (pl.col("correct") - mean_once(group["correct"])).alias("beyond"),
            (3 * (pl.col("slot") - 1) // pl.col("options")).alias("third"),
        )
        for _, group in groups(orders, "level")
    ]
    by_third = dict(pl.concat(beyond).group_by("third").agg("beyond").iter_rows())
    means = [mean_once(by_third.get(third, [])) for third in range(3)]
    return tuple(None if mean is None else overall + mean for mean in means)
