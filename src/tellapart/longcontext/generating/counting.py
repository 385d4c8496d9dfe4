"""How often something happened."""

from __future__ import annotations

from typing import NamedTuple

from tellapart.longcontext.generating.questions import Draft, TaskQuestion


class Counted(NamedTuple):
    """Something that can be counted."""

    statement: str
    question: str


COUNTED = (
    Counted("The ferry {e} called at {v}.", "At how many ports did the ferry {e} call?"),
    Counted("{e} lent a book to {v}.", "How many times did {e} lend a book?"),
)

_FEWEST, _MOST, _DECOYS = 3, 12, 2


def counting(draft: Draft, depth: float, index: int) -> TaskQuestion:
    """Ask how many there are, 3 to 12; the first stands at the depth, the others anywhere behind it.

    Two more of something whose name differs in one letter stand anywhere and do not count.
    """
    kind = COUNTED[(index + draft.number) % len(COUNTED)]
    entity = draft.unused.name()
    alike = draft.unused.similar(entity)
    count = int(draft.rng.integers(_FEWEST, _MOST + 1))
    evidence = tuple(kind.statement.format(e=entity, v=draft.unused.name()) for _ in range(count))
    decoys = [kind.statement.format(e=alike, v=draft.unused.name()) for _ in range(_DECOYS)]
    placed = (*draft.after(depth, evidence), *map(draft.anywhere, decoys))
    return TaskQuestion(kind.question.format(e=entity), str(count), "Counting", "count", evidence, placed)
