"""How far two raters agree beyond chance."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from tellapart.core.stats.samples import same_length, unit_values


def cohen_kappa(first: ArrayLike, second: ArrayLike) -> float | None:
    """Give Cohen's kappa of two verdicts, right or wrong, on the same items.

    Args:
        first: Shape (n,), true (or 1) and false (or 0).
        second: Shape (n,), of the same items.

    Returns:
        At most 1; 0 for agreement as by chance. ``None`` without items, and where both give all items the
        same verdict, so that chance alone would make them agree.

    Raises:
        ValueError: A verdict is neither 0 nor 1, or the shapes differ.

    Source:
        Cohen 1960, "A coefficient of agreement for nominal scales"; scikit-learn's.
    """
    a, b = unit_values(first, "first"), unit_values(second, "second")
    same_length(a, b, "first and second")
    if not (np.isin(a, (0, 1)).all() and np.isin(b, (0, 1)).all()):
        raise ValueError("Some verdicts are neither 0 nor 1, expected right or wrong.")
    return cohen_kappa_of(a.tolist(), b.tolist())


def cohen_kappa_of(
    first: Sequence[str] | Sequence[float], second: Sequence[str] | Sequence[float]
) -> float | None:
    """Give Cohen's kappa of two labels, of any number of kinds, on the same items.

    Args:
        first: Shape (n,), any labels.
        second: Shape (n,), of the same items.

    Returns:
        At most 1; 0 for agreement as by chance. ``None`` without items, and where both give all items the
        same label.

    Raises:
        ValueError: The lengths differ.

    Source:
        As `cohen_kappa`.
    """
    from sklearn.metrics import cohen_kappa_score

    if len(first) != len(second):
        raise ValueError(
            f"first and second have {len(first)} and {len(second)} entries, expected one an item."
        )
    if len({*first, *second}) < 2:
        return None
    return float(cohen_kappa_score(first, second))
