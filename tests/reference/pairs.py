"""The definitions of tests and powers of pairs of models, written out slowly enough to be checked by eye."""

import math
from fractions import Fraction
from itertools import product

import numpy as np
from scipy.optimize import minimize
from scipy.stats import nct, norm
from scipy.stats import t as student


def sign_flip(terms):
    """Share of the 2^k ways to flip signs whose absolute sum is at least the one found; exact for ints."""
    found = abs(sum(terms))
    ways = list(product((1, -1), repeat=len(terms)))
    extreme = sum(abs(sum(s * t for s, t in zip(way, terms, strict=True))) >= found for way in ways)
    return float(Fraction(extreme, len(ways)))


def items_needed(gap, sd, sources, *, exact=False, power=0.8, alpha=0.05, design_effect=1.0, per_source=1.0):
    """Items that find a gap: Connor's for McNemar's test, else over sources whose spread is estimated."""
    gap, z_level = abs(gap), norm.isf(alpha / 2)
    if exact:
        differing = min(1.0, max(gap, sd**2 + gap**2))
        z = z_level * math.sqrt(differing) + norm.ppf(power) * math.sqrt(differing - gap**2)
        return math.ceil(((z + math.sqrt(z**2 + 4 * gap)) / (2 * gap)) ** 2)
    reach = nct.ppf(power, sources - 1, z_level)
    needed = (reach * sd / gap) ** 2 * design_effect / per_source + z_level**2 / 2
    return math.ceil(max(needed, 1 - math.log2(alpha)) * per_source)


def score(only_a, only_b, n, gap):
    """Tango's score statistic, the share of items that only B gets right found by bisection of the slope.

    Under a gap of exactly ``gap`` > 0 the shares are q + gap, q and 1 - 2 q - gap.
    """

    def slope(q):
        both_or_neither = n - only_a - only_b
        return only_a / (q + gap) + only_b / q - 2 * both_or_neither / (1 - 2 * q - gap)

    low, high = 1e-15, (1 - gap) / 2 - 1e-15
    for _ in range(200):
        middle = (low + high) / 2
        low, high = (middle, high) if slope(middle) > 0 else (low, middle)
    return (only_a - only_b - n * gap) / math.sqrt(n * (2 * low + gap - gap**2))


def score_equivalence(only_a, only_b, n, margin):
    """P-value of Tango's score test of a gap of ``margin`` or more."""
    return math.erfc(-score(only_a, only_b, n, margin) / math.sqrt(2)) / 2


def flip_p(sums, sizes, gap):
    """The sign-flip p of a difference of ``gap``, from clusters' sums of a - b and numbers of items."""
    terms = [Fraction(of_cluster - gap * size) for of_cluster, size in zip(sums, sizes, strict=True)]
    # The same in whole numbers, which are quicker to add up.
    unit = math.lcm(*(term.denominator for term in terms))
    return sign_flip([int(term * unit) for term in terms])


def flip_interval(sums, sizes, level):
    """The differences with a p above ``level``, by bisection from the mean to either side; None without end.

    Sums, sizes and level are Fractions or ints, so that ties are ties; no mean of a cluster is beyond 30.
    """
    mean = Fraction(sum(sums), sum(sizes))
    ends = []
    for side in (-1, 1):
        inside, outside = mean, mean + side * 100
        if flip_p(sums, sizes, outside) > level:
            return None
        for _ in range(45):
            middle = (inside + outside) / 2
            if flip_p(sums, sizes, middle) > level:
                inside = middle
            else:
                outside = middle
        ends.append(float(inside))
    return tuple(ends)


def likeliest_weights(residuals, step):
    """Weights of residuals, and of one of ``step`` that did not occur, that make the first likeliest.

    They add up to 1 and their mean is 0. By sequential quadratic programming.
    """
    n = len(residuals)
    points = np.array([*residuals, step], dtype=float)
    best = minimize(
        lambda w: -np.log(w[:n]).sum(),
        np.full(n + 1, 1 / (n + 1)),
        jac=lambda w: np.append(-1 / w[:n], 0.0),
        bounds=[(1e-9, 1)] * n + [(0, 1)],
        constraints=[
            {"type": "eq", "fun": lambda w: w.sum() - 1},
            {"type": "eq", "fun": lambda w: w @ points / step},
        ],
        options={"ftol": 1e-14, "maxiter": 1000},
    )
    return best.x, points


def score_tost(sums, sizes, margin, span):
    """P of two one-sided score tests of ``margin``, from clusters' sums of a - b and numbers of items."""
    sums, sizes = np.array(sums, dtype=float), np.array(sizes, dtype=float)
    if abs(sums.sum()) >= margin * sizes.sum():
        return 1.0
    seen, differing = abs(sums).max(), np.count_nonzero(sums)
    whole = span * (sizes**2).sum() / sizes.sum()
    step = max(seen, (differing * seen + whole) / (differing + 1)) if np.isfinite(span) else seen
    z = []
    for side in (1, -1):
        residuals = side * sums - margin * sizes
        weights, points = likeliest_weights(residuals, step)
        z.append(residuals.mean() / math.sqrt(weights @ points**2 / (len(sums) - 1)))
    return student.cdf(max(z), len(sums) - 1)
