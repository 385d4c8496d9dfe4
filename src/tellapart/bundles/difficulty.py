"""Levels of difficulty out of order: whether a model passes more of the items that should be harder."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from math import fsum, inf
from typing import TypeAlias

import numpy as np
from scipy.special import stdtr

from tellapart.bundles.crossed import CrossedNoise, crossed_noise
from tellapart.core.arrays import F64
from tellapart.core.comparison.effects import claims
from tellapart.core.stats.intervals import NORMAL_95
from tellapart.core.stats.samples import Clusters, cluster_codes, why_no_spread
from tellapart.report.numbers import listed

_ROUNDING = 1e-12
_OVER_BOTH = "over seeds and items"

_Tested: TypeAlias = tuple[float | None, str, str | None]
"""One-sided p of "the rate does not rise", its noise if it is not the items alone, and why there is no p."""


@dataclass(frozen=True)
class LevelItems:
    """The items of one level in one run of a model, or in several runs of a condition.

    Attributes:
        passed: Shape (runs, items), each in [0, 1]; an item or more.
        clusters: Shape (items,), labels of items that share a source; None where each stands alone.
    """

    name: str
    passed: F64
    clusters: Clusters | None = None


@dataclass(frozen=True)
class RecordedRate:
    """A rate of which the items are not at hand; ``margin`` is half its 95 % interval over items."""

    rate: float
    n: int | None = None
    margin: float | None = None


@dataclass(frozen=True)
class LevelStep:
    """From a level to a harder one, both with items.

    Attributes:
        levels: The two, the easier one first.
        rates: Of each, in [0, 1].
        n: Items in each, or None.
        p_rises: One-sided p of "the rate does not rise", after Holm over the model's steps; None where
            ``reason`` says why.
        rises: Whether it does rise, beyond noise.
        noise: What the test allows for, where that is not the items alone; or empty.
    """

    levels: tuple[str, str]
    rates: tuple[float, float]
    n: tuple[int | None, int | None]
    p_rises: float | None
    rises: bool
    noise: str = ""
    reason: str | None = None


def check_levels(levels: Sequence[LevelItems]) -> tuple[LevelStep, ...]:
    """Test that the rate rises from no level, the easiest first, to a harder one, the next or a later one.

    Neighbours alone would miss a rate that creeps up. One run is tested by its items, several runs over seeds
    and items; see `CrossedNoise.margin`. Levels that share sources vary together, and then several runs claim
    too little rather than too much.
    """
    pairs = list(combinations(levels, 2))
    tested = [_one_run(a, b) if len(a.passed) == 1 else _several_runs(a, b) for a, b in pairs]
    rates = [(float(a.passed.mean()), float(b.passed.mean())) for a, b in pairs]
    sizes = [(a.passed.shape[1], b.passed.shape[1]) for a, b in pairs]
    return _steps([(a.name, b.name) for a, b in pairs], rates, sizes, tested)


def check_recorded_levels(runs: Sequence[Mapping[str, RecordedRate]]) -> tuple[LevelStep, ...]:
    """Test the same by recorded rates, of one run or of the runs of a condition over its seeds.

    The noise is that of the seeds where there are two or more, and that of the items where their margins are
    recorded; with neither there is no test. Levels that a run lacks are left out.
    """
    names = [name for name in runs[0] if all(name in run for run in runs)] if runs else []
    pairs = list(combinations(names, 2))
    means = {name: _mean([run[name].rate for run in runs]) for name in names}
    return _steps(
        pairs,
        [(means[a], means[b]) for a, b in pairs],
        [(runs[0][a].n, runs[0][b].n) for a, b in pairs],
        [_recorded([(run[a], run[b]) for run in runs]) for a, b in pairs],
    )


def _steps(
    levels: Sequence[tuple[str, str]],
    rates: Sequence[tuple[float, float]],
    sizes: Sequence[tuple[int | None, int | None]],
    tested: Sequence[_Tested],
) -> tuple[LevelStep, ...]:
    corrected = claims([p for p, *_ in tested])
    return tuple(
        LevelStep(two, of_two, n, claim.p_adjusted, bool(claim.holds), noise, reason)
        for two, of_two, n, claim, (_, noise, reason) in zip(
            levels, rates, sizes, corrected, tested, strict=True
        )
    )


def _one_run(a: LevelItems, b: LevelItems) -> _Tested:
    clusters = None if a.clusters is None or b.clusters is None else (a.clusters, b.clusters)
    p, reason = rise_p(a.passed[0], b.passed[0], clusters)
    return p, "", reason


def _several_runs(a: LevelItems, b: LevelItems) -> _Tested:
    rises = b.passed.mean(axis=1) - a.passed.mean(axis=1)
    parts = [crossed_noise(level.passed, level.clusters) for level in (a, b)]
    if any(part.items_freedom == inf for part in parts):
        return None, _OVER_BOTH, "all items of a tier are of one source"
    noise = CrossedNoise(
        crossed_noise(rises[:, None]).runs,
        len(rises) - 1,
        sum(part.items for part in parts),
        sum(part.items_freedom for part in parts),
        sum(part.within for part in parts),
    )
    if not noise.variance:
        return None, _OVER_BOTH, "the rates do not vary"
    return _tail(noise, float(rises.mean())), _OVER_BOTH, None


def _recorded(pairs: Sequence[tuple[RecordedRate, RecordedRate]]) -> _Tested:
    rises = [harder.rate - easier.rate for easier, harder in pairs]
    rise, runs = _mean(rises), len(rises)
    spread = fsum((one - rise) ** 2 for one in rises) / (runs * (runs - 1)) if runs > 1 else 0.0
    margins = zip(*((easier.margin, harder.margin) for easier, harder in pairs), strict=True)
    of_items = [[margin for margin in of_level if margin is not None] for of_level in margins]
    has_items = all(len(of_level) == runs for of_level in of_items)
    items = sum((_mean(of_level) / NORMAL_95) ** 2 for of_level in of_items) if has_items else 0.0
    if max(spread, items) <= _ROUNDING**2:
        return None, "", "the number of items is not recorded" if runs < 2 else "the rates do not vary"
    noise = CrossedNoise(spread if spread > _ROUNDING**2 else 0.0, max(runs - 1, 1), items)
    covers = (_OVER_BOTH if has_items else "noise of seeds only") if runs > 1 else ""
    return _tail(noise, rise), covers, None


def _tail(noise: CrossedNoise, rise: float) -> float:
    return noise.tail(rise) if rise > 0 else 1 - noise.tail(-rise)


def _mean(values: Sequence[float]) -> float:
    return fsum(values) / len(values)


def rise_p(
    first: F64, second: F64, clusters: tuple[Clusters, Clusters] | None = None
) -> tuple[float | None, str | None]:
    """Give the one-sided p of "the rate does not rise from one group of items to another", or why not.

    A score test: the variance of the difference is that of the deviations from the rate of both groups
    together, summed within each cluster, so it exists even where one group is all right and the other all
    wrong. A cluster may reach into both groups. Student's t with clusters - 1 degrees of freedom.

    Source:
        Boos 1992, "On generalized score tests", for a variance that does not trust the model; clusters
        and their G / (G - 1) as in Cameron and Miller 2015, section VI.
    """
    both, sizes = np.concatenate([first, second]), (len(first), len(second))
    labels = None if clusters is None else np.concatenate([np.asarray(of_group) for of_group in clusters])
    codes, n_clusters = cluster_codes(labels, sum(sizes))
    if not all(sizes):
        return None, "a group is empty"
    weights = np.repeat([1 / sizes[0], -1 / sizes[1]], sizes)
    sums = np.bincount(codes, weights=(both - both.mean()) * weights, minlength=n_clusters)
    if reason := why_no_spread(len(both), n_clusters):
        return None, reason
    variance = float(np.square(sums).sum()) * n_clusters / max(n_clusters - 1, 1)
    if variance <= _ROUNDING**2:
        return None, "the rates do not vary"
    fall = float(first.mean() - second.mean())
    return float(stdtr(n_clusters - 1, (fall if abs(fall) > _ROUNDING else 0.0) / variance**0.5)), None


def disorder(steps: Mapping[str, Sequence[LevelStep]]) -> str | None:
    """Say for which models levels do not order difficulty, with the test that shows it.

    Args:
        steps: By model, as one of the functions above tested them.

    Returns:
        A sentence without a full stop that names every such model, with the figures of the clearest rises;
        None where no rate rises beyond noise. Equal rates, and a step that has no test, are no disorder.
    """
    rising = [
        (step.p_rises or 0.0, model, step)
        for model, model_steps in steps.items()
        for step in model_steps
        if step.rises
    ]
    if not rising:
        return None
    models = list(dict.fromkeys(model for _, model, _ in rising))
    rising.sort(key=lambda rise: rise[0])
    shown = "; ".join(_sentence(model if len(models) > 1 else "", step) for _, model, step in rising[:2])
    others = f"; and {len(rising) - 2} more" if len(rising) > 2 else ""
    return f"tiers do not order difficulty for {listed(models, most=3)}: {shown}{others}"


def _sentence(model: str, step: LevelStep) -> str:
    shown = [
        f"{100 * rate:.1f} % in {level}{'' if n is None else f' (n = {n})'}"
        for level, rate, n in zip(step.levels, step.rates, step.n, strict=True)
    ]
    p = step.p_rises or 0.0
    test = "p < 0.001" if p < 0.001 else f"p = {p:.3f}"
    noise = f", {step.noise}" if step.noise else ""
    return f"{f'{model} ' if model else ''}passes {shown[0]} and {shown[1]}, {test} of no rise{noise}"
