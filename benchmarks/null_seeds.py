"""How often `bundles seeds` claims a difference between conditions that are alike, by its own first lines.

Conditions are alike: their items are equally hard but for a taste that each condition has, and their seeds
scatter. Each table goes the whole way through the command, from the runs to the lines that it prints. It
counts as wrong where the first three lines say that a condition beats another.

Usage: python benchmarks/null_seeds.py [TABLES]
"""

from __future__ import annotations

import sys
from collections.abc import Iterator

import numpy as np
import polars as pl

from selfcheck import Shown
from tellapart.bundles.page import seeds as pages
from tellapart.bundles.runs import Figure, Run, Runs, frame_of
from tellapart.bundles.seeds import SeedResult, compare_seeds
from tellapart.core.comparison import ALPHA

TABLES = 1_000
SETTINGS = [(3, 60, 0.0), (3, 60, 0.3), (3, 400, 0.3), (5, 120, 0.3), (2, 120, 0.3)]
"""Seeds, bundles, and how far the seeds scatter, in logits."""


def scored_runs(
    rng: np.random.Generator,
    seeds: int,
    bundles: int,
    of_seeds: float,
    *,
    paired: bool = True,
    taste: float = 0.5,
) -> Runs:
    """Draw item scores of four conditions that are alike over all bundles that there could be."""
    easy = rng.normal(0, 1.5, bundles)
    names = [f"b{i}" for i in range(bundles)]
    frames: dict[str, dict[str, pl.DataFrame]] = {}
    for k, condition in enumerate("abcd"):
        likes = easy + rng.normal(0, taste, bundles)
        for i in range(seeds):
            logit = likes + rng.normal(0, of_seeds)
            passed = (rng.random(bundles) < 1 / (1 + np.exp(-logit))).astype(np.float64)
            frame = pl.DataFrame({"item": names, "score": passed, "margin": passed - 0.5, "cluster": names})
            seed = str(i if paired else (k, i))
            frames.setdefault(condition, {})[seed] = frame.with_columns(tier=pl.lit(None, pl.String))
    runs = [
        Run(name, None, seed, {"pass_rate": Figure(_mean(frame))}, "")
        for name, by_seed in frames.items()
        for seed, frame in by_seed.items()
    ]
    return Runs(frame_of(("", run) for run in runs), scores=frames, default_metrics=("pass_rate",))


def recorded_runs(rng: np.random.Generator, seeds: int, metrics: int = 4) -> Runs:
    """Draw recorded means of four conditions that are alike, by several metrics."""
    names = tuple(f"m{j}" for j in range(metrics))
    values = {metric: {name: rng.normal(0.5, 0.02, seeds) for name in "abcd"} for metric in names}
    runs = [
        Run(name, None, str(i), {metric: Figure(float(values[metric][name][i])) for metric in names}, "")
        for name in "abcd"
        for i in range(seeds)
    ]
    return Runs(frame_of(("", run) for run in runs), default_metrics=names)


def claims_in_first_lines(result: SeedResult, lines: int = 3) -> bool:
    """Whether the first lines that the command prints say that a condition beats another."""
    said = [pages.headline(result), *pages.verdict(result)]
    return Shown(claims=False, first_lines="\n".join(said[:lines])).says_better


def false_claims(tables: int = TABLES) -> Iterator[tuple[str, int]]:
    """Give what was drawn, and in how many of the tables the first lines claim a difference."""
    for seeds, bundles, of_seeds in SETTINGS:
        for paired in (True, False):
            rng = np.random.default_rng([seeds, bundles, int(10 * of_seeds), paired])
            runs = (scored_runs(rng, seeds, bundles, of_seeds, paired=paired) for _ in range(tables))
            wrong = sum(claims_in_first_lines(compare_seeds(one)) for one in runs)
            how = "paired" if paired else "unpaired"
            yield f"{seeds} seeds, {bundles} bundles, scatter {of_seeds:g}, {how}", wrong
    for seeds in (2, 3, 5):
        rng = np.random.default_rng(seeds)
        wrong = sum(claims_in_first_lines(compare_seeds(recorded_runs(rng, seeds))) for _ in range(tables))
        yield f"{seeds} seeds, recorded means by 4 metrics", wrong


def _mean(frame: pl.DataFrame) -> float:
    return float(frame["score"].to_numpy().mean())


def main(tables: int = TABLES) -> int:
    """Print the table and give the exit code."""
    most = ALPHA + 2 * (ALPHA * (1 - ALPHA) / tables) ** 0.5
    failed = 0
    print(f"{tables} tables a line; at most {most:.1%} may claim\n")
    for about, wrong in false_claims(tables):
        failed += wrong / tables > most
        print(f"{'x ' if wrong / tables > most else '  '}{about:<56} {wrong / tables:>6.1%}", flush=True)
    return int(failed > 0)


if __name__ == "__main__":
    sys.exit(main(*map(int, sys.argv[1:])))
