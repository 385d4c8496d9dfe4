"""Ranks by listing every order that ties allow: slow and obvious."""

from fractions import Fraction
from itertools import permutations


def orders(scores):
    """Every order of the options that is sorted by score, best first."""
    for order in permutations(range(len(scores))):
        if all(scores[a] >= scores[b] for a, b in zip(order, order[1:], strict=False)):
            yield order


def expectation(scores, target, figure):
    """Mean of ``figure(rank of the target)`` over the orders."""
    values = [Fraction(figure(order.index(target) + 1)) for order in orders(scores)]
    return float(sum(values) / len(values))
