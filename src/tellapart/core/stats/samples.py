"""Samples as the statistics take them: finite numbers, and which of them share a source."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator
from typing import TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tellapart.core.arrays import F64, I64

Clusters: TypeAlias = Iterable[Hashable] | NDArray[np.generic]

NO_VARIATION = "the values do not vary"


def finite_values(values: ArrayLike, name: str) -> F64:
    """Read a sample.

    ``name`` is what the caller calls them, for the error.

    Returns:
        float64 of shape (n,).
    """
    sample = np.asarray(values, dtype=np.float64)
    if sample.ndim != 1:
        raise ValueError(f"{name} has shape {sample.shape}, expected one dimension: one number an item.")
    finite = np.isfinite(sample)
    if not finite.all():
        at = int(np.argmin(finite))
        raise ValueError(
            f"{name}[{at}] is {sample[at]!r}, expected a finite number. "
            "Leave missing scores out and count them before the statistics."
        )
    return sample


def unit_values(values: ArrayLike, name: str) -> F64:
    """Read a sample of shares, each in [0, 1]."""
    sample = finite_values(values, name)
    outside = (sample < 0) | (sample > 1)
    if outside.any():
        at = int(np.argmax(outside))
        raise ValueError(f"{name}[{at}] is {float(sample[at])!r}, expected a number in [0, 1].")
    return sample


def cluster_codes(clusters: Clusters | None, n: int) -> tuple[I64, int]:
    """Number the clusters of n items.

    ``None`` and NaN mark an item that shares its source with no other; ``None`` in place of the array means
    that of every item.

    Returns:
        The cluster of each item as a number in [0, clusters), shape (n,), numbered in the order of the
        labels and not of the items, and the number of clusters.
    """
    if clusters is None:
        return np.arange(n), n
    codes = _codes_of_array(clusters) if isinstance(clusters, np.ndarray) else _codes_of_labels(clusters)
    if codes.shape != (n,):
        raise ValueError(f"clusters has shape {codes.shape}, expected ({n},): one label an item.")
    alone = codes < 0
    n_shared = int(codes.max(initial=-1)) + 1
    codes[alone] = n_shared + np.arange(np.count_nonzero(alone))
    return codes, n_shared + int(np.count_nonzero(alone))


def effective_clusters(n: ArrayLike, squares: ArrayLike) -> F64:
    """Count clusters of unequal size as so many of equal size, 1.5 or more.

    ``squares`` is the sum of the squared numbers of items of the clusters.

    Source:
        Kish 1965, "Survey Sampling"; for tests that rest on clusters Carter, Schnepel and Steigerwald 2017,
        "Asymptotic behavior of a t-test robust to cluster heterogeneity".
    """
    return np.maximum(np.square(np.asarray(n, dtype=np.float64)) / np.maximum(squares, 1), 1.5)


def chunk_sizes(rows: int, columns: int) -> Iterator[int]:
    """Cut rows into so many at once that each array of them takes 4 MB at most."""
    size = max(1, 2**19 // columns)
    for start in range(0, rows, size):
        yield min(size, rows - start)


def why_no_spread(n: int, n_clusters: int) -> str | None:
    """Say why n values in so many clusters cannot show how much they vary; ``None`` when they can."""
    if n < 2:
        return "fewer than two values" if n else "no values"
    return "all values are in one cluster" if n_clusters < 2 else None


def _codes_of_array(labels: NDArray[np.generic]) -> I64:
    if labels.dtype == object:
        return _codes_of_labels(labels.tolist())
    if labels.dtype.kind in "iu" and labels.size and labels.min() >= 0 and labels.max() <= 4 * labels.size:
        # Numbers of rows need no sorting.
        is_there = np.zeros(int(labels.max()) + 1, dtype=np.int64)
        is_there[labels] = 1
        return (np.cumsum(is_there) - 1)[labels]  # type: ignore[no-any-return]
    _, inverse = np.unique(labels, return_inverse=True)
    codes: I64 = inverse.astype(np.int64)
    if np.issubdtype(labels.dtype, np.floating):
        codes[np.isnan(labels)] = -1
    return codes


def _codes_of_labels(labels: Iterable[Hashable]) -> I64:
    codes_by_label: dict[Hashable, int] = {}
    unordered = [
        -1 if _is_missing(label) else codes_by_label.setdefault(label, len(codes_by_label))
        for label in labels
    ]
    position = np.empty(len(codes_by_label) + 1, dtype=np.int64)
    position[-1] = -1
    for rank, label in enumerate(sorted(codes_by_label, key=repr)):
        position[codes_by_label[label]] = rank
    codes: I64 = position[np.array(unordered, dtype=np.int64)]
    return codes


def _is_missing(label: Hashable) -> bool:
    return label is None or (isinstance(label, float) and label != label)
