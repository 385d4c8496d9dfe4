"""The definitions of `tellapart.core.stats`, written out slowly enough to be checked by eye."""

import math
from fractions import Fraction


def clustered_variance(values, clusters):
    """Miller's double sum over pairs of items in the same cluster, times G / (G - 1); Kish counts G."""
    n = len(values)
    groups = n**2 / sum(clusters.count(label) ** 2 for label in set(clusters))
    mean = sum(values) / n
    total = 0.0
    for i in range(n):
        for j in range(n):
            if clusters[i] == clusters[j]:
                total += (values[i] - mean) * (values[j] - mean)
    return total / n**2 * groups / (groups - 1)


def wilson_ends(rate, n, z):
    """The two rates whose own standard error puts the observed one exactly z away."""

    def solve(low, high, sign):
        for _ in range(200):
            middle = (low + high) / 2
            outside = sign * (rate - middle) > z * math.sqrt(middle * (1 - middle) / n)
            low, high = (middle, high) if outside == (sign > 0) else (low, middle)
        return low

    return solve(0.0, rate, 1), solve(rate, 1.0, -1)


def mcnemar(only_a, only_b):
    """Exact share of the 2^n ways to split n discordant items that are at least as lopsided."""
    n = only_a + only_b
    lopsided = sum(math.comb(n, k) for k in range(n + 1) if min(k, n - k) <= min(only_a, only_b))
    return float(Fraction(lopsided, 2**n))


def holm(p_values):
    """For each hypothesis, the largest (m - rank + 1) p among those at or below it, at most 1."""
    m, order = len(p_values), sorted(range(len(p_values)), key=lambda i: p_values[i])
    steps = {i: (m - rank) * p_values[i] for rank, i in enumerate(order)}
    return [min(1.0, max(steps[j] for j in order[: order.index(i) + 1])) for i in range(m)]


def auroc(scores, labels):
    """Share of (positive, negative) pairs in the right order, ties counting half."""
    right = [s for s, label in zip(scores, labels, strict=True) if label]
    wrong = [s for s, label in zip(scores, labels, strict=True) if not label]
    wins = sum((r > w) + (r == w) / 2 for r in right for w in wrong)
    return wins / (len(right) * len(wrong))


def expected_calibration_error(probabilities, outcomes, bins):
    """Bins of sizes that differ by at most one, larger ones first; no ties allowed."""
    pairs = sorted(zip(probabilities, outcomes, strict=True))
    size, extra = divmod(len(pairs), bins)
    total = 0.0
    for b in range(bins):
        start = b * size + min(b, extra)
        inside = pairs[start : start + size + (b < extra)]
        stated = sum(p for p, _ in inside) / len(inside)
        observed = sum(y for _, y in inside) / len(inside)
        total += len(inside) * abs(stated - observed)
    return total / len(pairs)
