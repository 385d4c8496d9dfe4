"""What must have been shown for a probe to be answerable: texts, facts, and the entries that it refers to."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Literal

from tellapart.longcontext.case import Entry, Expected
from tellapart.longcontext.facts import Fact, facts_of, folded, states
from tellapart.longcontext.probes import BANNED, banned_of, kind_of

_LABEL = re.compile(
    r"\b(study|article|paper|message|entry|document|section|chapter|experiment|trial|report|record|patient|"
    r"table|figure|item|appendix)\s+(?:no\.?\s*|number\s+|\#\s*)?(\d{1,6})(?![\d.,]*\d|\s?%)",
    re.I,
)
_AUTHOR = re.compile(
    r"((?:(?:[Vv]an|[Vv]on|[Dd]e|[Dd]er|[Dd]en|[Dd]el|[Dd]a|[Dd]i|[Dd]u|[Ll]a|[Ll]e|[Tt]en|[Tt]er)\s)*"
    r"[^\W\d_a-z][\w'’\-]+)\s+et\s+al\b"
)


@dataclass(frozen=True)
class Entity:
    """Something that a text refers to by name.

    Attributes:
        text: As the text has it, such as ``Study 1 (Zhang et al.)``.
        noun: ``study`` of ``Study 1``; empty where there is no number.
        number: 1 of ``Study 1``; None where there is none.
        author: ``Zhang`` of ``Zhang et al.``; empty where there is none.
    """

    text: str
    noun: str = ""
    number: int | None = None
    author: str = ""


@lru_cache(maxsize=4096)
def entities_of(text: str) -> tuple[Entity, ...]:
    """Find what a text refers to, in order, each once.

    ``Study 6 (Lindberg et al.)`` and ``Lindberg et al. (Study 6)`` are one entity each; ``all 25 studies`` is
    none.
    """
    mentions = [(m.start(), m.end(), m[1].lower(), int(m[2]), "") for m in _LABEL.finditer(text)]
    mentions += [(m.start(), m.end(), "", None, m[1]) for m in _AUTHOR.finditer(text)]  # type: ignore[misc]
    joined: list[tuple[int, int, str, int | None, str]] = []
    for start, end, noun, number, author in sorted(mentions):
        last = joined[-1] if joined else None
        if last and bool(last[4]) != bool(author) and re.fullmatch(r"\.?\s*\(?\s*", text[last[1] : start]):
            joined[-1] = (
                last[0],
                end,
                noun or last[2],
                last[3] if number is None else number,
                author or last[4],
            )
        else:
            joined.append((start, end, noun, number, author))
    return tuple(
        dict.fromkeys(
            Entity(_closed(text[start:end]), noun, number, author)
            for start, end, noun, number, author in joined
        )
    )


def shows(text: str, entity: Entity) -> bool:
    """Whether a text is about an entity: it has its number, or its author and no other number of the kind.

    An article that begins with ``Study 12`` and cites Zhang is not Study 1.
    """
    numbers = _numbers(text).get(entity.noun, frozenset()) if entity.noun else frozenset[int]()
    if entity.number is not None and entity.number in numbers:
        return True
    return bool(entity.author) and not numbers and names(text, entity.author)


def numbered(text: str, noun: str) -> bool:
    """Whether a text numbers things of this kind."""
    return noun in _numbers(text)


def names(text: str, author: str) -> bool:
    """Whether a text has a name, without regard to accents and case."""
    return states(text, name_fact(author))


@lru_cache(maxsize=1024)
def name_fact(author: str) -> Fact:
    """A name as a fact."""
    return Fact("name", author, re.sub(r"[^a-z0-9]+", " ", folded(author)).strip())


@lru_cache(maxsize=4096)
def _numbers(text: str) -> dict[str, frozenset[int]]:
    by_noun: dict[str, set[int]] = {}
    for match in _LABEL.finditer(text):
        by_noun.setdefault(match[1].lower(), set()).add(int(match[2]))
    return {noun: frozenset(numbers) for noun, numbers in by_noun.items()}


def _closed(text: str) -> str:
    """With the bracket and the full stop that were cut off."""
    text = re.sub(r"\bet\s+al$", "et al.", text)
    return text + ")" if text.count("(") > text.count(")") else text


# What an answer denies stands nowhere in the material, so the entity that it is about must do as evidence.
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
    known = expected or Expected(step_id)
    match kind_of(step_id, failure_mode, expected).evidence:
        case "system":
            return Needs((), "system", banned_of(expected))
        case "entries":
            return Needs(tuple(_of_entry(entry) for entry in known.entries))
        case "sides":
            sides = (known.early, known.late)
            return Needs(tuple(part for text in sides if text for part in _of_answer("", text)), "any")
        case "answer":
            return Needs(_of_answer(question, known.answer or ""))


@lru_cache(maxsize=4096)
def answer_parts(
    step_id: str, failure_mode: str | None, question: str, expected: Expected | None
) -> tuple[Part, ...]:
    """What a reply must state to give the answer away, whatever is named as evidence.

    None of a rule on words or a question of early and late, which have no answer to give away.
    """
    if expected is None or not kind_of(step_id, failure_mode, expected).one_answer:
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
    question_facts = facts_of(question)
    in_question = {fact.normal for fact in question_facts}
    anchors = tuple(fact for fact in question_facts if fact.kind != "number")
    entities = entities_of(question)
    named = tuple(dict.fromkeys(e for e in entities_of(answer) if e.number is not None))
    if len(named) > 1:
        return tuple(_of_clause(answer, entity, named, in_question) for entity in named)
    facts = tuple(fact for fact in facts_of(answer) if fact.normal not in in_question)
    if not facts and not entities and not named:
        return ()
    about = (*named, *(e for e in entities if e not in named))
    name = (about[0].text if about else "") or ", ".join(fact.text for fact in facts)
    return (Part(name, (), facts, about, anchors, denies=denies(answer)),)


def _of_clause(answer: str, entity: Entity, named: tuple[Entity, ...], in_question: set[str]) -> Part:
    """What an answer on several entities says of one: from its name to that of the next."""
    starts = sorted((answer.find(other.text), other) for other in named)
    at = next(i for i, (_, other) in enumerate(starts) if other == entity)
    end = starts[at + 1][0] if at + 1 < len(starts) else len(answer)
    facts = tuple(fact for fact in facts_of(answer[starts[at][0] : end]) if fact.normal not in in_question)
    return Part(entity.text, (), facts, (entity,), denies=denies(answer))
