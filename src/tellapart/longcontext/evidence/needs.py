"""What must have been shown for a probe to be answerable."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Literal

from tellapart.longcontext.case import BANNED, Entry, Expected
from tellapart.longcontext.evidence.entities import Entity, entities_of, name_fact
from tellapart.longcontext.facts.facts import Fact, facts_of
from tellapart.longcontext.probes import banned_of, rule_of

_DENIES = re.compile(r"\b(?:not|never|no|none|neither|nor|nothing|unchanged|without|cannot)\b|n['’]t\b", re.I)


@dataclass(frozen=True)
class Part:
    """One piece of evidence, to be found within one message.

    Attributes:
        name: For people.
        texts: Words that must stand there as they are; the rest is ignored where there are any.
        facts: Of which most must stand there.
        entities: Of which one must be shown there.
        anchors: Names in the question; a message that has nothing of the answer but numbers must have one.
        strict: Whether all facts must stand there, not only most.
        denies: Whether the answer is that something is not so: then the entity is evidence enough.
    """

    name: str
    texts: tuple[str, ...] = ()
    facts: tuple[Fact, ...] = ()
    entities: tuple[Entity, ...] = ()
    anchors: tuple[Fact, ...] = ()
    strict: bool = False
    denies: bool = False


@dataclass(frozen=True)
class Needs:
    """What a probe needs.

    Attributes:
        parts: Pieces; none where nothing can be looked for, such as of a thing that was never said.
        how: ``all`` pieces, ``any`` of them, or a rule of the ``system`` prompt.
        banned: The word of that rule.
    """

    parts: tuple[Part, ...]
    how: Literal["all", "any", "system"] = "all"
    banned: str = BANNED


@lru_cache(maxsize=4096)
def needs_of(step_id: str, failure_mode: str | None, question: str, expected: Expected | None) -> Needs:
    """Say what to look for.

    Texts that the author names as evidence come first. Else a rule on words needs the system prompt, a list
    needs each of its entries, a question of early and late needs either, and any other the facts of its
    answer that its own question does not have. Without an answer there is only what the question refers to.
    """
    if expected and expected.evidence:
        return Needs(tuple(Part(text, texts=(text,)) for text in expected.evidence))
    rule = rule_of(step_id, failure_mode, expected)
    if rule == "sink":
        return Needs((), "system", banned_of(expected))
    if rule == "enumeration" and expected and expected.entries:
        return Needs(tuple(_of_entry(entry) for entry in expected.entries))
    if rule == "recency":
        data = (expected.early, expected.late) if expected else ()
        return Needs(tuple(part for text in data if text for part in _of_answer("", text)), "any")
    if rule == "enumeration":
        return Needs(())
    return Needs(_of_answer(question, expected.answer if expected and expected.answer else ""))


@lru_cache(maxsize=4096)
def answer_parts(
    step_id: str, failure_mode: str | None, question: str, expected: Expected | None
) -> tuple[Part, ...]:
    """What a reply must state to give the answer away, whatever is named as evidence.

    None of a rule on words or a question of early and late, which have no answer to give away.
    """
    if expected is None or rule_of(step_id, failure_mode, expected) in ("sink", "recency"):
        return ()
    return needs_of(step_id, failure_mode, question, replace(expected, evidence=())).parts


def denies(answer: str) -> bool:
    """Whether an answer says that something is not so."""
    return _DENIES.search(answer) is not None


def _of_entry(entry: Entry) -> Part:
    facts = [name_fact(entry.author)]
    if entry.size is not None:
        facts.append(Fact("number", f"N={entry.size:,}", str(entry.size)))
    return Part(entry.label, facts=tuple(facts), strict=True)


def _of_answer(question: str, answer: str) -> tuple[Part, ...]:
    asked = facts_of(question)
    known = {fact.normal for fact in asked}
    anchors = tuple(fact for fact in asked if fact.kind != "number")
    entities = entities_of(question)
    named = tuple(dict.fromkeys(e for e in entities_of(answer) if e.number is not None))
    if len(named) > 1:
        return tuple(_of_clause(answer, entity, named, known) for entity in named)
    facts = tuple(fact for fact in facts_of(answer) if fact.normal not in known)
    if not facts and not entities and not named:
        return ()
    about = (*named, *(e for e in entities if e not in named))
    name = (about[0].text if about else "") or ", ".join(fact.text for fact in facts)
    return (Part(name, (), facts, about, anchors, denies=denies(answer)),)


def _of_clause(answer: str, entity: Entity, named: tuple[Entity, ...], known: set[str]) -> Part:
    """What an answer on several entities says of one: from its name to that of the next."""
    starts = sorted((answer.find(other.text), other) for other in named)
    at = next(i for i, (_, other) in enumerate(starts) if other == entity)
    end = starts[at + 1][0] if at + 1 < len(starts) else len(answer)
    facts = tuple(fact for fact in facts_of(answer[starts[at][0] : end]) if fact.normal not in known)
    return Part(entity.text, (), facts, (entity,), denies=denies(answer))
