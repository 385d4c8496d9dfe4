"""The swap test: summaries with one term turned around, balanced over kinds of terms. English only."""

from __future__ import annotations

import hashlib
import re
import tomllib
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib.resources import files
from typing import Literal

from tellapart.contrastive.benchmark import Benchmark
from tellapart.core.randomness import generator
from tellapart.extraction.unit import Unit

Kind = Literal[
    "action", "order", "direction", "role", "quantifier", "polarity", "unit", "number", "identifier"
]

_DATA = tomllib.loads(files("tellapart.contrastive").joinpath("swaps.toml").read_text("utf-8"))

PAIRS: Mapping[Kind, list[str]] = {
    kind: " ".join(pairs.split()).split(", ") for kind, pairs in _DATA["pairs"].items()
}
"""Pairs of terms that turn a summary's meaning around; verbs and nouns have their inflections too."""

UNITS: list[str] = _DATA["units"]["groups"]
"""Units of measurement, in groups of those that may stand for one another."""

NUMBERS = ["two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"]

LEAST_OF_KIND, LEAST_OF_PAIR = 10, 2
"""So many swaps of a kind, and of one pair of words, are always drawn."""

TARGETS_OF_KIND, TARGETS_OF_PAIR = 8, 60
"""Beyond that, a kind has at most one swap for eight targets, and a pair of words at most one for sixty."""

_Term = tuple[Kind, str, str]
"""Kind, the pair that it is counted under, and what stands in place of the term."""

# Whose past and progressive forms are not the regular ones.
_IRREGULAR = frozenset(
    ("stop", "read", "write", "pop", "send", "get", "set", "show", "hide", "wrap", "unwrap", "split")
    + ("quit", "freeze", "unfreeze", "begin")
)


def _inflected(word: str, kind: Kind) -> dict[str, str]:
    """Forms of a word by what they are: itself, with -s, and of a regular verb the past and progressive."""
    forms = {"": word}
    if kind in ("action", "order", "direction", "role"):
        forms["s"] = word + ("es" if word.endswith(("s", "x", "sh", "ch")) else "s")
    if kind == "action" and word not in _IRREGULAR:
        stem = word.removesuffix("e")
        forms |= {"ed": f"{stem}ed", "ing": f"{stem}ing"}
    return forms


def _terms() -> dict[str, list[_Term]]:
    """What may stand in place of each word, in lower case."""
    terms: dict[str, list[_Term]] = defaultdict(list)
    for kind, pairs in PAIRS.items():
        for pair in pairs:
            left, right = (_inflected(word, kind) for word in pair.split())
            for form in left.keys() & right.keys():
                terms[left[form]].append((kind, pair, right[form]))
                terms[right[form]].append((kind, pair, left[form]))
    for group in UNITS:
        for word in group.split():
            terms[word] += [
                ("unit", " ".join(sorted((word, other)))) + (other,)
                for other in group.split()
                if other != word
            ]
    for number, more in zip(NUMBERS, NUMBERS[1:], strict=False):
        terms[number].append(("number", number, more))
    terms["once"].append(("number", "once", "twice"))
    terms["twice"].append(("number", "twice", "once"))
    return dict(terms)


_TERMS = _terms()
_WORD = re.compile(r"[A-Za-z_][A-Za-z_0-9]*|\d+")
_NEGATION = re.compile(r"\b(?:no|not|never|none|nor|neither|without|cannot)\b|n't\b", re.IGNORECASE)
_REFERENCE = re.compile(
    r"(?:\b(?:RFCs?|PEP|ISO|IEEE|section|chapter|issue|bug|version|v)\s*|#|\d\.)$", re.IGNORECASE
)
# What one verb of a pair takes and the other does not: "add to", but "remove from". And what is new was made.
_GOVERNED = re.compile(r" (?:(?:an? |the )?new\b|[^.,;:()]*\b(?:to|into|onto|from|with)\b)", re.IGNORECASE)
_NOUN_AFTER = re.compile(r"\b(?:an?|the|this|its|each|every|any|no|of) $", re.IGNORECASE)
_AN = re.compile(r"(?!eu|one|once)(?:[aeio]|u(?!ni|s[aeiu]|til)|hour|honest|8|1[18](?!\d))", re.IGNORECASE)
_ARTICLE = re.compile(r"\b(a)n?( )$", re.IGNORECASE)
_OF_THE = ("the", "its", "their", "this", "these", "those", "our", "your", "my")


@dataclass(frozen=True, slots=True)
class Swap:
    """A summary and its false twin.

    Attributes:
        target: Number of the unit that the true one is about.
        kind: What sort of term was exchanged: a word of ``PAIRS`` or ``UNITS``, a number, or a name for a
            sibling's.
        false: The summary with one term exchanged.
    """

    target: int
    kind: Kind
    true: str
    false: str


@dataclass(frozen=True, slots=True)
class Exchange:
    """One way to turn a summary around.

    Attributes:
        kind: See ``Swap``.
        pair: What is exchanged for what; a pair of words is one pair in every form and direction.
        text: The summary with the term exchanged.
    """

    kind: Kind
    pair: str
    text: str


def exchanges(summary: str, unit: Unit, siblings: Sequence[Unit]) -> list[Exchange]:
    """List the ways to turn one term of a summary around."""
    ways = []
    for match in _WORD.finditer(summary):
        start, end = match.span()
        for kind, pair, term in _replacements(match, unit, siblings):
            before = _agreeing(summary[:start], match[0], term)
            ways.append(Exchange(kind, pair, before + term + summary[end:]))
    return ways


