"""Cautions: what decides how much figures by tier, and comparisons of scoreboards, are worth."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, pairwise
from typing import NamedTuple

import numpy as np
import polars as pl
from scipy.special import stdtr

from tellapart.bundles.tier_names import TIERS
from tellapart.bundles.tier_stats import cluster_numbers
from tellapart.bundles.tiers import TierCuts
from tellapart.core.arrays import F64
from tellapart.core.comparison.effects import claims
from tellapart.core.stats.intervals import Clusters, cluster_codes, why_no_spread
from tellapart.errors import InputError
from tellapart.files import RowFaults
from tellapart.report.numbers import listed, percent

MANY = 0.01
"""Ties are worth a warning above this share of the bundles."""

FREEZE_TIERS = "to compare models by tier, write tiers into the eval first: tellapart bundles tier"


def score_cautions(scores: pl.DataFrame, cuts: TierCuts | None) -> tuple[str, ...]:
    """Everything to beware of in the scores of one model."""
    if cuts is None:
        tiers = [_untiered(scores), tier_caution(scores)]
    else:
        cut_by_model = f"this eval has no tiers, so they were cut by this model's own danger; {FREEZE_TIERS}"
        tiers = [cut_by_model, *tier_cautions(cuts)]
    return tuple(caution for caution in (_ties(scores), *tiers) if caution)


def tier_cautions(cuts: TierCuts) -> tuple[str, ...]:
    """Say where ties at a cut moved many bundles, and which tiers are empty."""
    cautions = [
        f"ties at the cut between tier {i} and tier {i + 1} (danger {cutoff:.6g}) moved {percent(share)} of "
        "the bundles into the easier tier"
        for i, (cutoff, share) in enumerate(zip(cuts.cutoffs or (), cuts.tied, strict=False), start=1)
        if share > MANY
    ]
    if empty := [tier for tier, count in cuts.tier_distribution.items() if not count]:
        cautions.append(
            f"no bundle is in {', '.join(empty)}, so there are no figures of it and no gate on it can pass"
        )
    return tuple(cautions)


def settle(problems: RowFaults, where: object, what: str, left: int, *, skip_invalid: bool) -> list[str]:
    """Refuse bad rows that are not to be skipped, or of which nothing is left; say what is left out."""
    if not skip_invalid:
        problems.refuse()
    counts = ", ".join(f"{count} {cause}" for cause, count in sorted(problems.counts.items()))
    left_out = [f"left out {problems.n_rows} bad row(s): {counts}"] if counts else []
    if not left:
        raise InputError(f"no {what}: {next(iter(left_out), 'there are no rows')}", where=where)
    return left_out


def _ties(scores: pl.DataFrame) -> str | None:
    tied = scores.filter(pl.col("ties") > 0).height
    if tied <= MANY * scores.height:
        return None
    return (
        f"in {tied} of {scores.height} bundles ({percent(tied / scores.height)}) the positive ties with a "
        "negative. A tie fails but ranks 1: read expected_rank and mrr, which average over ties"
    )


def _untiered(scores: pl.DataFrame) -> str | None:
    missing = scores["tier"].null_count()
    if not missing:
        return None
    return f"{missing} of {scores.height} bundles have no tier: they count in 'overall' alone; {FREEZE_TIERS}"


def check_tiers(*runs: pl.DataFrame) -> tuple[LevelStep, ...]:
    """Test that the pass rate rises from no tier to a harder one, in one run or several of one condition."""
    first = runs[0]
    clusters = cluster_numbers(first)
    passed = np.mean([(run["margin"] > 0).cast(pl.Float64).to_numpy() for run in runs], axis=0)
    tiers = [(tier, first["tier"].eq_missing(tier).to_numpy()) for tier in TIERS]
    return check_levels(
        [LevelItems(tier, passed[inside], clusters[inside]) for tier, inside in tiers if inside.any()]
    )


def tier_caution(scores: pl.DataFrame) -> str | None:
    """Say that tiers do not order difficulty for a model, as every verdict on its scores must."""
    return disorder({scores["model"][0]: check_tiers(scores)})


CUT_FROM = 10
"""Fewer bundles than this can be in the order of their margins by chance."""


def model_cautions(scores: Mapping[str, pl.DataFrame]) -> tuple[str, ...]:
    """Say what decides how much a verdict on the scores of models is worth, each thing once for all."""
    own = [model for model, of_model in scores.items() if is_own_cut(of_model)]
    steps = {name: check_tiers(of) for name, of in scores.items() if name not in own and of.height}
    itself, its, it = ("itself", "its", "it") if len(own) == 1 else ("themselves", "their", "them")
    cut = (
        f"the tiers were cut by the margins of {listed(own)} {itself}, so {its} pass rates by tier follow "
        f"from the cut and say nothing about {it}"
    )
    return tuple(filter(None, [cut if own else None, disorder(steps)]))


def is_own_cut(scores: pl.DataFrame) -> bool:
    """Whether the tiers lie one below the other in this model's own margins: then its danger cut them."""
    margins = (scores.filter(pl.col("tier") == tier)["margin"].to_numpy() for tier in TIERS)
    in_tiers = [of_tier for of_tier in margins if len(of_tier)]
    if len(in_tiers) < 2 or scores.height < CUT_FROM:
        return False
    return all(bool(easier.min() > harder.max()) for easier, harder in pairwise(in_tiers))


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
