"""Effective context length by trying every value that a missing score could have had."""

from itertools import product
from statistics import fmean


def outcome(lengths, threshold):
    """How far every length passes; ``lengths`` are pairs of tokens and values, the shortest first."""
    tokens = None
    for length, values in lengths:
        if fmean(values) < threshold - 1e-9:
            return ("determined", tokens) if tokens else ("below", None)
        tokens = length
    return "at_least", tokens


def outcomes(lengths, definition):
    """Every outcome that is possible, where None among the values may be 0 or 1; no length is up to 1K."""
    holes = [(i, j) for i, (_, values) in enumerate(lengths) for j, v in enumerate(values) if v is None]
    found = set()
    for fill in product([0.0, 1.0], repeat=len(holes)):
        filled = [(tokens, list(values)) for tokens, values in lengths]
        for (i, j), value in zip(holes, fill, strict=True):
            filled[i][1][j] = value
        threshold = 0.856 if definition == "absolute" else 0.85 * fmean(filled[0][1])
        found.add(outcome(filled, threshold))
    return found
