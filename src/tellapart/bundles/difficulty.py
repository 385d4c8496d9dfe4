"""Tiers out of order: whether a model passes more of the bundles that should be harder."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import NamedTuple

import numpy as np
from scipy.special import stdtr

from tellapart.core.arrays import F64
from tellapart.core.comparison.effects import claims
from tellapart.core.stats.intervals import Clusters, cluster_codes, why_no_spread
from tellapart.report.numbers import listed

_ROUNDING = 1e-12


class LevelItems(NamedTuple):
    """The items of one level: the share of runs that pass each, shape (items,), and their sources."""

    name: str
    passed: F64
    clusters: Clusters | None = None


@dataclass(frozen=True)
class LevelStep:
    """From a level to a harder one: whether the rate rises; the p of no rise is after Holm over the steps."""

    levels: tuple[str, str]
    rates: tuple[float, float]
    n: tuple[int | None, int | None]
    p_rises: float | None
    rises: bool
    reason: str | None = None


def check_levels(levels: Sequence[LevelItems]) -> tuple[LevelStep, ...]:
    """Test that the rate rises from no level to a harder one; neighbours alone would miss a slow rise."""
    pairs = list(combinations(levels, 2))
    tests = []
    for a, b in pairs:
        clusters = None if a.clusters is None or b.clusters is None else (a.clusters, b.clusters)
        tests.append(rise_p(a.passed, b.passed, clusters))
    corrected = claims([p for p, _ in tests])
    return tuple(
        LevelStep(
            (a.name, b.name),
            (float(a.passed.mean()), float(b.passed.mean())),
            (len(a.passed), len(b.passed)),
            claim.p_adjusted,
            bool(claim.holds),
            reason,
        )
        for (a, b), (_, reason), claim in zip(pairs, tests, corrected, strict=True)
    )


def recorded_steps(rates: Mapping[str, float]) -> tuple[LevelStep, ...]:
    """Say where recorded rates rise from a level, the easiest first, to the next, without a test."""
    levels = list(rates.items())
    why = "the scores of bundles are not recorded"
    return tuple(
        LevelStep((a, b), (first, second), (None, None), None, second > first + _ROUNDING, why)
        for (a, first), (b, second) in zip(levels, levels[1:], strict=False)
    )


def rise_p(
    first: F64, second: F64, clusters: tuple[Clusters, Clusters] | None = None
) -> tuple[float | None, str | None]:
    """Give the one-sided p of "the rate does not rise from one group of items to another", or why not.

    A score test, by the deviations from the rate of both groups together, summed within each cluster; it
    exists even where one group is all right and the other all wrong. Student's t with clusters - 1 degrees.

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
    """Say for which models tiers do not order difficulty, with the figures of the clearest rises; or None."""
    rising = [(model, step) for model, of_model in steps.items() for step in of_model if step.rises]
    if not rising:
        return None
    models = list(dict.fromkeys(model for model, _ in rising))
    rising.sort(key=lambda one: 1.0 if one[1].p_rises is None else one[1].p_rises)
    shown = "; ".join(_sentence(model if len(models) > 1 else "", step) for model, step in rising[:2])
    others = f"; and {len(rising) - 2} more" if len(rising) > 2 else ""
    return f"tiers do not order difficulty for {listed(models, most=3)}: {shown}{others}"


def _sentence(model: str, step: LevelStep) -> str:
    shown = [
        f"{100 * rate:.1f} % in {level}{'' if n is None else f' (n = {n})'}"
        for level, rate, n in zip(step.levels, step.rates, step.n, strict=True)
    ]
    p = step.p_rises
    shown_p = "" if p is None else "p < 0.001" if p < 0.001 else f"p = {p:.3f}"
    test = f"{shown_p} of no rise" if shown_p else "without a test"
    return f"{f'{model} ' if model else ''}passes {shown[0]} and {shown[1]}, {test}"
