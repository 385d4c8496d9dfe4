"""How soon a history shows a drop, and how often it shows one where there is none, against a single gate.

Histories of 200 runs on 500 items, each right with a chance of its own: unchanged; with a mean that falls by
2 points at the 101st run because every chance does; and with 2 % of the items lost for good by a model whose
answers hardly vary. The gate is ``compare`` with the first run as the baseline, at each run by itself.

Usage: python benchmarks/history.py [--histories N]
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from math import inf

import numpy as np

from tellapart.core.arrays import F64
from tellapart.core.comparison.history import drops
from tellapart.core.stats.paired import mcnemar_exact, mcnemar_interval

RUNS, ITEMS, AT, DROP = 200, 500, 100, 0.02
GATE_LEVEL = 0.1
"""Of the two-sided interval of a gate at 5 %."""


def noisy(rng: np.random.Generator, *, falls: bool) -> F64:
    chances = np.tile(rng.beta(1.5, 0.8, ITEMS), (RUNS, 1))
    if falls:
        chances[AT:] *= 1 - DROP / chances[0].mean()
    return (rng.random(chances.shape) < chances).astype(np.float64)


def steady(rng: np.random.Generator, *, falls: bool) -> F64:
    chances = np.where(rng.random(ITEMS) < 0.9, rng.random(ITEMS) < 0.7, rng.beta(1.5, 0.8, ITEMS))
    chances = np.tile(chances, (RUNS, 1))
    if falls:
        chances[AT:, rng.choice(np.flatnonzero(chances[0] == 1), round(DROP * ITEMS), replace=False)] = 0
    return (rng.random(chances.shape) < chances).astype(np.float64)


def by_history(scores: F64) -> list[int]:
    return [drop.found for drop in drops(scores)]


def by_gate(limit: float) -> Callable[[F64], list[int]]:
    def failing(scores: F64) -> list[int]:
        first, later = scores[0] == 1, scores[1:] == 1
        lost, won = (first & ~later).sum(axis=1), (~first & later).sum(axis=1)
        rejects = [mcnemar_exact(int(a), int(b)) <= GATE_LEVEL for a, b in zip(lost, won, strict=True)]
        low, _ = mcnemar_interval(
            lost, won, np.full(len(lost), ITEMS), np.full(len(lost), GATE_LEVEL), rejects
        )
        return (np.flatnonzero(low > limit) + 1).tolist()

    return failing


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--histories", type=int, default=200)
    histories = parser.parse_args().histories
    ways = {"history": by_history, "gate, no limit": by_gate(0.0), "gate, 2 points": by_gate(DROP)}
    for name, draw in (("answers that vary", noisy), ("answers that hardly vary", steady)):
        print(f"{name}, {histories} histories")
        for way, shown in ways.items():
            rng = np.random.default_rng(0)
            alarms = sum(bool(shown(draw(rng, falls=False))) for _ in range(histories))
            runs = []
            for _ in range(histories):
                later = [run for run in shown(draw(rng, falls=True)) if run >= AT]
                runs.append(later[0] - AT + 1 if later else inf)
            ends = np.quantile(runs, [0.1, 0.5, 0.9], method="lower")
            false, found = 100 * alarms / histories, 100 * np.isfinite(runs).mean()
            print(
                f"  {way}: a drop in {false:.1f} % of unchanged ones; it is found in {found:.0f} %,", end=" "
            )
            print(f"after {ends[1]:.0f} runs ({ends[0]:.0f} to {ends[2]:.0f} in four of five)")


if __name__ == "__main__":
    main()
