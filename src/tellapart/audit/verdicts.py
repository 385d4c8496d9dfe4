"""What can be said of each pair of models."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations

import numpy as np
from scipy.special import stdtr

from tellapart.audit.findings import Pair, Verdict
from tellapart.audit.options import AuditOptions
from tellapart.core.score_grid import F64, ScoreGrid
from tellapart.core.stats import PairedDifference, holm_known, items_needed, paired_difference


def judge(grid: ScoreGrid, options: AuditOptions) -> list[Pair]:
    """Compare every two models on the items that both have scores on.

    Args:
        grid: The scores.
        options: With the level and the smallest difference that matters.

    Returns:
        In ascending order of names; without causes and fixes.
    """
    pairs = [_compare(grid, i, j, options) for i, j in combinations(range(len(grid.models)), 2)]
    different = holm_known([pair.p for pair in pairs])
    equivalent = holm_known([pair.p_equivalent for pair in pairs])
    return [
        _decided(replace(pair, p_holm=p, p_equivalent=q), options)
        for pair, p, q in zip(pairs, different, equivalent, strict=True)
    ]


def _compare(grid: ScoreGrid, i: int, j: int, options: AuditOptions) -> Pair:
    found = paired_difference(grid.scores[i], grid.scores[j], grid.clusters)
    needed = None
    if found.difference is not None and found.sd is not None:
        needed = items_needed(
            found.difference, found.sd, power=options.power, design_effect=found.design_effect or 1.0
        )
    return Pair(
        a=grid.models[i],
        b=grid.models[j],
        n=found.n,
        n_clusters=found.n_clusters,
        difference=found.difference,
        sd=found.sd,
        design_effect=found.design_effect,
        binary=found.binary,
        interval=found.interval,
        p=found.p_value,
        p_holm=None,
        p_equivalent=_p_equivalent(found, options.sesoi),
        bounds=_bounds(grid.low[i] - grid.high[j], grid.high[i] - grid.low[j]),
        verdict=Verdict.NOT_SEPARATED,
        items_needed=needed,
        reason=found.reason or "",
    )


def _p_equivalent(found: PairedDifference, sesoi: float) -> float | None:
    if found.difference is None or found.standard_error is None:
        return None
    nearest = sesoi - abs(found.difference)
    return float(stdtr(found.n_clusters - 1, -nearest / found.standard_error))


def _bounds(low: F64, high: F64) -> tuple[float, float] | None:
    if np.isnan(low).all():
        return None
    return float(np.nanmean(low)), float(np.nanmean(high))


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
    """Whether values of the missing scores could turn the claim around."""
    if pair.bounds is None:
        return False
    low, high = pair.bounds
    return {
        Verdict.A_BETTER: low < 0,
        Verdict.B_BETTER: high > 0,
        Verdict.EQUIVALENT: low <= -sesoi or high >= sesoi,
    }.get(verdict, False)
