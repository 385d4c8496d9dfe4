"""Something that was corrected once or twice: what holds now."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from tellapart.longcontext.generating.names import Unused
from tellapart.longcontext.generating.questions import Draft, TaskQuestion


class Changing(NamedTuple):
    """Something that changes.

    Attributes:
        fact: How it is said, without the capital and the full stop.
        correction: What goes before it when it is said again.
    """

    fact: str
    correction: str
    question: str
    value: Callable[[Unused], str]


CHANGING = (
    Changing(
        "a berth in the port of {e} costs {v} crowns",
        "No, that was wrong: ",
        "How many crowns does a berth in the port of {e} cost?",
        lambda unused: unused.number(100, 1_000),
    ),
    Changing("the mayor of {e} is {v}", "Since the election, ", "Who is the mayor of {e}?", Unused.person),
    Changing(
        "the night train to {e} has the number {v}",
        "Sorry, there was a mix-up: ",
        "Which number does the night train to {e} have?",
        lambda unused: unused.identifier("AA0000"),
    ),
)


def updates(draft: Draft, depth: float, index: int) -> TaskQuestion:
    """Ask for something that was corrected, once or twice; the last correction stands at the depth."""
    kind = CHANGING[(index + draft.number) % len(CHANGING)]
    entity = draft.unused.name()
    values = [kind.value(draft.unused) for _ in range(2 + (index + draft.number) % 2)]
    first, *others = [kind.fact.format(e=entity, v=value) for value in values]
    stated = [f"{first[0].upper()}{first[1:]}.", *(f"{kind.correction}{fact}." for fact in others)]
    return TaskQuestion(
        kind.question.format(e=entity),
        values[-1],
        "Knowledge updates",
        "updated",
        (stated[-1],),
        draft.before(depth, stated),
        "; ".join(values[:-1]),
    )
