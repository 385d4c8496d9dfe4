"""The intervals of differences between models: what the test that decides accepts."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import islice
from math import isfinite, sqrt
from typing import TypeAlias

import numpy as np
from scipy.special import stdtrit

from tellapart.core.comparison.pair_tests import TestedPairs
from tellapart.core.comparison.pairs import PairComparison
from tellapart.core.comparison_settings import ComparisonSettings
from tellapart.core.estimate import Interval
from tellapart.core.progress import Progress, counted
from tellapart.core.randomness import generator
from tellapart.core.stats.intervals import OUTSIDE_95
from tellapart.core.stats.paired import PairedTest, mcnemar_interval
from tellapart.core.stats.sign_flip_interval import Wanted, sign_flip_intervals

_LESS_FOR_ENDS = 4
"""An end of an interval may be off by more than a p: where it matters, beside 0, the test decides."""

_Ends: TypeAlias = Sequence[Interval | None]
"""The interval at the level of the family, and that at 95 %."""


def with_intervals(
    parts: Sequence[TestedPairs],
    pairs: Iterable[PairComparison],
    settings: ComparisonSettings,
    progress: Progress,
) -> list[PairComparison]:
    """Set the interval of each pair at Holm's level and at 95 %, by inverting the test that decides."""
    pairs, done = iter(pairs), []
    for part in counted(parts, progress, "computing intervals", unit="sets of items"):
        of_part = list(islice(pairs, len(part.pairs)))
        ends = _ends(part, of_part, settings, progress)
        for k, pair in enumerate(of_part):
            interval, interval_95 = ends.get(k, (None, None))
            reason = "" if pair.test is PairedTest.MCNEMAR or interval else pair.reason
            if pair.test is not None and interval is None and not reason:
                reason = f"no interval at level {pair.level:.2g} can be had from {pair.clusters} clusters"
            done.append(replace(pair, interval=interval, interval_95=interval_95, reason=reason))
    return done


def _ends(
    part: TestedPairs, pairs: Sequence[PairComparison], settings: ComparisonSettings, progress: Progress
) -> Mapping[int, _Ends]:
    """The intervals of the pairs that have a test."""
    wanted: list[Wanted] = [
        [
            (part.look.nominal(level), p is not None and p <= at_most)
            for level, p, at_most in (
                (pair.level or settings.alpha, pair.p_adjusted, settings.alpha),
                (OUTSIDE_95, pair.p, OUTSIDE_95),
            )
        ]
        for pair in pairs
    ]
    exact = [k for k, pair in enumerate(pairs) if pair.test is PairedTest.MCNEMAR]
    flipped = [k for k, pair in enumerate(pairs) if pair.test is PairedTest.SIGN_FLIP and not pair.reason]
    ends: dict[int, _Ends] = {}
    if exact:
        ends |= zip(exact, _exact_intervals(part, exact, [wanted[k] for k in exact]), strict=True)
    if flipped:
        with progress.step("intervals", len(flipped), unit="pairs") as step:
            of_flipped = sign_flip_intervals(
                part.grid.scores,
                part.clusters,
                part.models(flipped),
                [wanted[k] for k in flipped],
                rng=generator(settings.seed, "sign flip intervals", *part.part),
                tail=part.tail // _LESS_FOR_ENDS,
                on_pairs=step.update,
            )
        ends |= zip(flipped, of_flipped, strict=True)
    for k, pair in enumerate(pairs):
        if pair.test is not None and k not in ends:
            interval = _still_interval if pair.reason else _t_interval
            both = [interval(part, part.pairs[k], *of) for of in wanted[k]]
            ends[k] = both if both[0] else (None, None)
    return ends


def _exact_intervals(part: TestedPairs, chosen: Sequence[int], wanted: Sequence[Wanted]) -> Iterable[_Ends]:
    every, at = part.differences, np.repeat([part.pairs[k] for k in chosen], 2)
    levels, rejects = zip(*(of for both in wanted for of in both), strict=True)
    lows, highs = mcnemar_interval(every.only_a[at], every.only_b[at], every.n[at], levels, rejects)
    ends = [Interval(low, high) for low, high in zip(lows.tolist(), highs.tolist(), strict=True)]
    return zip(ends[::2], ends[1::2], strict=True)


def _t_interval(part: TestedPairs, at: int, level: float, rejects: bool) -> Interval:
    every = part.differences
    centre, degrees = float(every.difference[at]), every.effective_clusters[at] - 1.0
    half = float(stdtrit(degrees, 1 - level / 2) * every.standard_error[at])
    return _with_zero(centre - half, centre + half, rejects)


def _still_interval(part: TestedPairs, at: int, level: float, rejects: bool) -> Interval | None:
    """The interval of two models whose difference is the same on every item, or in every cluster.

    Where it is the same on every item, clusters on which they differ as much as can be may be so rare that
    none is there: the interval holds the shares of them that leave none with a chance above ``level / 2``, as
    `tost_constant` does. Where only the clusters do not differ, their items are taken as independent: they
    vary at least as much. None where it would contradict the test, or differences have no end.
    """
    every, span = part.differences, part.grid.span
    centre, clusters = float(every.difference[at]), float(every.n_clusters[at])
    if every.sd[at] > 0:
        half = float(stdtrit(clusters - 1, 1 - level / 2) * every.sd[at] / sqrt(every.n[at]))
        low, high = max(centre - half, -span), min(centre + half, span)
    else:
        unseen = 1 - (level / 2) ** (1 / clusters)
        low, high = centre - (span + centre) * unseen, centre + (span - centre) * unseen
    if not isfinite(high - low) or (rejects and low <= 0 <= high):
        return None
    return _with_zero(low, high, rejects)


def _with_zero(low: float, high: float, rejects: bool) -> Interval:
    """An interval that holds 0 where the test does not reject."""
    return Interval(low, high) if rejects else Interval(min(low, 0.0), max(high, 0.0))
