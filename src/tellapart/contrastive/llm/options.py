"""How an item's options are shown to a language model: cut to size, in an order that favours no slot."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from tellapart.contrastive.benchmark import Benchmark
from tellapart.core.randomness import generator

LONGEST = 1500
"""Characters of an option that are shown; from the source document."""

CUT = "… (cut)"
"""Stands in for the lines that are not shown."""


@dataclass(frozen=True, slots=True)
class Shown:
    """One item in one order.

    Attributes:
        item: Its id.
        order: Which of several orders; 0 for the first.
        slot: Where the target stands, from 1.
        units: Ids of the options, in the order in which they are shown.
    """

    item: str
    order: int
    slot: int
    units: tuple[str, ...]


def cut(code: str, longest: int = LONGEST) -> str:
    """Cut code on a line boundary to at most ``longest`` characters, ``CUT`` on a line of its own included.

    A first line that is too long alone is cut within.
    """
    if len(code) <= longest:
        return code
    room = longest - len(CUT) - 1
    end = code.rfind("\n", 0, room + 1)
    return f"{code[: end if end > 0 else room]}\n{CUT}"


def shown_items(benchmark: Benchmark, orders: int = 1) -> list[Shown]:
    """Every item in ``orders`` orders.

    Within a level the target goes through the slots in turn over the items, from one order of an item to the
    next as far as there are slots; distractors are shuffled by the seed and the item's id.
    """
    seen: dict[str, int] = {}
    shown = []
    for item, level, target, distractors in benchmark.sets.select(
        "item", "level", "target", "distractors"
    ).iter_rows():
        number = seen[level] = seen.get(level, -1) + 1
        for order in range(orders):
            slots = len(distractors) + 1
            slot = (number + order * max(slots // orders, 1)) % slots
            shown.append(_shown(item, order, slot, target, distractors, benchmark.header.seed))
    return shown


def _shown(item: str, order: int, slot: int, target: str, distractors: Sequence[str], seed: int) -> Shown:
    rng = generator(seed, "options", item, str(order))
    units = [distractors[i] for i in rng.permutation(len(distractors))]
    units.insert(slot, target)
    return Shown(item, order, slot + 1, tuple(units))
