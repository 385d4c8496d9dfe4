"""How an item's options are shown to a language model: cut to size, in an order that favours no slot."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import gcd

from tellapart.contrastive.benchmark import Benchmark
from tellapart.core.randomness import generator

LONGEST = 1500
"""Characters of an option that are shown; from the source document."""

CUT = "… (cut)"
"""Stands in for what is not shown."""

_GOLDEN = 0.618


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
    r"""Cut code on a line boundary to at most ``longest`` characters, ``CUT`` on its own line included.

    Characters are code points. Lines end in ``\n``, so that ``\r\n`` stays whole. A first line too long
    alone is cut within. Code that fits is left as it is, and no code stays none.

    Source:
        ``truncateCode(content, 1500)`` of the source document, which cuts within lines.
    """
    if len(code) <= longest:
        return code
    room = longest - len(CUT) - 1
    end = code.rfind("\n", 0, room + 1)
    return f"{code[: end if end > 0 else room]}\n{CUT}"


def shown_items(benchmark: Benchmark, orders: int = 1) -> list[Shown]:
    """Every item in ``orders`` orders, item after item.

    Where the target stands follows from the item's place in its level by ``target_slot``; distractors are
    shuffled by the seed and the item's id. What an order looks like depends neither on the other levels nor
    on how many orders there are.
    """
    sizes: dict[str, int] = dict(benchmark.sets["level"].value_counts().iter_rows())
    seen = dict.fromkeys(sizes, -1)
    shown = []
    columns = benchmark.sets.select("item", "level", "target", "distractors")
    for item, level, target, distractors in columns.iter_rows():
        seen[level] += 1
        for order in range(orders):
            slot = target_slot(seen[level], order, sizes[level], len(distractors) + 1)
            shown.append(_shown(item, order, slot, target, distractors, benchmark.header.seed))
    return shown


def target_slot(number: int, order: int, items: int, slots: int) -> int:
    """Say where the target of an item stands in one of its orders.

    Within each order the slots are used equally often over the items, up to one; so are they over any number
    of orders together. As many orders of an item as there are slots differ in its slot; further ones begin
    anew. Neighbours, among items and among orders, are far apart.

    Args:
        number: Place of the item in its level, from 0.
        order: Which order, from 0.
        items: Of the level, all with so many slots.
        slots: Options of an item, at least 1.

    Returns:
        A slot, from 0.
    """
    # Whole rounds over the slots are balanced however they begin. The items left over, a run of slots, move
    # on by the length of the run, and by one more whenever that would bring them to where they were before.
    left_over = items % slots
    start = order * left_over + order // (slots // gcd(left_over, slots))
    return (number + start) * _stride(slots) % slots


def _stride(slots: int) -> int:
    """The step nearest to the golden section of the list that visits every slot; the smaller of two."""
    steps = (step for step in range(1, slots + 1) if gcd(step, slots) == 1)
    return min(steps, key=lambda step: abs(step - _GOLDEN * slots))


def _shown(item: str, order: int, slot: int, target: str, distractors: Sequence[str], seed: int) -> Shown:
    rng = generator(seed, "options", item, str(order))
    units = [distractors[i] for i in rng.permutation(len(distractors))]
    units.insert(slot, target)
    return Shown(item, order, slot + 1, tuple(units))
