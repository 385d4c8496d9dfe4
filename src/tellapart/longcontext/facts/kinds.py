"""All kinds of facts, found by themselves, and what they find in a text."""

from __future__ import annotations

import pkgutil
from collections.abc import Iterable
from functools import cache, lru_cache
from importlib import import_module

from tellapart.longcontext.facts.kind import Fact, FactKind, plain_words, states


@cache
def all_kinds() -> tuple[FactKind, ...]:
    """Return every kind that a module of this package describes, by precedence; a module is all it takes."""
    package = import_module(__name__.rpartition(".")[0])
    names = sorted(module.name for module in pkgutil.iter_modules(package.__path__))
    modules = (import_module(f"{package.__name__}.{name}") for name in names)
    kinds = (module.KIND for module in modules if hasattr(module, "KIND"))
    return tuple(sorted(kinds, key=lambda kind: kind.precedence))


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


def look_up_words(text: str) -> Iterable[str]:
    """Words under which a text is looked up: a text that states a fact has one of the words of the fact."""
    yield from plain_words(text)
    for kind in all_kinds():
        yield from kind.words(text)


__all__ = ["all_kinds", "facts_of", "located", "look_up_words", "states"]
