import numpy as np
import pytest
from scipy import stats

from tellapart.core.stats.consistency import kendall_tau_b

NAN = float("nan")


def drawn(seed, comparisons=40, things=7, values=5):
    """Whole numbers, so many of them tied, and some missing."""
    rng = np.random.default_rng(seed)
    sides = rng.integers(0, values, (2, comparisons, things)).astype(float)
    sides[rng.random(sides.shape) < 0.15] = NAN
    return sides


def by_scipy(left, right):
    """None where scipy has no value, or for fewer than three things."""
    known = ~(np.isnan(left) | np.isnan(right))
    left, right = left[known], right[known]
    if len(left) < 3 or len(set(left)) == 1 or len(set(right)) == 1:
        return None
    return stats.kendalltau(left, right).statistic


def test_tau_b_by_hand():
    # Pairs: 1-2 tied left; 1-3, 2-3, 1-4 and 2-4 concordant; 3-4 discordant. Untied left
    # 5, right 6: (4 - 1) / sqrt(30).
    assert kendall_tau_b(np.array([[1.0, 1, 2, 3]]), np.array([[1.0, 2, 4, 3]])) == [3 / np.sqrt(30)]
    assert kendall_tau_b(np.array([[1.0, 2, 3]]), np.array([[5.0, 6, 9]])) == [1.0]
    assert kendall_tau_b(np.array([[1.0, 2, 3]]), np.array([[3.0, 2, 1]])) == [-1.0]


@pytest.mark.parametrize("seed", range(3))
def test_it_agrees_with_scipy(seed):
    left, right = drawn(seed)
    expected = [by_scipy(x, y) for x, y in zip(left, right, strict=True)]
    assert sum(value is None for value in expected) < 10
    found = kendall_tau_b(left, right)
    assert [value is None for value in found] == [value is None for value in expected]
    assert [v for v in found if v is not None] == pytest.approx(
        [v for v in expected if v is not None], abs=1e-12
    )


def test_what_is_undefined_is_none():
    left = np.array([[1.0, 2, 3], [1, 2, NAN], [1, 1, 1], [1, 2, 3], [NAN, NAN, NAN]])
    right = np.array([[1.0, 2, 3], [1, 2, 3], [1, 2, 3], [7, 7, 7], [1, 2, 3]])
    found = kendall_tau_b(left, right)
    assert found[0] == pytest.approx(1, abs=1e-15)
    assert found[1:] == [None] * 4
    assert kendall_tau_b(np.empty((0, 4)), np.empty((0, 4))) == []
    assert kendall_tau_b(np.empty((2, 0)), np.empty((2, 0))) == [None, None]
