"""The definitions of `tellapart.core.stats`, written out slowly enough to be checked by eye."""

import math
from fractions import Fraction
from statistics import NormalDist


def clustered_variance(values, clusters):
    """Miller's double sum over pairs of items in the same cluster, times G / (G - 1)."""
    n, groups = len(values), len(set(clusters))
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


def bca_of_mean(values, clusters, draws, level):
    """BCa from lists of drawn clusters: resample by resample, leaving out one cluster at a time."""
    labels = sorted(set(clusters))
    members = [[v for v, c in zip(values, clusters, strict=True) if c == label] for label in labels]

    def mean_of(chosen):
        pooled = [v for group in chosen for v in members[group]]
        return math.fsum(pooled) / len(pooled)

    estimate = mean_of(range(len(labels)))
    resampled = sorted(mean_of(row) for row in draws)
    below = sum((m < estimate) + (m <= estimate) for m in resampled) / (2 * len(resampled))
    left_out = [mean_of([g for g in range(len(labels)) if g != skip]) for skip in range(len(labels))]
    centre = math.fsum(left_out) / len(left_out)
    cubes = math.fsum((centre - m) ** 3 for m in left_out)
    squares = math.fsum((centre - m) ** 2 for m in left_out)
    acceleration = cubes / (6 * squares**1.5)
    normal = NormalDist()
    bias = normal.inv_cdf(below)

    def end(probability):
        z = bias + normal.inv_cdf(probability)
        at = normal.cdf(bias + z / (1 - acceleration * z)) * (len(resampled) - 1)
        lower = int(at)
        upper = min(lower + 1, len(resampled) - 1)
        return resampled[lower] + (at - lower) * (resampled[upper] - resampled[lower])

    return end((1 - level) / 2), end((1 + level) / 2)


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
