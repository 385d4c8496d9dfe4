"""Capture and recapture by counting every way in which a second search can come out."""

from fractions import Fraction
from math import comb


def estimate(first, second, both):
    return Fraction((first + 1) * (second + 1), both + 1) - 1


def ways(population, first, second, both):
    return Fraction(comb(first, both) * comb(population - first, second - both), comb(population, second))


def accepted(first, second, both, tail, most):
    """All N up to ``most`` for which neither tail of m, with half of m itself, is within ``tail``."""
    found = []
    for population in range(first + second - both, most + 1):
        chance = [
            ways(population, first, second, shared) if population - first >= second - shared else 0
            for shared in range(min(first, second) + 1)
        ]
        fewer = sum(chance[:both]) + Fraction(chance[both]) / 2
        more = sum(chance[both + 1 :]) + Fraction(chance[both]) / 2
        if fewer > tail and more > tail:
            found.append(population)
    return found
