"""Means with one spelling."""

from __future__ import annotations

from collections.abc import Collection
from math import fsum


def mean_once(values: Collection[float]) -> float | None:
    """Give a mean that is rounded once.

    The same bits come out in whatever order the values are, and however many threads a column is cut for.

    Args:
        values: Finite numbers.

    Returns:
        The mean, or None where there are no values.
    """
    return fsum(values) / len(values) if len(values) else None
