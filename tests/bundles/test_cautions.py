import math

import numpy as np
import pytest
from scipy.stats import t

from bundles.made_scores import scores
from tellapart.bundles.cautions import (
    LevelItems,
    check_levels,
    check_tiers,
    disorder,
    recorded_steps,
    rise_p,
    score_cautions,
    tier_caution,
)
from tellapart.bundles.tier_names import TIERS
from tellapart.bundles.tiers import assign_tiers


def made(*passes, n=40, clusters=None):
    """A tier of ``n`` bundles for each count of passes."""
    margins = [0.5 if i < count else -0.5 for count in passes for i in range(n)]
    return scores(margins, [tier for tier in TIERS[: len(passes)] for _ in range(n)], clusters=clusters)


def test_a_rise_is_said_with_its_figures_and_its_test():
    frame = made(20, 36, 10)
    steps = check_tiers(frame)
    expected = rise_p(np.repeat([1.0, 0.0], 20), np.repeat([1.0, 0.0], [36, 4]))[0]
    assert steps[0].p_rises == pytest.approx(3 * expected)  # Holm over three pairs of tiers.
    assert tier_caution(frame) == (
        "tiers do not order difficulty for m: passes 50.0 % in tier1_easy (n = 40) and "
        "90.0 % in tier2_robust (n = 40), p < 0.001 of no rise"
    )


def test_a_rate_that_creeps_up_is_a_disorder_although_no_tier_differs_from_the_next():
    steps = check_tiers(made(12, 20, 28))
    assert [(step.levels[0], step.levels[1]) for step in steps if step.rises] == [(TIERS[0], TIERS[2])]
    assert "passes 30.0 % in tier1_easy (n = 40) and 70.0 % in tier3_adversarial" in tier_caution(
        made(12, 20, 28)
    )


@pytest.mark.parametrize("passes", [(20, 21, 10), (40, 40, 39), (1, 1, 1), (0, 0, 0), (40, 40, 40)])
def test_a_rise_by_chance_equal_rates_and_what_cannot_be_tested_are_no_disorder(passes):
    assert tier_caution(made(*passes)) is None


def test_cautions_of_a_constant_model():
    frame = scores([0.0] * 50, [None] * 50, ties=[3] * 50)
    assigned = assign_tiers([0.0] * 50)
    ties, own, ties_first, ties_second, empty = score_cautions(frame, assigned.cuts)
    assert ties.startswith("in 50 of 50 bundles (100.0 %) the positive ties")
    assert "cut by this model's own danger" in own
    # Places 35 and 45: 36 and 46 of 50 would have been below the cuts.
    assert (
        "between tier 1 and tier 2 (danger 0) moved 28.0 % of the bundles into the easier tier" in ties_first
    )
    assert (
        "between tier 2 and tier 3 (danger 0) moved 8.0 % of the bundles into the easier tier" in ties_second
    )
    assert empty.startswith("no bundle is in tier2_robust, tier3_adversarial, so")


def test_recorded_rates_that_rise_are_said_without_a_test():
    steps = recorded_steps({"tier1": 0.27, "tier2": 0.2, "tier3": 0.32})
    assert [(step.rises, step.p_rises) for step in steps] == [(False, None), (True, None)]
    assert disorder({"vet15": steps}) == (
        "tiers do not order difficulty for vet15: passes 20.0 % in tier2 and 32.0 % in tier3, without a test"
    )


def test_equal_levels_are_rarely_called_disorder():
    rng = np.random.default_rng(5)
    wrong = 0
    for _ in range(1000):
        items = [LevelItems(name, (rng.random(60) < 0.4).astype(float)) for name in "abc"]
        wrong += disorder({"m": check_levels(items)}) is not None
    assert wrong / 1000 <= 0.05 + 2 * (0.05 * 0.95 / 1000) ** 0.5


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
