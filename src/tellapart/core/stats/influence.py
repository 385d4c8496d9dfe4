"""Figures of a whole data set, such as a correlation, as means over its items: one number an item.

A correlation has no score by item. But a small change of the weight of an item moves it, and by how much is
known: the item's influence. The figure plus the influence of each item are numbers whose mean is the figure,
exactly, and whose variance divided by their count is the figure's, by the infinitesimal jackknife. So two
models are compared on them as on any scores by item: the influences of the difference of two figures are the
differences of the influences. This holds for many items, not for ten.

Source:
    Efron, "The Jackknife, the Bootstrap and Other Resampling Plans", SIAM 1982, section 6.3 (infinitesimal
    jackknife); Hampel, "The influence curve and its role in robust estimation", JASA 69 (1974).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from tellapart.core.arrays import F64


def spearman_values(x: F64, y: F64) -> F64:
    """Spearman's correlation as a mean over items.

    Ranks move with the weights too: a change of one item's weight changes the ranks of all others.

    Args:
        x: Shape (n,), finite.
        y: Shape (n,), finite. Equal values have the mean of their ranks, as in ``scipy.stats.spearmanr``.

    Returns:
        Shape (n,), mean Spearman's correlation; no fixed limits. All NaN where a side is constant, or without
        items.
    """
    a, b = _mid_ranks(x), _mid_ranks(y)
    covariance = float(np.mean(a * b)) - 0.25 if len(a) else np.nan
    spread_a, spread_b = (float(np.mean(side * side)) - 0.25 if len(side) else np.nan for side in (a, b))
    if not (spread_a > 0 and spread_b > 0):
        return np.full(len(a), np.nan)
    scale = np.sqrt(spread_a * spread_b)
    correlation = covariance / scale
    # The first part is of the item itself, the second of the ranks that it moves.
    of_covariance = (a * b - np.mean(a * b)) + _moved(x, a, b) + _moved(y, b, a)
    of_a = (a * a - np.mean(a * a)) + 2 * _moved(x, a, a)
    of_b = (b * b - np.mean(b * b)) + 2 * _moved(y, b, b)
    influence = of_covariance / scale - correlation / 2 * (of_a / spread_a + of_b / spread_b)
    return np.asarray(correlation + influence)


def pearson_values(x: F64, y: F64) -> F64:
    """Pearson's correlation as a mean over items.

    Args:
        x: Shape (n,), finite.
        y: Shape (n,), finite.

    Returns:
        Shape (n,), mean Pearson's correlation; no fixed limits. All NaN where a side is constant, or without
        items.
    """
    if len(x) == 0 or np.ptp(x) == 0 or np.ptp(y) == 0:
        return np.full(len(x), np.nan)
    a, b = ((side - side.mean()) / side.std() for side in (x, y))
    correlation = float(np.mean(a * b))
    return np.asarray(correlation + a * b - correlation / 2 * (a * a + b * b))


def average_precision_values(labels: F64, scores: F64) -> F64:
    """Average precision as a mean over items, positive and negative ones.

    Args:
        labels: Shape (n,), 1 for what should stand first, 0 for what should not.
        scores: Shape (n,), finite, the greatest first. Equal scores are one step of the curve, as in
            ``sklearn.metrics.average_precision_score``.

    Returns:
        Shape (n,), mean average precision; no fixed limits. All NaN without positive items.
    """
    n, positives = len(labels), float(np.sum(labels))
    if positives == 0:
        return np.full(n, np.nan)
    distinct, step = np.unique(scores, return_inverse=True)
    per_step = np.bincount(step, minlength=len(distinct)).astype(float)
    positives_per_step = np.bincount(step, weights=labels, minlength=len(distinct))
    # Of each step: items, and positive ones, at it or above.
    at_least = np.cumsum(per_step[::-1])[::-1]
    precision = np.cumsum(positives_per_step[::-1])[::-1] / at_least
    mean = float(np.sum(positives_per_step * precision) / positives)
    # An item lowers or raises the precision at each step that it stands at or above.
    weight = np.cumsum(positives_per_step / at_least)
    weighted = np.cumsum(positives_per_step / at_least * precision)
    rate = positives / n
    moved = labels * weight[step] - weighted[step]
    influence = (labels * (precision[step] - mean) + moved) / rate
    return np.asarray(mean + influence)


def _mid_ranks(values: F64) -> F64:
    """The share of items below each, and half of those equal to it: the mean is a half."""
    distinct, place, counts = np.unique(values, return_inverse=True, return_counts=True)
    below = np.cumsum(counts) - counts
    return np.asarray((below + counts / 2)[place] / max(len(values), 1))


def _moved(values: F64, ranks: F64, other: F64) -> F64:
    """For each item, the mean over all of how much more of its weight moves their rank, times ``other``."""
    distinct, place = np.unique(values, return_inverse=True)
    sums: Any = np.bincount(place, weights=other, minlength=len(distinct))
    above = np.sum(other) - np.cumsum(sums)
    raised = (above + sums / 2)[place] / len(values)
    return np.asarray(raised - np.mean(ranks * other))
