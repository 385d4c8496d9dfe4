"""All kinds of facts, found by themselves, and what they find in a text."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache, lru_cache

from tellapart.core.discovery import described_in
from tellapart.longcontext.facts.kind import Fact, FactKind, plain_words


@cache
def all_kinds() -> tuple[FactKind, ...]:
    """Return every kind that a module of this package describes, by precedence; a module is all it takes."""
    kinds: list[FactKind] = described_in(__name__.rpartition(".")[0], "KIND")
    return tuple(sorted(kinds, key=lambda kind: kind.precedence))


@lru_cache(maxsize=8192)
def facts_of(text: str) -> tuple[Fact, ...]:
    """Find the facts of a text, in the order in which they stand, each once.

    The number of an entry, as in ``Study 6``, refers and is no fact; nor is a count of entries in words, as
    in ``TWO studies``. The first word of a sentence is a name only where something shows it: an initial, a
    title, ``et al.``, a name beside it, or that it is the whole text.
    """
    return tuple(dict.fromkeys(fact for _, fact in located(text)))


@lru_cache(maxsize=8192)
def located(text: str) -> tuple[tuple[int, Fact], ...]:
    """The facts of a text as often as they stand there, each with its first character, in order."""
    facts: list[tuple[int, Fact]] = []
    taken: list[tuple[int, int]] = []
    for kind in all_kinds():
        sightings = tuple(kind.sightings(text, taken))
        facts += [(sighting.start, sighting.fact) for sighting in sightings if sighting.fact is not None]
        taken = sorted([*taken, *((sighting.start, sighting.end) for sighting in sightings)])
    return tuple(sorted(facts, key=lambda pair: pair[0]))


@lru_cache(maxsize=8192)
def _by_kind(text: str) -> dict[str, list[Fact]]:
    by_kind: dict[str, list[Fact]] = {}
    for fact in facts_of(text):
        by_kind.setdefault(fact.kind.name, []).append(fact)
    return by_kind


def states(text: str, fact: Fact) -> bool:
    """Whether a text has the fact, as a whole: 342 is not in 1,342, 342.5 or 342%, nor 12 in June 12.

    2,847 is 2847, ``50.0%`` is ``50 percent``, ``ten`` is 10 and 2.5 km is 2,500 m. Signs are not compared. A
    number without a unit is found with any unit but a percent sign; one with a unit only with that, or in
    money without.
    """
    if not text:
        return False
    kind, by_kind = fact.kind, _by_kind(text)
    for name in (kind.name, *kind.told_by):
        if any(kind.agrees(fact, given) for given in by_kind.get(name, ())):
            return True
    return kind.stated_in(text, fact)


def same(fact: Fact, other: Fact) -> bool:
    """Whether two facts are one, each written in its own way."""
    return any(
        one.kind.agrees(one, two) or one.kind.stated_in(two.text, one)
        for one, two in ((fact, other), (other, fact))
    )


def look_up_words(text: str) -> Iterable[str]:
    """Words under which a text is looked up: a text that states a fact has one of the words of the fact."""
    yield from plain_words(text)
    for kind in all_kinds():
        yield from kind.words(text)
