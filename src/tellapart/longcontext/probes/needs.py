"""What must have been shown for a probe to be answerable, and which texts show it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

from tellapart.longcontext.case import Entry
from tellapart.longcontext.values import Value, facts_of, states
from tellapart.longcontext.values.entries import Entity, entities_of, numbered, shows
from tellapart.longcontext.values.value import named, sized

# What an answer denies stands nowhere in the material, so the entity that it is about must do as evidence.
_DENIES = re.compile(r"\b(?:not|never|no|none|neither|nor|nothing|unchanged|without|cannot)\b|n['’]t\b", re.I)

_SHORTEST = 4
"""Characters of an answer that is looked for as it is written."""


@dataclass(frozen=True)
class Part:
    """One piece of evidence, to be found within one text.

    Attributes:
        words: As they are written; where a text has them so, nothing else is looked for.
        facts: Of which most must stand there, or all where it is ``strict``.
        entities: Of which one must be shown there.
        strict: Whether it can be said in no other words.
        denies: Whether the answer is that something is not so: then the entity is evidence enough.
    """

    name: str
    words: str = ""
    facts: tuple[Value, ...] = ()
    entities: tuple[Entity, ...] = ()
    strict: bool = False
    denies: bool = False


@dataclass(frozen=True)
class Needs:
    """What a probe needs.

    Attributes:
        parts: Pieces; none where nothing can be looked for, such as of a thing that was never said.
        how: ``all`` pieces, ``any`` of them, or a rule of the ``system`` prompt.
        banned: The word of that rule; else empty.
    """

    parts: tuple[Part, ...] = ()
    how: Literal["all", "any", "system"] = "all"
    banned: str = ""


def denies(answer: str) -> bool:
    """Whether an answer says that something is not so."""
    return _DENIES.search(answer) is not None


def part_of_entry(entry: Entry) -> Part:
    """The evidence of one line of a list: its author together with its size."""
    size = () if entry.size is None else (sized(entry.size),)
    return Part(entry.label, facts=(named(entry.author), *size), strict=True)


def parts_of_answer(question: str, answer: str) -> tuple[Part, ...]:
    """The evidence of an answer in words: the facts that its question does not have.

    An answer on several numbered entries has a part for each: what it says from one name to the next. One
    without facts has the entries that the question refers to, and where there are none, no part at all.
    """
    in_question = {fact.normal for fact in facts_of(question)}

    def new_facts(text: str) -> tuple[Value, ...]:
        return tuple(fact for fact in facts_of(text) if fact.normal not in in_question)

    entries = tuple(dict.fromkeys(e for e in entities_of(answer) if e.number is not None))
    if len(entries) > 1:
        starts = {entity: answer.find(entity.text) for entity in entries}
        ends = sorted([*starts.values(), len(answer)])
        return tuple(
            Part(
                entity.text,
                facts=new_facts(answer[at : next(end for end in ends if end > at or end == len(answer))]),
                entities=(entity,),
                denies=denies(answer),
            )
            for entity, at in starts.items()
        )
    is_text = len(answer.strip()) >= _SHORTEST and re.search(r"[^\W\d_]{2}", answer)
    words = answer.strip(" .!\n") if is_text else ""
    facts, about = new_facts(answer), tuple(dict.fromkeys((*entries, *entities_of(question))))
    if not facts and not about and not words:
        return ()
    name = (about[0].text if about else "") or ", ".join(fact.text for fact in facts) or words
    return (Part(name, words, facts, about, denies=denies(answer)),)


@dataclass(frozen=True)
class Location:
    """Where a piece of evidence stands.

    Attributes:
        index: The last of the texts that hold as much of it as any does, ``held_by``, in order.
        share: How much of that text lies before the end of the evidence, from 0 to 1.
    """

    index: int
    share: float
    held_by: tuple[int, ...]


def locations(texts: Sequence[str], needs: Needs) -> tuple[list[Location], list[Part]]:
    """Find each part in the text that holds most of it, of several the latest; and those that none holds."""
    found = [(part, locate(texts, part)) for part in needs.parts]
    return [place for _, place in found if place], [part for part, place in found if not place]


def locate(texts: Sequence[str], part: Part) -> Location | None:
    """Find one part in the text that holds most of it, of several the latest; None where none holds it."""
    held = _holding(texts, part)
    if not held:
        return None
    text = texts[held[-1]]
    if end := _end_of(text, part.words):
        return Location(held[-1], end / len(spaced(text)), held)
    stated = tuple(fact.text for fact in part.facts if states(text, fact))
    return Location(held[-1], _share(text, stated), held)


def _holding(texts: Sequence[str], part: Part) -> tuple[int, ...]:
    """Which texts hold as much of a part as any does, in order.

    A text holds it that has its words, else at least half of its facts (all,
    where it is strict) together with one of its entities, of which a kind of number counts only if any text
    numbers things of that kind.
    """
    if by_words := tuple(i for i, text in enumerate(texts) if _end_of(text, part.words)):
        return by_words
    entities = tuple(entity for entity in part.entities if _is_shown(texts, entity))
    counts: dict[int, int] = {}
    for index, text in enumerate(texts):
        if entities and not any(shows(text, entity) for entity in entities):
            continue
        count = sum(states(text, fact) for fact in part.facts)
        if (entities and (part.denies or not part.facts)) or _enough(part, text, count):
            counts[index] = count
    most = max(counts.values(), default=0)
    return tuple(index for index, count in counts.items() if count == most)


def _enough(part: Part, text: str, count: int) -> bool:
    if part.strict:
        return bool(part.facts) and count == len(part.facts)
    names = [fact for fact in part.facts if fact.kind != "number"]
    # Half is enough, as people abridge answers; a name must be among it, since numbers recur by chance.
    return bool(count) and count * 2 >= len(part.facts) and (not names or any(states(text, f) for f in names))


def can_be_sought(texts: Sequence[str], part: Part) -> bool:
    """Whether there is anything to look for: words, facts, or an entity that texts like these would show.

    An answer in plain words can be looked for where some text has it; else it may be said in other words.
    """
    if part.strict or part.facts or any(_is_shown(texts, entity) for entity in part.entities):
        return True
    return any(_end_of(text, part.words) for text in texts)


def _is_shown(texts: Sequence[str], entity: Entity) -> bool:
    return bool(entity.author) or any(numbered(text, entity.noun) for text in texts)


def _end_of(text: str, words: str) -> int:
    """Where words last end in a text, in any case and spacing, as whole words; 0 where they do not."""
    if not words:
        return 0
    whole, wanted = spaced(text), spaced(words)
    at = whole.rfind(wanted)
    while at >= 0:
        end = at + len(wanted)
        if not (whole[at - 1 : at].isalnum() or whole[end : end + 1].isalnum()):
            return end
        at = whole.rfind(wanted, 0, at)
    return 0


@lru_cache(maxsize=2048)
def spaced(text: str) -> str:
    """Lower case, with single spaces: what line ends and indents do not change."""
    return re.sub(r"\s+", " ", text).strip().casefold()


@lru_cache(maxsize=4096)
def _share(text: str, words: tuple[str, ...]) -> float:
    """Where the last of the words first stands; 1 where none is found as it is written."""
    ends = [m.end() for word in words if (m := re.search(rf"(?<![\w.,]){re.escape(word)}(?!\w)", text, re.I))]
    return max(ends) / len(text) if ends else 1.0
