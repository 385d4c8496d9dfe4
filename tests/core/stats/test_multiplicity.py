import gc

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from statsmodels.stats.multitest import multipletests

from reference import stats as reference
from tellapart.core.stats.paired import holm, holm_known

STEADY = settings(derandomize=True, deadline=None, max_examples=50, database=None)
# Few distinct values, so that ties are common.
P_VALUES = st.lists(st.sampled_from([0.0, 0.001, 0.01, 0.02, 0.04, 0.3, 0.9, 1.0]), min_size=1, max_size=12)


@pytest.fixture(scope="module", autouse=True)
def nothing_old_to_collect():
    """Statsmodels collects garbage at every call, which takes half a second where all tests are loaded."""
    gc.freeze()
    yield
    gc.unfreeze()


def test_holm_by_hand():
    # Sorted .01 .02 .03 .04 times 4 3 2 1: .04 .06 .06 .04, and no value below the one before it.
    assert holm([0.04, 0.01, 0.03, 0.02]).tolist() == pytest.approx([0.06, 0.04, 0.06, 0.06])


@STEADY
@given(P_VALUES)
def test_agreement_with_the_definitions_and_other_libraries(p):
    assert holm(p) == pytest.approx(multipletests(p, method="holm")[1], abs=1e-12)
    assert holm(p) == pytest.approx(reference.holm(p), abs=1e-12)


@pytest.mark.parametrize("p", [[0.1, float("nan")], [0.1, 1.2], [0.1, -0.2]])
def test_what_is_no_p_value_is_named(p):
    with pytest.raises(ValueError, match=r"p_values\[1\] is"):
        holm(p)


def test_comparisons_that_were_not_tested_stay_unknown_and_cost_nothing():
    # Two tests: .01 * 2 and the larger of .02 and .03.
    assert holm_known([None, 0.03, None, 0.01]) == [None, 0.03, None, 0.02]
    assert holm_known([None]) == [None]
    assert holm_known([]) == []
