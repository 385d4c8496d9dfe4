"""Figures of items by their definitions, one item and one model at a time; slow and obvious."""

import math
from fractions import Fraction


def mean(values):
    return math.fsum(values) / len(values)


def rest_correlation(scores, item, models):
    """Correlation of scores on the item with means over the others, and of how many; None is missing."""
    xs, ys = [], []
    for model in models:
        others = [s for i, s in enumerate(scores[model]) if i != item and s is not None]
        if scores[model][item] is not None and others:
            xs.append(scores[model][item])
            ys.append(mean(others))
    if len(xs) < 4 or len(set(xs)) == 1 or max(ys) - min(ys) < 1e-12:
        return None, len(xs)
    x, y = mean(xs), mean(ys)
    xy = math.fsum((a - x) * (b - y) for a, b in zip(xs, ys, strict=True))
    xx, yy = math.fsum((a - x) ** 2 for a in xs), math.fsum((b - y) ** 2 for b in ys)
    return xy / math.sqrt(xx * yy), len(xs)


def alpha(scores):
    """Cronbach's alpha in fractions, variances with n - 1."""

    def variance(values):
        values = [Fraction(v) for v in values]
        m = sum(values) / len(values)
        return sum((v - m) ** 2 for v in values) / (len(values) - 1)

    k = len(scores[0])
    of_items = sum(variance(column) for column in zip(*scores, strict=True))
    return Fraction(k, k - 1) * (1 - of_items / variance([sum(map(Fraction, row)) for row in scores]))
