"""A control is at chance by equivalence: more items make that surer, and never an alarm by themselves."""

import numpy as np
import pytest

from tellapart.core.comparison.chance import CHANCE_LEVEL, ChanceOutcome, judge_chance
from tellapart.core.estimate import Interval
from tellapart.core.stats.intervals import clustered_rate


@pytest.mark.parametrize(
    ("low", "high", "outcome"),
    [
        (0.08, 0.12, "at chance"),
        (0.071, 0.129, "at chance"),
        (0.09, 0.13, "cannot tell"),
        (0.07, 0.11, "cannot tell"),
        (0.01, 0.069, "below chance"),
        (0.131, 0.2, "above chance"),
        (0.12, 0.14, "cannot tell"),
        (0.0, 1.0, "cannot tell"),
    ],
)
def test_the_interval_lies_within_the_margin_or_beyond_it_or_neither(low, high, outcome):
    # Chance .1 and a margin of .03 leave .07 to .13.
    assert judge_chance(Interval(low, high), 0.1) is ChanceOutcome(outcome)


def test_without_an_interval_nothing_is_said():
    assert judge_chance(None, 0.1) is judge_chance(Interval(0.1, 0.1), None) is ChanceOutcome.UNCLEAR


def outcomes(rate, n, rng, runs=400):
    draws = (rng.random((runs, n)) < rate).astype(float)
    return [judge_chance(clustered_rate(row, level=CHANCE_LEVEL).interval, 0.1) for row in draws]


def test_a_small_rest_is_no_alarm_however_many_items_there_are():
    """An interval of the rest alone excludes chance for certain from some thousand items on."""
    rng = np.random.default_rng(3)
    for n in (300, 3_000, 30_000):
        found = outcomes(0.085, n, rng)
        assert found.count(ChanceOutcome.BELOW) <= 0.01 * len(found)
    assert found == [ChanceOutcome.AT] * len(found)


def test_a_real_fault_is_an_alarm():
    # Plain nearest neighbours: a third to a half of chance.
    found = outcomes(0.04, 2_000, np.random.default_rng(7))
    assert found == [ChanceOutcome.BELOW] * len(found)
