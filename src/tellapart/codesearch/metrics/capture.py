"""Capture and recapture: how many things there are, from two searches that overlap."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.special import gammaln, ndtri

from tellapart.core.arrays import F64
from tellapart.core.estimate import EstimateWithError
from tellapart.core.stats.intervals import upper_quantile

NOTHING_FOUND = "a search found nothing, which says nothing of the other"
NOTHING_IN_COMMON = "the searches share nothing: there may be any number more"
TOO_LITTLE_IN_COMMON = (
    "places in which the searches share nothing make up more than a tenth of the estimate: there may be any "
    "number more"
)

_MOST_UNSHARED = 0.1


@dataclass(frozen=True)
class TwoCatches:
    """What two searches of one place found.

    Attributes:
        first: n1, things that the first found, >= 0.
        second: n2, things that the second found, >= 0.
        both: m, things that both found, at most either.
    """

    first: int
    second: int
    both: int

    def __post_init__(self) -> None:
        """Refuse counts that cannot be."""
        if not 0 <= self.both <= min(self.first, self.second):
            raise ValueError(f"{self!r}, expected 0 <= both <= first and second.")

    @property
    def union(self) -> int:
        """Things that either found: their union."""
        return self.first + self.second - self.both


def chapman(catches: TwoCatches, *, level: float = 0.95) -> EstimateWithError:
    """Estimate how many things there are from two searches.

    N = (n1 + 1)(n2 + 1) / (m + 1) - 1. It takes the searches as independent, and every thing as equally easy
    to find by the first, or by the second. Searches that find the same easy things make it too small,
    searches that divide the things between them too large; a search all of whose things are among the
    other's gives N = the other's number.

    Args:
        catches: What they found.
        level: Confidence in (0, 1).

    Returns:
        N from the ``n`` things that either found: ``n`` or more, and so is ``low``. No value where a search
        found nothing: it is then N = the other's number by the formula, as if that were all there
        is. Where the searches share nothing the estimate is a low guess, and the upper end is infinite.

    Source:
        Chapman 1951, "Some properties of the hypergeometric distribution with applications to zoological
        sample censuses"; the variance (n1 + 1)(n2 + 1)(n1 - m)(n2 - m) / ((m + 1)^2 (m + 2)) from Seber 1982,
        "The Estimation of Animal Abundance", page 60. The interval is all N for which m, hypergeometric
        given n1 and n2, is neither too small nor too large, by half of each tail and of the value itself
        (mid-p, Lancaster 1961). In simulations with N of 10 to 200 and chances to be found of .2 to .9 it
        covers 95 to 100 %; the logit interval of Sadinle 2009 covers 94 to 100 % and is up to thirty times
        as wide where little is missing, and the log-normal one of Burnham et al. 1987 covers 34 to 95 %.
    """
    tail = 1 - upper_quantile(level)
    if not (catches.first and catches.second):
        return EstimateWithError(None, None, None, catches.union, NOTHING_FOUND)
    estimate, variance = _chapman(catches)
    low = _least(catches, tail)
    high = _greatest(catches, tail) if catches.both else math.inf
    # Ends are whole numbers, of which the estimate may be a fraction short or over.
    return EstimateWithError(
        estimate,
        float(min(low, estimate)),
        float(max(high, estimate)),
        catches.union,
        None if catches.both else NOTHING_IN_COMMON,
        standard_error=math.sqrt(variance),
    )


def chapman_sum(strata: Sequence[TwoCatches], *, level: float = 0.95) -> EstimateWithError:
    """Estimate how many things there are in several places together, each searched twice.

    The sum of Chapman's estimates of the places. Estimating from the sums of the counts instead would take
    all places as equally easy to search; where the easy ones are easy for both, it comes out too small.

    Args:
        strata: What the searches found in each place; those in which one found nothing are left out.
        level: Confidence in (0, 1).

    Returns:
        The sum over the places that have an estimate, from the ``n`` things known in these. No value where
        there is no such place. Without an upper end where places in which the searches share nothing make up
        more than a tenth of the estimate.

    Source:
        As `chapman`. The interval of what is missing, the estimate less what is known, is log-normal, after
        Burnham et al. 1987, "Design and analysis methods for fish survival experiments". Deviations: half a
        thing is added to n - m in the variance, which is otherwise 0 where all is in both; the upper end gets
        the bias of Chapman's estimate, N exp(-(n1 + 1)(n2 + 1) / N) (Seber, page 60), with the estimate for
        N; the ends are whole numbers; and a single place has the interval of `chapman`. In simulations with
        ten to a hundred things a place and chances to be found of .15 to .95 it covers 95 % or more from ten
        places on, and 91 % or more with three.
    """
    upper = upper_quantile(level)
    used = [catches for catches in strata if catches.first and catches.second]
    if len(used) == 1:
        return chapman(used[0], level=level)
    n_caught = sum(catches.union for catches in used)
    if not used:
        return EstimateWithError(None, None, None, n_caught, NOTHING_FOUND)
    estimates = [_chapman(catches) for catches in used]
    estimate = math.fsum(n for n, _ in estimates)
    variance = math.fsum(_chapman(catches, half=0.5)[1] for catches in used)
    missing = max(estimate - n_caught, 0.5)
    factor = math.exp(float(ndtri(upper)) * math.sqrt(math.log1p(variance / missing**2)))
    # The sum is a whole number; a billionth is rounding.
    low = min(float(math.floor(n_caught + missing / factor + 1e-9)), estimate)
    unshared = math.fsum(n for (n, _), catches in zip(estimates, used, strict=True) if not catches.both)
    is_open = unshared > _MOST_UNSHARED * estimate
    bias = math.fsum(_bias(catches, n) for (n, _), catches in zip(estimates, used, strict=True))
    high = math.inf if is_open else float(math.ceil(n_caught + missing * factor + bias - 1e-9))
    standard_error = math.sqrt(math.fsum(spread for _, spread in estimates))
    reason = TOO_LITTLE_IN_COMMON if is_open else None
    return EstimateWithError(estimate, low, high, n_caught, reason, standard_error=standard_error)


def _chapman(catches: TwoCatches, half: float = 0.0) -> tuple[float, float]:
    """Chapman's N and Seber's variance, with ``half`` added to what only one search found."""
    first, second, both = catches.first, catches.second, catches.both
    product = (first + 1) * (second + 1)
    alone = (first - both + half) * (second - both + half)
    return product / (both + 1) - 1, product * alone / ((both + 1) ** 2 * (both + 2))


def _bias(catches: TwoCatches, population: float) -> float:
    """By how much Chapman's N is too small where there are so many things."""
    return population * math.exp(-(catches.first + 1) * (catches.second + 1) / population)


