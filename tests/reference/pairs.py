"""The definitions of tests and powers of pairs of models, written out slowly enough to be checked by eye."""

import math
from fractions import Fraction
from itertools import product

from reference.stats import mcnemar


def sign_flip(terms):
    """Share of the 2^k ways to flip signs whose absolute sum is at least the one found; exact for ints."""
    found = abs(sum(terms))
    ways = list(product((1, -1), repeat=len(terms)))
    extreme = sum(abs(sum(s * t for s, t in zip(way, terms, strict=True))) >= found for way in ways)
    return float(Fraction(extreme, len(ways)))


def mcnemar_power(n, only_a, only_b, alpha):
    """Chance of a p of at most alpha over all outcomes of n items: only A right, only B right, neither."""
    total = 0.0
    for i in range(n + 1):
        for j in range(n + 1 - i):
            if mcnemar(i, j) <= alpha:
                ways = math.comb(n, i) * math.comb(n - i, j)
                total += ways * only_a**i * only_b**j * (1 - only_a - only_b) ** (n - i - j)
    return total


def mcnemar_items_needed(only_a, only_b, power, alpha, most):
    """One more than the last n up to ``most`` with too little power."""
    return 1 + max(n for n in range(most) if mcnemar_power(n, only_a, only_b, alpha) < power)


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
