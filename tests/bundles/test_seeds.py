import json
from itertools import permutations
from math import sqrt

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import t, ttest_ind
from statsmodels.stats.weightstats import CompareMeans, DescrStatsW

from bundles.made_boards import scoreboard
from tellapart.bundles.seed_files import read_seeds
from tellapart.bundles.seeds import Difference, SeedStats, difference, seed_figures, seed_stats
from tellapart.errors import InputError, Refused, UsageError


def by_seed(*values):
    return {str(i): value for i, value in enumerate(values, start=1)}


def test_three_seeds_by_hand():
    # Mean .71, squares around it .0009 + .0009: variance .0009, standard error .03 / √3 = .0173205.
    found = seed_stats(by_seed(0.71, 0.74, 0.68))
    assert (found.mean, found.min, found.max, found.n_seeds) == (0.71, 0.68, 0.74, 3)
    assert found.std == pytest.approx(0.03, abs=1e-14)
    assert found.ci95_normal == (pytest.approx(0.6760518, abs=1e-7), pytest.approx(0.7439482, abs=1e-7))
    # t with 2 degrees of freedom: 4.30265, so ± .0745241.
    assert found.ci95_t == (pytest.approx(0.6354759, abs=1e-7), pytest.approx(0.7845241, abs=1e-7))
    assert found.reason is None
    wide, documented = (high - low for low, high in (found.ci95_t, found.ci95_normal))
    assert wide / documented == pytest.approx(4.302652730 / 1.96, abs=1e-8)


def test_two_seeds_by_hand():
    # Mean .5, variance .02: standard error √(.02 / 2) = .1; t with 1 degree of freedom: 12.7062.
    found = seed_stats(by_seed(0.4, 0.6))
    assert found.std == pytest.approx(sqrt(0.02), abs=1e-12)
    assert found.ci95_normal == (pytest.approx(0.304, abs=1e-12), pytest.approx(0.696, abs=1e-12))
    assert found.ci95_t == (pytest.approx(-0.7706205, abs=1e-7), pytest.approx(1.7706205, abs=1e-7))


def test_one_seed_has_no_spread():
    why = "one seed says nothing about how much seeds vary"
    assert seed_stats({"9": 0.7}) == SeedStats(0.7, None, 0.7, 0.7, 1, 0, None, None, why, {"9": 0.7})


def test_seeds_that_do_not_vary_have_a_spread_of_exactly_none():
    # In binary the mean of three times .1 is not .1.
    found = seed_stats(by_seed(0.1, 0.1, 0.1))
    assert (found.mean, found.std, found.ci95_normal, found.ci95_t) == (0.1, 0.0, (0.1, 0.1), (0.1, 0.1))
    assert found.reason == "the seeds do not vary; an interval of no width is no certainty"


values = st.lists(st.integers(-1000, 1000).map(lambda n: n / 997), min_size=2, max_size=8)


@given(values)
def test_one_condition_agrees_with_numpy_and_scipy(sample):
    found = seed_stats(by_seed(*sample))
    mean, std = np.mean(sample), np.std(sample, ddof=1)
    assert found.mean == pytest.approx(mean, abs=1e-9)
    assert found.std == pytest.approx(std, abs=1e-9)
    half = 1.96 * std / sqrt(len(sample))
    assert found.ci95_normal == pytest.approx((mean - half, mean + half), abs=1e-9)
    half = t.ppf(0.975, len(sample) - 1) * std / sqrt(len(sample))
    assert found.ci95_t == pytest.approx((mean - half, mean + half), abs=1e-9)


@given(values, values)
def test_welch_agrees_with_scipy_and_statsmodels(a, b):
    found = difference("loss", "a", "b", by_seed(*a), by_seed(*b))
    assert found.delta == pytest.approx(np.mean(a) - np.mean(b), abs=1e-9)
    if len(set(a)) == len(set(b)) == 1:
        assert (found.welch_p, found.ci95_delta) == (None, None)
        assert found.welch_reason == "the seeds vary in neither condition"
    elif len(set(a)) > 1 and len(set(b)) > 1:  # scipy warns of a sample that does not vary
        assert found.welch_p == pytest.approx(ttest_ind(a, b, equal_var=False).pvalue, rel=1e-9, abs=1e-12)
        theirs = CompareMeans(DescrStatsW(a), DescrStatsW(b)).tconfint_diff(usevar="unequal")
        assert found.ci95_delta == pytest.approx(theirs, rel=1e-9, abs=1e-9)


