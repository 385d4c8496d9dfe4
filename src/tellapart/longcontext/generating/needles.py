"""Facts to be remembered, the facts that look like them, and questions whose answer was never given."""

from __future__ import annotations

import re
import tomllib
from importlib.resources import files
from typing import Any, NamedTuple

import numpy as np

from tellapart.longcontext.generating.names import Unused
from tellapart.longcontext.generating.questions import Draft, Placed, TaskQuestion

NEVER = "The text does not say."
"""The right answer to a trap."""

KINDS: list[dict[str, Any]] = tomllib.loads(
    files(__package__).joinpath("needles.toml").read_text(encoding="utf-8")
)["kinds"]
"""What facts are about; the facts of a conversation take turns."""


class Needle(NamedTuple):
    """A question with what stands in the conversation for it; a trap has no sentence as evidence."""

    kind: str
    sentence: str | None
    question: str
    answer: str
    distractors: tuple[str, ...]


def needles(draft: Draft) -> list[TaskQuestion]:
    """Ask for single facts, each at its depth among its distractors, and for things that were never said."""
    design, rng, unused = draft.design, draft.rng, draft.unused
    depths = draft.depths()
    # The kinds take turns, and no depth has always the same.
    facts = [needle(i + draft.number, design.distractors, unused, rng) for i in range(len(depths))]
    traps = [trap(i + draft.number, design.distractors, unused, rng) for i in range(design.traps)]
    asked = [_fact_question(fact, depth, draft) for depth, fact in zip(depths, facts, strict=True)]
    return [*asked, *(_trap_question(never, draft) for never in traps)]


def _fact_question(fact: Needle, depth: float, draft: Draft) -> TaskQuestion:
    # A made-up name has no other form; code compares numbers and dates in whatever form they have.
    rule = "facts" if re.search(r"\d", fact.answer) else "match"
    sentence = fact.sentence or ""
    placed = (Placed(depth, sentence), *map(draft.anywhere, fact.distractors))
    mode = f"Needle recall - {fact.kind}"
    return TaskQuestion(fact.question, fact.answer, mode, rule, (sentence,), placed)


def _trap_question(never: Needle, draft: Draft) -> TaskQuestion:
    placed = tuple(map(draft.anywhere, never.distractors))
    return TaskQuestion(never.question, NEVER, f"Never stated - {never.kind}", "abstention", (), placed)


def needle(number: int, distractors: int, unused: Unused, rng: np.random.Generator) -> Needle:
    """Make up a fact, with sentences that look like it and do not answer the question."""
    kind, (sentence, question, answer), other = _drawn(number, rng)
    entity, value = unused.name(), _value(kind, unused)
    alike = []
    for turn in range(distractors):
        if turn == 1:
            form, about = other[0], entity
        else:
            form, about = sentence, unused.name() if turn % 3 == 2 else unused.similar(entity)
        alike.append(form.format(e=about, v=_value(kind, unused)))
    stated = sentence.format(e=entity, v=value)
    return Needle(kind["name"], stated, question.format(e=entity), answer.format(v=value), tuple(alike))


def trap(number: int, distractors: int, unused: Unused, rng: np.random.Generator) -> Needle:
    """Make up a question on a thing of which something else is said; arguments as of ``needle``.

    There is always one sentence on the thing itself, whatever ``distractors`` says, so that the question does
    not come out of the blue.
    """
    kind, (sentence, question, _), other = _drawn(number, rng)
    entity = unused.name()
    said = [other[0].format(e=entity, v=_value(kind, unused))]
    if distractors:
        # One that differs in a letter has an answer, so that who confuses the two is caught.
        said.append(sentence.format(e=unused.similar(entity), v=_value(kind, unused)))
    return Needle(kind["name"], None, question.format(e=entity), NEVER, tuple(said))


def _drawn(number: int, rng: np.random.Generator) -> tuple[dict[str, Any], list[str], list[str]]:
    """A kind, the attribute that is asked for, and the other one."""
    kind, first = KINDS[number % len(KINDS)], int(rng.integers(2))
    return kind, kind["attributes"][first], kind["attributes"][1 - first]


def _value(kind: dict[str, Any], unused: Unused) -> str:
    form, *arguments = kind["value"]
    value: str = getattr(unused, form)(*arguments)
    return value
