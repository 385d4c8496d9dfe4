from math import sqrt

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import t
from statsmodels.stats.proportion import proportion_confint

from bundles.made_runs import runs_of
from bundles.stored import write_board
from tellapart.bundles.conditions import ConditionRuns
from tellapart.bundles.result_files import read_runs
from tellapart.bundles.results import scores_path
from tellapart.bundles.runs import Figure
from tellapart.bundles.seeds import compare_seeds, seed_stats
from tellapart.errors import UsageError


def by_seed(*values):
    return {str(i): value for i, value in enumerate(values, start=1)}


values = st.lists(st.integers(-1000, 1000).map(lambda n: n / 997), min_size=2, max_size=8)


@given(values)
def test_one_condition_agrees_with_numpy_and_scipy(sample):
    runs = {seed: Figure(value) for seed, value in by_seed(*sample).items()}
    found = seed_stats(runs, ConditionRuns("m", {}))
    mean, std = np.mean(sample), np.std(sample, ddof=1)
    assert found.mean == pytest.approx(mean, abs=1e-9)
    assert found.std == pytest.approx(std, abs=1e-9)
    half = 1.96 * std / sqrt(len(sample))
    assert found.ci95_normal == pytest.approx((mean - half, mean + half), abs=1e-9)
    half = t.ppf(0.975, len(sample) - 1) * std / sqrt(len(sample))
    assert found.ci95_t == pytest.approx((mean - half, mean + half), abs=1e-9)


def test_small_figures_keep_their_digits():
    sample = [1.23456789e-13, 2.5e-13, 3e-13]
    runs = {seed: Figure(value, value - 1e-14, value + 1e-14) for seed, value in by_seed(*sample).items()}
    found = seed_stats(runs, ConditionRuns("loss", {}))
    mean, std = np.mean(sample), np.std(sample, ddof=1)
    half = 1.96 * std / sqrt(3)
    ends = (*found.ci95_normal, found.items_alone)
    assert (found.mean, found.std, *ends) == pytest.approx(
        (mean, std, mean - half, mean + half, 1e-14), rel=1e-11, abs=0
    )


def compared(samples, **more):
    return compare_seeds(runs_of(samples, **more))


def rule(metric, a, b):
    return compared({metric: {"a": by_seed(*a), "b": by_seed(*b)}}).comparison.primary.pairs[0].rule


def test_two_points_are_enough_and_less_is_not():
    # .83 - .81 is below .02 in binary.
    assert 0.83 - 0.81 < 0.02
    assert rule("pass_rate", [0.83, 0.82, 0.84], [0.81, 0.8, 0.82]).is_apart
    assert not rule("pass_rate", [0.829, 0.82, 0.84], [0.81, 0.8, 0.82]).is_apart
    # Where it says nothing, it says why.
    assert "not named as one" in rule("q10_margin", [0.1] * 3, [0.2] * 3).reason
    assert "3 seeds of each; there are 5 and 3" in rule("pass_rate", [0.1] * 5, [0.2] * 3).reason


def disagreement(a, b):
    return rule("pass_rate", a, b).disagreement


def test_the_rule_and_the_test_disagree_in_a_sentence():
    # Three points apart, but the seeds of each are six apart.
    loud = disagreement((0.71, 0.74, 0.68), (0.77, 0.71, 0.74))
    assert loud.startswith("the 2 % rule calls this difference significant, the test does not (adjusted p")
    # One point apart, and the seeds of each lie within a fifth of one.
    quiet = disagreement((0.701, 0.7, 0.702), (0.711, 0.7105, 0.712))
    assert quiet.startswith("the 2 % rule calls this difference noise, the test does not")
    assert disagreement((0.701, 0.7, 0.702), (0.741, 0.7405, 0.742)) is None


def test_noise_of_seeds_only_is_said_with_what_the_items_leave_open():
    samples = {"frozen_tier3": {"a": by_seed(0.32, 0.325, 0.33), "b": by_seed(0.31, 0.322, 0.33)}}
    bare = compared(samples).comparison.cautions
    only = "intervals and tests cover the noise of seeds only"
    assert bare == (f"{only}; how much the items alone leave open is not recorded",)
    sampled = {
        name: {seed: Figure(rate, rate - 0.043, rate + 0.043, 454) for seed, rate in rates.items()}
        for name, rates in samples["frozen_tier3"].items()
    }
    result = compared({"frozen_tier3": sampled})
    assert result.comparison.cautions == (f"{only}; 454 items alone leave ±4.3 points",)
    stats = result.conditions["a"]["frozen_tier3"]
    assert (stats.n_items, stats.items_alone) == (454, pytest.approx(0.043))


def boards(directory, model, passes=(6, 8), **more):
    """Scoreboards of ten bundles in the upper two tiers, so many of which pass, without their scores."""
    tiers = ["tier2_robust", "tier3_adversarial"] * 5
    margins = [[0.1] * n + [-0.1] * (10 - n) for n in passes]
    paths = [
        write_board(directory, f"{model}{i}", of, tiers, model=model, checkpoint=f"run-{i}", **more)
        for i, of in enumerate(margins)
    ]
    for path in paths:
        scores_path(path).unlink()
    return paths


def test_scoreboards_are_runs_of_their_model(tmp_path):
    runs = read_runs(boards(tmp_path, "base"))
    tier3 = ("tier3_adversarial_pass_rate", "tier3_adversarial_q10_margin")
    assert runs.default_metrics == ("pass_rate", "q10_margin", *tier3)
    rates = {seed: figure.value for seed, figure in runs.figures("pass_rate")["base"].items()}
    assert rates == {"run-0": 0.6, "run-1": 0.8}
    assert runs.figures("tier3_adversarial_pass_rate")["base"]["run-1"].value == 0.8
    assert runs.fingerprints == ("0123456789abcdef|42|10",)
    low, high = proportion_confint(6, 10, method="wilson")
    assert runs.figures("pass_rate")["base"]["run-0"] == pytest.approx((0.6, low, high, 10))
    assert (runs.scores, runs.no_scores) == ({}, "2 of 2 scoreboards have no scores of bundles beside them")
    # An empty tier has no figures.
    with pytest.raises(UsageError, match="no run has the metric 'tier1_easy_pass_rate'"):
        compare_seeds(runs, ["tier1_easy_pass_rate"])


def test_margins_in_different_units_are_left_out_and_refused_by_name(tmp_path):
    paths = [*boards(tmp_path, "lsa"), *boards(tmp_path, "bm25", similarity="bm25")]
    assert read_runs(paths).default_metrics == ("pass_rate", "tier3_adversarial_pass_rate")
    with pytest.raises(
        UsageError, match="'q10_margin' does not compare between these scoreboards: margins of"
    ):
        compare_seeds(read_runs(paths), ["q10_margin"])