def test_welch_of_one_condition_that_does_not_vary_by_hand():
    # Variance of b .0001 over 3 seeds, error √.0000333 = .0057735, t = 5.1962 with its 2 degrees of freedom.
    found = difference("loss", "a", "b", by_seed(0.5, 0.5, 0.5), by_seed(0.52, 0.53, 0.54))
    assert found.welch_p == pytest.approx(2 * t.sf(0.03 / sqrt(0.0001 / 3), 2), rel=1e-9)
    assert found.welch_p == pytest.approx(0.0351, abs=1e-4)


def rule(metric, a, b):
    found = difference(metric, "a", "b", by_seed(*a), by_seed(*b))
    return found.rule_2pct, found.rule_reason


def test_two_points_are_enough_and_less_is_not():
    # .83 - .81 is below .02 in binary.
    assert 0.83 - 0.81 < 0.02
    assert rule("pass_rate", [0.83, 0.82, 0.84], [0.81, 0.8, 0.82]) == (True, None)
    assert rule("pass_rate", [0.81, 0.8, 0.82], [0.83, 0.82, 0.84]) == (True, None)
    assert rule("pass_rate", [0.829, 0.82, 0.84], [0.81, 0.8, 0.82]) == (False, None)


@pytest.mark.parametrize(
    ("metric", "a", "b", "reason"),
    [
        ("q10_margin", [0.1] * 3, [0.2] * 3, "by its name this metric is none"),
        ("pass_rate", [83.0] * 3, [0.2] * 3, "some values are outside"),
        ("pass_rate", [0.1] * 5, [0.2] * 3, "stated for 3 seeds of each; there are 5 and 3"),
        ("accuracy", [0.1], [0.2] * 3, "stated for 3 seeds of each; there are 1 and 3"),
    ],
)
def test_where_the_rule_says_nothing_it_says_why(metric, a, b, reason):
    found, why = rule(metric, a, b)
    assert found is None
    assert reason in why


def test_the_rule_and_the_test_disagree_in_a_sentence():
    # Three points apart, but the seeds of each are six apart.
    loud = difference("pass_rate", "a", "b", by_seed(0.71, 0.74, 0.68), by_seed(0.74, 0.77, 0.71))
    assert (loud.rule_2pct, loud.welch_p > 0.05) == (True, True)
    assert loud.disagreement.startswith(
        "The 2 % rule calls this difference significant and Welch's test does not"
    )
    # One point apart, and the seeds of each lie within a fifth of one.
    quiet = difference("pass_rate", "a", "b", by_seed(0.701, 0.7, 0.702), by_seed(0.711, 0.71, 0.712))
    assert (quiet.rule_2pct, quiet.welch_p < 0.05) == (False, True)
    assert quiet.disagreement.startswith("The 2 % rule lets this difference pass as noise")
    both = difference("pass_rate", "a", "b", by_seed(0.701, 0.7, 0.702), by_seed(0.741, 0.74, 0.742))
    assert (both.rule_2pct, both.welch_p < 0.05, both.disagreement) == (True, True, None)


def test_one_seed_cannot_be_tested():
    found = difference("loss", "a", "b", {"1": 0.5}, by_seed(0.1, 0.2))
    assert found == Difference(
        "loss", "a", "b", pytest.approx(0.35), None, found.rule_reason, None, None, None,
        "Welch's test needs two seeds or more of each", None,
    )  # fmt: skip


def test_holm_is_over_the_pairs_of_a_metric():
    samples = {
        "x": {"a": by_seed(1, 2, 3), "b": by_seed(4, 5, 7), "c": by_seed(9, 9.5, 10)},
        "y": {"a": by_seed(1, 2), "b": by_seed(5, 6)},
    }
    found = seed_figures(samples)["differences"]
    x = sorted((one["welch_p"], one["welch_p_holm"]) for one in found if one["metric"] == "x")
    assert x[0][1] == pytest.approx(3 * x[0][0], rel=1e-9)
    assert x[1][1] == pytest.approx(max(3 * x[0][0], 2 * x[1][0]), rel=1e-9)
    (y,) = [one for one in found if one["metric"] == "y"]
    assert y["welch_p_holm"] == y["welch_p"]


def test_names_of_metrics_do_not_collide():
    names = ["differences", "metric:differences", "exploratory", "loss"]
    found = seed_figures({name: {"a": {"1": float(i)}} for i, name in enumerate(names)})
    keys = ["metric:differences", "metric:metric:differences", "metric:exploratory", "loss"]
    assert [found[key]["a"]["mean"] for key in keys] == [0.0, 1.0, 2.0, 3.0]
    assert found["differences"] == []


@pytest.fixture
def written(tmp_path):
    def write(value, name="runs.json"):
        path = tmp_path / name
        path.write_text(json.dumps(value), encoding="utf-8")
        return path

    return write


