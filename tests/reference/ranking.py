"""Ranks by listing every order that ties allow: slow and obvious."""

from fractions import Fraction
from itertools import combinations, permutations


def orders(scores):
    """Every order of the options that is sorted by score, best first."""
    for order in permutations(range(len(scores))):
        if all(scores[a] >= scores[b] for a, b in zip(order, order[1:], strict=False)):
            yield order


def expectation(scores, target, figure):
    """Mean of ``figure(rank of the target)`` over the orders."""
    values = [Fraction(figure(order.index(target) + 1)) for order in orders(scores)]
    return float(sum(values) / len(values))


def accuracy_with(scores, target, distractors):
    """Mean chance of coming first over every subset of the distractors of the given size."""
    others = [i for i in range(len(scores)) if i != target]
    chances = []
    for subset in combinations(others, distractors):
        shown = [scores[target], *(scores[i] for i in subset)]
        chances.append(expectation(shown, 0, lambda rank: int(rank == 1)))
    return sum(chances) / len(chances)
