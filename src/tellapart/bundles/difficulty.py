"""Levels of difficulty out of order: whether a model passes more of the items that should be harder."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from math import fsum, inf
from typing import NamedTuple

import numpy as np
from scipy.special import stdtr

from tellapart.bundles.crossed import CrossedNoise, crossed_noise
from tellapart.core.arrays import F64
from tellapart.core.comparison.effects import claims
from tellapart.core.stats.intervals import NORMAL_95, Clusters, cluster_codes, why_no_spread
from tellapart.report.numbers import listed

_ROUNDING = 1e-12
_OVER_BOTH = "over seeds and items"


class LevelItems(NamedTuple):
    """The items of one level; ``passed`` has shape (runs, items), ``clusters`` are their sources."""

    name: str
    passed: F64
    clusters: Clusters | None = None


class RecordedRate(NamedTuple):
    """A rate of which the items are not at hand; ``margin`` is half its 95 % interval over items."""

    rate: float
    n: int | None = None
    margin: float | None = None


@dataclass(frozen=True)
class LevelStep:
    """From a level to a harder one: whether the rate rises beyond noise, and the one-sided p of no rise.

    The p is after Holm over the model's steps; None where ``reason`` says why. ``noise`` is what the test
    allows for, where that is not the items alone.
    """

    levels: tuple[str, str]
    rates: tuple[float, float]
    n: tuple[int | None, int | None]
    p_rises: float | None
    rises: bool = False
    noise: str = ""
    reason: str | None = None


def check_levels(levels: Sequence[LevelItems]) -> tuple[LevelStep, ...]:
    """Test that the rate rises from no level, the easiest first, to a harder one, the next or a later one.

    Neighbours alone would miss a rate that creeps up. One run is tested by its items, several runs over seeds
    and items; see `CrossedNoise.margin`. Levels that share sources vary together, and then several runs claim
    too little rather than too much.
    """
    return _corrected([_items_step(a, b) for a, b in combinations(levels, 2)])


def check_recorded_levels(runs: Sequence[Mapping[str, RecordedRate]]) -> tuple[LevelStep, ...]:
    """Test the same by recorded rates, of one run or of the runs of a condition over its seeds.

    The noise is that of the seeds where there are two or more, and that of the items where their margins are
    recorded; with neither there is no test. Levels that a run lacks are left out.
    """
    names = [name for name in runs[0] if all(name in run for run in runs)] if runs else []
    return _corrected([_recorded_step(runs, a, b) for a, b in combinations(names, 2)])


def _corrected(steps: Sequence[LevelStep]) -> tuple[LevelStep, ...]:
    corrected = claims([step.p_rises for step in steps])
    return tuple(
        replace(step, p_rises=claim.p_adjusted, rises=bool(claim.holds))
        for step, claim in zip(steps, corrected, strict=True)
    )


def _items_step(a: LevelItems, b: LevelItems) -> LevelStep:
    step = LevelStep(
        (a.name, b.name),
        (float(a.passed.mean()), float(b.passed.mean())),
        (a.passed.shape[1], b.passed.shape[1]),
        None,
    )
    if len(a.passed) == 1:
        clusters = None if a.clusters is None or b.clusters is None else (a.clusters, b.clusters)
        p, reason = rise_p(a.passed[0], b.passed[0], clusters)
        return replace(step, p_rises=p, reason=reason)
    step = replace(step, noise=_OVER_BOTH)
    rises = b.passed.mean(axis=1) - a.passed.mean(axis=1)
    parts = [crossed_noise(level.passed, level.clusters) for level in (a, b)]
    if any(part.items_freedom == inf for part in parts):
        return replace(step, reason="all items of a tier are of one source")
    noise = CrossedNoise(
        crossed_noise(rises[:, None]).runs,
        len(rises) - 1,
        sum(part.items for part in parts),
        sum(part.items_freedom for part in parts),
        sum(part.within for part in parts),
    )
    if not noise.variance:
        return replace(step, reason="the rates do not vary")
    return replace(step, p_rises=noise.tail(float(rises.mean())))


def _recorded_step(runs: Sequence[Mapping[str, RecordedRate]], easier: str, harder: str) -> LevelStep:
    pairs = [(run[easier], run[harder]) for run in runs]
    rates = tuple(fsum(one.rate for one in level) / len(runs) for level in zip(*pairs, strict=True))
    step = LevelStep((easier, harder), (rates[0], rates[1]), (pairs[0][0].n, pairs[0][1].n), None)
    seeds = crossed_noise(np.array([[b.rate - a.rate] for a, b in pairs])) if len(runs) > 1 else None
    margins = [[one.margin for one in level if one.margin is not None] for level in zip(*pairs, strict=True)]
    has_items = all(len(of_level) == len(runs) for of_level in margins)
    items = sum((fsum(of) / len(of) / NORMAL_95) ** 2 for of in margins) if has_items else 0.0
    over_seeds = seeds.runs if seeds else 0.0
    if max(over_seeds, items) <= _ROUNDING**2:
        return replace(
            step, reason="the rates do not vary" if seeds else "the number of items is not recorded"
        )
    noise = CrossedNoise(over_seeds, max(len(runs) - 1, 1), items)
    covers = (_OVER_BOTH if has_items else "noise of seeds only") if seeds else ""
    return replace(step, p_rises=noise.tail(rates[1] - rates[0]), noise=covers)


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
