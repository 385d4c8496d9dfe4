"""How well a number tells right from wrong: ranking, correlation and calibration."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tellapart.core.arrays import F64
from tellapart.core.stats.samples import Clusters, cluster_codes, finite_values, same_length, unit_values


def auroc(scores: ArrayLike, labels: ArrayLike) -> float | None:
    """Give the chance that a positive scores above a negative, ties counting half.

    Args:
        scores: Shape (n,), finite, any scale.
        labels: Shape (n,), true (or 1) for positives, false (or 0) for negatives.

    Returns:
        In [0, 1]; .5 for a constant score; ``None`` when a class is absent.

    Source:
        Hanley and McNeil 1982, "The meaning and use of the area under a receiver operating characteristic
        (ROC) curve".
    """
    sample, positive = _labelled(scores, labels)
    right, wrong = sample[positive], np.sort(sample[~positive])
    if not len(right) or not len(wrong):
        return None
    below = np.searchsorted(wrong, right, side="left")
    up_to = np.searchsorted(wrong, right, side="right")
    return float((below + up_to).sum()) / (2 * len(right) * len(wrong))


def point_biserial(scores: ArrayLike, outcomes: ArrayLike) -> float | None:
    """Give Pearson's correlation of a score with a right-or-wrong outcome.

    Args:
        scores: Shape (n,), finite, any scale.
        outcomes: Shape (n,), finite; 0 and 1, or fractions where ties are scored by their expectation.

    Returns:
        In [-1, 1]; ``None`` when either does not vary.
    """
    x, y = finite_values(scores, "scores"), finite_values(outcomes, "outcomes")
    same_length(x, y, "scores and outcomes")
    if not len(x) or np.ptp(x) == 0 or np.ptp(y) == 0:
        return None
    return float(np.clip(np.corrcoef(x, y)[0, 1], -1.0, 1.0))


def expected_calibration_error(probabilities: ArrayLike, outcomes: ArrayLike, bins: int = 10) -> float | None:
    """Give the mean gap between stated probability and observed rate, over bins of equal size.

    Items are sorted by probability and cut into bins whose sizes differ by at most one; the error is the
    mean over items of their bin's |mean probability - mean outcome|. Tied items share their mean outcome, so
    that their order does not matter. Even a perfect forecaster gets more than 0 from few items a bin.

    Args:
        probabilities: Shape (n,), each in [0, 1].
        outcomes: Shape (n,), each in [0, 1], usually 0 and 1.
        bins: Number of bins, at least 1; fewer items than bins get a bin each.

    Returns:
        In [0, 1]; ``None`` without items.

    Source:
        Naeini, Cooper and Hauskrecht 2015, "Obtaining well calibrated probabilities using Bayesian
        binning", for the error; Nixon et al. 2019, "Measuring calibration in deep learning", for
        bins of equal mass instead of equal width.
    """
    stated, observed = unit_values(probabilities, "probabilities"), unit_values(outcomes, "outcomes")
    same_length(stated, observed, "probabilities and outcomes")
    if bins < 1:
        raise ValueError(f"bins is {bins!r}, expected 1 or more.")
    n = len(stated)
    if n == 0:
        return None
    distinct, group, sizes = np.unique(stated, return_inverse=True, return_counts=True)
    gaps = np.repeat(distinct - np.bincount(group, weights=observed) / sizes, sizes)
    starts = [part[0] for part in np.array_split(np.arange(n), min(bins, n))]
    return float(np.abs(np.add.reduceat(gaps, starts)).sum()) / n


def calibrated_probabilities(scores: ArrayLike, outcomes: ArrayLike, folds: Clusters) -> F64 | None:
    """Turn a raw score into a probability by a logistic curve fitted on the other folds.

    Args:
        scores: Shape (n,), finite, any scale; the result does not depend on scale or shift.
        outcomes: Shape (n,), true (or 1) and false (or 0).
        folds: Shape (n,), fold labels; items of one cluster belong in one fold.

    Returns:
        Shape (n,), each in (0, 1), an item's from a fit that has not seen its fold; ``None`` when a class is
        absent from the items outside some fold.

    Source:
        Platt 1999, "Probabilistic outputs for support vector machines", with its smoothed targets, which
        keep the curve finite where the classes do not overlap.
    """
    sample, positive = _labelled(scores, outcomes)
    codes, n_folds = cluster_codes(folds, len(sample))
    if n_folds < 2:
        raise ValueError(f"folds has {n_folds} different labels, expected two or more.")
    probabilities = np.empty(len(sample))
    for fold in range(n_folds):
        held_out = codes == fold
        seen, right = sample[~held_out], positive[~held_out]
        if right.all() or not right.any():
            return None
        probabilities[held_out] = _platt(seen, right, sample[held_out])
    return probabilities


def _platt(seen: F64, right: NDArray[np.bool_], scores: F64) -> F64:
    from sklearn.linear_model import LogisticRegression
    from threadpoolctl import threadpool_limits

    n_right, n_wrong = np.count_nonzero(right), np.count_nonzero(~right)
    target = np.where(right, (n_right + 1) / (n_right + 2), 1 / (n_wrong + 2))
    centre, spread = seen.mean(), seen.std() or 1.0
    standard = np.tile((seen - centre) / spread, 2)[:, None]
    # A soft target is two weighted items, one right and one wrong.
    labels = np.repeat([1, 0], len(seen))
    curve = LogisticRegression(C=np.inf, tol=1e-8, max_iter=1000)
    # A fit this small takes far longer to share among threads, above all on busy cores, than to do.
    with threadpool_limits(1, user_api="blas"):
        curve.fit(standard, labels, sample_weight=np.concatenate([target, 1 - target]))
    return np.asarray(curve.predict_proba(((scores - centre) / spread)[:, None])[:, 1], dtype=np.float64)


def _labelled(scores: ArrayLike, labels: ArrayLike) -> tuple[F64, NDArray[np.bool_]]:
    sample, marks = finite_values(scores, "scores"), unit_values(labels, "labels")
    same_length(sample, marks, "scores and labels")
    if not ((marks == 0) | (marks == 1)).all():
        raise ValueError("Some labels are neither 0 nor 1, expected right or wrong.")
    return sample, marks == 1
