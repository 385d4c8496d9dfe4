import numpy as np
import pytest

from reference import pairs as reference
from tellapart.core.stats.equivalence import tost_binary, tost_constant, tost_score


def score_p(a, b, clusters=None, margin=0.02, span=1.0):
    scores = np.array([a, b], dtype=float)
    codes = np.arange(scores.shape[1]) if clusters is None else np.asarray(clusters)
    return float(tost_score(scores, codes, [(0, 1)], margin, span)[0])


@pytest.mark.parametrize("span", [1.0, 2.0, float("inf")])
@pytest.mark.parametrize("margin", [0.05, 0.2, 0.45])
def test_the_score_test_takes_the_variance_of_the_likeliest_distribution(margin, span):
    rng = np.random.default_rng(3)
    zeros = np.zeros(9)
    kinds = {
        "graded": rng.normal(0.01, 0.3, 9).clip(-1, 1),
        "thirds": np.array([1, 0, 0, -1, 0, 0, 0, 2, 0]) / 3,
        "one": np.array([0, 0, 0, 0.7, 0, 0, 0, 0, 0]),
        "less than the margin": rng.uniform(-0.03, 0.03, 9),
    }
    for kind, gaps in kinds.items():
        expected = reference.score_tost(gaps, [1] * 9, margin, span)
        assert score_p(gaps, zeros, None, margin, span) == pytest.approx(expected, rel=2e-4), kind
        assert score_p(zeros, gaps, None, margin, span) == pytest.approx(expected, rel=2e-4), kind
    # Clusters of 3, 1, 2 and 3 items, of which one is missing.
    scores = np.array([0.5, 0.2, np.nan, 0.1, 0.9, 0.4, 0.3, 0.0, 0.2])
    sums, sizes = [0.5 + 0.2, 0.1, 0.9 + 0.4 - 1.5, 0.3 + 0.2], [2, 1, 2, 3]
    other = np.array([0, 0, 0, 0, 0.75, 0.75, 0, 0, 0])
    expected = reference.score_tost(sums, sizes, margin, span)
    assert score_p(scores, other, [0, 0, 0, 4, 2, 2, 7, 7, 7], margin, span) == pytest.approx(
        expected, rel=2e-4
    )


def test_no_score_test():
    same, one = np.full(30, 0.5), [0.5]
    assert np.isnan(score_p(same, same))
    assert np.isnan(score_p(one, [0.4]))
    assert np.isnan(score_p(same, np.zeros(30), [0] * 30))
    assert np.isnan(score_p([np.nan] * 3, one * 3))
    # Rounding is no difference, and a difference of the margin or more is not equivalent.
    assert np.isnan(score_p([0.3, 0.1, 0.5], [0.2, 0.2, 0.5], [0, 0, 1]))
    assert score_p(np.r_[0.02, 0.02], np.zeros(2)) == 1.0
    assert score_p(np.r_[0.3, 0.1], np.zeros(2)) == 1.0
    assert len(tost_score(np.zeros((2, 3)), np.arange(3), [], 0.02, 1.0)) == 0


@pytest.mark.parametrize(
    ("only_a", "only_b", "n", "margin"),
    [(3, 1, 150, 0.02), (40, 31, 400, 0.05), (7, 7, 90, 0.1), (200, 190, 1000, 0.3), (1, 1, 200, 0.02)],
)
def test_binary_is_the_score_test(only_a, only_b, n, margin):
    expected = reference.score_equivalence(only_a, only_b, n, margin)
    assert tost_binary(only_a, only_b, n, margin) == pytest.approx(expected, rel=1e-7)
    assert tost_binary(only_b, only_a, n, margin) == pytest.approx(expected, rel=1e-7)


def test_binary_by_hand():
    # Only A right on 1 of 150, .02 apart: (1 - 3) / sqrt(150 x .02 x .98) = -1.16643.
    assert tost_binary(1, 0, 150, 0.02) == pytest.approx(0.121717, abs=1e-5)
    # The same answers on 149 items, of models that differ on .02: .98^149 < .05; on 148 not.
    assert tost_binary(0, 0, [148, 149], 0.02).tolist() == pytest.approx([0.98**148, 0.98**149])
    assert 0.98**149 < 0.05 < 0.98**148
    # Rates differ by at most 1.
    assert tost_binary([9, 3], [0, 3], [9, 9], 1.0).tolist() == [1.0, 0.0]


def test_constant_by_hand():
    # No difference on 100 items, at most 1 an item: .98^100. A span of 2 halves the share: .99^100.
    assert tost_constant(0.0, 100, 0.02, 1.0) == pytest.approx(0.98**100)
    assert tost_constant(0.0, 100, 0.02, 2.0) == pytest.approx(0.99**100)
    # .01 on every item: .01 more of at most .99 more.
    found = tost_constant([-0.01, 0.02, 0.3], 100, 0.02, 1.0)
    assert found.tolist() == pytest.approx([(98 / 99) ** 100, 1, 1])
    assert tost_constant([0.0, 0.5], 10, 1.0, 1.0).tolist() == [0.0, 0.0]
    assert tost_constant(0.0, 100, 0.02, float("inf")) == 1.0
