"""Conditions over seeds: which test, what it covers, the verdict, and how often it is wrong."""

import numpy as np
import pytest
from scipy.stats import ttest_ind, ttest_rel
from statsmodels.stats.weightstats import CompareMeans, DescrStatsW

from tellapart.bundles.conditions import ConditionRuns, compare_conditions
from tellapart.core.comparison import ALPHA, Verdict


def by_seed(*values, first=1):
    return {str(i): value for i, value in enumerate(values, start=first)}


def compared(values, **options):
    return compare_conditions([ConditionRuns("pass_rate", values, **options)])


def test_the_same_seeds_are_paired_and_others_are_not():
    a, b = [0.71, 0.74, 0.68], [0.73, 0.765, 0.70]
    (paired,) = compared({"a": by_seed(*a), "b": by_seed(*b)}).primary.pairs
    (welch,) = compared({"a": by_seed(*a), "b": by_seed(*b, first=2)}).primary.pairs
    assert (paired.paired, welch.paired) == (True, False)
    assert paired.p == pytest.approx(ttest_rel(a, b).pvalue, rel=1e-9)
    assert welch.p == pytest.approx(ttest_ind(a, b, equal_var=False).pvalue, rel=1e-9)
    theirs = CompareMeans(DescrStatsW(a), DescrStatsW(b)).tconfint_diff(usevar="unequal")
    assert (welch.interval_95.low, welch.interval_95.high) == pytest.approx(theirs, rel=1e-9)
    # Three points up at every seed, give or take: only pairing sees it.
    assert (paired.verdict, welch.verdict) == (Verdict.B_BETTER, Verdict.NOT_SEPARATED)
    assert paired.difference == pytest.approx(-0.0216667, abs=1e-7)


def test_no_interval_contradicts_its_verdict():
    rng = np.random.default_rng(2)
    for table in range(300):
        n, k = int(rng.integers(2, 6)), int(rng.integers(2, 5))
        values = {
            f"c{i}": by_seed(
                *(0.5 + 0.05 * rng.normal(i * rng.integers(0, 3), 1, n)), first=int(rng.integers(1, 3))
            )
            for i in range(k)
        }
        if table % 2:
            values = {name: by_seed(*of.values()) for name, of in values.items()}
        for pair in compared(values).primary.pairs:
            assert (0.0 not in pair.interval) == pair.is_separated == (pair.p_adjusted <= ALPHA)
            assert (0.0 not in pair.interval_95) == (pair.p <= 0.05)
