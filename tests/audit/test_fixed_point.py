import numpy as np
import pytest

from tellapart.audit.exact_means import fixed_point


def test_sums_do_not_depend_on_the_order():
    rng = np.random.default_rng(1)
    values = rng.normal(size=10_000) * 10.0 ** rng.integers(-6, 4, 10_000)
    fixed = fixed_point(values, len(values))
    sums = {float(rng.permutation(fixed.units).cumsum()[-1]) for _ in range(20)}
    assert len(sums) == 1
    assert len({float(rng.permutation(values).cumsum()[-1]) for _ in range(20)}) > 1
    assert sums.pop() * fixed.unit == pytest.approx(values.sum(), rel=1e-7)


def test_the_error_is_as_promised():
    values = np.array([1 / 3, -5.0, 0.1, 0.0])
    fixed = fixed_point(values, 1000)
    assert (fixed.units == np.rint(fixed.units)).all()
    assert np.abs(fixed.units * fixed.unit - values).max() <= 2.0**-52 * 1000 * 5
    assert np.abs(fixed.units).max() * 1000 <= 2**53
    # As fine as that: another bit would not fit for the greatest value and the most addends.
    assert fixed_point(np.array([1.0]), 2**20).unit == 2.0**-32


def test_zeros_ones_and_nothing():
    fixed = fixed_point(np.array([[0.0, 1.0], [1.0, 0.0]]), 4)
    assert (fixed.units * fixed.unit == [[0, 1], [1, 0]]).all()
    assert fixed_point(np.zeros(3), 3).units.tolist() == [0, 0, 0]
    assert fixed_point(np.empty(0), 0).units.tolist() == []
