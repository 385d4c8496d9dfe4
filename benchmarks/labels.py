"""Judges that err, corrected by people's labels of some answers, held against worlds whose truth is known.

All models are equal by people's scores. The judge agrees with people by kappa, and scores the first model 12
points too high. Counted are the tables in which any pair is said to differ, by the judge alone and corrected,
the intervals that hold the truth, and how wide they are beside those of the labels alone (Student's t).

- False claims: at most 5 % with 60 labels on 600 items, where those of the judge alone are above 80 %.
- Coverage: at least 93 % from 20 labels on.
- A good judge (kappa .8 or more): at most half of the labels for the interval that labels alone reach.
- A useless judge: at most 3 % wider than labels alone.

Shares are compared by exact binomial tests, as in `selfcheck.py`. The exit code is 1 where a check fails.

Usage: python benchmarks/labels.py [TABLES]
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import dataclass, replace
from math import sqrt

import numpy as np
from scipy.stats import binom, t

from tellapart.core.comparison import compare
from tellapart.core.comparison.labels import corrected_difference
from tellapart.core.randomness import generator
from tellapart.core.score_grid import ScoreGrid
from worlds import grid

TABLES, LUCK = 400, 0.001
ITEMS, BIAS = 600, 0.12


@dataclass(frozen=True)
class World:
    """Equal models, a judge and labels.

    Attributes:
        kappa: Of the judge with people, before its bias.
        bias: How much higher it scores the first model.
        alike: How much of a model's success is the item's difficulty, which all models share, from 0 to 1.
        sources: In which items are, each suiting one model better than another; None for items alone.
        uneven: Whether items on which the judge scores models differently are labelled three times as often.
    """

    kappa: float = 0.8
    bias: float = BIAS
    labels: int = 60
    models: int = 2
    graded: bool = False
    alike: float = 0.5
    sources: int | None = None
    uneven: bool = False

    def draw(self, rng: np.random.Generator) -> ScoreGrid:
        """Draw a table."""
        shape = (self.models, ITEMS)
        clusters = np.arange(ITEMS) if self.sources is None else rng.integers(0, self.sources, ITEMS)
        able = sqrt(self.alike) * rng.normal(size=ITEMS) + sqrt(1 - self.alike) * rng.normal(size=shape)
        if self.sources is not None:
            able += 0.3 * rng.normal(size=(self.models, self.sources))[:, clusters]
        if self.graded:
            human = np.clip(0.6 + 0.15 * able, 0, 1)
            judged = np.clip(human + (1 - self.kappa) * 0.4 * rng.normal(size=shape), 0, 1)
            judged[0] = np.clip(judged[0] + self.bias, 0, 1)
        else:
            human = (able > -0.3).astype(np.float64)
            # A judge that says right as often as people do has this kappa if it guesses so often.
            guess = rng.random(shape) < human.mean()
            judged = np.where(rng.random(shape) < self.kappa, human, guess).astype(np.float64)
            lifted = rng.random(ITEMS) < self.bias / max(1e-9, 1 - judged[0].mean())
            judged[0, lifted] = 1.0
        chance = np.ones(ITEMS)
        if self.uneven:
            chance = np.where(np.ptp(judged, axis=0) > 0, 3.0, 1.0)
        chance *= self.labels / chance.sum()
        # Systematic in random order, so that as many are drawn as are wanted.
        order = rng.permutation(ITEMS)
        ends = np.floor(np.cumsum(chance[order]) + rng.random())
        drawn = np.zeros(ITEMS, dtype=np.bool_)
        drawn[order] = np.diff(ends, prepend=0.0) > 0
        return replace(
            grid(judged, clusters),
            human=np.where(drawn, human, np.nan),
            label_probability=chance if self.uneven else None,
        )


def claims(world: World, tables: int, name: str) -> tuple[float, float]:
    """Give the shares of tables in which any pair is said to differ, by the judge alone and corrected."""
    by_judge = corrected = 0
    for table in drawn(world, tables, name):
        alone = replace(table, human=None, label_probability=None)
        by_judge += bool(compare(alone, secondary=False).primary.separated)
        corrected += bool(compare(table, secondary=False).primary.separated)
    return by_judge / tables, corrected / tables


def intervals(world: World, tables: int, name: str) -> tuple[float, float]:
    """Give the share of intervals that hold 0, and their median width beside that of the labels alone."""
    covered, widths = 0, []
    for table in drawn(world, tables, name):
        pair = corrected_difference(table, 0, 1)
        assert pair is not None and table.human is not None
        interval = pair.interval()
        covered += 0.0 in interval
        gaps = table.human[0] - table.human[1]
        gaps = gaps[~np.isnan(gaps)]
        half = t.ppf(0.975, len(gaps) - 1) * gaps.std(ddof=1) / sqrt(len(gaps))
        widths.append((interval.high - interval.low) / 2 / half if half else np.inf)
    return covered / tables, float(np.median(widths))


def drawn(world: World, tables: int, name: str) -> Iterator[ScoreGrid]:
    """Draw a world's tables."""
    return (world.draw(generator(1, "labels", name, str(number))) for number in range(tables))


FALSE: dict[str, World] = {
    "0/1": World(),
    "0/1, a good judge": World(kappa=0.95),
    "graded": World(graded=True),
    "0/1, 4 models": World(models=4),
    "graded, 4 models": World(graded=True, models=4),
    "0/1, 20 sources": World(sources=20),
    "0/1, labels with unequal chances": World(uneven=True),
}
COVERED: dict[str, World] = {
    f"{kind}, kappa {kappa:g}, {labels} labels": World(
        kappa=kappa, labels=labels, graded=kind == "graded", bias=0.06
    )
    for kind in ("0/1", "graded")
    for kappa in (0.8, 1.0)
    for labels in (20, 40)
}
KAPPAS = (0.0, 0.2, 0.4, 0.6, 0.8, 0.9, 0.95)


def checks(tables: int) -> Iterator[tuple[str, str, bool]]:
    """Run every check: its world, what came out, and whether that is as it must be."""
    wrong = binom.isf(LUCK, tables, 0.05) / tables
    missed = binom.isf(LUCK, tables, 0.07) / tables
    for name, world in FALSE.items():
        by_judge, corrected = claims(world, tables, name)
        text = f"false claims {corrected:.1%} (at most 5 %), by the judge alone {by_judge:.1%} (above 80 %)"
        yield name, text, corrected <= wrong and by_judge > 0.8
    for name, world in COVERED.items():
        covered, width = intervals(world, tables, name)
        yield name, f"coverage {covered:.1%} (at least 93 %), width {width:.2f}", 1 - covered <= missed
    for alike in (0.0, 0.5):
        for kappa in KAPPAS:
            name = f"kappa {kappa:g}, share of difficulty {alike:g}"
            covered, width = intervals(World(kappa=kappa, bias=0.0, alike=alike), tables, name)
            # Twice the labels make an interval narrower by the root of 2.
            most = sqrt(0.5) if kappa >= 0.8 and not alike else 1.03
            yield name, f"width {width:.3f} (at most {most:.3f}), coverage {covered:.1%}", width <= most


def main(tables: int = TABLES) -> int:
    """Print every check."""
    print(f"{tables} tables each of {ITEMS} items; widths are beside those of as many labels alone")
    good = True
    for name, text, is_met in checks(tables):
        print(f"{name:<40}{text}{'' if is_met else '  FAILED'}", flush=True)
        good &= is_met
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main(*map(int, sys.argv[1:])))