RUNS = [
    {"condition": "b", "seed": 10, "acc": 0.5},
    {"condition": "b", "seed": 2, "acc": 0.6, "loss": None},
    {"condition": "a", "seed": "x", "acc": 0.7, "loss": 3},
]


def test_a_list_is_read_in_any_order(written):
    read = {json.dumps(seed_figures(read_seeds([written(list(order))])[0])) for order in permutations(RUNS)}
    assert len(read) == 1
    figures = json.loads(read.pop())
    assert list(figures["acc"]) == ["a", "b"]
    assert list(figures["acc"]["b"]["values"].items()) == [("2", 0.6), ("10", 0.5)]
    assert figures["acc"]["b"]["missing"] == 0
    # One run of b has a loss of null, the other none at all.
    assert figures["loss"]["b"] == dict.fromkeys(figures["loss"]["b"]) | {
        "n_seeds": 0,
        "missing": 2,
        "reason": "no run of this condition has the metric",
        "values": {},
    }
    assert (figures["loss"]["a"]["n_seeds"], figures["loss"]["a"]["missing"]) == (1, 0)
    # Nothing to hold a against.
    assert [one["metric"] for one in figures["differences"]] == ["acc"]


def test_a_run_without_the_metric_is_counted_and_changes_no_figure(written):
    gap = {"condition": "b", "seed": 3, "acc": None}
    whole, gapped = (seed_figures(read_seeds([written(runs)])[0])["acc"] for runs in (RUNS, [*RUNS, gap]))
    assert gapped == whole | {"b": whole["b"] | {"missing": 1}}
    assert gapped["b"]["n_seeds"] == 2


def test_one_object_is_one_run_and_files_add_up(written):
    paths = [written(run, f"{i}.json") for i, run in enumerate(RUNS)]
    assert read_seeds(paths) == read_seeds([written(RUNS)])


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"condition": None}, r"runs.json: entry 2: 'condition' is None, expected a name"),
        ({"seed": 1.5}, r"entry 2: 'seed' is 1.5, expected a number or a name"),
        (
            {"seed": 10},
            r"entry 2: seed '10' of condition 'b' is that of .*entry 1 as well. Give each run once",
        ),
        ({"acc": "0.5"}, r"entry 2: 'acc' of 'b', seed 2 is '0.5', expected a number"),
        ({"acc": float("inf")}, r"'acc' of 'b', seed 2 is inf, expected a finite number"),
    ],
)
def test_what_cannot_be_read_is_named(written, change, message):
    with pytest.raises(InputError, match=message):
        read_seeds([written([RUNS[0], RUNS[1] | change])])


def test_a_metric_that_no_run_has_is_named(written):
    with pytest.raises(UsageError, match=r"no run has the metric 'ac'. Did you mean 'acc'\?"):
        read_seeds([written(RUNS)], ["ac"])


def test_scoreboards_are_runs_of_their_model(written):
    paths = [
        written(
            scoreboard("base", checkpoint=f"run-{i}", pass_rate=rate, tier3_pass_rate=rate / 2), f"{i}.json"
        )
        for i, rate in enumerate((0.6, 0.8))
    ]
    samples, prints = read_seeds(paths)
    assert list(samples) == [
        "pass_rate",
        "q10_margin",
        "tier3_adversarial_pass_rate",
        "tier3_adversarial_q10_margin",
    ]
    assert samples["pass_rate"] == {"base": {"run-0": 0.6, "run-1": 0.8}}
    assert samples["tier3_adversarial_pass_rate"] == {"base": {"run-0": 0.3, "run-1": 0.4}}
    assert prints == ("0011223344556677|42|10",)
    # An empty tier has no figures.
    with pytest.raises(UsageError, match="no run has the metric 'tier1_easy_pass_rate'"):
        read_seeds(paths, ["tier1_easy_pass_rate"])


def test_without_a_checkpoint_the_file_is_the_seed(written):
    paths = [written(scoreboard("base"), f"{i}.json") for i in range(2)]
    assert set(read_seeds(paths)[0]["pass_rate"]["base"]) == set(map(str, paths))
    with pytest.raises(
        InputError, match=r"is that of .*0.json as well. Name the runs of one condition alike"
    ):
        read_seeds([paths[0], paths[0]])


def test_scoreboards_of_different_evals_are_refused(written):
    paths = [written(scoreboard("base", seed=seed), f"{seed}.json") for seed in (1, 2)]
    with pytest.raises(Refused, match=r"1.json: EVAL_FINGERPRINT: 0011223344556677\|1\|10; .*\|2\|10"):
        read_seeds(paths)
    assert len(read_seeds(paths, allow_mismatch=True)[1]) == 2
