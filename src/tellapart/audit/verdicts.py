"""What can be said of each pair of models."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from math import isfinite

import numpy as np

from tellapart.audit.options import AuditOptions
from tellapart.audit.pair_tests import PairTests, run_pair_tests
from tellapart.audit.pairs import Pair, Verdict
from tellapart.core.score_grid import ScoreGrid
from tellapart.core.stats import (
    Discordant,
    Interval,
    PairedTest,
    holm_known,
    items_needed_t,
    mcnemar_items_needed,
    mean_differences,
)

_ROUNDING = 1e-12


def judge(
    grid: ScoreGrid, options: AuditOptions, *, level: float | None = None, part: tuple[str, ...] = ()
) -> list[Pair]:
    """Compare every two models on the items that both have scores on.

    A claim that values of the missing scores could turn around is withheld: that one is better, where the
    other might be; that they are equivalent, where their difference might matter. The values range over the
    limits of the scores, for the questions that both were asked.

    Args:
        grid: The scores.
        options: With the level, the power and the smallest difference that matters.
        level: That items needed are planned at; `planned_level` of these pairs where None.
        part: Names the part of the items that the grid is, for the draws; nothing for all.

    Returns:
        In ascending order of names; without causes and fixes.
    """
    tested = run_pair_tests(grid, options, part)
    pairs = _described(grid, tested)
    different = holm_known([pair.p for pair in pairs])
    equivalent = holm_known([pair.p_equivalent for pair in pairs])
    decided = [
        _decided(replace(pair, p_holm=p, p_equivalent=q), options)
        for pair, p, q in zip(pairs, different, equivalent, strict=True)
    ]
    needed = _needed(tested, decided, options.power, level or planned_level(decided, options.alpha))
    return [replace(pair, items_needed=n) for pair, n in zip(decided, needed, strict=True)]


def planned_level(pairs: Sequence[Pair], alpha: float) -> float:
    """Give the level of Holm's test of the next pair to be separated: alpha over those that are not."""
    return alpha / max(1, sum(not pair.is_separated for pair in pairs))


def _described(grid: ScoreGrid, tested: PairTests) -> list[Pair]:
    found = tested.found
    lows = mean_differences(grid.low, grid.high)
    highs = mean_differences(grid.high, grid.low)
    half = found.half_width()
    return [
        Pair(
            a=grid.models[found.first[k]],
            b=grid.models[found.second[k]],
            n=int(found.n[k]),
            n_clusters=int(found.n_clusters[k]),
            difference=_known(found.difference[k]),
            sd=_known(found.sd[k]),
            design_effect=_known(found.design_effect[k]),
            binary=bool(found.binary[k]),
            interval=_interval(found.difference[k], half[k]),
            p=_known(tested.p[k]),
            p_holm=None,
            p_equivalent=_known(tested.p_equivalent[k]),
            bounds=None if np.isnan(lows[k]) else (float(lows[k]), float(highs[k])),
            verdict=Verdict.NOT_SEPARATED,
            items_needed=None,
            reason=found.reasons[k],
            test=None if np.isnan(tested.p[k]) else tested.tests[k],
            discordant=_discordant(tested, k),
        )
        for k in range(len(found.n))
    ]


def _known(value: np.float64) -> float | None:
    return None if np.isnan(value) else float(value)


def _discordant(tested: PairTests, k: int) -> Discordant | None:
    if np.isnan(tested.p[k]) or tested.tests[k] is not PairedTest.MCNEMAR:
        return None
    return Discordant(int(tested.found.only_a[k]), int(tested.found.only_b[k]))


def _interval(centre: np.float64, half: np.float64) -> Interval | None:
    return None if np.isnan(half) else Interval(float(centre - half), float(centre + half))


def _decided(pair: Pair, options: AuditOptions) -> Pair:
    verdict = Verdict.NOT_SEPARATED
    if pair.p_holm is not None and pair.p_holm <= options.alpha and pair.difference:
        verdict = Verdict.A_BETTER if pair.difference > 0 else Verdict.B_BETTER
    elif pair.p_equivalent is not None and pair.p_equivalent <= options.alpha:
        verdict = Verdict.EQUIVALENT
    if _could_flip(pair, verdict, options.sesoi):
        verdict = Verdict.WITHHELD
    return replace(pair, verdict=verdict)


def _could_flip(pair: Pair, verdict: Verdict, sesoi: float) -> bool:
    """Whether values of the missing scores could turn the claim around; nothing missing turns nothing."""
    low, high = pair.bounds or (0.0, 0.0)
    if isfinite(high - low) and high - low <= _ROUNDING * (1 + abs(low)):
        return False
    return {
        Verdict.A_BETTER: low < 0,
        Verdict.B_BETTER: high > 0,
        Verdict.EQUIVALENT: low <= -sesoi or high >= sesoi,
    }.get(verdict, False)


def _needed(tested: PairTests, pairs: list[Pair], power: float, level: float) -> list[int | None]:
    """Items that would separate each pair, by the test that decides."""
    found = tested.found
    exact = [k for k, test in enumerate(tested.tests) if test is PairedTest.MCNEMAR and found.n[k] > 1]
    only_a, only_b = (counts[exact] / found.n[exact] for counts in (found.only_a, found.only_b))
    by_mcnemar = dict(zip(exact, mcnemar_items_needed(only_a, only_b, power=power, alpha=level), strict=True))
    return [
        by_mcnemar[k] if k in by_mcnemar else _needed_by_t(pair, power, level) for k, pair in enumerate(pairs)
    ]


def _needed_by_t(pair: Pair, power: float, level: float) -> int | None:
    if pair.difference is None or pair.sd is None:
        return None
    return items_needed_t(
        pair.difference,
        pair.sd,
        power=power,
        alpha=level,
        design_effect=pair.design_effect or 1.0,
        items_per_cluster=pair.n / pair.n_clusters,
    )
