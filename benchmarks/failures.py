"""Failures that are rare, whole sources that are lost, and calls that fail where a model is weak.

In every world the true difference is 0, or just the limit of the gate, or just the smallest that matters.
Counted are the tables in which something is claimed that is not so: a model is better, a gate passes, models
are equivalent, a run stops. Claims of a better model that say themselves that rare failures could undo them
are counted apart.

Usage: python benchmarks/failures.py [TABLES]
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Mapping
from functools import partial

import numpy as np

from tellapart.core.comparison import ComparisonSettings, GateOutcome, LookPlan, Verdict, compare, run_gates
from tellapart.core.comparison.stopping import check_stopping
from tellapart.core.randomness import generator
from tellapart.core.score_grid import ScoreGrid
from worlds import grid

TABLES = 200
Draw = Callable[[np.random.Generator, float], ScoreGrid]


def crashes(rng: np.random.Generator, drop: float, items: int, share: float, noise: float) -> ScoreGrid:
    """The second model is better nearly everywhere, and rarely gets nothing; all in all worse by ``drop``."""
    a = 0.8 + rng.uniform(-noise, noise, items)
    b = 0.8 + (share * 0.8 - drop) / (1 - share) + rng.uniform(-noise, noise, items)
    b[rng.random(items) < share] = 0.0
    return grid(np.clip(np.stack([a, b]), 0, 1))


def lost_sources(rng: np.random.Generator, drop: float, sources: int, size: int, share: float) -> ScoreGrid:
    """Right or wrong; the second model loses whole sources, and makes up for it but for ``drop``."""
    base = 0.9 if drop else 0.6
    chance = np.full((2, sources), base)
    chance[1] = (base - drop) / (1 - share)
    chance[1, rng.random(sources) < share] = 0.0
    clusters = np.repeat(np.arange(sources), size)
    right = rng.random((2, sources * size)) < np.clip(chance, 0, 1)[:, clusters]
    return grid(right.astype(np.float64), clusters)


def half_lost(rng: np.random.Generator, drop: float, sources: int, size: int) -> ScoreGrid:
    """Half of the drop is of whole sources, half of single answers."""
    clusters = np.repeat(np.arange(sources), size)
    lost = (rng.random(sources) < drop / 2 / 0.98)[clusters]
    right = (rng.random(sources * size) < 0.98).astype(np.float64)
    again = np.where(lost | (rng.random(len(right)) < drop / 2), 0.0, right)
    return grid(np.stack([right, again]), clusters)


def hiding(rng: np.random.Generator, drop: float, items: int, share: float) -> ScoreGrid:
    """Equal models; calls of one fail, by ``share``, where its answers would have been wrong."""
    right = (rng.random((2, items)) < rng.uniform(0.1, 0.9, items)).astype(np.float64)
    right[1, (right[1] == 0) & (rng.random(items) < share)] = np.nan
    return grid(right)


CLAIMS: Mapping[str, Draw] = {
    f"{share:.0%} crash, ±{noise:g}, {items} items": partial(crashes, items=items, share=share, noise=noise)
    for share, noise in ((0.02, 0.02), (0.02, 0.1), (0.05, 0.1))
    for items in (20, 50, 150)
} | {
    "20 sources of 10, 5 % lost": partial(lost_sources, sources=20, size=10, share=0.05),
    "20 sources of 40, 5 % lost": partial(lost_sources, sources=20, size=40, share=0.05),
    "50 sources of 20, 5 % lost": partial(lost_sources, sources=50, size=20, share=0.05),
    "200 items, 30 % of failures hidden": partial(hiding, items=200, share=0.3),
    "600 items, 20 % of failures hidden": partial(hiding, items=600, share=0.2),
}

GATES: Mapping[str, tuple[float, Draw]] = {
    f"{items} items, limit {limit:g}, lost as crashes": (
        limit,
        partial(crashes, items=items, share=limit / 0.8, noise=0.02),
    )
    for limit in (0.02, 0.05)
    for items in (50, 100, 200)
} | {
    f"{sources} sources of {size}, limit 0.05, half by source": (
        0.05,
        partial(half_lost, sources=sources, size=size),
    )
    for sources, size in ((10, 20), (20, 10), (50, 20))
}


def share_of(draws: Iterator[ScoreGrid], claims: Callable[[ScoreGrid], bool]) -> float:
    """How many tables have a claim."""
    return float(np.mean([claims(table) for table in draws]))


def tables(name: str, draw: Draw, drop: float, number: int) -> Iterator[ScoreGrid]:
    """Tables of a world."""
    return (draw(generator(seed, "failures", name), drop) for seed in range(number))


def main(number: int = TABLES) -> int:
    """Print how often each claim is false."""
    error = (0.05 * 0.95 / number) ** 0.5
    print(f"{number} tables each; at most 5 % should be false, with a standard error of {error:.1%}\n")
    print("One model better, though they are equal: claims that name rare failures, and others")
    for name, draw in CLAIMS.items():
        found = [compare(table, secondary=False) for table in tables(name, draw, 0.0, number)]
        claimed = [bool(one.primary.separated) for one in found]
        warned = [bool(one.cautions) and claim for one, claim in zip(found, claimed, strict=True)]
        print(f"  {name:<48}{np.mean(warned):>8.1%}{np.mean(claimed) - np.mean(warned):>8.1%}", flush=True)
    print("A gate passes, though the drop is the limit")
    for name, (limit, draw) in GATES.items():
        settings = ComparisonSettings(baseline="m0")

        def passes(table: ScoreGrid, limit: float = limit, settings: ComparisonSettings = settings) -> bool:
            return run_gates(table, limit, settings)[0].outcome is GateOutcome.PASSED

        print(f"  {name:<48}{share_of(tables(name, draw, limit, number), passes):>8.1%}", flush=True)
    print("Equivalent, though they are just as far apart as matters")
    for items, margin in ((20, 0.02), (60, 0.02), (8, 0.1), (20, 0.1)):
        draw = partial(crashes, items=items, share=margin / 0.8, noise=0.02)
        settings = ComparisonSettings(sesoi=margin)

        def same(table: ScoreGrid, settings: ComparisonSettings = settings) -> bool:
            (pair,) = compare(table, settings, secondary=False).primary.pairs
            return pair.verdict is Verdict.EQUIVALENT

        name = f"{items} items, margin {margin:g}"
        print(f"  {name:<48}{share_of(tables(name, draw, margin, number), same):>8.1%}", flush=True)
    print("A run stops with a better model, though they are equal")
    for share, noise, items in ((0.02, 0.02, 60), (0.02, 0.02, 400), (0.05, 0.1, 200)):
        draw = partial(crashes, items=items, share=share, noise=noise)

        def stops(table: ScoreGrid, items: int = items) -> bool:
            found = check_stopping(table, np.arange(items), LookPlan(items)).comparison
            return found is not None and bool(found.primary.separated)

        name = f"{share:.0%} crash, ±{noise:g}, at most {items} items"
        some = max(20, number // 4)
        print(f"  {name:<48}{share_of(tables(name, draw, 0.0, some), stops):>8.1%}, of {some}", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main(*map(int, sys.argv[1:])))
