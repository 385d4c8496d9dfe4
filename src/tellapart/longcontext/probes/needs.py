"""What must have been shown for a probe to be answerable: texts, facts, and the entries that it refers to."""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass
from typing import Literal

from tellapart.longcontext.case import Entry
from tellapart.longcontext.values import Value, facts_of
from tellapart.longcontext.values.entries import Entity, entities_of
from tellapart.longcontext.values.value import named, sized

# What an answer denies stands nowhere in the material, so the entity that it is about must do as evidence.
_DENIES = re.compile(r"\b(?:not|never|no|none|neither|nor|nothing|unchanged|without|cannot)\b|n['’]t\b", re.I)


_SHORTEST = 4
"""Characters of an answer that is looked for as it is written."""


@dataclass(frozen=True)
class Part:
    """One piece of evidence, to be found within one message.

    Attributes:
        texts: Words that must stand there as they are; the rest is ignored where there are any.
        facts: Of which most must stand there.
        entities: Of which one must be shown there.
        strict: Whether all facts must stand there, not only most.
        verbatim: The answer as it is written; where a message has it so, nothing else is looked for.
        denies: Whether the answer is that something is not so: then the entity is evidence enough.
    """

    name: str
    texts: tuple[str, ...] = ()
    facts: tuple[Value, ...] = ()
    entities: tuple[Entity, ...] = ()
    strict: bool = False
    denies: bool = False
    verbatim: str = ""


@dataclass(frozen=True)
class Needs:
    """What a probe needs.

    Attributes:
        parts: Pieces; none where nothing can be looked for, such as of a thing that was never said.
        how: ``all`` pieces, ``any`` of them, or a rule of the ``system`` prompt.
        banned: The word of that rule; else empty.
    """

    parts: tuple[Part, ...]
    how: Literal["all", "any", "system"] = "all"
    banned: str = ""


def denies(answer: str) -> bool:
    """Whether an answer says that something is not so."""
    return _DENIES.search(answer) is not None


def part_of_entry(entry: Entry) -> Part:
    """The evidence of one line of a list: its author together with its size."""
    facts = [named(entry.author)]
    if entry.size is not None:
        facts.append(sized(entry.size))
    return Part(entry.label, facts=tuple(facts), strict=True)


def parts_of_answer(question: str, answer: str) -> tuple[Part, ...]:
    """The evidence of an answer in words: the facts that its question does not have.

    An answer on several numbered entries has a part for each. One without facts has the entries that the
    question refers to, and where there are none, no part at all.
    """
    in_question = {fact.normal for fact in facts_of(question)}
    entities = entities_of(question)
    entries = tuple(dict.fromkeys(e for e in entities_of(answer) if e.number is not None))
    if len(entries) > 1:
        return tuple(_of_clause(answer, entity, entries, in_question) for entity in entries)
    facts = tuple(fact for fact in facts_of(answer) if fact.normal not in in_question)
    verbatim = (
        answer.strip(" .!\n")
        if len(answer.strip()) >= _SHORTEST and re.search(r"[^\W\d_]{2}", answer)
        else ""
    )
    if not facts and not entities and not entries and not verbatim:
        return ()
    about = (*entries, *(e for e in entities if e not in entries))
    name = (about[0].text if about else "") or ", ".join(fact.text for fact in facts) or verbatim
    return (Part(name, (), facts, about, denies=denies(answer), verbatim=verbatim),)


def _of_clause(
    answer: str, entity: Entity, named: tuple[Entity, ...], in_question: Collection[object]
) -> Part:
    """What an answer on several entities says of one: from its name to that of the next."""
    starts = sorted((answer.find(other.text), other) for other in named)
    at = next(i for i, (_, other) in enumerate(starts) if other == entity)
    end = starts[at + 1][0] if at + 1 < len(starts) else len(answer)
    facts = tuple(fact for fact in facts_of(answer[starts[at][0] : end]) if fact.normal not in in_question)
    return Part(entity.text, (), facts, (entity,), denies=denies(answer))
