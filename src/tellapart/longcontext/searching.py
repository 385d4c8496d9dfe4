"""Which of several texts hold a piece of evidence."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from tellapart.longcontext.entities import Entity, numbered, shows
from tellapart.longcontext.facts import states
from tellapart.longcontext.needs import Needs, Part


@dataclass(frozen=True)
class Place:
    """Where a piece of evidence stands.

    Attributes:
        index: Of the text.
        share: How much of the text lies before the end of the evidence, from 0 to 1.
        found: What of it stands there, in words.
        absent: What of it does not.
    """

    index: int
    share: float
    found: tuple[str, ...]
    absent: tuple[str, ...]


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
    """Find one part; None where no text holds it.

    A text holds it that has its words, or at least half of its facts (all, where it is strict) together with
    one of its entities, of which a kind of number counts only if any text numbers things of that kind. Where
    the answer has names, one of them must be among the facts; where it has nothing but numbers and no entity,
    a name of the question must be there too, if any text has one. An answer that something is not so
    stands where its entity is.
    """
    if part.texts:
        return _verbatim(texts, part)
    entities = tuple(e for e in part.entities if _usable(texts, e))
    anchored = bool(part.anchors) and not entities and all(f.kind == "number" for f in part.facts)
    best: tuple[int, int] | None = None
    for index, text in enumerate(texts):
        if entities and not any(shows(text, entity) for entity in entities):
            continue
        if anchored and not any(states(text, f) for f in part.anchors) and _any_has(texts, part):
            continue
        count = sum(states(text, fact) for fact in part.facts)
        if _enough(part, text, count, bool(entities)) and (best is None or count >= best[0]):
            best = count, index
    if best is None:
        return None
    text = texts[best[1]]
    stated = tuple(fact for fact in part.facts if states(text, fact))
    absent = tuple(fact.text for fact in part.facts if fact not in stated)
    return Place(
        best[1],
        _share(text, tuple(fact.text for fact in stated)),
        tuple(fact.text for fact in stated),
        absent,
    )


def _usable(texts: Sequence[str], entity: Entity) -> bool:
    return bool(entity.author) or any(numbered(text, entity.noun) for text in texts)


def _any_has(texts: Sequence[str], part: Part) -> bool:
    return any(states(text, fact) for text in texts for fact in part.anchors)


def _enough(part: Part, text: str, count: int, entities: bool) -> bool:
    if entities and (part.denies or not part.facts):
        return True
    if part.strict:
        return count == len(part.facts)
    named = [fact for fact in part.facts if fact.kind != "number"]
    return bool(count) and count * 2 >= len(part.facts) and (not named or any(states(text, f) for f in named))


def _verbatim(texts: Sequence[str], part: Part) -> Place | None:
    wanted = tuple(spaced(text) for text in part.texts)
    for index in range(len(texts) - 1, -1, -1):
        text = spaced(texts[index])
        ends = [text.rfind(words) + len(words) for words in wanted if words in text]
        if len(ends) == len(wanted):
            return Place(index, max(ends) / max(len(text), 1), part.texts, ())
    return None


@lru_cache(maxsize=2048)
def spaced(text: str) -> str:
    """Lower case, with single spaces: what line ends and indents do not change."""
    return re.sub(r"\s+", " ", text).strip().casefold()


@lru_cache(maxsize=4096)
def _share(text: str, words: tuple[str, ...]) -> float:
    """Where the last of the words first stands; 1 where none is found as it is written."""
    ends = [m.end() for word in words if (m := re.search(rf"(?<![\w.,]){re.escape(word)}(?!\w)", text, re.I))]
    return max(ends) / len(text) if ends else 1.0
