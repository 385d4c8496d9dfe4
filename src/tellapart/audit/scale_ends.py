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


def at_half(seen: SideBySide, low: float, high: float) -> tuple[float, float]:
    """Carry a pair's difference from an end of the scale to items of which the two get half right.

    The distance of the two in ability, on the scale of the normal ogive, stays, and so does the correlation
    of what they find hard. Rasch's log odds, right for items that are all equally hard, would make more of a
    gap at the end than is left of it where difficulties are spread.

    Source:
        Lord 1952, "A theory of test scores", for the normal ogive; Bonett and Price 2005, "Inferential
        methods for the tetrachoric correlation coefficient", for the correlation. Two that get half right
        each differ on a share arccos(rho) / pi (Sheppard 1899); the gap is added to it as the other side of a
        right angle, which is exact where there is no gap and where one solves all that the other does.
    """
    n = seen.n + 4
    a, b = (_rate((mean - low) / (high - low), seen.n) for mean in (seen.mean_a, seen.mean_b))
    gap = _gap_at_half(a, b)
    differing = math.acos(_tetrachoric(a, b, _both_right(seen, a, b) / n)) / math.pi
    return gap, min(1.0, math.hypot(differing, gap))


def _rate(share: float, n: int) -> float:
    """A share of n items, clipped to [0, 1], with four items more of which two are right."""
    return (min(max(share, 0.0), 1.0) * n + 2) / (n + 4)


def _gap_at_half(a: float, b: float) -> float:
    return float(2 * ndtr(abs(ndtri(a) - ndtri(b)) / 2) - 1)


def _both_right(seen: SideBySide, a: float, b: float) -> float:
    """Items, of four more than were seen, that both get right; a score in between is a part of an item."""
    if a + b > 1:
        return seen.both_highest + 1.0
    return (a + b - 1) * (seen.n + 4) + seen.both_lowest + 1.0


def _tetrachoric(a: float, b: float, both: float) -> float:
    """Correlation, in [0, 1), of two normal traits of which shares a, b and both are above a threshold."""
    only_a, only_b, none = a - both, b - both, 1 - a - b + both
    if min(only_a, only_b, both, none) <= 0:
        return 0.0
    # Bonett and Price's rho*: the exponent allows for shares that differ and for a small one.
    odds = both * none / (only_a * only_b)
    least = min(a, b, 1 - a, 1 - b)
    power = (1 - abs(a - b) / 5 - (0.5 - least) ** 2) / 2
    return max(0.0, math.cos(math.pi / (1 + odds**power)))
