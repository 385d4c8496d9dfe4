"""What follows from two facts in different messages."""

from __future__ import annotations

from tellapart.longcontext.generating.questions import Draft, Placed, TaskQuestion

KEEPS = "{person} keeps the {light} lighthouse."
STANDS = "The {light} lighthouse stands on the island of {island}."
ISLAND = "On which island does the lighthouse stand that {person} keeps?"

_MARGIN = 0.2
"""Part of a message at its ends in which a fact that must stand in it is not put."""


def multi_hop(draft: Draft, depth: float, _: int) -> TaskQuestion:
    """Ask for what follows from two facts, in either order.

    The first of them stands at the depth, or in the last message but one where that comes before it, and the
    other in a later message, so that there must be two. Another pair that leads to another answer stands
    anywhere.
    """
    person, light, island = draft.unused.person(), draft.unused.name(), draft.unused.name()
    evidence = (KEEPS.format(person=person, light=light), STANDS.format(light=light, island=island))
    message = min(int(depth * draft.messages), draft.messages - 2)
    first = message + min(depth * draft.messages - message, 1 - _MARGIN)
    later = int(draft.rng.integers(message + 1, draft.messages))
    second = later + _MARGIN + (1 - 2 * _MARGIN) * float(draft.rng.random())
    order = draft.rng.permutation(2).tolist()
    other = draft.unused.name()
    decoys = (
        KEEPS.format(person=draft.unused.person(), light=other),
        STANDS.format(light=other, island=draft.unused.name()),
    )
    placed = (
        *(Placed(at / draft.messages, evidence[i]) for at, i in zip((first, second), order, strict=True)),
        *map(draft.anywhere, decoys),
    )
    return TaskQuestion(ISLAND.format(person=person), island, "Multi-hop", "match", evidence, placed)
