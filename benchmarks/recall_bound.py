"""Coverage of codesearch's lower bound of recall, and of Chapman's estimate, in simulated worlds.

30 issues in a repository of 300 files, 12 of them relevant to each issue. A relevant file is easy or hard to
find; files near an issue by its words are mostly easy ones. Run it: ``python benchmarks/recall_bound.py``.
"""

from __future__ import annotations

import argparse
from dataclasses import dataclass

import numpy as np

from tellapart.codesearch.metrics.recall_bound import most_relevant

ISSUES, FILES, RELEVANT, NEAR = 30, 300, 12, 50
DRAWN = (100, 200, 400, 800, 1600)


@dataclass(frozen=True)
class World:
    """How explorers and system find relevant files.

    Attributes:
        hard: Share of the relevant files that are hard to find.
        easily: Chance of each explorer to find an easy file.
        hardly: Chance of each explorer to find a hard one.
        system: Chance of the system to find an easy and a hard one.
        near: Chance of an easy and of a hard relevant file to be near the issue by its words.
    """

    hard: float
    easily: float
    hardly: float
    system: tuple[float, float]
    near: tuple[float, float]


WORLDS = {
    "independent explorers": World(0.0, 0.6, 0.6, (0.5, 0.5), (0.6, 0.6)),
    "a shared blind spot": World(0.5, 0.8, 0.0, (0.6, 0.2), (0.8, 0.1)),
    "explorers that return much": World(0.3, 0.95, 0.6, (0.7, 0.4), (0.8, 0.3)),
    "a blind spot that nobody's words reach": World(0.5, 0.9, 0.0, (0.6, 0.0), (0.9, 0.0)),
}


def run(world: World, drawn: int, times: int, rng: np.random.Generator) -> tuple[float, ...]:
    """Coverage of the bound, its mean distance, estimates within .1, Chapman's within .1, and the truth."""
    covered, distance, close, chapman_close, truths = 0, 0.0, 0, 0, 0.0
    for _ in range(times):
        hard = rng.random((ISSUES, RELEVANT)) < world.hard
        chance = np.where(hard, world.hardly, world.easily)
        a, b = rng.random(hard.shape) < chance, rng.random(hard.shape) < chance
        ours = rng.random(hard.shape) < np.where(hard, world.system[1], world.system[0])
        near = rng.random(hard.shape) < np.where(hard, world.near[1], world.near[0])
        unreturned = ~(a | b | ours)
        hidden = int((unreturned & near).sum()), int((unreturned & ~near).sum())
        found, known = int(ours.sum()), int((a | b | ours).sum())
        sizes = NEAR * ISSUES, (FILES - NEAR) * ISSUES - known
        counts = round(drawn / 3), drawn - round(drawn / 3)
        hits = [
            int(rng.hypergeometric(there, files - there, n))
            for there, files, n in zip(hidden, sizes, counts, strict=True)
        ]
        truth = found / (known + sum(hidden))
        most = most_relevant(list(zip(sizes, counts, hits, strict=True)))
        bound = found / (known + most)
        further = sum(files * hit / n for files, hit, n in zip(sizes, hits, counts, strict=True))
        in_each = (a.sum(1) + 1) * (b.sum(1) + 1) / ((a & b).sum(1) + 1) - 1
        chapman = found / float(np.maximum(in_each, (a | b | ours).sum(1)).sum())
        covered += bound <= truth + 1e-12
        distance += truth - bound
        close += abs(found / (known + further) - truth) <= 0.1
        chapman_close += abs(chapman - truth) <= 0.1
        truths += truth
    return covered / times, distance / times, close / times, chapman_close / times, truths / times


def main() -> None:
    """Print a table of all worlds."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--times", type=int, default=300)
    times = parser.parse_args().times
    rng = np.random.default_rng(11)
    print(
        "world | judged | bound holds | truth − bound | estimate within .1 | Chapman within .1 | true recall"
    )
    for name, world in WORLDS.items():
        for drawn in DRAWN:
            shown = " | ".join(f"{figure:.3f}" for figure in run(world, drawn, times, rng))
            print(f"{name} | {drawn} | {shown}", flush=True)


if __name__ == "__main__":
    main()
