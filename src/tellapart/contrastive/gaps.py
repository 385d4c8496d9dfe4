"""The confidence gap: how far the first option is ahead of the second, and what that tells."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import polars as pl

from tellapart.contrastive.figures import Figures
from tellapart.contrastive.replicates import once
from tellapart.core.stats import auroc, calibrated_probabilities, expected_calibration_error, point_biserial

GAP_BINS = 20
FOLDS = 5


def gap_figures(rows: pl.DataFrame) -> Figures:
    """Whether the confidence gap tells right answers from wrong ones.

    Right means a probability of a correct answer above one half, so a tie at the top is wrong. Language
    models have no gap: their histogram is empty, and the rest is None. The
    calibration error is that of a logistic curve from gap to probability, each file's from a fit on the
    other files.
    """
    scored = once(rows).filter(pl.col("correct").is_not_null(), pl.col("confidence_gap").is_not_null())
    gap, right = scored["confidence_gap"].to_numpy(), (scored["correct"] > 0.5).to_numpy()
    edges = np.linspace(0.0, float(gap.max()) if len(gap) and gap.max() > 0 else 1.0, GAP_BINS + 1)
    return {
        "histogram": {
            "edges": edges.tolist(),
            "right": np.histogram(gap[right], edges)[0].tolist(),
            "wrong": np.histogram(gap[~right], edges)[0].tolist(),
        },
        "mean_right": float(gap[right].mean()) if right.any() else None,
        "mean_wrong": float(gap[~right].mean()) if not right.all() else None,
        "correlation": point_biserial(gap, right),
        "auroc": auroc(gap, right),
        "calibration_error": _calibration_error(gap, right, scored["path"].to_list()),
    }


def _calibration_error(gap: np.ndarray, right: np.ndarray, paths: Sequence[str]) -> float | None:
    order = {path: i % FOLDS for i, path in enumerate(sorted(set(paths)))}
    if len(order) < FOLDS:
        return None
    probabilities = calibrated_probabilities(gap, right, [order[path] for path in paths])
    return None if probabilities is None else expected_calibration_error(probabilities, right)
