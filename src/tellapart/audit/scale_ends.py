"""Models at an end of the scale, and what they would do on items that are neither too easy nor too hard."""

from __future__ import annotations

import math

from scipy.special import ndtr, ndtri

from tellapart.audit.evidence import SideBySide
from tellapart.audit.results import Cause, Why
from tellapart.core.comparison import PairComparison
from tellapart.report.numbers import plain, plural

NEAR_END = 0.1
"""Share of the scale within which both means lie, at a ceiling or a floor."""


def at_end(pair: PairComparison, seen: SideBySide, limits: tuple[float, float]) -> Why | None:
    """Check whether both models are at the ceiling or at the floor.

    They are where both means lie within ``NEAR_END`` of the end and both have the very end on half the items
    or more.
    """
    low, high = limits
    near = NEAR_END * (high - low)
    if not seen.n or not math.isfinite(near):
        return None
    means = f"{pair.a} has {plain(seen.mean_a)} and {pair.b} {plain(seen.mean_b)}"
    if min(seen.mean_a, seen.mean_b) >= high - near and 2 * seen.both_highest >= seen.n:
        cause, end, alike = Cause.CEILING, f"the highest possible score, {plain(high)}", seen.both_highest
    elif max(seen.mean_a, seen.mean_b) <= low + near and 2 * seen.both_lowest >= seen.n:
        cause, end, alike = Cause.FLOOR, f"the lowest possible score, {plain(low)}", seen.both_lowest
    else:
        return None
    left = seen.n - alike
    return Why(
        cause=cause,
        text=f"{means}: both have {end}, on {alike:,} of {plural(seen.n, 'item')}; "
        f"{f'only {left:,}' if left else 'none'} can separate them.",
    )


def only_at_end(
    pair: PairComparison, seen: SideBySide, limits: tuple[float, float], least: float
) -> Why | None:
    """Check whether two models may look equivalent only because they are at an end of the scale.

    It may where they are at an end, and the far end of the interval of their difference stands for a
    difference in ability that would matter on items that half pass.
    """
    why = at_end(pair, seen, limits)
    if why is None:
        return None
    low, high = limits
    if pair.interval is not None:
        far = max(abs(pair.interval.low), abs(pair.interval.high)) / 2
        middle = (seen.mean_a + seen.mean_b) / 2
        rates = [_rate((middle + end - low) / (high - low), seen.n) for end in (-far, far)]
        if _gap_at_half(*rates) * (high - low) < least:
            return None
    return Why(
        cause=why.cause,
        text=f"{why.text} They are equivalent here; on items where they score near the middle of the scale "
        "they might not be.",
    )


def _rate(share: float, n: int) -> float:
    """A share of n items, clipped to [0, 1], with four items more of which two are right."""
    return (min(max(share, 0.0), 1.0) * n + 2) / (n + 4)


def _gap_at_half(a: float, b: float) -> float:
    """Carry a gap in ability from an end of the scale to items of which the two get half right.

    Source:
        Lord 1952, "A theory of test scores", for the normal ogive. Rasch's log odds, right for items that are
        all equally hard, would make more of a gap at the end than is left where difficulties are spread.
    """
    return float(2 * ndtr(abs(ndtri(a) - ndtri(b)) / 2) - 1)
