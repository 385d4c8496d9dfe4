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

TermKind = Literal["action", "order", "direction", "role", "quantifier", "polarity", "number", "identifier"]

PAIRS: Mapping[TermKind, list[str]] = {
    kind: " ".join(pairs.split()).split(", ")
    for kind, pairs in tomllib.loads(
        files("tellapart.contrastive").joinpath("swaps.toml").read_text("utf-8")
    )["pairs"].items()
}
"""Pairs of terms that turn a summary's meaning around; verbs and nouns have their inflections too."""

LEAST_OF_KIND, LEAST_OF_PAIR = 10, 2
"""So many swaps of a kind, and of one pair of words, are always drawn."""

TARGETS_OF_KIND, TARGETS_OF_PAIR = 8, 60
"""Beyond that, a kind has at most one swap for eight targets, and a pair of words at most one for sixty."""

# Whose past and progressive forms are not the regular ones.
_IRREGULAR = frozenset(
    ("stop", "read", "write", "pop", "send", "get", "set", "show", "hide", "wrap", "unwrap", "split")
    + ("quit", "freeze", "unfreeze", "begin")
)


def _inflected(word: str, kind: TermKind) -> dict[str, str]:
    """Forms of a word by what they are: itself, with -s, and of a regular verb the past and progressive."""
    forms = {"": word}
    if kind in ("action", "order", "direction", "role"):
        forms["s"] = word + ("es" if word.endswith(("s", "x", "sh", "ch")) else "s")
    if kind == "action" and word not in _IRREGULAR:
        stem = word.removesuffix("e")
        forms |= {"ed": f"{stem}ed", "ing": f"{stem}ing"}
    return forms


def _terms() -> dict[str, list[tuple[TermKind, str, str]]]:
    """For each word in lower case: the kind, the pair, and what may stand in its place."""
    terms: dict[str, list[tuple[TermKind, str, str]]] = defaultdict(list)
    for kind, pairs in PAIRS.items():
        for pair in pairs:
            left, right = (_inflected(word, kind) for word in pair.split())
            for form in left.keys() & right.keys():
                terms[left[form]].append((kind, pair, right[form]))
                terms[right[form]].append((kind, pair, left[form]))
    return dict(terms)


_TERMS = _terms()
_WORD = re.compile(r"[A-Za-z_][A-Za-z_0-9]*|\d+")
_REFERENCE = re.compile(
    r"(?:\b(?:RFCs?|PEP|ISO|IEEE|section|chapter|issue|bug|version|v)\s*|#|\d\.)$", re.IGNORECASE
)
# What one verb of a pair takes and the other does not: "add to", but "remove from". And what is new was made.
_GOVERNED = re.compile(r" (?:(?:an? |the )?new\b|[^.,;:()]*\b(?:to|into|onto|from|with)\b)", re.IGNORECASE)
_NOUN_AFTER = re.compile(r"\b(?:an?|the|this|its|each|every|any|no|of) $", re.IGNORECASE)
_ARTICLE = re.compile(r"\ban? $", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Swap:
    """A summary and its false twin, in which one term of the ``pair`` stands for the other."""

    target: int
    kind: TermKind
    pair: str
    true: str
    false: str


def exchanges(target: int, summary: str, unit: Unit, siblings: Sequence[Unit]) -> list[Swap]:
    """List the ways to turn one term of a summary around."""
    ways = []
    for match in _WORD.finditer(summary):
        before, after = summary[: match.start()], summary[match.end() :]
        for kind, pair, term in _replacements(match, unit, siblings):
            if not _ARTICLE.search(before) or (match[0][0] in "aeiouAEIOU8") == (term[0] in "aeiouAEIOU8"):
                ways.append(Swap(target, kind, pair, summary, before + term + after))
    return ways


def swaps_of(benchmark: Benchmark, source: str) -> list[Swap]:
    """Draw at most one swap for each target, so that no kind and no pair of words dominates.

    The kind that the fewest summaries have is served first, its targets in an order drawn by the seed.
    """
    by_file: dict[str, list[Unit]] = defaultdict(list)
    for unit in benchmark.units:
        by_file[unit.path].append(unit)
    texts, seed = benchmark.texts[source], benchmark.header.seed
    targets = [unit for unit in benchmark.targets if unit.id in texts]
    targets.sort(key=lambda unit: hashlib.sha256(f"{seed}\nswap\n{source}\n{unit.id}".encode()).digest())
    offered: dict[TermKind, dict[str, list[Swap]]] = defaultdict(lambda: defaultdict(list))
    for unit in targets:
        for swap in exchanges(benchmark.position[unit.id], texts[unit.id], unit, by_file[unit.path]):
            offered[swap.kind][unit.id].append(swap)
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
            drawn[unit_id] = free[int(generator(seed, "swap", source, unit_id).integers(len(free)))]
            pairs[drawn[unit_id].pair] += 1
    return [drawn[unit_id] for unit_id in sorted(drawn)]


def _replacements(
    match: re.Match[str], unit: Unit, siblings: Sequence[Unit]
) -> Iterator[tuple[TermKind, str, str]]:
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
    for kind, pair, term in _TERMS.get(word.lower(), ()):
        # Where both stand, as in "start and stop", nothing is turned around.
        if term in words or (kind == "action" and not _is_free_verb(word.lower(), before, after)):
            continue
        yield kind, pair, term[0].upper() + term[1:] if word[0].isupper() else term


def _is_free_verb(word: str, before: str, after: str) -> bool:
    """Whether a word is a verb, as "set" in "a set of" is not, whose opposite takes the same words."""
    is_noun = _NOUN_AFTER.search(before) and not word.endswith(("ed", "ing"))
    return not (is_noun or after.startswith(" of ") or _GOVERNED.match(after))


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
