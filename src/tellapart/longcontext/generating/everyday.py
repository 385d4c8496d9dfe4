"""What everyday conversations ask for: what changed, what was never said, two facts at once, counts."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from tellapart.longcontext.generating.needles import NEVER, Unused, trap
from tellapart.longcontext.generating.questions import Draft, Placed, TaskQuestion


@dataclass(frozen=True)
class Changing:
    """Something that changes.

    Attributes:
        fact: How it is said, without the capital and the full stop.
        correction: What goes before it when it is said again.
    """

    fact: str
    correction: str
    question: str
    value: Callable[[Unused], str]

    def sentences(self, entity: str, values: Sequence[str]) -> list[str]:
        """How it is said first, and each correction."""
        facts = [self.fact.format(e=entity, v=value) for value in values]
        first = facts[0][0].upper() + facts[0][1:]
        return [f"{first}.", *(f"{self.correction}{fact}." for fact in facts[1:])]


CHANGING = (
    Changing(
        "a berth in the port of {e} costs {v} crowns",
        "No, that was wrong: ",
        "How many crowns does a berth in the port of {e} cost?",
        lambda unused: unused.number(100, 1_000),
    ),
    Changing(
        "the mayor of {e} is {v}",
        "Since the election, ",
        "Who is the mayor of {e}?",
        Unused.person,
    ),
    Changing(
        "the night train to {e} has the number {v}",
        "Sorry, there was a mix-up: ",
        "Which number does the night train to {e} have?",
        lambda unused: unused.identifier("AA0000"),
    ),
)


def updates(draft: Draft) -> list[TaskQuestion]:
    """Ask for something that was corrected, once or twice; the last correction stands at the depth."""
    questions = []
    for index, depth in enumerate(draft.depths()):
        kind = CHANGING[(index + draft.number) % len(CHANGING)]
        entity = draft.unused.name()
        values = [kind.value(draft.unused) for _ in range(2 + (index + draft.number) % 2)]
        sentences = kind.sentences(entity, values)
        questions.append(
            TaskQuestion(
                kind.question.format(e=entity),
                values[-1],
                "Knowledge updates",
                "updated",
                (sentences[-1],),
                tuple(map(Placed, draft.before(depth, len(values)), sentences)),
                "; ".join(values[:-1]),
            )
        )
    return questions


def abstention(draft: Draft) -> list[TaskQuestion]:
    """Ask for something that was never said of a thing of which something else stands at the depth."""
    questions = []
    for index, depth in enumerate(draft.depths()):
        never = trap(index + draft.number, draft.design.distractors, draft.unused, draft.rng)
        about, *alike = never.distractors
        placed = (Placed(depth, about), *map(draft.anywhere, alike))
        questions.append(TaskQuestion(never.question, NEVER, "Abstention", "abstention", (), placed))
    return questions


KEEPS = "{person} keeps the {light} lighthouse."
STANDS = "The {light} lighthouse stands on the island of {island}."
ISLAND = "On which island does the lighthouse stand that {person} keeps?"

_MARGIN = 0.2
"""Part of a message at its ends in which a fact that must stand in it is not put."""


def multi_hop(draft: Draft) -> list[TaskQuestion]:
    """Ask for what follows from two facts in different messages, in either order.

    The first of them stands at the depth, or in the last message but one where that comes before it, and the
    other in a later message, so that there must be two. Another pair that leads to another answer stands
    anywhere.
    """
    questions = []
    for depth in draft.depths():
        person, light, island = (draft.unused.person(), draft.unused.name(), draft.unused.name())
        evidence = (
            KEEPS.format(person=person, light=light),
            STANDS.format(light=light, island=island),
        )
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
            Placed(first / draft.messages, evidence[order[0]]),
            Placed(second / draft.messages, evidence[order[1]]),
            *map(draft.anywhere, decoys),
        )
        questions.append(
            TaskQuestion(ISLAND.format(person=person), island, "Multi-hop", "match", evidence, placed)
        )
    return questions


@dataclass(frozen=True)
class Counted:
    """Something that can be counted."""

    statement: str
    question: str


COUNTED = (
    Counted("The ferry {e} called at {v}.", "At how many ports did the ferry {e} call?"),
    Counted("{e} lent a book to {v}.", "How many times did {e} lend a book?"),
)

_FEWEST, _MOST, _DECOYS = 3, 12, 2


def counting(draft: Draft) -> list[TaskQuestion]:
    """Ask how many there are, 3 to 12; the first stands at the depth, the others anywhere behind it.

    Two more of something whose name differs in one letter stand anywhere and do not count.
    """
    questions = []
    for index, depth in enumerate(draft.depths()):
        kind = COUNTED[(index + draft.number) % len(COUNTED)]
        entity = draft.unused.name()
        alike = draft.unused.similar(entity)
        count = int(draft.rng.integers(_FEWEST, _MOST + 1))
        evidence = tuple(kind.statement.format(e=entity, v=draft.unused.name()) for _ in range(count))
        decoys = [kind.statement.format(e=alike, v=draft.unused.name()) for _ in range(_DECOYS)]
        placed = (*map(Placed, draft.after(depth, count), evidence), *map(draft.anywhere, decoys))
        questions.append(
            TaskQuestion(kind.question.format(e=entity), str(count), "Counting", "count", evidence, placed)
        )
    return questions