def swaps_of(benchmark: Benchmark, source: str) -> list[Swap]:
    """Draw at most one swap for each target of a benchmark, so that no kind and no pair of words dominates.

    Kinds are served in turn, that which the fewest summaries have first, up to their most; within a kind
    targets come in an order drawn by the seed.
    """
    by_file: dict[str, list[Unit]] = defaultdict(list)
    for unit in benchmark.units:
        by_file[unit.path].append(unit)
    texts, seed = benchmark.texts(source), benchmark.header.seed
    targets = [unit for unit in benchmark.targets if unit.id in texts]
    targets.sort(key=lambda unit: hashlib.sha256(f"{seed}\nswap\n{source}\n{unit.id}".encode()).digest())
    offered: dict[Kind, dict[str, list[Exchange]]] = defaultdict(lambda: defaultdict(list))
    for unit in targets:
        for exchange in exchanges(texts[unit.id], unit, by_file[unit.path]):
            offered[exchange.kind][unit.id].append(exchange)
    most_of_kind = max(LEAST_OF_KIND, len(targets) // TARGETS_OF_KIND)
    most_of_pair = max(LEAST_OF_PAIR, len(targets) // TARGETS_OF_PAIR)
    drawn: dict[str, Swap] = {}
    for kind in sorted(offered, key=lambda kind: (len(offered[kind]), kind)):
        pairs: Counter[str] = Counter()
        for unit_id, ways in offered[kind].items():
            free = [way for way in ways if pairs[way.pair] < most_of_pair]
            if unit_id in drawn or not free:
                continue
            if pairs.total() == most_of_kind:
                break
            way = free[int(generator(seed, "swap", source, unit_id).integers(len(free)))]
            pairs[way.pair] += 1
            drawn[unit_id] = Swap(benchmark.position[unit_id], kind, texts[unit_id], way.text)
    return [drawn[unit_id] for unit_id in sorted(drawn)]


def _agreeing(before: str, word: str, term: str) -> str:
    """What stands before a word, with the article that ``term`` takes in its place."""
    is_an = _takes_an(term)
    if is_an == _takes_an(word):
        return before
    return _ARTICLE.sub(r"\1n\2" if is_an else r"\1\2", before)


def _takes_an(word: str) -> bool:
    if len(word) > 1 and word.isalpha() and word.isupper():
        return word[0] in "AEFHILMNORSX"
    return re.match(_AN, word) is not None


def _replacements(match: re.Match[str], unit: Unit, siblings: Sequence[Unit]) -> Iterator[_Term]:
    word = match[0]
    before, after = match.string[: match.start()], match.string[match.end() :]
    if word.isdigit():
        if not _REFERENCE.search(before):
            yield "number", word, str(int(word) + 1)
        return
    names = _names_instead_of(word, unit, siblings)
    yield from (("identifier", word, name) for name in names)
    # A part of a compound, such as end-of-file, is no term of its own.
    if names or before.endswith("-") or after.startswith("-"):
        return
    words = {other.lower() for other in _WORD.findall(match.string)}
    for kind, pair, term in _words_instead_of(word.lower(), before, after):
        # Where both stand, as in "start and stop", nothing is turned around.
        if term in words or (kind == "action" and not _is_free_verb(word.lower(), before, after)):
            continue
        yield kind, pair, term[0].upper() + term[1:] if word[0].isupper() else term


def _is_free_verb(word: str, before: str, after: str) -> bool:
    """Whether a word is a verb, as "set" in "a set of" is not, whose opposite takes the same words."""
    is_noun = _NOUN_AFTER.search(before) and not word.endswith(("ed", "ing"))
    return not (is_noun or after.startswith(" of ") or _GOVERNED.match(after))


def _words_instead_of(word: str, before: str, after: str) -> Iterator[_Term]:
    yield from _TERMS.get(word, ())
    if word in ("least", "most") and re.search(r"\bat $", before, re.IGNORECASE):
        yield "quantifier", "at least at most", "most" if word == "least" else "least"
    if word in ("more", "fewer") and re.match(r" than\b", after):
        yield "quantifier", "more fewer", "fewer" if word == "more" else "more"
    if word in ("all", "any", "every"):
        yield from _none_of(word, before, after)


def _none_of(word: str, before: str, after: str) -> Iterator[_Term]:
    """``no`` for a word that quantifies what follows it, unless the sentence is a negative one already."""
    next_word = re.match(r" ([A-Za-z]+)", after)
    if next_word is None or _NEGATION.search(before) or re.search(r"\b(?:at|after|above|if) $", before):
        return
    if next_word[1] in _OF_THE:
        yield "quantifier", "all no", "none of"
    elif next_word[1] == "of":
        yield "quantifier", "all no", "none"
    elif word != "every" or next_word[1] not in ("time", "other"):
        yield "quantifier", "all no", "no"


def _names_instead_of(word: str, unit: Unit, siblings: Sequence[Unit]) -> list[str]:
    """Siblings' names of the sort that ``word`` is: the unit's own, one of its parameters', or neither."""
    if word == unit.name:
        alike = {sibling.name for sibling in siblings if sibling.type == unit.type} - {word}
        return sorted(alike or {sibling.name for sibling in siblings} - {word})
    parameters = {parameter.name for parameter in unit.parameters}
    # A parameter that is also an ordinary word ("data") is not safely meant as a name.
    if word not in parameters or (word.isalpha() and word.islower()):
        return []
    return sorted({parameter.name for sibling in siblings for parameter in sibling.parameters} - parameters)
