"""What earlier models' scores buy: for telling two new models apart, and for the score of one.

A bank of items has the scores of earlier models. For a *difference*, items on which earlier models split most
are asked in place of random ones: how many random items are worth as much? For *one score*, random items are
asked, and the mean of earlier models on each item corrects the estimate: a regression estimator over the
known bank, with an interval that knows the bank is finite. Banks are simulated with two parameters an item;
where its directory is given, AlpacaEval 2.0 is one too, as in boards.py.

Usage: python benchmarks/item_choice.py [DIRECTORY]
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import polars as pl
from scipy.special import expit, stdtrit

from tellapart.core.arrays import F64
from tellapart.core.randomness import generator

EARLIER, ASKED, DRAWS = 20, 100, 2_000
BANK = 2_000


def main(directory: str = "") -> int:
    """Print both tables."""
    print(f"{EARLIER} earlier models; {DRAWS} draws a row")
    print("a difference, by the items that earlier models split on: worth so many times random items")
    for where, level in (("typical", 0.0), ("frontier", 2.5)):
        worth = [difference(generator(seed, "difference", where), level) for seed in range(DRAWS // 10)]
        print(f"  {where:<10} median {np.median(worth):.2f}, worst tenth {np.quantile(worth, 0.1):.2f}")
    print(f"one score, from {ASKED} random items: coverage of 95 %, plain and corrected; worth so many times")
    for where, level in (("typical", 0.0), ("frontier", 2.5)):
        bank, chances = bank_of(generator(1, "bank", where), [*([None] * EARLIER), *([level] * 40)])
        score_rows(f"bank of {BANK}, {where}", bank, chances[EARLIER:])
    if directory:
        frame = pl.read_csv(Path(directory, "alpaca-eval-2-scores.csv")).drop_nulls()
        scores = frame.drop("item", "dataset", "gpt4_1106_preview").to_numpy().T.astype(np.float64)
        by_mean = scores[np.argsort(scores.mean(axis=1))]
        middle = generator(2, "alpaca").permutation(len(by_mean) - 8)
        score_rows("AlpacaEval, typical", by_mean[middle[:EARLIER]], by_mean[middle[EARLIER:]])
        score_rows("AlpacaEval, the 8 best", by_mean[middle[:EARLIER]], by_mean[-8:])
    return 0


def bank_of(rng: np.random.Generator, levels: list[float | None]) -> tuple[F64, F64]:
    """Scores of the first models and, of all, one answer to every item of a bank; None is a usual ability."""
    ability = np.array([rng.normal() if level is None else level + 0.3 * rng.normal() for level in levels])
    slope, place = np.exp(0.3 * rng.standard_normal(BANK)), rng.standard_normal(BANK)
    right = (rng.random((len(levels), BANK)) < expit(slope * (ability[:, None] - place))).astype(np.float64)
    return right[:EARLIER], right


def difference(rng: np.random.Generator, level: float, gap: float = 0.4) -> float:
    """How many random items one of the 200 that earlier models split on most is worth, for a difference."""
    ability = np.array([*rng.standard_normal(EARLIER), level + gap / 2, level - gap / 2])
    slope, place = np.exp(0.3 * rng.standard_normal(BANK)), rng.standard_normal(BANK)
    chance = expit(slope * (ability[:, None] - place))
    right = rng.random((EARLIER, BANK)) < chance[:EARLIER]
    split = right.mean(axis=0) * (1 - right.mean(axis=0))
    chosen = np.argsort(-split, kind="stable")[:200]
    return _power(chance[-2:, chosen]) / _power(chance[-2:])


def _power(chance: F64) -> float:
    """Squared mean difference over its variance, an item."""
    gap = chance[0] - chance[1]
    differ = chance[0] * (1 - chance[1]) + chance[1] * (1 - chance[0])
    return float(gap.mean() ** 2 / (differ.mean() - gap.mean() ** 2))


def score_rows(name: str, earlier: F64, new: F64) -> None:
    """Print coverage, and the ratio of squared widths, of the plain and the corrected estimate."""
    rng = generator(3, name)
    easy = earlier.mean(axis=0)
    covered, widths = np.zeros(2), np.zeros(2)
    for draw in range(DRAWS):
        scores = new[draw % len(new)]
        asked = rng.choice(len(scores), ASKED, replace=False)
        for at, estimate in enumerate((plain, corrected)):
            value, half = estimate(scores[asked], easy[asked], easy)
            covered[at] += abs(value - scores.mean()) <= half
            widths[at] += half**2
    print(
        f"  {name:<28} coverage {covered[0] / DRAWS:.1%} and {covered[1] / DRAWS:.1%}; "
        f"worth {widths[0] / widths[1]:.2f} times the items"
    )


def plain(scores: F64, easy: F64, bank: F64) -> tuple[float, float]:
    """The mean, and half of its 95 % interval for a finite bank."""
    n = len(scores)
    half = stdtrit(n - 1, 0.975) * scores.std(ddof=1) * ((1 - n / len(bank)) / n) ** 0.5
    return float(scores.mean()), float(half)


def corrected(scores: F64, easy: F64, bank: F64) -> tuple[float, float]:
    """The regression estimate of the bank's mean, and half of its interval."""
    n = len(scores)
    around = easy - easy.mean()
    slope = float(around @ scores / (around @ around))
    residual = scores - scores.mean() - slope * around
    error = (float(residual @ residual) / (n - 2)) ** 0.5 * ((1 - n / len(bank)) / n) ** 0.5
    # A sample whose items are not as easy as the bank's is as far off as the slope is.
    lever = (1 + n * (bank.mean() - easy.mean()) ** 2 / float(around @ around)) ** 0.5
    half = stdtrit(n - 2, 0.975) * error * lever
    return float(scores.mean() + slope * (bank.mean() - easy.mean())), float(half)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
