"""Figures of items by their definitions, one item and one model at a time; slow and obvious."""

import math
from fractions import Fraction

import numpy as np
from scipy.optimize import minimize


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


def two_parameter_by_search(scores):
    """Slopes and difficulties by a general-purpose search for the greatest marginal likelihood, no priors."""
    x = np.asarray(scores, dtype=float)
    given, passes, n = ~np.isnan(x), x == 1, x.shape[1]
    nodes = np.linspace(-6, 6, 121)
    weights = np.exp(-(nodes**2) / 2)
    weights /= weights.sum()

    def surprise(parameters):
        total = 0.0
        rates = 1 / (1 + np.exp(-(np.outer(parameters[:n], nodes) + parameters[n:, None])))
        for model in range(len(x)):
            likelihood = np.ones_like(nodes)
            for item in np.flatnonzero(given[model]):
                likelihood = likelihood * (rates[item] if passes[model, item] else 1 - rates[item])
            total -= math.log((likelihood * weights).sum())
        return total

    found = minimize(surprise, np.r_[np.ones(n), np.zeros(n)], method="BFGS", options={"gtol": 1e-4})
    return found.x[:n], -found.x[n:] / found.x[:n]
