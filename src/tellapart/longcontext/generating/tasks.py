"""What a conversation can ask for whose facts stand in filler: a function a task.

Source:
    Hsieh et al. 2024, "RULER: What's the Real Context Size of Your Long-Context Language Models?", section 3,
    for ``multi-key``, ``multi-value``, ``multi-query`` and ``variables``. Deviations: the sentences are
    others, keys are made-up names, there is no worked example before the text, a question about variables
    does not say how many there are, and a conversation has a question for each depth, with the keys or the
    chains of all of them.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from tellapart.longcontext.design import Design
from tellapart.longcontext.generating.words import Unused, data_of


@dataclass(frozen=True)
class Placed:
    """A sentence and how far into the text it is to stand, from 0 to 1."""

    depth: float
    sentence: str


@dataclass(frozen=True)
class TaskQuestion:
    """A question of a task.

    Attributes:
        mode: The failure mode: what the task is called in reports.
        rule: The kind of probe.
        placed: All sentences that stand in the text for it, those of ``evidence`` among them.
        early: Values that no longer hold, with semicolons between them.
    """

    text: str
    answer: str
    mode: str
    rule: str
    evidence: tuple[str, ...]
    placed: tuple[Placed, ...] = ()
    early: str | None = None


@dataclass(frozen=True)
class Draft:
    """What the questions of one conversation are made from."""

    design: Design
    number: int
    messages: int
    rng: np.random.Generator
    unused: Unused

    @property
    def depths(self) -> list[float]:
        """The depth of each question."""
        return sorted(self.design.depths)

    def after(self, depth: float, sentences: Sequence[str]) -> tuple[Placed, ...]:
        """Place the first of some sentences at a depth, the others in order behind it."""
        depths = depth + (1 - depth) * self.rng.random(len(sentences) - 1)
        return tuple(map(Placed, [depth, *sorted(depths.tolist())], sentences))

    def before(self, depth: float, sentences: Sequence[str]) -> tuple[Placed, ...]:
        """Place the last of some sentences at a depth, the others in order before it."""
        depths = depth * self.rng.random(len(sentences) - 1)
        return tuple(map(Placed, [*sorted(depths.tolist()), depth], sentences))

    def anywhere(self, sentence: str) -> Placed:
        """Place a sentence at a depth that is drawn."""
        return Placed(float(self.rng.random()), sentence)

    def shuffled(self, names: Sequence[str]) -> str:
        """List names in an order that is drawn: ``A, B and C``."""
        drawn = [names[i] for i in self.rng.permutation(len(names)).tolist()]
        return f"{', '.join(drawn[:-1])} and {drawn[-1]}"


Task = Callable[[Draft], list[TaskQuestion]]
"""From what a conversation is made from to its questions; their order does not matter."""

NEVER = "The text does not say."
"""The right answer to a trap."""

_NEEDLES: list[dict[str, Any]] = data_of("needles.toml")["kinds"]
"""What facts are about; the facts of a conversation take turns."""


def _needles(draft: Draft) -> list[TaskQuestion]:
    """Ask for single facts, each at its depth among its distractors, and for things that were never said."""
    # The kinds take turns, and no depth has always the same.
    facts = [_needle(draft, i) for i, _ in enumerate(draft.depths)]
    traps = [_trap(draft, i) for i in range(draft.design.traps)]
    asked = []
    for depth, (kind, stated, question, answer, alike) in zip(draft.depths, facts, strict=True):
        # A made-up name has no other form; code compares numbers and dates in whatever form they have.
        rule = "facts" if re.search(r"\d", answer) else "match"
        placed = (Placed(depth, stated), *map(draft.anywhere, alike))
        asked.append(TaskQuestion(question, answer, f"Needle recall - {kind}", rule, (stated,), placed))
    for kind, question, said in traps:
        placed = tuple(map(draft.anywhere, said))
        asked.append(TaskQuestion(question, NEVER, f"Never stated - {kind}", "abstention", (), placed))
    return asked


def _needle(draft: Draft, index: int) -> tuple[str, str, str, str, list[str]]:
    """Kind, fact, question and answer, with sentences that look like the fact and do not answer."""
    kind, (sentence, question, answer), other = _drawn(draft, index)
    unused = draft.unused
    entity, value = unused.name(), _value(kind, unused)
    alike = []
    for turn in range(draft.design.distractors):
        form, about = other[0], entity
        if turn != 1:
            form, about = sentence, unused.name() if turn % 3 == 2 else unused.similar(entity)
        alike.append(form.format(e=about, v=_value(kind, unused)))
    stated = sentence.format(e=entity, v=value)
    return kind["name"], stated, question.format(e=entity), answer.format(v=value), alike


def _trap(draft: Draft, index: int) -> tuple[str, str, list[str]]:
    """Kind, a question on a thing of which something else is said, and what is said.

    There is always one sentence on the thing itself, so that the question does not come out of the blue.
    """
    kind, (sentence, question, _), other = _drawn(draft, index)
    entity = draft.unused.name()
    said = [other[0].format(e=entity, v=_value(kind, draft.unused))]
    if draft.design.distractors:
        # One that differs in a letter has an answer, so that who confuses the two is caught.
        said.append(sentence.format(e=draft.unused.similar(entity), v=_value(kind, draft.unused)))
    return kind["name"], question.format(e=entity), said


def _drawn(draft: Draft, index: int) -> tuple[dict[str, Any], list[str], list[str]]:
    """A kind, the attribute that is asked for, and the other one."""
    kind, first = _NEEDLES[(index + draft.number) % len(_NEEDLES)], int(draft.rng.integers(2))
    return kind, kind["attributes"][first], kind["attributes"][1 - first]


def _value(kind: dict[str, Any], unused: Unused) -> str:
    form, *arguments = kind["value"]
    value: str = getattr(unused, form)(*arguments)
    return value


def _abstention(draft: Draft, depth: float, index: int) -> TaskQuestion:
    """Ask for something that was never said; what is said of the thing stands at the depth."""
    _, question, (about, *alike) = _trap(draft, index)
    placed = (Placed(depth, about), *map(draft.anywhere, alike))
    return TaskQuestion(question, NEVER, "Abstention", "abstention", (), placed)


KEYS = VALUES = QUERIES = 4
"""Keys in the text for each question, values of a key, keys that are asked for at once: as published."""

DEPOSIT = "The deposit number of {key} is {value}."
ONE_DEPOSIT = "One deposit number of {key} is {value}."
DEPOSIT_ASKED = "What is the deposit number of {key}?"
ALL_OF_KEY = "What are all the deposit numbers of {key}?"
ALL_KEYS = "What are the deposit numbers of {keys}?"
_NUMBER = "0000000"


def _multi_key(draft: Draft, depth: float, _: int) -> TaskQuestion:
    """Ask for the value of one key out of several; its sentence stands at the depth, the others anywhere."""
    unused = draft.unused
    key, value = unused.name(), unused.identifier(_NUMBER)
    evidence = DEPOSIT.format(key=key, value=value)
    others = [
        draft.anywhere(DEPOSIT.format(key=unused.name(), value=unused.identifier(_NUMBER)))
        for _ in range(KEYS - 1)
    ]
    placed = (Placed(depth, evidence), *others)
    question = DEPOSIT_ASKED.format(key=key)
    return TaskQuestion(question, value, "Multi-key needles", "match", (evidence,), placed)


def _multi_value(draft: Draft, depth: float, _: int) -> TaskQuestion:
    """Ask for all values of one key; the first stands at the depth, the others anywhere behind it."""
    key = draft.unused.name()
    values = [draft.unused.identifier(_NUMBER) for _ in range(VALUES)]
    stated = tuple(ONE_DEPOSIT.format(key=key, value=value) for value in values)
    question, answer = ALL_OF_KEY.format(key=key), ", ".join(values)
    return TaskQuestion(question, answer, "Multi-value needles", "match", stated, draft.after(depth, stated))


def _multi_query(draft: Draft, depth: float, _: int) -> TaskQuestion:
    """Ask for the values of several keys at once; the first stands at the depth, the others behind it."""
    keys = [draft.unused.name() for _ in range(QUERIES)]
    values = {key: draft.unused.identifier(_NUMBER) for key in keys}
    stated = tuple(DEPOSIT.format(key=key, value=value) for key, value in values.items())
    names = draft.shuffled(keys)
    answer = ", ".join(values[name] for name in re.split(", | and ", names))
    question = ALL_KEYS.format(keys=names)
    return TaskQuestion(question, answer, "Multi-query needles", "match", stated, draft.after(depth, stated))


HOPS = 4
"""Assignments of a chain after the first, as published; a chain has one variable more."""

SET = "The variable {name} is set to {value}."
COPIED = "The variable {name} is set to the value of {source}."
HOLDING = "Which variables hold the value {value}, directly or through other variables?"


def _variables(draft: Draft, depth: float, _: int) -> TaskQuestion:
    """Ask for all variables of a chain; it begins at the depth and goes on in order anywhere behind it."""
    value = draft.unused.identifier("00000")
    names = [draft.unused.identifier("AAAAA") for _ in range(HOPS + 1)]
    copies = (COPIED.format(name=name, source=source) for source, name in pairwise(names))
    stated = (SET.format(name=names[0], value=value), *copies)
    question, answer = HOLDING.format(value=value), ", ".join(names)
    return TaskQuestion(question, answer, "Variable tracking", "match", stated, draft.after(depth, stated))


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


def _updates(draft: Draft, depth: float, index: int) -> TaskQuestion:
    """Ask for something that was corrected, once or twice; the last correction stands at the depth."""
    turn = index + draft.number
    kind = CHANGING[turn % len(CHANGING)]
    entity = draft.unused.name()
    values = [kind.value(draft.unused) for _ in range(2 + turn % 2)]
    first, *others = [kind.fact.format(e=entity, v=value) for value in values]
    stated = [f"{first[0].upper()}{first[1:]}.", *(f"{kind.correction}{fact}." for fact in others)]
    placed = draft.before(depth, stated)
    question, early = kind.question.format(e=entity), "; ".join(values[:-1])
    return TaskQuestion(question, values[-1], "Knowledge updates", "updated", (stated[-1],), placed, early)


CONTRADICTED = (
    ("The toll of the {e} bridge is {v} crowns.", "the toll of the {e} bridge"),
    ("The {e} choir has {v} singers.", "the size of the {e} choir"),
)
WHICH_LATER = "Two statements on {what} contradict each other. Which number does the later one give?"


def _contradiction(draft: Draft, depth: float, index: int) -> TaskQuestion:
    """Ask for the later of two statements without a word of correction; it stands at the depth."""
    statement, what = CONTRADICTED[(index + draft.number) % len(CONTRADICTED)]
    entity = draft.unused.name()
    early, late = (draft.unused.number(100, 1_000) for _ in range(2))
    stated = tuple(statement.format(e=entity, v=value) for value in (early, late))
    placed = draft.before(depth, stated)
    question = WHICH_LATER.format(what=what.format(e=entity))
    return TaskQuestion(question, late, "Contradiction", "updated", stated, placed, early)


KEEPS = "{person} keeps the {light} lighthouse."
STANDS = "The {light} lighthouse stands on the island of {island}."
ISLAND = "On which island does the lighthouse stand that {person} keeps?"

_MARGIN = 0.2
"""Part of a message at its ends in which a fact that must stand in it is not put."""


def _multi_hop(draft: Draft, depth: float, _: int) -> TaskQuestion:
    """Ask for what follows from two facts, in either order.

    The first of them stands at the depth, or in the last message but one where that comes before it, and the
    other in a later message, so that there must be two. Another pair that leads to another answer stands
    anywhere.
    """
    unused, count = draft.unused, draft.messages
    person, light, island = unused.person(), unused.name(), unused.name()
    evidence = (KEEPS.format(person=person, light=light), STANDS.format(light=light, island=island))
    message = min(int(depth * count), count - 2)
    first = message + min(depth * count - message, 1 - _MARGIN)
    later = int(draft.rng.integers(message + 1, count))
    second = later + _MARGIN + (1 - 2 * _MARGIN) * float(draft.rng.random())
    order = draft.rng.permutation(2).tolist()
    other = unused.name()
    decoys = (
        KEEPS.format(person=unused.person(), light=other),
        STANDS.format(light=other, island=unused.name()),
    )
    pair = (Placed(at / count, evidence[i]) for at, i in zip((first, second), order, strict=True))
    placed = (*pair, *map(draft.anywhere, decoys))
    return TaskQuestion(ISLAND.format(person=person), island, "Multi-hop", "match", evidence, placed)


COUNTED = (
    ("The ferry {e} called at {v}.", "At how many ports did the ferry {e} call?"),
    ("{e} lent a book to {v}.", "How many times did {e} lend a book?"),
)
_FEWEST_COUNTED, _MOST_COUNTED, _DECOYS = 3, 12, 2


def _counting(draft: Draft, depth: float, index: int) -> TaskQuestion:
    """Ask how many there are, 3 to 12; the first stands at the depth, the others anywhere behind it.

    Two more of something whose name differs in one letter stand anywhere and do not count.
    """
    statement, question = COUNTED[(index + draft.number) % len(COUNTED)]
    unused = draft.unused
    entity = unused.name()
    alike = unused.similar(entity)
    count = int(draft.rng.integers(_FEWEST_COUNTED, _MOST_COUNTED + 1))
    evidence = tuple(statement.format(e=entity, v=unused.name()) for _ in range(count))
    decoys = [statement.format(e=alike, v=unused.name()) for _ in range(_DECOYS)]
    placed = (*draft.after(depth, evidence), *map(draft.anywhere, decoys))
    return TaskQuestion(question.format(e=entity), str(count), "Counting", "count", evidence, placed)


STORM = "A storm struck {e}."
BEFORE = "Of the storms at {names}, how many were reported before that at {e}?"
_STORMS = 4


def _event_order(draft: Draft, depth: float, _: int) -> TaskQuestion:
    """Ask for the order in which events were told; the first stands at the depth, the others behind it.

    Places are named in an order that is drawn, and one or more storms come before the one that is asked for.
    """
    places = [draft.unused.name() for _ in range(_STORMS)]
    named = draft.shuffled(places)
    stated = tuple(STORM.format(e=place) for place in places)
    before = int(draft.rng.integers(1, _STORMS))
    text = BEFORE.format(names=named, e=places[before])
    return TaskQuestion(text, str(before), "Event order", "count", stated, draft.after(depth, stated))


_WARES = ("salt", "wool", "iron", "timber")
BROUGHT = "The carrier {v} brought {ware} to {e}."
HOW_MANY = "How many carriers brought {ware} to {e}?"
_FEWEST_BROUGHT, _MOST_BROUGHT = 3, 8


def _distribution(draft: Draft) -> list[TaskQuestion]:
    """Ask about all entries at once; they stand anywhere, so that no part of the text has the answer."""
    town = draft.unused.name()
    counts = {ware: int(draft.rng.integers(_FEWEST_BROUGHT, _MOST_BROUGHT + 1)) for ware in _WARES}
    questions = []
    for ware, count in counts.items():
        stated = tuple(BROUGHT.format(v=draft.unused.name(), ware=ware, e=town) for _ in range(count))
        text, placed = HOW_MANY.format(ware=ware, e=town), tuple(map(draft.anywhere, stated))
        questions.append(TaskQuestion(text, str(count), "Distribution - number", "count", stated, placed))
    return questions


def _at_each_depth(question: Callable[[Draft, float, int], TaskQuestion]) -> Task:
    """Ask a question of each depth of the design; it is given which of the conversation it is."""
    return lambda draft: [question(draft, depth, i) for i, depth in enumerate(draft.depths)]


NEEDLES = "needles"
"""The task where none is named."""

TASKS: Mapping[str, Task] = {
    NEEDLES: _needles,
    "multi-key": _at_each_depth(_multi_key),
    "multi-value": _at_each_depth(_multi_value),
    "multi-query": _at_each_depth(_multi_query),
    "variables": _at_each_depth(_variables),
    "updates": _at_each_depth(_updates),
    "abstention": _at_each_depth(_abstention),
    "multi-hop": _at_each_depth(_multi_hop),
    "counting": _at_each_depth(_counting),
    "contradiction": _at_each_depth(_contradiction),
    "event-order": _at_each_depth(_event_order),
    "distribution": _distribution,
}
"""Tasks by name."""

FEWEST_MESSAGES: Mapping[str, int] = {"multi-hop": 2}
"""Messages that a conversation needs, of tasks that need more than one."""
