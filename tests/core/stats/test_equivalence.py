import numpy as np
import pytest
from scipy.stats import binom
from statsmodels.stats.weightstats import ttost_paired

from reference import pairs as reference
from tellapart.core.stats import paired_difference, tost, tost_binary, tost_constant


@pytest.mark.parametrize("shift", [-0.03, 0.0, 0.015, 0.2])
def test_agreement_with_statsmodels(shift):
    rng = np.random.default_rng(0)
    a = rng.random(80)
    b = a - shift + rng.normal(0, 0.1, 80)
    found = paired_difference(a, b)
    ours = tost(found.difference, found.standard_error, 79, 0.05)
    assert ours == pytest.approx(ttost_paired(a, b, -0.05, 0.05)[0], abs=1e-9)


def test_by_hand():
    # A difference of .01 with an error of .01 is one error from .02: one-sided t of 1 with 9 degrees, .17172.
    assert tost(0.01, 0.01, 9, 0.02) == pytest.approx(0.171718, abs=1e-6)
    assert tost(-0.01, 0.01, 9, 0.02) == tost(0.01, 0.01, 9, 0.02)
    # Exactly as large as matters: even odds.
    assert tost(0.02, 0.01, 9, 0.02) == 0.5
    assert np.isnan(tost([0.0, 0.0], [0.01, np.nan], 9, 0.02)).tolist() == [False, True]


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


def test_more_agreement_is_more_equivalent():
    p = tost_binary([0, 1, 2, 3, 4], [0, 0, 0, 0, 0], 200, 0.02)
    assert (np.diff(p) > 0).all()


@pytest.mark.parametrize(("n", "shared"), [(150, 0.0), (300, 0.0), (500, 0.02), (2000, 0.05)])
def test_models_that_differ_as_much_as_matters_are_rarely_called_equivalent(n, shared):
    # Exact, no simulation: over all outcomes of n items. The t tests call a fifth of the first equivalent.
    a = np.arange(n + 1)[:, None]
    b = np.arange(min(n, 250) + 1 if shared else 1)[None, :]
    differing = shared + (0.02 + shared)
    weights = binom.pmf(a + b, n, differing) * binom.pmf(a, a + b, (0.02 + shared) / differing)
    possible = a + b <= n
    p = np.where(possible, tost_binary(np.where(possible, a, 0), np.where(possible, b, 0), n, 0.02), 1.0)
    assert weights[p <= 0.05].sum() < 0.065


def test_constant_by_hand():
    # No difference on 100 items, at most 1 an item: .98^100. A span of 2 halves the share: .99^100.
    assert tost_constant(0.0, 100, 0.02, 1.0) == pytest.approx(0.98**100)
    assert tost_constant(0.0, 100, 0.02, 2.0) == pytest.approx(0.99**100)
    # .01 on every item: .01 more of at most .99 more.
    found = tost_constant([-0.01, 0.02, 0.3], 100, 0.02, 1.0)
    assert found.tolist() == pytest.approx([(98 / 99) ** 100, 1, 1])
    assert tost_constant([0.0, 0.5], 10, 1.0, 1.0).tolist() == [0.0, 0.0]
    assert tost_constant(0.0, 100, 0.02, float("inf")) == 1.0


@pytest.mark.parametrize("margin", [0.0, -0.1, float("nan")])
@pytest.mark.parametrize("test", [lambda m: tost(0, 1, 9, m), lambda m: tost_binary(0, 0, 9, m)])
def test_a_margin_is_positive(test, margin):
    with pytest.raises(ValueError, match="margin is"):
        test(margin)
    with pytest.raises(ValueError, match="margin is"):
        tost_constant(0, 9, margin, 1)
