"""What a summary is scored on, and how five scores become one."""

from __future__ import annotations

from collections.abc import Mapping
from math import fsum

WEIGHTS = {
    "accuracy": 0.25,
    "completeness": 0.20,
    "semantic_richness": 0.25,
    "abstraction": 0.15,
    "conciseness": 0.15,
}
"""The five criteria, and what each weighs in a summary's score; together 1."""

LEAST, MOST = 1, 5
"""Ends of the scale of each criterion."""

POINTWISE, PAIRWISE = "pointwise", "pairwise"
"""How judges are asked: for scores of one summary, or which of two is better."""


def weighted(scores: Mapping[str, int]) -> float:
    """Join the scores of one summary, each from 1 to 5, into one from 1 to 5."""
    return round(fsum(weight * scores[name] for name, weight in WEIGHTS.items()), 9)


def as_share(score: float) -> float:
    """Put a score from 1 to 5 on the scale from 0 to 1."""
    return (score - LEAST) / (MOST - LEAST)
