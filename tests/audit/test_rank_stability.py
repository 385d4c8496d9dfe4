from itertools import combinations

import numpy as np
import pytest
from scipy.stats import kendalltau

from support.score_tables import grid_of
from tellapart.audit.options import AuditOptions
from tellapart.audit.ranking import rank_stability

OPTIONS = AuditOptions()


def grid(scores, clusters=None, **strata):
    """A grid from scores (models, items); NaN is missing."""
    models = {f"m{m:02}": row for m, row in enumerate(scores)}
    return grid_of(models, clusters, limits=(-100.0, 100.0), name="i{:05}", **strata)


def drawn(seed, models=6, items=40):
    rng = np.random.default_rng(seed)
    chance = np.linspace(0.3, 0.7, models)[:, None]
    return (rng.random((models, items)) < chance).astype(float)


def test_taus_between_strata_are_those_of_scipy():
    scores = drawn(1, items=60)
    scores[2, :25] = np.nan
    kinds = ["low", "mid", "top", None] * 15
    found = rank_stability(grid(scores, kind=kinds), [], OPTIONS).between_strata
    assert list(found) == ["kind"]
    assert list(found["kind"]) == ["low|mid", "low|top", "mid|top"]
    for a, b in combinations(("low", "mid", "top"), 2):
        means = [np.nanmean(scores[:, [k == kind for k in kinds]], axis=1) for kind in (a, b)]
        assert found["kind"][f"{a}|{b}"] == pytest.approx(kendalltau(*means).statistic, abs=1e-12)


def test_without_flagged_by_hand():
    # All items: 2 3 4, in order. Without the last: 2 1 0, in reverse. Without the last two: all tied.
    scores = np.array([[1, 1, 0], [1, 0, 2], [1, -1, 4]])
    assert rank_stability(grid(scores), [], OPTIONS).without_flagged is None
    assert rank_stability(grid(scores), ["i00002"], OPTIONS).without_flagged == -1
    assert rank_stability(grid(scores), ["i00002", "i00001"], OPTIONS).without_flagged is None
    assert rank_stability(grid(scores), ["i00000", "i00001", "i00002"], OPTIONS).without_flagged is None
    assert rank_stability(grid(scores), ["i00000"], OPTIONS).without_flagged == 1


def test_halves_by_hand():
    # Two clusters make one split, whichever half is drawn first. Means 1 2 6 against 1 2 3: tau 1; deviations
    # -2 -1 3 and -1 0 1: 5 / sqrt(14 x 2). Stepped up: 2 r / (1 + r).
    scores = np.array([[1, 1, 1, 1], [2, 2, 2, 2], [6, 6, 3, 3]])
    found = rank_stability(grid(scores, ["x", "x", "y", "y"]), [], OPTIONS)
    r = 5 / np.sqrt(28)
    assert found.halves_tau == pytest.approx(1)
    assert found.halves_correlation == pytest.approx(r)
    assert found.spearman_brown == pytest.approx(2 * r / (1 + r))
    assert found.reason == ""


def test_halves_are_means_over_all_splits():
    # Four items have three splits into two and two; the mean over 100 draws nears that over the three.
    scores = np.array([[0, 1, 1, 0], [1, 1, 0, 1], [1, 1, 1, 2], [3, 2, 0, 3]], dtype=float)
    taus, correlations = [], []
    for first in ([0, 1], [0, 2], [0, 3]):
        rest = [i for i in range(4) if i not in first]
        left, right = scores[:, first].mean(axis=1), scores[:, rest].mean(axis=1)
        taus.append(kendalltau(left, right).statistic)
        correlations.append(np.corrcoef(left, right)[0, 1])
    found = rank_stability(grid(scores), [], OPTIONS)
    # Each split is drawn with chance 1/3, so the mean's standard error is the standard deviation over ten.
    assert found.halves_tau == pytest.approx(np.mean(taus), abs=4 * np.std(taus) / 10)
    assert found.halves_correlation == pytest.approx(np.mean(correlations), abs=4 * np.std(correlations) / 10)
    assert np.std(taus) > 0.1


def test_halves_that_cannot_be():
    two = rank_stability(grid(drawn(1, models=2)), [], OPTIONS)
    assert (two.halves_tau, two.halves_correlation, two.spearman_brown) == (None, None, None)
    assert "two have only one order" in two.reason
    one_source = rank_stability(grid(drawn(1), ["file"] * 40), [], OPTIONS)
    assert one_source.halves_tau is None
    assert "one source" in one_source.reason
    equal = rank_stability(grid(np.ones((4, 8))), [], OPTIONS)
    assert equal.halves_tau is None
    assert "do not differ" in equal.reason
    one_item = rank_stability(grid(drawn(1, items=1)), [], OPTIONS)
    assert "one source" in one_item.reason


def test_halves_that_correlate_negatively_are_not_stepped_up():
    scores = np.array([[1, 3.0], [2, 2], [3, 1]])
    found = rank_stability(grid(scores), [], OPTIONS)
    assert (found.halves_tau, found.spearman_brown) == (-1, None)
    assert found.halves_correlation == pytest.approx(-1)
    assert "negatively" in found.reason
