"""Noise of runs and items: by hand, against analysis of variance, and by how often the interval covers."""

import numpy as np
import pytest
from scipy.stats import t, ttest_1samp

from tellapart.bundles.conditions import crossed_difference, crossed_noise


def test_one_value_a_run_is_students_test():
    values = np.array([0.02, 0.05, 0.01, 0.03])
    noise = crossed_noise(values[:, None])
    assert (noise.items, noise.within, noise.runs_freedom) == (0.0, 0.0, 3)
    assert noise.p(values.mean()) == pytest.approx(ttest_1samp(values, 0).pvalue, rel=1e-9)
    low, high = t.interval(0.95, 3, values.mean(), values.std(ddof=1) / 2)
    assert values.mean() - noise.margin(0.025) == pytest.approx(low, rel=1e-9)
    assert values.mean() + noise.margin(0.025) == pytest.approx(high, rel=1e-9)


def test_two_runs_of_two_items_by_hand():
    # Rows .5 and 1, columns 1 and .5, mean .75: deviations of rows ∓.25, of columns ±.25.
    # Runs: 2 · .0625 / (2 · 1) = .0625; items the same; the interaction is 0 + .75 - .5 - 1 = ∓.25 in
    # every cell: 4 · .0625 / ((2 - 1)(2 - 1)) / 4 = .0625.
    noise = crossed_noise(np.array([[1.0, 0.0], [1.0, 1.0]]))
    assert (noise.runs, noise.items, noise.within) == pytest.approx((0.0625, 0.0625, 0.0625))
    assert noise.variance == pytest.approx(0.0625)


def misses(rng, *, runs, items, of_runs, of_items, paired, clustered, tables=1000):
    """In how many of the tables the 95 % interval of a difference of 0 leaves 0 out."""
    wrong = 0
    for _ in range(tables):
        sources = np.arange(items) // (4 if clustered else 1)
        easy = rng.normal(0, 1.5, items)

        def condition(n, sources=sources, easy=easy):
            taste = rng.normal(0, of_items, sources.max() + 1)[sources]
            logit = easy + taste + rng.normal(0, of_runs, (n, 1))
            return (rng.random((n, items)) < 1 / (1 + np.exp(-logit))).astype(float)

        a, b = condition(runs[0]), condition(runs[1])
        noise = crossed_noise(a - b, sources) if paired else crossed_difference(a, b, sources)
        wrong += abs(a.mean() - b.mean()) > noise.margin(0.025)
    return wrong / tables


@pytest.mark.slow
@pytest.mark.parametrize("runs", [(3, 3), (5, 5)])
@pytest.mark.parametrize("of_runs", [0.0, 0.4])
@pytest.mark.parametrize("of_items", [0.0, 0.7])
def test_the_interval_over_seeds_and_items_covers(runs, of_runs, of_items):
    rng = np.random.default_rng([*runs, int(10 * of_runs), int(10 * of_items)])
    most = 0.05 + 2 * (0.05 * 0.95 / 1000) ** 0.5
    for paired in (True, False):
        for clustered in (True, False):
            share = misses(
                rng,
                runs=runs,
                items=80,
                of_runs=of_runs,
                of_items=of_items,
                paired=paired,
                clustered=clustered,
            )
            assert share <= most, (paired, clustered, share)
