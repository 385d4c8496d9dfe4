"""How well the confidence gap, or a stated confidence, tells right answers from wrong ones."""

from __future__ import annotations

import numpy as np
import polars as pl
from numpy.typing import ArrayLike, NDArray

from tellapart.contrastive.answers import once
from tellapart.core.arrays import F64
from tellapart.core.record import Record

GAP_BINS, FOLDS, CALIBRATION_BINS = 20, 5, 10


class GapHistogram(Record):
    """Confidence gaps: edges of the bins, and items answered right and wrong in each."""

    edges: tuple[float, ...]
    right: tuple[int, ...]
    wrong: tuple[int, ...]


class GapResult(Record):
    """Whether the confidence gap of a model separates right answers from wrong ones.

    Attributes:
        correlation: Point-biserial, of the gap with being right.
        auroc: 0.5 is chance.
        calibration_error: Of a logistic curve from gap to probability, fitted on other files.
    """

    histogram: GapHistogram
    mean_right: float | None
    mean_wrong: float | None
    correlation: float | None
    auroc: float | None
    calibration_error: float | None


def gap_result(rows: pl.DataFrame) -> GapResult:
    """Whether the confidence gap tells right answers from wrong ones.

    Right means a probability of a correct answer above one half, so a tie at the top is wrong. Language
    models have no gap: their histogram is empty, and the other figures are None. The calibration error is
    that of a logistic curve from gap to probability, fitted on other files.
    """
    scored = once(rows).filter(pl.col("correct").is_not_null(), pl.col("confidence_gap").is_not_null())
    gap, right = scored["confidence_gap"].to_numpy(), (scored["correct"] > 0.5).to_numpy()
    edges = np.linspace(0.0, float(gap.max()) if len(gap) and gap.max() > 0 else 1.0, GAP_BINS + 1)
    number = {path: i % FOLDS for i, path in enumerate(sorted(set(scored["path"])))}
    probabilities = None
    if len(number) >= FOLDS:
        folds = np.array([number[path] for path in scored["path"]])
        probabilities = calibrated_probabilities(gap, right, folds)
    return GapResult(
        histogram=GapHistogram(
            edges=tuple(edges.tolist()),
            right=tuple(np.histogram(gap[right], edges)[0].tolist()),
            wrong=tuple(np.histogram(gap[~right], edges)[0].tolist()),
        ),
        mean_right=float(gap[right].mean()) if right.any() else None,
        mean_wrong=float(gap[~right].mean()) if not right.all() else None,
        correlation=point_biserial(gap, right),
        auroc=auroc(gap, right),
        calibration_error=None if probabilities is None else expected_calibration_error(probabilities, right),
    )


def auroc(scores: ArrayLike, labels: ArrayLike) -> float | None:
    """Give the chance that a positive scores above a negative, ties counting half; None without a class.

    Source:
        Hanley and McNeil 1982, "The meaning and use of the area under a receiver operating characteristic
        (ROC) curve".
    """
    sample, positive = np.asarray(scores, dtype=np.float64), np.asarray(labels, dtype=np.bool_)
    right, wrong = sample[positive], np.sort(sample[~positive])
    if not len(right) or not len(wrong):
        return None
    below = np.searchsorted(wrong, right, side="left")
    up_to = np.searchsorted(wrong, right, side="right")
    return float((below + up_to).sum()) / (2 * len(right) * len(wrong))


def point_biserial(scores: ArrayLike, outcomes: ArrayLike) -> float | None:
    """Give Pearson's correlation of a score with being right; None where either does not vary."""
    x, y = np.asarray(scores, dtype=np.float64), np.asarray(outcomes, dtype=np.float64)
    if not len(x) or np.ptp(x) == 0 or np.ptp(y) == 0:
        return None
    return float(np.clip(np.corrcoef(x, y)[0, 1], -1.0, 1.0))


def expected_calibration_error(probabilities: ArrayLike, outcomes: ArrayLike) -> float | None:
    """Give the mean distance between stated probability and observed rate, over bins of equal size.

    Tied items share their mean outcome, so that their order does not matter. Even a perfect forecaster gets
    more than 0 from few items a bin. None without items.

    Source:
        Naeini, Cooper and Hauskrecht 2015, "Obtaining well calibrated probabilities using Bayesian
        binning", for the error; Nixon et al. 2019, "Measuring calibration in deep learning", for
        bins of equal mass instead of equal width.
    """
    stated, observed = (np.asarray(values, dtype=np.float64) for values in (probabilities, outcomes))
    n = len(stated)
    if n == 0:
        return None
    distinct, group, sizes = np.unique(stated, return_inverse=True, return_counts=True)
    gaps = np.repeat(distinct - np.bincount(group, weights=observed) / sizes, sizes)
    starts = [part[0] for part in np.array_split(np.arange(n), min(CALIBRATION_BINS, n))]
    return float(np.abs(np.add.reduceat(gaps, starts)).sum()) / n


def calibrated_probabilities(scores: F64, right: NDArray[np.bool_], folds: NDArray[np.int64]) -> F64 | None:
    """Turn scores of any scale into probabilities by a logistic curve fitted on the other folds.

    None when a class is absent from the items outside some fold.

    Source:
        Platt 1999, "Probabilistic outputs for support vector machines", with its smoothed targets, which
        keep the curve finite where the classes do not overlap.
    """
    probabilities = np.empty(len(scores))
    for fold in np.unique(folds):
        held_out = folds == fold
        seen = right[~held_out]
        if seen.all() or not seen.any():
            return None
        probabilities[held_out] = _platt(scores[~held_out], seen, scores[held_out])
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
