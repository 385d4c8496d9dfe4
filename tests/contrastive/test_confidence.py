import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import pointbiserialr
from sklearn.calibration import CalibratedClassifierCV
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score

from reference import stats as reference
from tellapart.contrastive.confidence import (
    auroc,
    calibrated_probabilities,
    expected_calibration_error,
    point_biserial,
)

STEADY = settings(derandomize=True, deadline=None, max_examples=40, database=None)
# Small integers, so that ties are common.
SCORED = st.lists(st.tuples(st.integers(0, 6), st.booleans()), min_size=2, max_size=25)


def noisy_scores(seed, n=200):
    rng = np.random.default_rng(seed)
    scores = rng.normal(size=n)
    return scores, rng.random(n) < 1 / (1 + np.exp(-0.4 - 1.5 * scores))


@STEADY
@given(SCORED)
def test_auroc_agrees_with_the_definition_and_scikit_learn(pairs):
    scores, labels = map(list, zip(*pairs, strict=True))
    ours = auroc(scores, labels)
    if len(set(labels)) < 2:
        assert ours is None
        return
    assert ours == pytest.approx(reference.auroc(scores, labels), abs=1e-12)
    assert ours == pytest.approx(roc_auc_score(labels, scores), abs=1e-12)
    assert auroc(-np.array(scores), labels) == pytest.approx(1 - ours, abs=1e-12)
    assert auroc(np.exp(scores), labels) == ours


def test_point_biserial_agrees_with_scipy():
    scores, outcomes = noisy_scores(1)
    assert point_biserial(scores, outcomes) == pytest.approx(pointbiserialr(outcomes, scores)[0], abs=1e-12)
    assert point_biserial(5 - 2 * scores, outcomes) == pytest.approx(
        -point_biserial(scores, outcomes), abs=1e-12
    )


def test_calibration_error_agrees_with_the_definition():
    rng = np.random.default_rng(2)
    stated, outcomes = rng.random(57), rng.integers(0, 2, 57)
    slow = reference.expected_calibration_error(stated.tolist(), outcomes.tolist(), 10)
    assert expected_calibration_error(stated, outcomes) == pytest.approx(slow, abs=1e-12)


def test_calibrated_probabilities_agree_with_scikit_learns_sigmoid():
    scores, outcomes = noisy_scores(3, 120)
    folds = np.arange(120) % 2
    # A frozen model whose decision function is the score itself.
    raw = LogisticRegression()
    raw.classes_, raw.coef_, raw.intercept_ = np.array([False, True]), np.ones((1, 1)), np.zeros(1)
    theirs = CalibratedClassifierCV(FrozenEstimator(raw), method="sigmoid")
    theirs.fit(scores[folds == 1, None], outcomes[folds == 1])
    ours = calibrated_probabilities(scores, outcomes, folds)
    asked = folds == 0
    assert ours[asked] == pytest.approx(theirs.predict_proba(scores[asked, None])[:, 1], abs=1e-4)


def test_an_item_does_not_calibrate_itself():
    scores, outcomes = noisy_scores(4, 60)
    folds = np.arange(60) % 3
    flipped = np.where(folds == 1, ~outcomes, outcomes)
    before = calibrated_probabilities(scores, outcomes, folds)
    after = calibrated_probabilities(scores, flipped, folds)
    assert after[folds == 1] == pytest.approx(before[folds == 1], abs=1e-12)
    assert np.abs(after[folds != 1] - before[folds != 1]).mean() > 0.1
