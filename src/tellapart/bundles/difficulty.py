"""Levels of difficulty out of order: whether a model passes more of the items that should be harder."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from math import fsum, inf

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import stdtr

from tellapart.bundles.crossed import CrossedNoise, crossed_noise
from tellapart.core.arrays import F64
from tellapart.core.comparison.effects import claims
from tellapart.core.stats.intervals import NORMAL_95
from tellapart.core.stats.samples import Clusters, cluster_codes, unit_values, why_no_spread

_ROUNDING = 1e-12
_OVER_BOTH = "over seeds and items"


@dataclass(frozen=True)
class LevelItems:
    """The items of one level, as one model did on them.

    Attributes:
        passed: Shape (n,), each in [0, 1].
        clusters: Shape (n,), labels of items that share a source; None where each stands alone.
    """

    name: str
    passed: F64
    clusters: Clusters | None = None


@dataclass(frozen=True)
class RecordedRate:
    """A rate of which the items are not at hand.

    Attributes:
        rate: In [0, 1].
        n: Items, or None where nobody recorded them.
        margin: Half-width of the rate's 95 % interval over items, or None likewise.
    """

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
        reason: Why there is no test.
    """

    levels: tuple[str, str]
    rates: tuple[float, float]
    n: tuple[int | None, int | None]
    p_rises: float | None
    rises: bool
    noise: str = ""
    reason: str | None = None


def check_levels(levels: Sequence[LevelItems]) -> tuple[LevelStep, ...]:
    """Test of one model that the rate rises from no level to a harder one, the next or a later one.

    Args:
        levels: From the easiest to the hardest; each with an item or more.

    Returns:
        A step for every two levels, as `rate_fall` tests it, with Holm over the steps. Neighbours alone would
        miss a rate that creeps up.
    """
    falls = [rate_fall(a.passed, b.passed, a.clusters, b.clusters) for a, b in combinations(levels, 2)]
    corrected = claims([fall.p_rises for fall in falls])
    return tuple(
        LevelStep(
            levels=(a.name, b.name),
            rates=(float(a.passed.mean()), float(b.passed.mean())),
            n=fall.n,
            p_rises=claim.p_adjusted,
            rises=bool(claim.holds),
            reason=fall.reason,
        )
        for (a, b), fall, claim in zip(combinations(levels, 2), falls, corrected, strict=True)
    )


def check_recorded_levels(runs: Sequence[Mapping[str, RecordedRate]]) -> tuple[LevelStep, ...]:
    """Test the same by recorded rates: of one run, or of the runs of a condition over its seeds.

    Args:
        runs: Rates by level, from the easiest to the hardest, of one run or more; levels that a run lacks are
            left out.

    Returns:
        A step for every two levels. The noise is that of the seeds where there are two or more,
        and that of the items where their margins are recorded; with neither there is no test.
    """
    names = [name for name in runs[0] if all(name in run for run in runs)] if runs else []
    tested = [_recorded([(run[a], run[b]) for run in runs]) for a, b in combinations(names, 2)]
    corrected = claims([p for p, *_ in tested])
    return tuple(
        LevelStep(
            levels=two,
            rates=(_mean([run[two[0]].rate for run in runs]), _mean([run[two[1]].rate for run in runs])),
            n=(runs[0][two[0]].n, runs[0][two[1]].n),
            p_rises=claim.p_adjusted,
            rises=bool(claim.holds),
            noise=noise,
            reason=reason,
        )
        for two, claim, (_, noise, reason) in zip(combinations(names, 2), corrected, tested, strict=True)
    )


@dataclass(frozen=True)
class LevelRuns:
    """The items of one level in the runs of one condition.

    Attributes:
        passed: Shape (runs, items), each in [0, 1].
        clusters: Shape (items,), as in `LevelItems`.
    """

    name: str
    passed: F64
    clusters: Clusters | None = None


def check_levels_of_runs(levels: Sequence[LevelRuns]) -> tuple[LevelStep, ...]:
    """Test the same by the items of a condition's runs over its seeds.

    Args:
        levels: From the easiest to the hardest, of the same two runs or more; each with an item or more.

    Returns:
        A step for every two levels; the noise is that of seeds and items, see `CrossedNoise.margin`.
        Levels that share sources vary together, and then this claims too little rather than too much.
    """
    tested = [_over_runs(a, b) for a, b in combinations(levels, 2)]
    corrected = claims([p for p, _ in tested])
    return tuple(
        LevelStep(
            levels=(a.name, b.name),
            rates=(float(a.passed.mean()), float(b.passed.mean())),
            n=(a.passed.shape[1], b.passed.shape[1]),
            p_rises=claim.p_adjusted,
            rises=bool(claim.holds),
            noise=_OVER_BOTH,
            reason=reason,
        )
        for (a, b), claim, (_, reason) in zip(combinations(levels, 2), corrected, tested, strict=True)
    )


def _over_runs(a: LevelRuns, b: LevelRuns) -> tuple[float | None, str | None]:
    rises = b.passed.mean(axis=1) - a.passed.mean(axis=1)
    parts = [crossed_noise(level.passed, level.clusters) for level in (a, b)]
    if any(part.items_freedom == inf for part in parts):
        return None, "all items of a tier are of one source"
    noise = CrossedNoise(
        crossed_noise(rises[:, None]).runs,
        len(rises) - 1,
        sum(part.items for part in parts),
        sum(part.items_freedom for part in parts),
        sum(part.within for part in parts),
    )
    rise = float(rises.mean())
    if not noise.variance:
        return None, "the rates do not vary"
    return noise.tail(rise) if rise > 0 else 1 - noise.tail(-rise), None


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
    return f"tiers do not order difficulty for {_listed(models)}: {shown}{others}"


