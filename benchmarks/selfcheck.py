"""The audit held against worlds whose truth is known: how often it is wrong, and whether its advice is right.

- No difference: of tables in which all models are equal, at most 5 % may have a pair that is said to differ.
- Just not equivalent: of tables in which the difference is the smallest that matters, at most 5 % may have
  their pair called equivalent.
- Planted difference: of tables of as many items as were advised, at least 80 % must separate their pair.
- Advice: the number of items advised is within 15 % of the number that reaches 80 %, found by bisection.

Advice is taken from one table of many items, so that it is the rule that is checked and not the luck of a
pilot. Shares are compared by exact binomial tests: a check fails where luck would explain its share less than
once in 1,000 times. All draws are seeded. The exit code is 1 where a check fails.

Usage: python benchmarks/selfcheck.py [TABLES]
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import NDArray
from scipy.stats import binom

from tellapart.audit.options import AuditOptions
from tellapart.audit.pairs import Pair, Verdict
from tellapart.core.comparison.compare import primary_family
from tellapart.core.randomness import generator
from tellapart.core.score_grid import ScoreGrid

F64 = NDArray[np.float64]
Draw = Callable[[np.random.Generator, int, float], ScoreGrid]

TABLES = 1_000
PILOT_ITEMS = 2_000_000
ALPHA, POWER, WITHIN = 0.05, 0.8, 0.15
LUCK = 0.001


@dataclass(frozen=True)
class Check:
    """A line of the table.

    Attributes:
        about: What was checked.
        found: What came out.
        wanted: What had to.
        is_met: Whether it did.
    """

    about: str
    found: str
    wanted: str
    is_met: bool


def grid(
    scores: F64, clusters: NDArray[np.int64] | None = None, answer_variance: F64 | None = None
) -> ScoreGrid:
    """Lay scores of models (down) on items (across) out; NaN is missing; limits are 0 and 1."""
    models, items = scores.shape
    known = ~np.isnan(scores)
    nothing = np.full(scores.shape, np.nan)
    return ScoreGrid(
        models=tuple(f"m{model}" for model in range(models)),
        items=np.arange(items).astype(object),
        scores=scores,
        answers=known.astype(np.int64),
        low=np.where(known, scores, 0.0),
        high=np.where(known, scores, 1.0),
        answer_variance=nothing if answer_variance is None else answer_variance,
        grading_variance=nothing,
        gradings=np.where(known, 1.0, np.nan),
        clusters=np.arange(items) if clusters is None else clusters,
        strata={},
        answer_strata=(),
        missing={},
        limits=(0.0, 1.0),
    )


def expected(rng: np.random.Generator, models: int, items: int, gap: float) -> F64:
    """Expected scores in [0.1, 0.9] less half the gap: items differ, and the first model is better by it."""
    base = np.broadcast_to(rng.uniform(0.1 + gap, 0.9 - gap, items), (models, items))
    return base + gap / 2 * np.where(np.arange(models) == 0, 1, -1)[:, None]


def right_or_wrong(
    rng: np.random.Generator, items: int, gap: float, models: int = 2, lost: float = 0
) -> ScoreGrid:
    """Scores of 0 and 1, some of them lost by chance."""
    scores = (rng.random((models, items)) < expected(rng, models, items, gap)).astype(np.float64)
    scores[rng.random(scores.shape) < lost] = np.nan
    return grid(scores)


def graded(rng: np.random.Generator, items: int, gap: float, models: int = 2) -> ScoreGrid:
    """Scores anywhere from 0 to 1, most of them below what is expected and a few far above."""
    luck = 0.4 * (rng.beta(1, 4, (models, items)) - 0.2)
    return grid(0.1 + 0.6 * expected(rng, models, items, gap / 0.6) + luck)


def clustered(
    rng: np.random.Generator, items: int, gap: float, size: int = 8, uneven: bool = False
) -> ScoreGrid:
    """Scores of 0 and 1 on items in clusters that one model likes better than the other."""
    clusters = np.arange(items) // size
    if uneven:
        clusters = np.sort(rng.integers(0, max(2, items // size), items))
    taste = 0.3 * (rng.random((2, items)) - 0.5)[:, clusters]
    chance = 0.2 + 0.6 * expected(rng, 2, items, gap / 0.6) + taste
    return grid((rng.random((2, items)) < chance).astype(np.float64), clusters)


def replicated(rng: np.random.Generator, items: int, gap: float, answers: int = 3) -> ScoreGrid:
    """Means of several answers, each right or wrong."""
    chance = expected(rng, 2, items, gap)
    right = (rng.random((answers, 2, items)) < chance).astype(np.float64)
    return grid(right.mean(axis=0), answer_variance=right.var(axis=0, ddof=1))


EQUAL: dict[str, tuple[int, Draw]] = {
    "0/1, 2 models, 60 items": (60, right_or_wrong),
    "0/1, 2 models, 400 items": (400, right_or_wrong),
    "0/1, 6 models, 200 items": (200, partial(right_or_wrong, models=6)),
    "graded, 2 models, 12 items": (12, graded),
    "graded, 2 models, 100 items": (100, graded),
    "graded, 6 models, 300 items": (300, partial(graded, models=6)),
    "0/1 in even clusters of 8, 320 items": (320, clustered),
    "0/1 in uneven clusters, 160 items": (160, partial(clustered, uneven=True)),
    "3 replicates, 150 items": (150, replicated),
    "0/1, 3 models, 2 % missing, 300 items": (300, partial(right_or_wrong, models=3, lost=0.02)),
}
"""Worlds without a difference."""

UNEQUAL: dict[str, tuple[float, Draw]] = {
    "0/1": (0.08, right_or_wrong),
    "graded": (0.012, graded),
    "graded, few items": (0.02, graded),
    "0/1 in clusters of 8": (0.05, clustered),
    "3 replicates": (0.06, replicated),
}
"""Worlds with a planted difference."""

BARELY: dict[str, tuple[int, float, Draw]] = {
    "0/1": (1_600, 0.05, right_or_wrong),
    "graded": (220, 0.02, graded),
    "0/1 in clusters of 8": (2_480, 0.05, clustered),
    "3 replicates": (580, 0.05, replicated),
}
"""Worlds whose difference is the smallest that matters; more items would separate the pair, whose difference
could then not be called equivalence, and fewer could not show equivalence at all."""


def judged(
    draw: Draw, items: int, gap: float, tables: int, name: str, sesoi: float = 0.02
) -> Iterator[list[Pair]]:
    """Judge tables, each drawn from a seed of its own."""
    for table in range(tables):
        options = AuditOptions(sesoi=sesoi, alpha=ALPHA, power=POWER, seed=table)
        yield judge(draw(generator(table, name), items, gap), options)


def separated(draw: Draw, items: int, gap: float, tables: int, name: str) -> int:
    """Count the tables that have a pair of which one is said to be better."""
    return sum(any(p.is_separated for p in pairs) for pairs in judged(draw, items, gap, tables, name))


def at_most(wrong: int, tables: int, about: str) -> Check:
    """Check that mistakes are no more frequent than ``ALPHA``, but for luck."""
    met = bool(binom.sf(wrong - 1, tables, ALPHA) >= LUCK)
    return Check(about, f"{wrong / tables:.1%}", f"at most {ALPHA:.0%}", met)


def no_difference(tables: int) -> Iterator[Check]:
    """Check that models that are equal are not said to differ, missing scores or not."""
    for name, (items, draw) in EQUAL.items():
        yield at_most(separated(draw, items, 0.0, tables, name), tables, f"no difference: {name}")
    name, (items, draw) = next(reversed(EQUAL.items()))
    pairs = judged(draw, items, 0.0, tables, name)
    wrong = sum(any(p.p_holm is not None and p.p_holm <= ALPHA for p in found) for found in pairs)
    yield at_most(wrong, tables, "the same, before bounds withhold a verdict")


def just_not_equivalent(tables: int) -> Iterator[Check]:
    """Check that a difference of just the smallest that matters is not called equivalence."""
    for name, (items, gap, draw) in BARELY.items():
        found = judged(draw, items, gap, tables, f"barely {name}", sesoi=gap)
        wrong = sum(pairs[0].verdict is Verdict.EQUIVALENT for pairs in found)
        yield at_most(wrong, tables, f"just not equivalent: {name}, {items} items")
        shown = sum(
            pairs[0].verdict is Verdict.EQUIVALENT
            for pairs in judged(draw, items, 0.0, tables, name, sesoi=gap)
        )
        yield Check(
            f"equal, and said so: {name}, {items} items",
            f"{shown / tables:.1%}",
            "over 50 %",
            2 * shown > tables,
        )


def advice(tables: int) -> Iterator[Check]:
    """Check that the number of items advised reaches the power, and that no much smaller number does."""
    for name, (gap, draw) in UNEQUAL.items():
        pilot = next(judged(draw, PILOT_ITEMS, gap, 1, f"pilot {name}"))[0]
        advised = pilot.items_needed or 0
        found = separated(draw, advised, gap, tables, f"advised {name}")
        met = bool(binom.cdf(found, tables, POWER) >= LUCK)
        yield Check(
            f"power of the {advised} items advised: {name}",
            f"{found / tables:.1%}",
            f"at least {POWER:.0%}",
            met,
        )
        true = enough(draw, gap, tables, name, advised)
        away = advised / true - 1
        yield Check(
            f"items advised: {name}, truly {true}",
            f"{away:+.1%}",
            f"within {WITHIN:.0%}",
            abs(away) <= WITHIN,
        )


def enough(draw: Draw, gap: float, tables: int, name: str, start: int) -> int:
    """Find the number of items that reaches ``POWER`` by bisection between half and twice a first guess."""
    low, high = start // 2, 2 * start
    while high - low > 0.03 * start:
        middle = (low + high) // 2
        if separated(draw, middle, gap, tables, f"bisected {name}") < POWER * tables:
            low = middle
        else:
            high = middle
    return high


def checks(tables: int) -> Iterator[Check]:
    """Run every check on as many tables each."""
    yield from no_difference(tables)
    yield from just_not_equivalent(tables)
    yield from advice(tables)


def main(tables: int = TABLES) -> int:
    """Print the table and give the exit code."""
    failed = 0
    print(f"{tables} tables a check\n")
    for check in checks(tables):
        failed += not check.is_met
        mark = "  " if check.is_met else "x "
        print(f"{mark}{check.about:<60} {check.found:>7}  {check.wanted}", flush=True)
    print(f"\n{failed} failed" if failed else "\nall met")
    return int(failed > 0)


if __name__ == "__main__":
    sys.exit(main(*map(int, sys.argv[1:])))
