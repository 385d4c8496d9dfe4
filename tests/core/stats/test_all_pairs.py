from itertools import combinations

import numpy as np
import pytest

from tellapart.core.stats import mean_differences, paired_difference, paired_differences

NAN = float("nan")
FIGURES = ("n", "n_clusters", "difference", "sd", "standard_error", "design_effect", "p_clustered", "binary")


def none_is_nan(value):
    return NAN if value is None else value


def check(scores, clusters=None):
    scores = np.asarray(scores, dtype=float)
    found = paired_differences(scores, clusters)
    pairs = list(combinations(range(len(scores)), 2))
    assert list(zip(found.first, found.second, strict=True)) == pairs
    half = found.half_width(0.9)
    for k, (i, j) in enumerate(pairs):
        one = paired_difference(scores[i], scores[j], clusters, level=0.9)
        ours = [float(getattr(found, name)[k]) for name in FIGURES]
        theirs = [float(none_is_nan(getattr(one, name))) for name in FIGURES]
        assert ours == pytest.approx(theirs, rel=1e-9, abs=1e-15, nan_ok=True)
        assert found.reasons[k] == (one.reason or "")
        if one.interval:
            assert one.interval.high - one.difference == pytest.approx(half[k], rel=1e-9)
        else:
            assert np.isnan(half[k])


def some(kind, seed):
    rng = np.random.default_rng(seed)
    graded = rng.random((4, 60))
    scores = {"graded": graded, "binary": (graded < 0.6).astype(float), "large": 1e6 + graded}
    return scores[kind], rng


@pytest.mark.parametrize("kind", ["graded", "binary", "large"])
@pytest.mark.parametrize("seed", [0, 1])
def test_each_pair_is_what_it_is_by_itself(kind, seed):
    scores, rng = some(kind, seed)
    check(scores)
    check(scores, rng.integers(0, 14, 60))
    scores[rng.random(scores.shape) < 0.2] = NAN
    check(scores)
    check(scores, rng.integers(0, 14, 60) + 1000)


def test_pairs_without_figures_say_why():
    check([[NAN, 1, 0], [1, NAN, NAN], [1, 1, 1], [0, 0, 0]])
    check([[1, 0, 1], [0, 0, 1]], [7, 7, 7])
    # One right and one wrong more in either cluster: they do not differ.
    check([[1, 0, 1, 0], [0, 0, 0, 0]], [0, 0, 1, 1])
    check(np.zeros((3, 0)))
    assert len(paired_differences(np.zeros((1, 4))).n) == 0


def test_items_that_only_one_gets_right():
    found = paired_differences(np.array([[1, 1, 1, 0, NAN, 1], [0, 0, 1, 1, 1, NAN]]))
    assert (found.only_a.tolist(), found.only_b.tolist()) == ([2], [1])


def test_differences_that_vary_only_by_rounding_do_not_vary():
    found = paired_differences(np.array([[0.3, 0.2, 0.9], [0.2, 0.1, 0.8]]))
    assert found.reasons == ("the values do not vary",)
    assert found.sd.tolist() == [0.0]
    assert np.isnan(found.standard_error).all()


def test_an_infinite_score_is_named():
    with pytest.raises(ValueError, match="A score is infinite"):
        paired_differences(np.array([[np.inf, 0.0], [0.0, 0.0]]))


def test_mean_differences():
    low = np.array([[0.0, 0.5, NAN], [1.0, -np.inf, 0.5], [NAN, NAN, NAN]])
    high = np.array([[1.0, 0.5, NAN], [1.0, np.inf, 0.5], [NAN, NAN, NAN]])
    # A's low less B's high: (0 - 1) and (.5 - inf).
    assert mean_differences(low, high).tolist() == pytest.approx([-np.inf, NAN, NAN], nan_ok=True)
    assert mean_differences(low[:, :1], high[:, :1])[0] == -1.0
    assert mean_differences(high[:, :1], low[:, :1])[0] == 0.0
