"""Whether it matters to a language model where in the list the target stands."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import polars as pl

from tellapart.contrastive.answers import Ends, steady_mean
from tellapart.core.arrays import F64, I64
from tellapart.core.randomness import generator
from tellapart.core.record import Record
from tellapart.core.stats import block_permutation, clustered_rate


class Fifth(Record):
    """A fifth of the list: ``n`` answers whose target stands here, and how often it was picked first."""

    n: int
    right: float | None
    right_ci: Ends | None
    picked: float | None
    picked_ci: Ends | None


class SlotTest(Record):
    """A permutation test that accuracy does not depend on the target's slot; see ``slots.slot_test``."""

    p: float | None
    z: dict[str, float | None]
    draws: int
    reason: str | None


class SlotResult(Record):
    """What the place of the target in the list does to a language model's answers."""

    fifths: tuple[Fifth, ...]
    test: SlotTest


FIFTHS = 5

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
        fifths=tuple(by_fifth(scored)),
        test=slot_test(scored, rng=generator(seed, "slots", model)),
    )


def slot_test(scored: pl.DataFrame, *, rng: np.random.Generator, draws: int = DRAWS) -> SlotTest:
    """Test that accuracy does not depend on the target's slot, by permuting slots within a level or an item.

    Askings of an item in the same order count once, by their mean. Where an item was asked in several
    orders, its own slots are permuted among its orders, so that easy and hard items do not blur what is
    looked for; else the slots of a level's items are. The p is of the largest of four standardised
    contrasts (``CONTRASTS``).
    """
    orders = _orders(scored)
    right, slot, options = (orders[name].to_numpy() for name in ("correct", "slot", "options"))
    test = block_permutation(right, contrasts(slot, options), orders["block"], rng=rng, draws=draws)
    z = dict(zip(CONTRASTS, test.z, strict=True))
    return SlotTest(p=test.p, z=z, draws=test.draws, reason=test.reason)


def by_fifth(scored: pl.DataFrame) -> Iterator[Fifth]:
    """Accuracy and first choices by fifth of the list, over all levels and orders."""
    options, paths, right = (scored[name].to_numpy() for name in ("options", "path", "correct"))
    stands, picked = (
        (scored[name].to_numpy().astype(np.int64) - 1) * FIFTHS // options for name in ("slot", "picked_slot")
    )
    for fifth in range(FIFTHS):
        here = stands == fifth
        rate, first = clustered_rate(right[here], paths[here]), clustered_rate(picked == fifth, paths)
        yield Fifth(
            n=int(here.sum()),
            right=rate.value,
            right_ci=rate.interval,
            picked=first.value,
            picked_ci=first.interval,
        )


def _orders(scored: pl.DataFrame) -> pl.DataFrame:
    """One row an item and order, with the block in which it is exchanged for others."""
    orders = scored.group_by("item", "order").agg(
        steady_mean("correct"), pl.first("level", "slot", "options")
    )
    several = pl.len().over("item") > 1
    # Items have their level's name in front; that of a level alone is no item's.
    block = pl.when(several).then(pl.format("item {}", "item")).otherwise(pl.format("level {}", "level"))
    return orders.with_columns(block.alias("block"))
