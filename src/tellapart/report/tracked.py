"""Figures for experiment trackers: one flat object of numbers, under names that each tracker takes."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from tellapart.core.comparison import PairComparison
from tellapart.core.fingerprint import sha256
from tellapart.core.score_grid import ScoreGrid

Figure: TypeAlias = tuple[tuple[str, ...], float | None]
"""Where a figure stands, such as ``("MODEL", "mean")``, and its value; None where it is undefined."""

_ODD = re.compile(r"[^A-Za-z0-9_.-]+|^\.+$")
"""What some tracker does not take inside a name; the slash stands between the parts of one."""

_DIGEST = 6

UNDEFINED = "undefined"
"""The figure that counts those that are left out."""


@dataclass(frozen=True)
class Tracked:
    """Finite figures by name, the last one counting ``undefined``: the names of those that are left out."""

    numbers: dict[str, float]
    undefined: tuple[str, ...]


def tracked(suite: str, figures: Iterable[Figure]) -> Tracked:
    """Give figures the names of trackers, ``SUITE/PART/…/FIGURE``.

    Of each part, every run of characters other than letters, digits, ``_``, ``-`` and ``.`` becomes ``_``.
    Where two models or levels become the same by that, a digest of the whole name is added to both; and to
    one that is called as a figure of the whole is.
    """
    given = list(figures)
    parts_of = {part for parts, _ in given for part in parts}
    plain = Counter(map(_plain, parts_of))
    # A store that keeps names as paths cannot have both a figure and a model of one name.
    of_all = {parts[0] for parts, _ in given if len(parts) == 1} | {UNDEFINED}

    def spelt(part: str) -> str:
        name = _plain(part)
        is_taken = plain[name] > 1 or name in of_all
        return f"{name}-{sha256(part.encode(errors='replace'))[:_DIGEST]}" if is_taken else name

    numbers, undefined = dict[str, float](), list[str]()
    for (*scope, last), value in given:
        name = "/".join([suite, *map(spelt, scope), _plain(last)])
        if value is None or not math.isfinite(value):
            undefined.append(name)
        else:
            numbers[name] = int(value) if isinstance(value, bool) else value
    return Tracked({**numbers, f"{suite}/{UNDEFINED}": len(undefined)}, tuple(undefined))


def with_ends(parts: tuple[str, ...], value: float | None, ends: Sequence[float] | None) -> Iterator[Figure]:
    """Give a figure and, as ``…_low`` and ``…_high``, the ends of its interval."""
    *scope, name = parts
    low, high = ends or (None, None)
    for suffix, number in (("", value), ("_low", low), ("_high", high)):
        yield (*scope, f"{name}{suffix}"), number


def pair_figures(pairs: Iterable[PairComparison]) -> Iterator[Figure]:
    """Give of each pair, ``A_vs_B``, by how much a is ahead, how sure that is, and whether one is better."""
    for pair in pairs:
        name = f"{pair.a}_vs_{pair.b}"
        yield from with_ends((name, "difference"), pair.difference, pair.interval)
        yield (name, "p_adjusted"), pair.p_adjusted
        yield (name, "separated"), pair.is_separated
        yield (name, "n"), pair.n


def mean_figures(grid: ScoreGrid) -> Iterator[Figure]:
    """Give of each model its mean score, over how many items that is, and how many scores are missing."""
    for model, scores in zip(grid.models, grid.scores, strict=True):
        scored = scores[~(scores != scores)]
        yield (model, "mean"), float(scored.mean()) if len(scored) else None
        yield (model, "n"), len(scored)
        yield (model, "missing"), sum(grid.missing.get(model, {}).values())


def _plain(part: str) -> str:
    return _ODD.sub("_", part)
