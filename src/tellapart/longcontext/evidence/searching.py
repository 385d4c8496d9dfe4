"""Which of several texts hold a piece of evidence."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from tellapart.longcontext.evidence.entities import Entity, numbered, shows
from tellapart.longcontext.evidence.needs import Needs, Part
from tellapart.longcontext.facts.facts import states


@dataclass(frozen=True)
class Place:
    """Where a piece of evidence stands.

    Attributes:
        index: Of the text.
        share: How much of the text lies before the end of the evidence, from 0 to 1.
        found: What of it stands there, in words.
        absent: What of it does not.
        held_by: All texts that hold as much of it, in order; ``index`` is the last.
    """

    index: int
    share: float
    found: tuple[str, ...]
    absent: tuple[str, ...]
    held_by: tuple[int, ...] = ()


def places(texts: Sequence[str], needs: Needs) -> tuple[list[Place], list[Part]]:
    """Find each part in the text that holds most of it; of several, the latest.

    Returns:
        A place for each part that stands somewhere, in the order of the parts, and the other parts.
    """
    found, missing = [], []
    for part in needs.parts:
        place = locate(texts, part)
        if place is None:
            missing.append(part)
        else:
            found.append(place)
    return found, missing


def locate(texts: Sequence[str], part: Part) -> Place | None:
    """Find one part in the text that holds most of it, of several the latest; None where none holds it."""
    held = holding(texts, part)
    if not held:
        return None
    text = texts[held[-1]]
    if part.texts:
        whole = spaced(text)
        end = max(whole.rfind(spaced(words)) + len(spaced(words)) for words in part.texts)
        return Place(held[-1], end / max(len(whole), 1), part.texts, (), held)
    found = tuple(fact.text for fact in part.facts if states(text, fact))
    absent = tuple(fact.text for fact in part.facts if fact.text not in found)
    return Place(held[-1], _share(text, found), found, absent, held)


def holding(texts: Sequence[str], part: Part) -> tuple[int, ...]:
    """Which texts hold as much of a part as any does, in order.

    A text holds it that has its words, or at least half of its facts (all, where it is strict) together with
    one of its entities, of which a kind of number counts only if any text numbers things of that kind. Where
    the answer has names, one of them must be among the facts; where it has nothing but numbers and no entity,
    a name of the question must be there too, if any text has one. An answer that something is not so
    stands where its entity is.
    """
    if part.texts:
        wanted = [spaced(words) for words in part.texts]
        return tuple(i for i, text in enumerate(texts) if all(words in spaced(text) for words in wanted))
    entities = tuple(e for e in part.entities if _usable(texts, e))
    anchors = part.anchors if not entities and all(f.kind == "number" for f in part.facts) else ()
    if not any(states(text, fact) for text in texts for fact in anchors):
        anchors = ()
    counts: dict[int, int] = {}
    for index, text in enumerate(texts):
        if entities and not any(shows(text, entity) for entity in entities):
            continue
        if anchors and not any(states(text, fact) for fact in anchors):
            continue
        count = sum(states(text, fact) for fact in part.facts)
        if _enough(part, text, count, bool(entities)):
            counts[index] = count
    most = max(counts.values(), default=0)
    return tuple(index for index, count in counts.items() if count == most)


def can_be_sought(texts: Sequence[str], part: Part) -> bool:
    """Whether there is anything to look for: words, facts, or an entity that texts like these would show."""
    return bool(part.texts or part.facts) or any(_usable(texts, entity) for entity in part.entities)


def _usable(texts: Sequence[str], entity: Entity) -> bool:
    return bool(entity.author) or any(numbered(text, entity.noun) for text in texts)


def _enough(part: Part, text: str, count: int, entities: bool) -> bool:
    if entities and (part.denies or not part.facts):
        return True
    if part.strict:
        return count == len(part.facts)
    named = [fact for fact in part.facts if fact.kind != "number"]
    return bool(count) and count * 2 >= len(part.facts) and (not named or any(states(text, f) for f in named))


@lru_cache(maxsize=2048)
def spaced(text: str) -> str:
    """Lower case, with single spaces: what line ends and indents do not change."""
    return re.sub(r"\s+", " ", text).strip().casefold()


@lru_cache(maxsize=4096)
def _share(text: str, words: tuple[str, ...]) -> float:
    """Where the last of the words first stands; 1 where none is found as it is written."""
    ends = [m.end() for word in words if (m := re.search(rf"(?<![\w.,]){re.escape(word)}(?!\w)", text, re.I))]
    return max(ends) / len(text) if ends else 1.0
