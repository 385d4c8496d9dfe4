"""Names replaced: a benchmark whose identifiers no model has seen, and whether models rank alike on it."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Literal

from tellapart.contrastive.benchmark import Benchmark
from tellapart.core.comparison import Comparison
from tellapart.core.record import Record
from tellapart.extraction.unit import Unit

_WORD = re.compile(r"[^\W\d]\w*")
_SYLLABLES = [consonant + vowel for consonant in "bdfgklmnprstvz" for vowel in "aeiou"]


def rename(benchmark: Benchmark) -> Benchmark:
    """Replace every name that the repository gives to a unit or a parameter, by the same one everywhere.

    Items, targets and distractors stay, and so do names of other libraries and those between underscores. In
    summaries only what is spelled as a name is replaced; ordinary words are what the summary says. A unit
    keeps its own name and id, which no model sees.
    """
    new = _new_names(benchmark)

    def renamed(text: str) -> str:
        return _WORD.sub(lambda match: new.get(match[0], match[0]), text)

    def renamed_prose(text: str) -> str:
        return _WORD.sub(lambda match: match[0] if _is_ordinary(match[0]) else renamed(match[0]), text)

    def renamed_unit(unit: Unit) -> Unit:
        parameters = tuple(replace(each, name=renamed(each.name)) for each in unit.parameters)
        return replace(
            unit, content=renamed(unit.content), signature=renamed(unit.signature), parameters=parameters
        )

    choices = benchmark.header.choices.model_copy(update={"rename": True})
    return replace(
        benchmark,
        header=benchmark.header.model_copy(update={"choices": choices}),
        units=[renamed_unit(unit) for unit in benchmark.units],
        summaries=[replace(each, text=renamed_prose(each.text)) for each in benchmark.summaries],
    )


def _is_ordinary(word: str) -> bool:
    return word.isalpha() and word[1:] == word[1:].lower()


def _new_names(benchmark: Benchmark) -> Mapping[str, str]:
    """A word of three syllables for each name, drawn by the seed, capital where the name has one."""
    names = {unit.name for unit in benchmark.units}
    names |= {parameter.name for unit in benchmark.units for parameter in unit.parameters}
    new: dict[str, str] = {}
    taken = {word.lower() for unit in benchmark.units for word in _WORD.findall(unit.content)}
    # A letter alone is nobody's name, and names between underscores are the language's.
    for name in sorted(name for name in names if _WORD.fullmatch(name) and len(name.strip("_")) > 1):
        if name.startswith("__"):
            continue
        digest = hashlib.sha256(f"{benchmark.header.seed}\nrename\n{name}".encode()).digest()
        numbers = (int.from_bytes(digest[at : at + 6]) for at in range(len(digest)))
        words = ("".join(_SYLLABLES[n // 70**i % 70] for i in range(3)) for n in numbers)
        word = next(word for word in words if word not in taken)
        taken.add(word)
        new[name] = word.capitalize() if name[0].isupper() else word
    return new


class RenamedPair(Record):
    """The gap between two models, of the one that was ahead, before and after renaming."""

    ahead: str
    behind: str
    before: float
    after: float | None
    holds: Literal["yes", "no", "cannot tell"]


def order_holds(before: Comparison, after: Comparison) -> tuple[RenamedPair, ...]:
    """Say of each pair that was separated whether it still is; ``no`` where it is, the other way round."""
    renamed = {(pair.a, pair.b): pair for pair in after.primary.pairs}
    pairs = []
    for pair in before.primary.separated:
        other = renamed.get((pair.a, pair.b))
        gap = None if other is None else other.of(pair.ahead)[0]
        holds: Literal["yes", "no", "cannot tell"] = "cannot tell"
        if other is not None and other.is_separated:
            holds = "yes" if other.ahead == pair.ahead else "no"
        pairs.append(
            RenamedPair(
                ahead=pair.ahead,
                behind=pair.behind,
                before=abs(pair.difference or 0.0),
                after=gap,
                holds=holds,
            )
        )
    return tuple(pairs)
