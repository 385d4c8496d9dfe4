"""Distractors that look like a second right answer."""

from __future__ import annotations

import re
from collections import defaultdict
from functools import cache

import polars as pl

from tellapart.contrastive.benchmark import Benchmark
from tellapart.contrastive.selection.levels import POOL
from tellapart.contrastive.summaries import docstring_summary
from tellapart.core.record import Record
from tellapart.embed.identifiers import split_identifiers

# Operators are words: "self * other" is not "self / other".
_WORD = re.compile(r"\w+|[^\w\s.,;:'\"`()\[\]{}-]+")
_ARTICLES = {"a", "an", "it", "its", "of", "that", "the", "this"}


class Suspect(Record):
    """A distractor whose summary has all words of the target's, and the items in which both are options."""

    target: str
    distractor: str
    items: tuple[str, ...]
    summary: str
    distractor_summary: str


@cache
def _words(text: str) -> tuple[str, ...]:
    """The words and operators of a text in its order, without articles and plurals."""
    words = (word for word in _WORD.findall(text.lower()) if word not in _ARTICLES)
    return tuple(word.rstrip("s") if len(word) > 3 else word for word in words)


def describes(summary: str, other: str) -> bool:
    """Whether ``other`` has every word of ``summary``, whole or within an identifier, in the same order."""
    own, words = _words(summary), _words(other)
    if not set(own) <= {*words, *split_identifiers(other)}:
        return False
    following = iter(words)
    return all(word in following for word in own if word in words)


def find_suspects(benchmark: Benchmark) -> tuple[Suspect, ...]:
    """List what may be a second right answer, in most items first; of several sources each must say so."""
    texts = [benchmark.texts[source] for source in benchmark.sources]
    items: dict[tuple[int, int], list[str]] = defaultdict(list)
    chosen = benchmark.sets.filter(pl.col("level") != POOL.name)
    for item, target, distractors in chosen.select("item", "target", "distractors").iter_rows():
        for distractor in distractors:
            items[target, distractor].append(item)
    suspects = []
    for (target, distractor), names in items.items():
        unit, other = benchmark.units[target], benchmark.units[distractor]
        readings = [
            (of_source[unit.id], of_source.get(other.id) or docstring_summary(other) or "")
            for of_source in texts
            if unit.id in of_source
        ]
        if readings and all(describes(*reading) for reading in readings):
            suspects.append(
                Suspect(
                    target=unit.id,
                    distractor=other.id,
                    items=tuple(names),
                    summary=readings[0][0],
                    distractor_summary=readings[0][1],
                )
            )
    return tuple(sorted(suspects, key=lambda one: (-len(one.items), one.target, one.distractor)))