def _sentence(model: str, step: LevelStep) -> str:
    shown = [
        f"{100 * rate:.1f} % in {level}{'' if n is None else f' (n = {n})'}"
        for level, rate, n in zip(step.levels, step.rates, step.n, strict=True)
    ]
    p = step.p_rises or 0.0
    test = "p < 0.001" if p < 0.001 else f"p = {p:.3f}"
    noise = f", {step.noise}" if step.noise else ""
    return f"{f'{model} ' if model else ''}passes {shown[0]} and {shown[1]}, {test} of no rise{noise}"


def _listed(models: Sequence[str]) -> str:
    named = list(models[:3]) + ([f"{len(models) - 3} more"] if len(models) > 3 else [])
    return named[0] if len(named) == 1 else f"{', '.join(named[:-1])} and {named[-1]}"


def _recorded(
    pairs: Sequence[tuple[RecordedRate, RecordedRate]],
) -> tuple[float | None, str, str | None]:
    """One-sided p of no rise, what its noise is, and why there is none."""
    rises = [harder.rate - easier.rate for easier, harder in pairs]
    rise, runs = _mean(rises), len(rises)
    spread = (
        fsum((rise_of_run - rise) ** 2 for rise_of_run in rises) / (runs * (runs - 1)) if runs > 1 else 0.0
    )
    margins = [(easier.margin, harder.margin) for easier, harder in pairs]
    of_items = [[m for m in of_level if m is not None] for of_level in zip(*margins, strict=True)]
    has_items = all(len(of_level) == runs for of_level in of_items)
    items = sum((_mean(of_level) / NORMAL_95) ** 2 for of_level in of_items) if has_items else 0.0
    if max(spread, items) <= _ROUNDING**2:
        return None, "", "the number of items is not recorded" if runs < 2 else "the rates do not vary"
    noise = CrossedNoise(spread if spread > _ROUNDING**2 else 0.0, max(runs - 1, 1), items)
    p = noise.tail(rise) if rise > 0 else 1 - noise.tail(-rise)
    words = {(True, True): _OVER_BOTH, (True, False): "noise of seeds only"}
    return p, words.get((runs > 1, has_items), ""), None


def _mean(values: Sequence[float]) -> float:
    return fsum(values) / len(values)


@dataclass(frozen=True)
class RateFall:
    """How far the rate falls from one group to another.

    Attributes:
        fall: Rate of the first group minus rate of the second; ``None`` where a group is empty.
        p_falls: One-sided p of "it does not fall": small where it falls; ``None`` where ``reason`` says why.
        p_rises: One-sided p of "it does not rise"; 1 - ``p_falls``.
        n: Items of both groups.
        n_clusters: Clusters of both groups together.
        reason: Why there is no p.
    """

    fall: float | None
    p_falls: float | None
    p_rises: float | None
    n: tuple[int, int]
    n_clusters: int
    reason: str | None = None


def rate_fall(
    first: ArrayLike,
    second: ArrayLike,
    first_clusters: Clusters | None = None,
    second_clusters: Clusters | None = None,
) -> RateFall:
    """Test whether a rate falls from a group of items to another, where items may share sources.

    A score test: the variance of the difference is that of the deviations from the rate of both groups
    together, summed within each cluster, so it exists even where one group is all right and the other all
    wrong. A cluster may reach into both groups.

    Args:
        first: Shape (n,), each in [0, 1].
        second: Shape (m,), each in [0, 1].
        first_clusters: Shape (n,), any hashable labels; None, in both places, means that all stand alone.
        second_clusters: Shape (m,), labels of the same kind.

    Returns:
        The fall and its two one-sided p by Student's t with clusters - 1 degrees of freedom. No p, and a
        reason, where a group is empty, all items are in one cluster or nothing varies.

    Source:
        Boos 1992, "On generalized score tests", for a variance that does not trust the model; clusters
        and their G / (G - 1) as in Cameron and Miller 2015, section VI.
    """
    a, b = unit_values(first, "first"), unit_values(second, "second")
    sizes = (len(a), len(b))
    labels = None
    if first_clusters is not None and second_clusters is not None:
        labels = np.concatenate([np.asarray(first_clusters), np.asarray(second_clusters)])
    codes, n_clusters = cluster_codes(labels, sum(sizes))
    if not all(sizes):
        return RateFall(None, None, None, sizes, n_clusters, "a group is empty")
    fall = float(a.mean() - b.mean())
    if abs(fall) <= _ROUNDING:
        fall = 0.0
    both = np.concatenate([a, b])
    weights = np.repeat([1 / sizes[0], -1 / sizes[1]], sizes)
    sums = np.bincount(codes, weights=(both - both.mean()) * weights, minlength=n_clusters)
    reason = why_no_spread(len(both), n_clusters)
    variance = float(np.square(sums).sum()) * n_clusters / max(n_clusters - 1, 1)
    if not reason and variance <= 1e-24:
        reason = "the rates do not vary"
    if reason:
        return RateFall(fall, None, None, sizes, n_clusters, reason)
    statistic = fall / variance**0.5
    p_falls, p_rises = (float(stdtr(n_clusters - 1, sign * statistic)) for sign in (-1, 1))
    return RateFall(fall, p_falls, p_rises, sizes, n_clusters)
