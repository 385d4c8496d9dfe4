"""Whether what is said of items not yet asked is kept: chances to separate, and numbers of items that settle.

Models are drawn whose true means spread by 0, 2, 5 or 10 points, in some worlds with one far from the others,
and asked. Then they are asked afresh, as many items as were spoken of, from new sources, and counted is:

- Chance: of every open pair the stated chance, and whether the pair separated.
- Settle: of two models that are just the smallest difference that matters apart, and of two that are equal,
  how often the stated number of items finds the difference, or shows them to be equivalent.
- Best: of 2 to 30 models, how often the interval of the best one's mean holds its true mean.
- Advice: of 2, 4 and 10 models on 200 items, the open pair that takes the fewest items to settle is asked as
  many afresh; how often it is then settled, and how often separated beside the chance that was stated.

Each table counts once, whatever its pairs. All draws are seeded.

Usage: python benchmarks/promises.py [TABLES [chance|settle|best|advice]...] [--picture FILE]
"""

from __future__ import annotations

from argparse import ArgumentParser
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from pathlib import Path

import numpy as np

from tellapart.audit.ranking import rank
from tellapart.core.arrays import F64
from tellapart.core.comparison import ComparisonSettings, Verdict
from tellapart.core.comparison.compare import primary_family
from tellapart.core.comparison.pair_tests import run_tests
from tellapart.core.comparison.plan import TIMES, GapSpread, Outlook
from tellapart.core.randomness import generator
from tellapart.core.score_grid import ScoreGrid
from tellapart.core.stats.paired import holm_known
from tellapart.report.charts import Axis, Chart, Point, curves, save
from tellapart.report.palette import looks
from worlds import grid

TABLES = 25
ALPHA = 0.05


@dataclass(frozen=True)
class World:
    """Where models come from.

    Attributes:
        spread: Standard deviation of their true means.
        outlier: Whether one of them is a fifth of the scale better or worse besides.
        kind: Of scores: ``0/1``, ``graded`` or ``3 replicates``.
        sources: Of which a model likes some better and some worse; 0 for items that share none.
        missing: The share of scores that are lost by chance.
    """

    models: int
    spread: float
    outlier: bool
    items: int
    kind: str = "0/1"
    sources: int = 0
    missing: float = 0.0

    def __str__(self) -> str:
        """As a line of the table."""
        parts = [f"{self.models} models", f"spread {100 * self.spread:g}", f"{self.items:,} items", self.kind]
        parts += ["an outlier"] * self.outlier + [f"{self.sources} sources"] * bool(self.sources)
        return ", ".join(parts + [f"{self.missing:.1%} missing"] * bool(self.missing))

    def means(self, rng: np.random.Generator) -> F64:
        """Draw the models' true means, around 0."""
        means = rng.normal(0, self.spread, self.models)
        if self.outlier:
            means[0] += 0.2 * rng.choice([-1, 1])
        return means

    def asked(self, rng: np.random.Generator, means: F64, items: int) -> ScoreGrid:
        """Ask so many items of the world, new ones."""
        chance = (
            rng.uniform(0.3, 0.7, items) + means[:, None] + 0.15 * rng.uniform(-1, 1, (len(means), items))
        )
        clusters = None
        if self.sources:
            sources = max(2, round(self.sources * items / self.items))
            clusters = np.arange(items) * sources // items
            chance = chance + rng.normal(0, 0.1, (len(means), sources))[:, clusters]
        if self.kind == "graded":
            return grid(np.clip(chance + 0.1 * rng.standard_normal(chance.shape), 0, 1), clusters)
        answers = 3 if self.kind == "3 replicates" else 1
        right = (rng.random((answers, *chance.shape)) < np.clip(chance, 0, 1)).mean(axis=0)
        if self.missing:
            right[rng.random(right.shape) < self.missing] = np.nan
        return grid(right, clusters)


