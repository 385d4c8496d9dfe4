from itertools import combinations

import numpy as np
import pytest
from scipy.stats import t as student

from reference.stats import clustered_variance
from tellapart.core.stats.paired import mean_differences, paired_differences

NAN = float("nan")


def check(scores, clusters=None):
    scores = np.asarray(scores, dtype=float)
    labels = np.arange(scores.shape[1]) if clusters is None else np.asarray(clusters)
    pairs = paired_differences(scores, clusters)
    assert list(zip(pairs.first, pairs.second, strict=True)) == list(combinations(range(len(scores)), 2))
    for k, (i, j) in enumerate(combinations(range(len(scores)), 2)):
        both = ~np.isnan(scores[i] - scores[j])
        gaps, sources = (scores[i] - scores[j])[both], labels[both]
        n, groups = len(gaps), len(set(sources.tolist()))
        assert (pairs.n[k], pairs.n_clusters[k]) == (n, groups)
        assert pairs.difference[k] == pytest.approx(gaps.mean() if n else NAN, abs=1e-9, nan_ok=True)
        assert (pairs.only_a[k], pairs.only_b[k]) == ((gaps > 0).sum(), (gaps < 0).sum())
        assert pairs.sd[k] == pytest.approx(gaps.std(ddof=1) if n > 1 else NAN, abs=1e-9, nan_ok=True)
        if pairs.reasons[k]:
            assert np.isnan([pairs.standard_error[k], pairs.p_clustered[k]]).all()
            continue
        variance = clustered_variance(gaps.tolist(), sources.tolist())
        assert pairs.standard_error[k] == pytest.approx(variance**0.5, rel=1e-9)
        assert pairs.design_effect[k] == pytest.approx(variance / (gaps.var(ddof=1) / n), rel=1e-9)
        effective = n**2 / np.square(np.unique(sources, return_counts=True)[1]).sum()
        p = 2 * student.sf(abs(gaps.mean()) / variance**0.5, effective - 1)
        assert pairs.p_clustered[k] == pytest.approx(p, rel=1e-9)


def some(kind, seed):
    rng = np.random.default_rng(seed)
    graded = rng.random((4, 60))
    scores = {"graded": graded, "binary": (graded < 0.6).astype(float), "large": 1e6 + graded}
    return scores[kind], rng


@pytest.mark.parametrize("kind", ["graded", "binary", "large"])
def test_each_pair_is_what_it_is_by_itself(kind):
    scores, rng = some(kind, 0)
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
    reasons = paired_differences(np.array([[1.0, 0, 1, 0], [0, 0, 0, 0]]), [0, 0, 1, 1]).reasons
    assert reasons == ("the clusters do not differ",)
    assert len(paired_differences(np.zeros((1, 4))).n) == 0


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
