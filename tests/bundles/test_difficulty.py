"""Levels out of order, from recorded rates; from items they are tested with the tiers of bundles."""

import numpy as np
import pytest
from scipy.stats import norm, t

from tellapart.bundles.difficulty import (
    LevelItems,
    LevelRuns,
    RecordedRate,
    check_levels,
    check_levels_of_runs,
    check_recorded_levels,
    disorder,
)

RISING = [{"tier1": RecordedRate(0.27), "tier3": RecordedRate(rate)} for rate in (0.31, 0.32, 0.33)]


def margin(rate, n):
    return 1.959964 * (rate * (1 - rate) / n) ** 0.5


def test_seeds_alone_by_hand():
    # Rises .04, .05, .06: mean .05, standard deviation .01, error .01 / √3, t = 8.66 of 2 degrees of freedom.
    (step,) = check_recorded_levels(RISING)
    assert step.p_rises == pytest.approx(t.sf(0.05 / (0.01 / 3**0.5), 2), rel=1e-9)
    assert (step.rises, step.noise, step.rates) == (True, "noise of seeds only", pytest.approx((0.27, 0.32)))
    assert disorder({"vet15": [step]}) == (
        "tiers do not order difficulty for vet15: passes 27.0 % in tier1 and 32.0 % in tier3, "
        "p = 0.007 of no rise, noise of seeds only"
    )


def test_few_items_are_noise_that_seeds_do_not_show():
    runs = [
        {
            "tier1": RecordedRate(0.27, 454, margin(0.27, 454)),
            "tier3": RecordedRate(rate, 454, margin(rate, 454)),
        }
        for rate in (0.31, 0.32, 0.33)
    ]
    (step,) = check_recorded_levels(runs)
    assert (step.rises, step.noise) == (False, "over seeds and items")
    # Nearly the z of two rates, as the seeds hardly vary.
    z = 0.05 / (0.27 * 0.73 / 454 + 0.32 * 0.68 / 454) ** 0.5
    assert step.p_rises == pytest.approx(norm.sf(z), abs=0.03)
    assert step.p_rises > norm.sf(z)


def test_one_run_is_tested_by_its_items_or_not_at_all():
    run = {
        "tier1": RecordedRate(0.2, 400, margin(0.2, 400)),
        "tier2": RecordedRate(0.4, 400, margin(0.4, 400)),
    }
    (step,) = check_recorded_levels([run])
    assert step.rises
    (bare,) = check_recorded_levels([{"tier1": RecordedRate(0.2), "tier2": RecordedRate(0.4)}])
    assert (bare.p_rises, bare.rises, bare.reason) == (None, False, "the number of items is not recorded")
    assert check_recorded_levels([]) == ()


def test_equal_levels_are_rarely_called_disorder():
    rng = np.random.default_rng(5)
    wrong = 0
    for _ in range(1000):
        items = [LevelItems(name, (rng.random(60) < 0.4).astype(float)) for name in "abc"]
        wrong += disorder({"m": check_levels(items)}) is not None
    assert wrong / 1000 <= 0.05 + 2 * (0.05 * 0.95 / 1000) ** 0.5


def drawn_runs(rng, rates, runs=3, items=60, of_runs=0.2):
    """Runs of one condition on three levels: items differ, and runs differ from level to level."""
    found = []
    for name, logit in zip("abc", rates, strict=True):
        easy = logit + rng.normal(0, 1, items) + rng.normal(0, of_runs, (runs, 1))
        found.append(LevelRuns(name, (rng.random((runs, items)) < 1 / (1 + np.exp(-easy))).astype(float)))
    return found


def test_the_items_of_several_runs_are_tested_over_seeds_and_items():
    rng = np.random.default_rng(4)
    rising, falling = (check_levels_of_runs(drawn_runs(rng, rates)) for rates in ((-2, -2, 2), (2, 0, -2)))
    assert [step.rises for step in rising] == [False, True, True]
    assert [step.rises for step in falling] == [False, False, False]
    assert (rising[1].noise, rising[1].n) == ("over seeds and items", (60, 60))
    alike = LevelRuns("a", np.ones((2, 5)))
    (step,) = check_levels_of_runs([alike, LevelRuns("b", np.ones((2, 5)))])
    assert (step.p_rises, step.rises, step.reason) == (None, False, "the rates do not vary")
    together = LevelRuns("b", np.ones((2, 5)), np.zeros(5))
    assert check_levels_of_runs([alike, together])[0].reason == "all items of a tier are of one source"
