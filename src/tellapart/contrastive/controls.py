"""What models are asked: the real summaries, controls of known outcome, and the swap test."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from tellapart.contrastive.benchmark import Benchmark
from tellapart.contrastive.summaries import identifier_summary
from tellapart.core.randomness import generator
from tellapart.extraction.unit import Unit

Condition = Literal["summary", "identifier", "shuffled"]

CONTROLS: tuple[Condition, ...] = ("identifier", "shuffled")
"""Questions that check the evaluation itself: the words of the target's name, and another unit's summary."""

SHUFFLES = 5
"""Foreign summaries that each item is asked with: one alone is mostly noise."""


def queries(benchmark: Benchmark, condition: Condition, source: str) -> list[str | None]:
    """The text that stands for each item's target.

    Args:
        benchmark: The questions.
        condition: ``summary`` for the real ones, ``identifier`` for the words of the target's name,
            ``shuffled`` for the summary of another target, drawn at random, that is none of the item's
            options': it says nothing about any of them, so that a model must score chance.
        source: Who wrote the summaries.

    Returns:
        One text an item, and for ``shuffled`` ``SHUFFLES`` times as many; None where the source has none: no
        summary of the target, or for ``shuffled`` none but the options' own.
    """
    texts = benchmark.texts(source)
    targets = benchmark.sets["target"].to_list()
    if condition == "summary":
        return [texts.get(target) for target in targets]
    if condition == "identifier":
        return [identifier_summary(benchmark.units[benchmark.position[target]]) for target in targets]
    distinct = sorted({texts[target] for target in targets if target in texts})
    options = [
        {texts.get(unit) for unit in (target, *distractors)}
        for target, distractors in benchmark.sets.select("target", "distractors").iter_rows()
    ]
    items = benchmark.sets["item"].to_list()
    return [
        _foreign(distinct, own, generator(benchmark.header.seed, "shuffled", str(draw), item))
        for draw in range(SHUFFLES)
        for item, own in zip(items, options, strict=True)
    ]


def _foreign(distinct: Sequence[str], own: set[str | None], rng: np.random.Generator) -> str | None:
    """The first text in an order drawn by ``rng`` that describes none of the item's options."""
    return next((distinct[i] for i in rng.permutation(len(distinct)) if distinct[i] not in own), None)


OPPOSITES = (
    "encode decode, first last, min max, minimum maximum, add remove, open close, start stop, read write, "
    "push pop, before after, begin end, input output, left right, upper lower, up down, top bottom, "
    "increase decrease, increment decrement, enable disable, load save, send receive, create delete, "
    "insert delete, import export, client server, source destination, parent child, ascending descending, "
    "greater less, all any, with without, true false, get set, lock unlock, connect disconnect, compress "
    "decompress, encrypt decrypt, attach detach, public private, local remote, forward backward, prefix "
    "suffix, head tail, key value, row column, even odd, positive negative, valid invalid, equal unequal, "
    "smallest largest, oldest newest, next previous, append prepend, acquire release, show hide, visible "
    "hidden, absolute relative, signed unsigned, mutable immutable"
)
"""Pairs of terms that turn a summary's meaning around."""

Kind = Literal["opposite", "number", "identifier"]

_PARTNERS: dict[str, list[str]] = defaultdict(list)
for _pair in OPPOSITES.split(", "):
    _left, _right = _pair.split()
    for _ending in ("", "s"):
        _PARTNERS[_left + _ending].append(_right + _ending)
        _PARTNERS[_right + _ending].append(_left + _ending)

_WORD = re.compile(r"[A-Za-z_][A-Za-z_0-9]*|\d+")


@dataclass(frozen=True, slots=True)
class Swap:
    """A summary and its false twin.

    Attributes:
        unit: Id of the unit that the true one is about.
        kind: What was exchanged: one of ``OPPOSITES``, a number, or a name for a sibling's.
        true: The summary.
        false: The summary with one term exchanged.
    """

    unit: str
    kind: Kind
    true: str
    false: str


def swap_term(summary: str, unit: Unit, siblings: Sequence[Unit], rng: np.random.Generator) -> Swap | None:
    """Exchange one term of a summary.

    Args:
        summary: About ``unit``.
        unit: Whose names count as identifiers: its own, and those of its parameters that do not look like
            ordinary lower-case words.
        siblings: Units of its file, whose other names of the same sort may take their place.
        rng: Picks the term and what replaces it.

    Returns:
        None when the summary has no term to exchange.
    """
    choices = [
        (match.span(), kind, replacement)
        for match in _WORD.finditer(summary)
        for kind, replacement in _replacements(match[0], unit, siblings)
    ]
    if not choices:
        return None
    (start, end), kind, replacement = choices[int(rng.integers(len(choices)))]
    return Swap(unit.id, kind, summary, summary[:start] + replacement + summary[end:])


def swaps_of(benchmark: Benchmark, source: str) -> list[Swap]:
    """One swap for every target of a benchmark whose summary allows one, by unit.

    Args:
        benchmark: The questions.
        source: Who wrote the summaries.
    """
    by_file: dict[str, list[Unit]] = defaultdict(list)
    for unit in benchmark.units:
        by_file[unit.path].append(unit)
    texts = benchmark.texts(source)
    swaps = []
    for target in sorted(set(benchmark.sets["target"]) & texts.keys()):
        unit = benchmark.units[benchmark.position[target]]
        rng = generator(benchmark.header.seed, "swap", source, target)
        swaps.append(swap_term(texts[target], unit, by_file[unit.path], rng))
    return [swap for swap in swaps if swap is not None]


def _replacements(word: str, unit: Unit, siblings: Sequence[Unit]) -> list[tuple[Kind, str]]:
    if word.isdigit():
        return [("number", str(int(word) + 1))]
    opposites = [
        partner.capitalize() if word[0].isupper() else partner for partner in _PARTNERS.get(word.lower(), ())
    ]
    return [("opposite", term) for term in opposites] + [
        ("identifier", name) for name in _names_instead_of(word, unit, siblings)
    ]


def _names_instead_of(word: str, unit: Unit, siblings: Sequence[Unit]) -> list[str]:
    """Siblings' names of the sort that ``word`` is: the unit's own, one of its parameters', or neither."""
    if word == unit.name:
        return sorted({sibling.name for sibling in siblings} - {word})
    own = {parameter.name for parameter in unit.parameters}
    # A parameter that is also an ordinary word ("data") is not safely meant as a name.
    if word not in own or (word.isalpha() and word.islower()):
        return []
    return sorted({parameter.name for sibling in siblings for parameter in sibling.parameters} - own)
