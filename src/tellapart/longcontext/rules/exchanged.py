"""Right values in each other's places: ``Ann pays 80 and Ben 120`` where it is the other way round."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from tellapart.longcontext.facts import Mention, located
from tellapart.longcontext.facts.name import KIND as NAME
from tellapart.longcontext.facts.text import worded, words_of
from tellapart.longcontext.rules.answer_spec import details_of, people_by_place
from tellapart.longcontext.rules.words import stem

_ITEM = re.compile(
    r"[,;]\s|\s(?:and|while|whereas|but|plus)\s|(?<=[a-z0-9)%])\.\s+|[!?]\s+|\n+|\s[+/]\s", re.I
)
_SENTENCE = re.compile(r";\s|(?<=[a-z0-9)%])\.\s+|\n+|\s(?:and|while|whereas)\s", re.I)
_EMPTY_TEXT = (
    "the a an and for with from at on in of is are was were to it by as be dr mr mrs ms miss prof "
    "professor herr frau"
)
_EMPTY = frozenset(_EMPTY_TEXT.split())


@dataclass(frozen=True)
class Exchange:
    """Which details of a right answer a response gives in the place of others.

    Attributes:
        exchanged: Those that stand beside what belongs to another one.
        unclear: Those that stand in another order, with nothing beside them to tell.
    """

    exchanged: frozenset[Mention]
    unclear: frozenset[Mention]


_NONE = Exchange(frozenset(), frozenset())


def exchange_of(details: Sequence[Mention], stated: Sequence[Mention], answer: str, text: str) -> Exchange:
    """Compare what stands beside each value in the right answer and in a response.

    Only values of one kind can be exchanged. What belongs to a value are the words of its part of the answer
    that no other value's part has; a part ends with a comma, a full stop or an ``and``.
    """
    values = [
        *details,
        *(
            o
            for o in stated
            if o.fact.kind.is_value
            and not o.bracketed
            and o.start not in {detail.start for detail in details}
        ),
    ]
    parts = [
        (detail, _beside(answer, detail, detail.start, details))
        for detail in sorted(values, key=lambda detail: detail.start)
        if detail.fact.kind.is_value or detail.person
    ]
    exchanged, unclear = set[Mention](), set[Mention]()
    for detail in details:
        rivals = [(other, words) for other, words in parts if _alike(other, detail)]
        if len(rivals) < 2:
            continue
        shared = frozenset.intersection(*(words for _, words in rivals))
        anchors = {other: words - shared for other, words in rivals}
        if not anchors[detail] and detail.fact.kind.is_value:
            anchors = _of_sentences(answer, [other for other, _ in rivals])
        own = anchors[detail] - frozenset().union(*(w for other, w in anchors.items() if other != detail))
        if not own:
            continue
        foreign = {other: words - anchors[detail] for other, words in anchors.items() if other != detail}
        places = [start for start, fact in located(text) if detail.fact.kind.agrees(detail.fact, fact)]
        if not places or any(own & _beside(text, detail, start, details) for start in places):
            continue
        if any(
            words & _beside(text, detail, start, details) for words in foreign.values() for start in places
        ) or any(own & _beside(text, other, at, details) for other, at in _others(rivals, detail, text)):
            exchanged.add(detail)
        elif not any(words & _words(text) for words in anchors.values()) and _order(rivals, text):
            unclear.add(detail)
    if exchanged:
        # Where one of two stands in the other's place, the other has none of its own.
        exchanged |= {
            detail
            for detail in details
            if any(_alike(other, detail) for other in exchanged)
            and sum(_alike(other, detail) for other, _ in parts) == 2
        }
    return Exchange(frozenset(exchanged), frozenset(unclear)) if exchanged or unclear else _NONE


def is_crossed(answer: str, text: str) -> bool:
    """Whether a response says of one name what the right answer says of another.

    In a part of the answer with a name, what no other such part says belongs to the name. It is crossed where
    a part of the response has words of one, a name of another, and not the own one.
    """
    details = details_of(answer)
    names = [*(d for d in details if d.fact.kind is NAME), *people_by_place(answer, details, ())]
    parts = []
    for begin, end in _parts_of(answer):
        own = frozenset(
            word for name in names if begin <= name.start < end for word in words_of(name.fact.text).split()
        )
        if own:
            parts.append((own, _words(answer[begin:end]) - own))
    everything = [words for _, words in parts]
    belongs = [
        (own, words - frozenset().union(*(other for other in everything if other is not words)))
        for own, words in parts
    ]
    for begin, end in _parts_of(text):
        said = frozenset(worded(text[begin:end]).split())
        stems = _words(text[begin:end])
        for own, words in belongs:
            if (
                words & stems
                and not own & said
                and any(other & said for other, _ in belongs if other is not own)
            ):
                return True
    return False


def _parts_of(text: str) -> list[tuple[int, int]]:
    cuts = [(match.start(), match.end()) for match in _ITEM.finditer(text)]
    begins = [0, *(end for _, end in cuts)]
    return list(zip(begins, [*(start for start, _ in cuts), len(text)], strict=True))


def _alike(detail: Mention, other: Mention) -> bool:
    return detail is other or (
        detail.fact.kind is other.fact.kind
        and detail.unit == other.unit
        and detail.person == other.person
        and detail.label == other.label
    )


def _others(
    rivals: Sequence[tuple[Mention, frozenset[str]]], detail: Mention, text: str
) -> list[tuple[Mention, int]]:
    """Where a text has the other values, with each."""
    return [
        (other, at)
        for other, _ in rivals
        if other is not detail
        for at, fact in located(text)
        if other.fact.kind.agrees(other.fact, fact)
    ]


def _order(rivals: Sequence[tuple[Mention, frozenset[str]]], text: str) -> bool:
    """Whether the values stand in another order than in the answer."""
    first = [
        next((at for at, fact in located(text) if detail.fact.kind.agrees(detail.fact, fact)), None)
        for detail, _ in rivals
    ]
    there = [at for at in first if at is not None]
    return there != sorted(there)


def _of_sentences(answer: str, details: Sequence[Mention]) -> dict[Mention, frozenset[str]]:
    """The words of the sentence of each value, where its own part has none."""
    words = {detail: _beside(answer, detail, detail.start, details, _SENTENCE) for detail in details}
    shared = frozenset.intersection(*words.values())
    return {detail: found - shared for detail, found in words.items()}


def _beside(
    text: str, detail: Mention, start: int, details: Sequence[Mention], cut: re.Pattern[str] = _ITEM
) -> frozenset[str]:
    """The words of the part of a text in which a value stands, without values and others of its kind."""
    begin, end = 0, len(text)
    for match in cut.finditer(text):
        if match.end() <= start:
            begin = match.end()
        elif match.start() > start:
            end = match.start()
            break
    words = [text[begin:end]]
    for at, fact in located(text):
        asked = fact.kind is detail.fact.kind and any(other.fact.normal == fact.normal for other in details)
        if begin <= at < end and (fact.kind.is_value or asked):
            words = [words[0].replace(fact.text, " ", 1)]
    return _words(words[0])


def _words(text: str) -> frozenset[str]:
    return frozenset(stem(word) for word in worded(text).split() if word not in _EMPTY and not word.isdigit())
