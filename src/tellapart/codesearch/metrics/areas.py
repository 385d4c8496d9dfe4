"""Measures by product area, and which areas are far below the whole."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from tellapart.codesearch.case import Case
from tellapart.codesearch.conversations import UNCERTAIN
from tellapart.codesearch.metrics.aggregate import SEED, Figures, areas_of, as_pair, measured, measures
from tellapart.codesearch.metrics.conversation import JUDGE, MEASURES
from tellapart.core.comparison import claims
from tellapart.core.randomness import generator
from tellapart.core.stats import block_permutation, mean_once, wilson

FAR_BELOW = 0.15
"""An area is an anomaly where it is further than this below the aggregate; so says the source document."""

_DRAWS = 2000


def areas(cases: Sequence[Case], *, seed: int = SEED) -> Figures:
    """The measures of each product area, and how far each is below the whole.

    Args:
        cases: In any order, which changes nothing.
        seed: Of resamples and permutations.

    Returns:
        By area: ``count``, ``measures`` as those of the whole, and ``below_aggregate``, by measure: ``gap``,
        the macro of all conversations less that of the area's, None where verdicts are missing;
        ``gap_bounds``, over what missing verdicts could have said; ``anomaly``, whether the gap is above
        ``FAR_BELOW``, None with ``withheld`` where the bounds leave that open; ``p``, two-sided, of a gap
        this large when areas are dealt out to conversations at random, with Holm's correction over the areas,
        and ``beyond_chance`` where that says so; None where verdicts are missing.
    """
    by_area = areas_of(cases)
    below = {name: _below(cases, name, list(by_area), seed) for name in MEASURES}
    return {
        area: {
            "count": len(own),
            "measures": measures(own, seed=seed),
            "below_aggregate": {name: below[name][area] for name in MEASURES},
        }
        for area, own in by_area.items()
    }


def uncertain(cases: Sequence[Case]) -> Figures:
    """How many conversations have no product area: count, rate and its 95 % interval by Wilson."""
    n = sum(case.conversation.product_area == UNCERTAIN for case in cases)
    rate = n / len(cases) if cases else None
    return {"n": n, "of": len(cases), "rate": rate, "interval": as_pair(wilson(n, len(cases)))}


def _below(cases: Sequence[Case], name: str, names: list[str], seed: int) -> dict[str, Figures]:
    found = measured(cases, name)
    label = np.array([case.conversation.product_area for case in cases])
    values, lows, highs = (
        np.array([getattr(one, of) for one in found], dtype=np.float64) for of in ("value", "low", "high")
    )
    known, bounded = ~np.isnan(values), ~(np.isnan(lows) | np.isnan(highs))
    open_ = any(one.missing == JUDGE for one in found)
    ps = [
        None
        if open_
        else block_permutation(
            values[known],
            (label[known] == area)[:, None],
            np.zeros(known.sum(), dtype=int),
            rng=generator(seed, "codesearch", name, "below", area),
            draws=_DRAWS,
        ).p
        for area in names
    ]
    figures = {}
    for area, claim in zip(names, claims(ps), strict=True):
        gap = None if open_ else _gap(values[known], values[known], label[known] == area)
        ends = [
            _gap(within, outside, label[bounded] == area)
            for within, outside in ((highs[bounded], lows[bounded]), (lows[bounded], highs[bounded]))
        ]
        far = [_far(end) for end in ends]
        figures[area] = {
            "gap": gap,
            "gap_bounds": ends,
            "anomaly": None if far[0] != far[1] else far[0] if open_ else _far(gap),
            "withheld": far[0] != far[1],
            "p": claim.p_adjusted,
            "beyond_chance": claim.holds,
        }
    return figures


def _gap(within: np.ndarray, outside: np.ndarray, is_area: np.ndarray) -> float | None:
    """Mean of all less that of the area, its conversations taken from ``within`` and the rest elsewhere.

    More in the area raises its own mean by more than that of all, so that the two ends are the bounds.
    """
    of_area = mean_once(within[is_area].tolist())
    of_all = mean_once(np.where(is_area, within, outside).tolist())
    return None if of_area is None or of_all is None else of_all - of_area


def _far(gap: float | None) -> bool | None:
    # .5 - .35 is above .15 by rounding alone.
    return None if gap is None else round(gap, 9) > FAR_BELOW
