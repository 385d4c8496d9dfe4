"""Levels out of order, from recorded rates; from items they are tested with the tiers of bundles."""

import math

import numpy as np
import pytest
from scipy.stats import t

from tellapart.bundles.difficulty import (
    LevelItems,
    RecordedRate,
    check_levels,
    check_recorded_levels,
    disorder,
    rise_p,
)

RISING = [{"tier1": RecordedRate(0.27), "tier3": RecordedRate(rate)} for rate in (0.31, 0.32, 0.33)]


def test_seeds_alone_by_hand():
    # Rises .04, .05, .06: mean .05, standard deviation .01, error .01 / √3, t = 8.66 of 2 degrees of freedom.
    (step,) = check_recorded_levels(RISING)
    assert step.p_rises == pytest.approx(t.sf(0.05 / (0.01 / 3**0.5), 2), rel=1e-9)
    assert (step.rises, step.noise, step.rates) == (True, "noise of seeds only", pytest.approx((0.27, 0.32)))
    assert disorder({"vet15": [step]}) == (
        "tiers do not order difficulty for vet15: passes 27.0 % in tier1 and 32.0 % in tier3, "
        "p = 0.007 of no rise, noise of seeds only"
    )


def test_equal_levels_are_rarely_called_disorder():
    rng = np.random.default_rng(5)
    wrong = 0
    for _ in range(1000):
        items = [LevelItems(name, (rng.random((1, 60)) < 0.4).astype(float)) for name in "abc"]
        wrong += disorder({"m": check_levels(items)}) is not None
    assert wrong / 1000 <= 0.05 + 2 * (0.05 * 0.95 / 1000) ** 0.5


def drawn_runs(rng, rates, runs=3, items=60, of_runs=0.2):
    """Runs of one condition on three levels: items differ, and runs differ from level to level."""
    found = []
    for name, logit in zip("abc", rates, strict=True):
        easy = logit + rng.normal(0, 1, items) + rng.normal(0, of_runs, (runs, 1))
        found.append(LevelItems(name, (rng.random((runs, items)) < 1 / (1 + np.exp(-easy))).astype(float)))
    return found


def test_the_items_of_several_runs_are_tested_over_seeds_and_items():
    rng = np.random.default_rng(4)
    rising, falling = (check_levels(drawn_runs(rng, rates)) for rates in ((-2, -2, 2), (2, 0, -2)))
    assert [step.rises for step in rising] == [False, True, True]
    assert [step.rises for step in falling] == [False, False, False]
    assert (rising[1].noise, rising[1].n) == ("over seeds and items", (60, 60))
    alike = LevelItems("a", np.ones((2, 5)))
    (step,) = check_levels([alike, LevelItems("b", np.ones((2, 5)))])
    assert (step.p_rises, step.rises, step.reason) == (None, False, "the rates do not vary")
    together = LevelItems("b", np.ones((2, 5)), np.zeros(5))
    assert check_levels([alike, together])[0].reason == "all items of a tier are of one source"


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


def test_one_run_by_hand():
    # Rates 0 and 1, together 1/2: every deviation is 1/2, divided by 2 and squared 1/16, of four 1/4, times
    # 4/3 is 1/3: t = sqrt(3) with 3 degrees of freedom.
    p, reason = rise_p(np.zeros(2), np.ones(2))
    assert (p, reason) == (pytest.approx(t.sf(math.sqrt(3), 3)), None)


def test_agrees_with_the_test_written_out_where_clusters_reach_into_both_groups():
    rng = np.random.default_rng(1)
    for _ in range(30):
        n, m = rng.integers(3, 40, 2)
        first, second = rng.integers(0, 2, n), rng.integers(0, 2, m)
        labels = [rng.integers(0, 9, size).astype(str) for size in (n, m)]
        statistic, degrees = slow(first.tolist(), second.tolist(), *(x.tolist() for x in labels))
        assert rise_p(first, second, tuple(labels))[0] == pytest.approx(t.cdf(statistic, degrees))


@pytest.mark.parametrize(
    ("groups", "reason"),
    [
        (([], [1]), "a group is empty"),
        (([1, 1], [1]), "the rates do not vary"),
        (([1, 0], [1], (["x", "x"], ["x"])), "all values are in one cluster"),
    ],
)
def test_what_cannot_be_tested_says_why(groups, reason):
    first, second, *clusters = groups
    assert rise_p(np.array(first, float), np.array(second, float), *clusters) == (None, reason)