WORLDS = [
    World(models, spread, outlier, items)
    for models, spread, outlier, items in product(
        (2, 4, 10, 30), (0, 0.02, 0.05, 0.1), (False, True), (100, 300, 1000)
    )
    if models > 2 or not outlier
] + [
    World(models, spread, False, items, kind, sources)
    for models, spread, (items, kind, sources) in product(
        (4, 10),
        (0, 0.02, 0.05),
        (
            (300, "graded", 0),
            (300, "3 replicates", 0),
            (400, "0/1", 20),
            (600, "0/1", 60),
            (300, "graded", 20),
        ),
    )
]


def separated(scores: ScoreGrid) -> list[bool]:
    """Whether each pair separates, without its interval."""
    p = run_tests(scores, ComparisonSettings()).p
    return [q is not None and q <= ALPHA for q in holm_known([float(q) for q in p])]


def of_chances(world: World, tables: int) -> Iterator[tuple[F64, F64]]:
    """Give for each table stated chances of its open pairs, and whether they separated."""
    rng = generator(1, "chances", str(world))
    settings = ComparisonSettings()
    for _ in range(tables):
        means = world.means(rng)
        family = primary_family(world.asked(rng, means, world.items), settings)
        sizes = [world.items * times for times in TIMES]
        stated = [pair.chance for pair in family.pairs]
        places = [k for k, chance in enumerate(stated) if chance is not None]
        if not places:
            continue
        came = [separated(world.asked(rng, means, size)) for size in sizes]
        yield (
            np.array([[chance for _, chance in stated[k] or ()] for k in places]).T,
            np.array([[of_size[k] for k in places] for of_size in came], dtype=np.float64),
        )


