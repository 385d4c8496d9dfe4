"""Quantiles and their paired bootstrap, every resample written out."""

from fractions import Fraction
from itertools import product


def quantile(values, share):
    """Linear interpolation between the two values around place (n - 1) x share, counted from 0."""
    ordered = sorted(values)
    place = (len(ordered) - 1) * Fraction(share).limit_denominator(1000)
    below = int(place)
    above = min(below + 1, len(ordered) - 1)
    return ordered[below] + float(place - below) * (ordered[above] - ordered[below])


def all_differences(a, b, clusters, share):
    """Quantile of a minus quantile of b for each of the G^G ways to draw G clusters."""
    labels = sorted(set(clusters))
    members = [[i for i, c in enumerate(clusters) if c == label] for label in labels]
    return [
        quantile([a[i] for g in chosen for i in members[g]], share)
        - quantile([b[i] for g in chosen for i in members[g]], share)
        for chosen in product(range(len(labels)), repeat=len(labels))
    ]
