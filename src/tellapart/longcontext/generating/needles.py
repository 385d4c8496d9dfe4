"""Facts to be remembered, the facts that look like them, and questions whose answer was never given."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from tellapart.longcontext.generating.names import Unused
from tellapart.longcontext.generating.questions import Draft, Placed, TaskQuestion

NEVER = "The text does not say."
"""The right answer to a trap."""


@dataclass(frozen=True)
class Needle:
    """A question with what stands in the conversation for it.

    Attributes:
        kind: What is asked for: see ``KINDS``.
        sentence: The evidence; None of a trap.
        distractors: Sentences that look like the evidence and do not answer the question.
    """

    kind: str
    sentence: str | None
    question: str
    answer: str
    distractors: tuple[str, ...]


class _Attribute(NamedTuple):
    sentence: str
    question: str
    answer: str = "{v}"


class _Kind(NamedTuple):
    """Two attributes of one thing with values of one form; one of them is asked for."""

    name: str
    value: Callable[[Unused], str]
    attributes: tuple[_Attribute, _Attribute]


def _kind(name: str, value: Callable[[Unused], str], *attributes: tuple[str, ...]) -> _Kind:
    first, second = (_Attribute(*texts) for texts in attributes)
    return _Kind(name, value, (first, second))


_KINDS = (
    _kind(
        "number",
        lambda unused: unused.number(1_000, 10_000),
        (
            "The granary of {e} stores {v} barrels.",
            "How many barrels does the granary of {e} store?",
            "{v} barrels",
        ),
        ("The granary of {e} sold {v} sacks.", "How many sacks has the granary of {e} sold?", "{v} sacks"),
    ),
    _kind(
        "name",
        Unused.person,
        ("The keeper of the {e} lighthouse is {v}.", "Who is the keeper of the {e} lighthouse?"),
        ("The architect of the {e} lighthouse is {v}.", "Who is the architect of the {e} lighthouse?"),
    ),
    _kind(
        "identifier",
        lambda unused: unused.identifier("AA0000"),
        (
            "The catalogue number of the {e} manuscript is {v}.",
            "What is the catalogue number of the {e} manuscript?",
        ),
        ("The shelf mark of the {e} manuscript is {v}.", "What is the shelf mark of the {e} manuscript?"),
    ),
    _kind(
        "size",
        lambda unused: unused.number(100, 1_000),
        (
            "The {e} trial enrolled {v} participants.",
            "How many participants did the {e} trial enrol?",
            "{v} participants",
        ),
        (
            "The {e} trial excluded {v} applicants.",
            "How many applicants did the {e} trial exclude?",
            "{v} applicants",
        ),
    ),
    _kind(
        "code",
        lambda unused: unused.identifier("A0A00A"),
        ("The access code of the {e} vault is {v}.", "What is the access code of the {e} vault?"),
        ("The alarm code of the {e} vault is {v}.", "What is the alarm code of the {e} vault?"),
    ),
)

KINDS = tuple(kind.name for kind in _KINDS)
"""What facts are about; the facts of a conversation take turns."""


def needles(draft: Draft) -> list[TaskQuestion]:
    """Ask for single facts, each at its depth among its distractors, and for things that were never said."""
    design, rng, unused = draft.design, draft.rng, draft.unused
    depths = draft.depths()
    # The kinds take turns, and no depth has always the same.
    facts = [needle(i + draft.number, design.distractors, unused, rng) for i in range(len(depths))]
    traps = [trap(i + draft.number, design.distractors, unused, rng) for i in range(design.traps)]
    pairs: list[tuple[float | None, Needle]] = [*zip(depths, facts, strict=True), *((None, t) for t in traps)]
    return [_question(depth, fact, draft) for depth, fact in pairs]


def _question(depth: float | None, fact: Needle, draft: Draft) -> TaskQuestion:
    others = tuple(map(draft.anywhere, fact.distractors))
    if depth is None or fact.sentence is None:
        mode = f"Never stated - {fact.kind}"
        return TaskQuestion(fact.question, fact.answer, mode, "abstention", (), others)
    # A made-up name has no other form; code compares numbers and dates in whatever form they have.
    rule = "facts" if re.search(r"\d", fact.answer) else "match"
    placed = (Placed(depth, fact.sentence), *others)
    mode = f"Needle recall - {fact.kind}"
    return TaskQuestion(fact.question, fact.answer, mode, rule, (fact.sentence,), placed)


def needle(number: int, distractors: int, unused: Unused, rng: np.random.Generator) -> Needle:
    """Make up a fact."""
    kind, wanted, other = _drawn(number, rng)
    entity = unused.name()
    value = kind.value(unused)
    alike = []
    for turn in range(distractors):
        if turn == 1:
            form, about = other, entity
        else:
            form, about = wanted, unused.name() if turn % 3 == 2 else unused.similar(entity)
        alike.append(form.sentence.format(e=about, v=kind.value(unused)))
    return Needle(
        kind.name,
        wanted.sentence.format(e=entity, v=value),
        wanted.question.format(e=entity),
        wanted.answer.format(v=value),
        tuple(alike),
    )


def trap(number: int, distractors: int, unused: Unused, rng: np.random.Generator) -> Needle:
    """Make up a question on a thing of which something else is said; arguments as of ``needle``.

    There is always one sentence on the thing itself, whatever ``distractors`` says, so that the question does
    not come out of the blue.
    """
    kind, wanted, other = _drawn(number, rng)
    entity = unused.name()
    about = other.sentence.format(e=entity, v=kind.value(unused))
    # One that differs in a letter has an answer, so that who confuses the two is caught.
    alike = [
        wanted.sentence.format(e=unused.similar(entity), v=kind.value(unused))
        for _ in range(min(1, distractors))
    ]
    return Needle(kind.name, None, wanted.question.format(e=entity), NEVER, (about, *alike))


def _drawn(number: int, rng: np.random.Generator) -> tuple[_Kind, _Attribute, _Attribute]:
    kind = _KINDS[number % len(_KINDS)]
    first = int(rng.integers(2))
    return kind, kind.attributes[first], kind.attributes[1 - first]
