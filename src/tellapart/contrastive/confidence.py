"""How well the confidence gap, or a stated confidence, tells right answers from wrong ones."""

from __future__ import annotations

import numpy as np
import polars as pl
from numpy.typing import NDArray

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
    """Whether the confidence gap of a model separates right answers from wrong ones."""

    histogram: GapHistogram
    mean_right: float | None
    mean_wrong: float | None
    correlation: float | None
    auroc: float | None
    calibration_error: float | None


def gap_result(rows: pl.DataFrame) -> GapResult:
    """Whether the confidence gap tells right answers from wrong ones; a tie at the top is wrong."""
    scored = once(rows).filter(pl.col("correct").is_not_null(), pl.col("confidence_gap").is_not_null())
    gap, right = scored["confidence_gap"].to_numpy(), (scored["correct"] > 0.5).to_numpy()
    edges = np.linspace(0.0, float(gap.max()) if len(gap) and gap.max() > 0 else 1.0, GAP_BINS + 1)
    varies = len(set(gap.tolist())) > 1 and len(set(right.tolist())) > 1
    probabilities = _probabilities(gap, right, scored["path"].to_list())
    return GapResult(
        histogram=GapHistogram(
            edges=tuple(edges.tolist()),
            right=tuple(np.histogram(gap[right], edges)[0].tolist()),
            wrong=tuple(np.histogram(gap[~right], edges)[0].tolist()),
        ),
        mean_right=float(gap[right].mean()) if right.any() else None,
        mean_wrong=float(gap[~right].mean()) if not right.all() else None,
        correlation=float(np.corrcoef(gap, right)[0, 1]) if varies else None,
        auroc=auroc(gap, right),
        calibration_error=None if probabilities is None else expected_calibration_error(probabilities, right),
    )


def auroc(scores: F64, right: NDArray[np.bool_]) -> float | None:
    """Give the chance that a right answer scores above a wrong one, ties counting half; None without both."""
    from sklearn.metrics import roc_auc_score

    return float(roc_auc_score(right, scores)) if len(set(right.tolist())) > 1 else None


def expected_calibration_error(probabilities: F64, right: NDArray[np.bool_]) -> float | None:
    """Give the mean distance between stated probability and observed rate, over bins of equal size.

    Tied items share their mean outcome. Source: Naeini, Cooper and Hauskrecht 2015, "Obtaining well
    calibrated probabilities using Bayesian binning"; bins of equal mass: Nixon et al. 2019, "Measuring
    calibration".
    """
    n = len(probabilities)
    if n == 0:
        return None
    distinct, group, sizes = np.unique(probabilities, return_inverse=True, return_counts=True)
    gaps = np.repeat(distinct - np.bincount(group, weights=right) / sizes, sizes)
    starts = [part[0] for part in np.array_split(np.arange(n), min(CALIBRATION_BINS, n))]
    return float(np.abs(np.add.reduceat(gaps, starts)).sum()) / n


def _probabilities(gap: F64, right: NDArray[np.bool_], files: list[str]) -> F64 | None:
    """Turn gaps into probabilities by a logistic curve that is fitted on other files; None with too few."""
    from sklearn.linear_model import LogisticRegression
    from sklearn.model_selection import GroupKFold, cross_val_predict
    from threadpoolctl import threadpool_limits

    if len(set(files)) < FOLDS:
        return None
    standard = ((gap - gap.mean()) / (gap.std() or 1.0))[:, None]
    folds = list(GroupKFold(FOLDS).split(standard, groups=files))
    if any(right[seen].all() or not right[seen].any() for seen, _ in folds):
        return None
    # A fit this small takes far longer to share among threads, above all on busy cores, than to do.
    with threadpool_limits(1, user_api="blas"):
        fitted = cross_val_predict(LogisticRegression(), standard, right, cv=folds, method="predict_proba")
    return np.asarray(fitted[:, 1], dtype=np.float64)
