import pytest
from scipy.stats import binomtest
from statsmodels.stats.contingency_tables import mcnemar

from reference import stats as reference
from tellapart.core.stats.paired import mcnemar_exact


def test_mcnemar_by_hand():
    # One against five: the tail of 6 fair coins is 1 + 6 of 64, doubled.
    assert mcnemar_exact(1, 5) == pytest.approx(14 / 64, abs=1e-15)
    assert mcnemar_exact(5, 1) == mcnemar_exact(1, 5)
    assert mcnemar_exact(0, 0) == 1.0
    assert mcnemar_exact(3, 3) == 1.0


def test_mcnemar_is_1_where_every_outcome_is_as_extreme():
    assert {mcnemar_exact(k, k + more) for k in range(300) for more in (0, 1)} == {1.0}
    assert max(mcnemar_exact(k, k + 2) for k in range(300)) < 1


@pytest.mark.parametrize(("only_a", "only_b"), [(0, 1), (0, 6), (2, 9), (40, 61), (480, 560), (4, 5)])
def test_mcnemar_agrees_with_statsmodels_and_the_definition(only_a, only_b):
    ours = mcnemar_exact(only_a, only_b)
    assert ours == pytest.approx(mcnemar([[7, only_a], [only_b, 3]], exact=True).pvalue, abs=1e-9)
    assert ours == pytest.approx(reference.mcnemar(only_a, only_b), abs=1e-9)
    assert ours == pytest.approx(binomtest(only_a, only_a + only_b).pvalue, abs=1e-9)


def test_a_negative_count_is_named():
    with pytest.raises(ValueError, match="are -1 and 2"):
        mcnemar_exact(-1, 2)
