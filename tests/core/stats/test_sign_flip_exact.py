import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import binomtest

from reference import pairs as reference
from tellapart.core.stats.sign_flip import exact_p

STEADY = settings(derandomize=True, deadline=None, max_examples=60, database=None)
WHOLE = st.lists(st.integers(-6, 6).filter(bool), min_size=1, max_size=9)


def test_by_hand():
    # 3, 2 and -1 add up to 4; of the 8 ways only +-(3 + 2 + 1) and +-(3 + 2 - 1) reach it.
    assert exact_p(np.array([3.0, 2.0, -1.0])) == 0.5
    assert exact_p(np.array([0.3])) == 1.0
    # Sixteen of one sign and of sizes without a unit: they and their mirror.
    assert exact_p(np.sqrt(np.arange(2.0, 18.0))) == 2 / 2**16


@STEADY
@given(WHOLE)
def test_it_is_the_share_of_all_ways(terms):
    expected = reference.sign_flip(terms)
    assert exact_p(np.array(terms, dtype=float)) == pytest.approx(expected, rel=1e-12)
    # The same where no unit is found, and the ways are gone through.
    assert exact_p(np.array(terms) * 2**0.5) == pytest.approx(expected, rel=1e-12)
    # And where the unit is a part of 1, so that sums that are equal are not so in binary: .1 + .2, .3.
    assert exact_p(np.array(terms) / 10) == pytest.approx(expected, rel=1e-12)
    assert exact_p(np.array(terms) / 3) == pytest.approx(expected, rel=1e-12)


def test_right_and_wrong_is_the_binomial_test():
    # 200 items of which 88 go one way: McNemar's.
    terms = np.repeat([1.0, -1.0], [112, 88])
    assert exact_p(terms) == pytest.approx(binomtest(88, 200).pvalue, rel=1e-9)


def test_many_terms_without_a_unit_have_none():
    terms = np.random.default_rng(3).normal(size=17)
    assert exact_p(terms) is None
    # A unit of which there are too many is none.
    assert exact_p(np.full(17, 2.0**17 + 1) + np.arange(17)) is None
