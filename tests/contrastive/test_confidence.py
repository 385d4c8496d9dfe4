from math import sqrt

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GroupKFold

from contrastive.fakes import as_json, item_rows
from reference import stats as reference
from tellapart.contrastive.figures import gap_result


def test_gaps_by_hand():
    # Right at .4 and .3, wrong at .1, and a tie at the top, which is wrong, at 0.
    rows = item_rows(
        {"rank": 1, "confidence_gap": 0.4},
        {"rank": 1, "confidence_gap": 0.3},
        {"rank": 2, "confidence_gap": 0.1},
        {"rank": 1, "ties": 1, "confidence_gap": 0.0},
    )
    figures = as_json(gap_result(rows))
    histogram = figures["histogram"]
    assert histogram["edges"] == pytest.approx([0.02 * i for i in range(21)])
    assert [i for i, count in enumerate(histogram["right"]) if count] == [15, 19]
    assert [i for i, count in enumerate(histogram["wrong"]) if count] == [0, 5]
    assert sum(histogram["right"]) == sum(histogram["wrong"]) == 2
    assert figures["mean_right"] == pytest.approx(0.35)
    assert figures["mean_wrong"] == pytest.approx(0.05)
    assert figures["auroc"] == 1.0
    # Deviations from .2 are .2, .1, -.1, -.2 and from .5 half: covariance .3 / 4, variances .1 / 4 and 1 / 4.
    assert figures["correlation"] == pytest.approx(0.3 / sqrt(0.1))
    assert figures["calibration_error"] is None


def test_calibration_is_that_of_curves_fitted_on_other_files():
    rng = np.random.default_rng(6)
    gaps = rng.random(60)
    ranks = np.where(rng.random(60) < gaps, 1, 2)
    paths = [f"{i % 11:02}.py" for i in range(60)]
    rows = item_rows(
        *(
            {"rank": int(rank), "confidence_gap": gap, "path": path}
            for rank, gap, path in zip(ranks, gaps, paths, strict=True)
        )
    )
    standard = ((gaps - gaps.mean()) / gaps.std())[:, None]
    probabilities = np.empty(60)
    for seen, held_out in GroupKFold(5).split(standard, groups=paths):
        curve = LogisticRegression().fit(standard[seen], ranks[seen] == 1)
        probabilities[held_out] = curve.predict_proba(standard[held_out])[:, 1]
    slow = reference.expected_calibration_error(probabilities.tolist(), (ranks == 1).tolist(), 10)
    assert as_json(gap_result(rows))["calibration_error"] == pytest.approx(slow, abs=1e-9)
