import math

import numpy as np
import pytest
from scipy.stats import t as student

from tellapart.bundles.difficulty import rate_fall


def slow(first, second, first_clusters, second_clusters):
    """The score test written out: statistic and degrees of freedom."""
    both = [*first, *second]
    rate = sum(both) / len(both)
    sums = {}
    for value, cluster in zip(first, first_clusters, strict=True):
        sums[cluster] = sums.get(cluster, 0) + (value - rate) / len(first)
    for value, cluster in zip(second, second_clusters, strict=True):
        sums[cluster] = sums.get(cluster, 0) - (value - rate) / len(second)
    g = len(sums)
    variance = sum(x * x for x in sums.values()) * g / (g - 1)
    return (sum(first) / len(first) - sum(second) / len(second)) / math.sqrt(variance), g - 1


def test_by_hand():
    # Rates 1 and 0, together 1/2: every deviation is 1/2, divided by 2 and squared 1/16, of four 1/4, times
    # 4/3 is 1/3: t = sqrt(3) with 3 degrees of freedom.
    found = rate_fall([1, 1], [0, 0])
    assert (found.fall, found.n, found.n_clusters) == (1.0, (2, 2), 4)
    assert found.p_falls == pytest.approx(student.sf(math.sqrt(3), 3))
    assert found.p_falls + found.p_rises == pytest.approx(1)


def test_agrees_with_the_test_written_out_where_clusters_reach_into_both_groups():
    rng = np.random.default_rng(1)
    for _ in range(30):
        n, m = rng.integers(3, 40, 2)
        first, second = rng.integers(0, 2, n), rng.integers(0, 2, m)
        labels = [rng.integers(0, 9, size).astype(str) for size in (n, m)]
        found = rate_fall(first, second, *labels)
        statistic, degrees = slow(first.tolist(), second.tolist(), *(x.tolist() for x in labels))
        assert found.p_falls == pytest.approx(student.sf(statistic, degrees))
        turned = rate_fall(second, first, labels[1], labels[0])
        assert (turned.fall, turned.p_rises) == (pytest.approx(-found.fall), pytest.approx(found.p_falls))


@pytest.mark.parametrize(
    ("groups", "fall", "reason"),
    [
        (([], [1]), None, "a group is empty"),
        (([1, 1], [1]), 0.0, "the rates do not vary"),
        (([1, 0], [1], ["x", "x"], ["x"]), -0.5, "all values are in one cluster"),
    ],
)
def test_what_cannot_be_tested_says_why(groups, fall, reason):
    found = rate_fall(*groups)
    assert (found.fall, found.p_falls, found.p_rises, found.reason) == (fall, None, None, reason)