def _least(catches: TwoCatches, tail: float) -> int:
    """The smallest N for which so few in both are no surprise; they are ever less of one as N grows."""
    low = catches.union
    if _fewer(catches, low) > tail:
        return low
    high = 2 * low
    while _fewer(catches, high) <= tail:
        low, high = high, 2 * high
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if _fewer(catches, middle) > tail else (middle, high)
    return high


def _greatest(catches: TwoCatches, tail: float) -> int:
    """The greatest N for which so many in both are no surprise."""
    low, high = catches.union, 2 * catches.union
    while 1 - _fewer(catches, high) > tail:
        low, high = high, 2 * high
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if 1 - _fewer(catches, middle) > tail else (low, middle)
    return low


def _fewer(catches: TwoCatches, population: int) -> float:
    """P(fewer in both) + P(as many) / 2 where there are so many things."""
    first, second = catches.first, catches.second
    least = max(0, first + second - population)
    shared = np.arange(least, catches.both + 1, dtype=np.float64)
    chances = np.exp(
        _log_choose(first, shared)
        + _log_choose(population - first, second - shared)
        - _log_choose(population, np.array([second], dtype=np.float64))
    )
    return min(1.0, float(chances.sum() - chances[-1] / 2))


def _log_choose(n: int, k: F64) -> F64:
    chosen: F64 = gammaln(n + 1) - gammaln(k + 1) - gammaln(n - k + 1)
    return chosen