def chance_table(tables: int) -> list[tuple[float, float]]:
    """Print stated and seen chances by world, and by tenths over all worlds."""
    everything = []
    for world in WORLDS:
        found = list(of_chances(world, tables if world.models < 30 else max(4, tables // 4)))
        if not found:
            continue
        everything += found
        stated = np.mean([chance.mean(axis=1) for chance, _ in found], axis=0)
        seen = np.mean([came.mean(axis=1) for _, came in found], axis=0)
        by_size = " ".join(f"{100 * a:3.0f}/{100 * b:3.0f}" for a, b in zip(stated, seen, strict=True))
        print(f"{world!s:58} {100 * stated.mean():5.1f} {100 * seen.mean():5.1f}   {by_size}", flush=True)
    stated, seen, weight = (
        np.concatenate(parts)
        for parts in zip(
            *((a.ravel(), b.ravel(), np.full(a.size, 1 / a.size)) for a, b in everything), strict=True
        )
    )
    tenths, rows = np.minimum((stated * 10).astype(int), 9), []
    for tenth in range(10):
        chosen = tenths == tenth
        if chosen.any():
            shares = [float(np.average(values[chosen], weights=weight[chosen])) for values in (stated, seen)]
            print(f"{tenth}: stated {shares[0]:.3f}, seen {shares[1]:.3f}, of {chosen.sum():,} pairs")
            rows.append((shares[0], shares[1]))
    return rows


def settle_table(tables: int) -> None:
    """Print how often the number of items that settles a pair does."""
    for world in (
        World(2, 0, False, 200),
        World(2, 0, False, 1000),
        World(2, 0, False, 100, "graded"),
        World(2, 0, False, 300, "3 replicates"),
        World(2, 0, False, 400, "0/1", 20),
        World(2, 0, False, 600, "0/1", 60),
        World(2, 0, False, 400, missing=0.01),
    ):
        # Graded scores vary so little that a smaller difference takes more items than there are.
        least = 0.02 if world.kind == "graded" else 0.05
        rng, settings = generator(1, "settle", str(world)), ComparisonSettings(sesoi=least)
        found: list[bool] = []
        same: list[bool] = []
        sizes: list[int] = []
        for _ in range(tables):
            pilot = primary_family(world.asked(rng, np.zeros(2), world.items), settings)
            (needed,) = (pair.settle_items for pair in pilot.pairs)
            if needed is None:
                continue
            sizes.append(needed)
            for gap, came in ((least, found), (0.0, same)):
                means = np.array([gap / 2, -gap / 2])
                asked = round(needed / (1 - world.missing) ** 2)
                (pair,) = primary_family(world.asked(rng, means, asked), settings).pairs
                came.append(pair.is_separated if gap else pair.verdict is Verdict.EQUIVALENT)
        print(
            f"{world!s:58} {np.median(sizes):7,.0f} items: found {np.mean(found):.2f}, "
            f"equivalent {np.mean(same):.2f}"
        )


def best_table(tables: int) -> None:
    """Print how often the interval of the best of several models holds its true mean."""
    for models, spread, sources in product((2, 5, 10, 30), (0, 0.02), (0, 20)):
        world = World(models, spread, False, 300, sources=sources)
        rng, held = generator(1, "best", str(world)), 0
        for _ in range(tables):
            means = world.means(rng)
            best = rank(world.asked(rng, means, world.items), ()).models[0]
            low, high = best.ci or (0.0, 1.0)
            held += low <= 0.5 + means[int(best.model[1:])] <= high
        print(f"{world!s:58} {held / tables:.2f}", flush=True)


def advice_table(tables: int) -> None:
    """Print how often the cheapest advice of a table is kept."""
    for models, spread in product((2, 4, 10), (0, 0.02, 0.05)):
        world = World(models, spread, False, 200)
        rng, settings = generator(1, "advice", str(world)), ComparisonSettings()
        sizes, settled, stated, came = [], [], [], []
        for _ in range(tables):
            means = world.means(rng)
            pairs = primary_family(world.asked(rng, means, world.items), settings).pairs
            needed = {pair.settle_items: k for k, pair in enumerate(pairs) if pair.settle_items}
            if not needed:
                continue
            n = min(needed)
            pair = primary_family(world.asked(rng, means, n), settings).pairs[needed[n]]
            sizes.append(n)
            settled.append(pair.is_separated or pair.verdict is Verdict.EQUIVALENT)
            stated.append(Outlook(pairs, settings, GapSpread.of(pairs, 1.0)).alone(needed[n], n))
            came.append(pair.is_separated)
        print(
            f"{world!s:34} in {len(sizes)} of {tables}, {np.median(sizes):7,.0f} items: settled "
            f"{np.mean(settled):.2f}; to separate stated {np.mean(stated):.2f}, seen {np.mean(came):.2f}",
            flush=True,
        )


def picture(rows: Sequence[tuple[float, float]], path: Path) -> None:
    """Draw stated chances and how often they came true."""
    points = [Point(100 * stated, 100 * seen, "seen") for stated, seen in rows]
    points += [Point(x, x, "as stated") for x in (0.0, 100.0)]
    stated, seen = (Axis(title, (0, 100), 5, "d") for title in ("Stated chance, %", "Separated, %"))
    chart = Chart(
        "chances",
        "Chances come true as often as stated",
        "How often open pairs separated when asked afresh, by tenths of the stated chance.",
        lambda width: curves(points, width, stated, seen, looks=looks(["seen", "as stated"])),
    )
    save(chart, path, width=480)


def main() -> None:
    """Print the tables that are asked for, or all."""
    parser = ArgumentParser(description=__doc__)
    parser.add_argument("tables", type=int, nargs="?", default=TABLES)
    parser.add_argument("wanted", nargs="*", default=["settle", "best", "advice", "chance"])
    parser.add_argument("--picture", type=Path, metavar="FILE")
    asked = parser.parse_args()
    if "settle" in asked.wanted:
        settle_table(4 * asked.tables)
    if "best" in asked.wanted:
        best_table(4 * asked.tables)
    if "advice" in asked.wanted:
        advice_table(asked.tables)
    if "chance" in asked.wanted:
        rows = chance_table(asked.tables)
        if asked.picture:
            picture(rows, asked.picture)


if __name__ == "__main__":
    main()
