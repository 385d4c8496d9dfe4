import json
from itertools import permutations
from math import sqrt

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import t

from bundles.made_boards import scoreboard
from bundles.made_scores import scores
from bundles.stored import write_board
from tellapart.bundles.conditions import Covers
from tellapart.bundles.results import scores_path
from tellapart.bundles.run import score
from tellapart.bundles.seed_files import SampledItems, SeedRuns, read_seeds, recorded_tiers
from tellapart.bundles.seeds import SeedStats, compare_seeds, seed_stats
from tellapart.core.comparison import ALPHA
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
    nothing = (None,) * 5
    assert seed_stats({"9": 0.7}) == SeedStats(0.7, None, 0.7, 0.7, 1, 0, *nothing, why, {"9": 0.7})


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


def test_the_interval_of_a_rate_stays_in_its_limits():
    found = seed_stats(by_seed(0.001, 0.004, 0.007), rate=True)
    assert (found.ci95_t[0], found.ci95_normal[0]) == (0.0, pytest.approx(0.0006, abs=1e-4))
    assert seed_stats(by_seed(0.999, 0.99, 1.0), rate=True).ci95_t[1] == 1.0
    assert seed_stats(by_seed(0.001, 0.004, 0.007)).ci95_t[0] < 0


def compared(samples, **more):
    return compare_seeds(SeedRuns({metric: dict(of) for metric, of in samples.items()}, **more))


def rule(metric, a, b):
    found = compared({metric: {"a": by_seed(*a), "b": by_seed(*b)}}).rules[0]
    return found.is_apart, found.reason


def test_two_points_are_enough_and_less_is_not():
    # .83 - .81 is below .02 in binary.
    assert 0.83 - 0.81 < 0.02
    assert rule("pass_rate", [0.83, 0.82, 0.84], [0.81, 0.8, 0.82]) == (True, None)
    assert rule("pass_rate", [0.81, 0.8, 0.82], [0.83, 0.82, 0.84]) == (True, None)
    assert rule("pass_rate", [0.829, 0.82, 0.84], [0.81, 0.8, 0.82]) == (False, None)


@pytest.mark.parametrize(
    ("metric", "a", "b", "reason"),
    [
        ("q10_margin", [0.1] * 3, [0.2] * 3, "this metric is not named as one"),
        ("pass_rate", [83.0] * 3, [0.2] * 3, "some values are outside"),
        ("pass_rate", [0.1] * 5, [0.2] * 3, "stated for 3 seeds of each; there are 5 and 3"),
        ("accuracy", [0.1], [0.2] * 3, "stated for 3 seeds of each; there are 1 and 3"),
    ],
)
def test_where_the_rule_says_nothing_it_says_why(metric, a, b, reason):
    found, why = rule(metric, a, b)
    assert found is None
    assert reason in why


def disagreement(a, b):
    return compared({"pass_rate": {"a": by_seed(*a), "b": by_seed(*b)}}).rules[0].disagreement


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
    bare = compared(samples).compared.comparison.cautions
    only = "intervals and tests cover the noise of seeds only"
    assert bare == (f"{only}; how much the items alone leave open is not recorded",)
    sampled = {"frozen_tier3": {name: dict.fromkeys("123", SampledItems(454, 0.043)) for name in "ab"}}
    result = compared(samples, sampled=sampled)
    assert result.compared.comparison.cautions == (f"{only}; 454 items alone leave ±4.3 points",)
    stats = result.stats["frozen_tier3"]["a"]
    assert (stats.n_items, stats.items_alone) == (454, 0.043)


def test_a_list_may_name_the_number_of_its_items(written):
    runs = [{**RUNS[0], "acc": 0.325, "acc_n": 454}, {**RUNS[1], "acc": 0.33, "acc_n": 454}]
    result = compare_seeds(read_seeds([written(runs)]))
    assert list(result.stats) == ["acc"]
    # Of the rate .3275 in 454 items: 1.96 √(.3275 · .6725 / 454) = .0432, and Wilson's a little less.
    assert result.stats["acc"]["b"].items_alone == pytest.approx(0.0430, abs=2e-4)
    with pytest.raises(InputError, match=r"'acc_n' of 'b', seed 10 is 4.5, expected a number of items"):
        read_seeds([written([{**RUNS[0], "acc_n": 4.5}])])
    # Without such a metric it is one itself.
    assert list(read_seeds([written([{"condition": "a", "seed": 1, "acc_n": 3}])]).samples) == ["acc_n"]


def test_tiers_out_of_order_are_said_with_their_test():
    rates = ((0.27, 0.29, 0.32), (0.272, 0.291, 0.322), (0.268, 0.29, 0.321))
    runs = [
        {
            "condition": "vet15",
            "seed": i,
            **{f"tier{k}_pass_rate": rate for k, rate in enumerate(of, start=1)},
        }
        for i, of in enumerate(rates)
    ]
    flat = [{**run, "condition": "flat", "tier2_pass_rate": 0.27, "tier3_pass_rate": 0.26} for run in runs]
    caution = compare_seeds(
        SeedRuns({"x": {"a": {}}}, levels=levels_of([*runs, *flat]))
    ).compared.comparison.cautions[-1]
    assert caution.startswith("tiers do not order difficulty for vet15: passes 2")
    assert caution.count("of no rise, noise of seeds only") == 2


def levels_of(rows):
    found = {}
    for row in rows:
        values = {name: value for name, value in row.items() if name not in ("condition", "seed")}
        found.setdefault(row["condition"], []).append(recorded_tiers(values, {}))
    return found


def boards_of(conditions, n_items=80, seeds=("1", "2", "3"), tier=None, rng=None, taste=0.0):
    """Item scores of conditions that are alike but for what ``taste`` makes of each item."""
    rng = rng or np.random.default_rng(0)
    easy = rng.normal(0, 1.5, n_items)
    found = {}
    for name in conditions:
        likes = easy + rng.normal(0, taste, n_items)
        for seed in seeds:
            passed = rng.random(n_items) < 1 / (1 + np.exp(-likes - rng.normal(0, 0.2)))
            frame = scores(np.where(passed, 0.5, -0.5).tolist(), tier, model=name)
            found.setdefault(name, {})[seed] = frame
    return found


def runs_of(frames):
    values = {
        name: {seed: float(frame["score"].mean()) for seed, frame in of.items()}
        for name, of in frames.items()
    }
    margins = {name: dict.fromkeys(of, SampledItems(80, 0.1)) for name, of in values.items()}
    return SeedRuns({"pass_rate": values}, sampled={"pass_rate": margins}, scores=frames)


def test_with_item_scores_the_intervals_cover_seeds_and_items():
    result = compare_seeds(runs_of(boards_of("abc")))
    assert {pair.covers for pair in result.compared.pairs} == {Covers.SEEDS_AND_ITEMS}
    assert {pair.n for pair in result.compared.pairs} == {80}
    assert result.compared.comparison.cautions == ()
    for stats in result.stats["pass_rate"].values():
        low, high = stats.ci95_items
        assert 0 <= low <= stats.ci95_t[0] <= stats.mean <= stats.ci95_t[1] <= high <= 1


def test_a_tier_and_a_mean_have_item_scores_and_a_quantile_has_none():
    tier = ["tier1_easy"] * 30 + ["tier3_adversarial"] * 50
    runs = runs_of(boards_of("ab", tier=tier))
    assert {
        len(row) for of in runs.items("tier3_adversarial_pass_rate")[0].values() for row in of.values()
    } == {50}
    assert runs.items("mean_margin")[0]["a"]["1"][0] in (0.5, -0.5)
    assert runs.items("q10_margin") == ({}, None)
    assert runs.items("tier2_robust_pass_rate") == ({}, None)
    quantile = SeedRuns({"q10_margin": runs.samples["pass_rate"]}, scores=runs.scores)
    assert (
        compare_seeds(quantile)
        .compared.comparison.cautions[0]
        .startswith(
            "intervals and tests cover the noise of seeds only, for q10_margin is not a mean over bundles"
        )
    )


def first_lines_claim(runs):
    """Whether the first three lines that the command prints name a condition that beats another."""
    from tellapart.bundles.page import seeds as pages

    result = compare_seeds(runs)
    lines = [pages.headline(result), *pages.verdict(result)][:3]
    claims = [line for line in lines if "beat" in line]
    assert bool(claims) == bool(result.compared.comparison.primary.separated)
    return bool(claims)


@pytest.mark.slow
def test_the_first_lines_rarely_claim_what_is_not_there():
    rng = np.random.default_rng(11)
    tables = 80
    wrong = {"items": 0, "means": 0}
    for _ in range(tables):
        runs = runs_of(boards_of("abcd", rng=rng, taste=0.5, n_items=60))
        wrong["items"] += first_lines_claim(runs)
        noise = {
            metric: {name: by_seed(*rng.normal(0.5, 0.02, 3)) for name in "abcd"}
            for metric in ("x", "y", "z")
        }
        wrong["means"] += first_lines_claim(SeedRuns(noise))
    most = tables * ALPHA + 2 * (tables * ALPHA * (1 - ALPHA)) ** 0.5
    assert max(wrong.values()) <= most


def test_names_of_metrics_do_not_collide():
    names = ["differences", "metric:differences", "exploratory", "comparison", "loss"]
    found = compared({name: {"a": {"1": float(i)}} for i, name in enumerate(names)}).to_json()
    keys = [
        "metric:differences",
        "metric:metric:differences",
        "metric:exploratory",
        "metric:comparison",
        "loss",
    ]
    assert [found[key]["a"]["mean"] for key in keys] == [0.0, 1.0, 2.0, 3.0, 4.0]
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


def test_steps_of_a_list_are_conditions_and_no_metric(written):
    rows = [
        {"condition": "base", "seed": seed, "step": step, "x": step / 100 + seed}
        for step in (40, 120)
        for seed in (1, 2)
    ]
    assert read_seeds([written(rows)]).samples == {
        "x": {"base step 40": {"1": 1.4, "2": 2.4}, "base step 120": {"1": 2.2, "2": 3.2}}
    }
    with pytest.raises(InputError, match=r"entry 1: 'step' is '40', expected a whole number"):
        read_seeds([written([{**rows[0], "step": "40"}])])


def test_a_list_is_read_in_any_order(written):
    every = [compare_seeds(read_seeds([written(list(order))])).to_json() for order in permutations(RUNS)]
    assert len({json.dumps(one) for one in every}) == 1
    figures = every[0]
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
    whole, gapped = (
        compare_seeds(read_seeds([written(runs)])).to_json()["acc"] for runs in (RUNS, [*RUNS, gap])
    )
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


def test_runs_without_any_metric_are_refused(written):
    for runs in ([], [{"condition": "a", "seed": 1}]):
        with pytest.raises(InputError, match=r"runs.json: no run has a metric"):
            read_seeds([written(runs)])


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
    runs = read_seeds(paths)
    samples, prints = runs.samples, runs.fingerprints
    assert list(samples) == [
        "pass_rate",
        "q10_margin",
        "tier3_adversarial_pass_rate",
        "tier3_adversarial_q10_margin",
    ]
    assert samples["pass_rate"] == {"base": {"run-0": 0.6, "run-1": 0.8}}
    assert samples["tier3_adversarial_pass_rate"] == {"base": {"run-0": 0.3, "run-1": 0.4}}
    assert prints == ("0011223344556677|42|10",)
    assert runs.sampled["pass_rate"]["base"]["run-0"] == SampledItems(10, pytest.approx(0.05))
    assert (runs.scores, runs.no_scores) == ({}, "2 of 2 scoreboards have no scores of bundles beside them")
    # An empty tier has no figures.
    with pytest.raises(UsageError, match="no run has the metric 'tier1_easy_pass_rate'"):
        read_seeds(paths, ["tier1_easy_pass_rate"])


def test_without_a_checkpoint_the_file_is_the_seed(written):
    paths = [written(scoreboard("base"), f"{i}.json") for i in range(2)]
    assert set(read_seeds(paths).samples["pass_rate"]["base"]) == set(map(str, paths))
    with pytest.raises(
        InputError, match=r"is that of .*0.json as well. Name the runs of one condition alike"
    ):
        read_seeds([paths[0], paths[0]])


def test_scoreboards_of_different_evals_are_refused(written):
    paths = [written(scoreboard("base", seed=seed), f"{seed}.json") for seed in (1, 2)]
    with pytest.raises(Refused, match=r"1.json: EVAL_FINGERPRINT: 0011223344556677\|1\|10; .*\|2\|10"):
        read_seeds(paths)
    assert len(read_seeds(paths, allow_mismatch=True).fingerprints) == 2


def scored_run(tmp_path, name, seed, rng, easier):
    """A scoreboard with its scores: 60 bundles in two tiers, of which the harder one is easier."""
    texts = [f"t{i}" for i in range(180)]
    tiers = ["tier1", "tier3"] * 30
    eval_path = tmp_path / "e.jsonl"
    rows = [
        {"bundle_id": f"b{i}", "anchor": a, "positive": b, "negatives": [c], "tier": tiers[i]}
        for i, (a, b, c) in enumerate(zip(texts[::3], texts[1::3], texts[2::3], strict=True))
    ]
    eval_path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    vectors = rng.normal(size=(180, 8))
    passes = rng.random(60) < np.array([0.3, 0.9] * 30) + easier
    vectors[1::3] = vectors[::3] * np.where(passes, 1, -1)[:, None]
    np.savez(tmp_path / "v.npz", texts=np.array(texts), vectors=vectors.astype(np.float32))
    out = tmp_path / f"{name}-{seed}.json"
    score(eval_path, out, embeddings=tmp_path / "v.npz", name=name, checkpoint=seed)
    return out


def test_scoreboards_with_their_scores_cover_items_and_say_that_tiers_are_inverted(tmp_path):
    rng = np.random.default_rng(0)
    paths = [
        scored_run(tmp_path, name, seed, rng, easier)
        for name, easier in (("base", 0.0), ("mixed", 0.05))
        for seed in ("s1", "s2", "s3")
    ]
    runs = read_seeds(paths, ["pass_rate", "tier3_adversarial_pass_rate"])
    result = compare_seeds(runs)
    assert [pair.covers for pair in result.compared.pairs] == [Covers.SEEDS_AND_ITEMS] * 2
    assert [(pair.n, pair.paired) for pair in result.compared.pairs] == [(60, True), (30, True)]
    (caution,) = result.compared.comparison.cautions
    assert caution.startswith("tiers do not order difficulty for base and mixed: ")
    assert caution.endswith("of no rise, over seeds and items")
    scores_path(paths[0]).unlink()
    bare = compare_seeds(read_seeds(paths, ["pass_rate"]))
    assert bare.compared.comparison.cautions[0].startswith(
        "intervals and tests cover the noise of seeds only, for 1 of 6 scoreboards have no scores of bundles "
        "beside them; 60 items alone leave ±1"
    )


def with_unit(model, unit, **more):
    margin = {"kind": "similarity", "unit": unit}
    return scoreboard(model, **more) | {"units": {"q10_margin": margin, "mean_margin": margin}}


def test_margins_in_different_units_are_left_out_and_refused_by_name(written):
    paths = [
        written(with_unit(model, unit, checkpoint=f"run-{i}"), f"{model}{i}.json")
        for model, unit in (("lsa", "cosine"), ("bm25", "bm25"))
        for i in range(2)
    ]
    assert list(read_seeds(paths).samples) == ["pass_rate", "tier3_adversarial_pass_rate"]
    with pytest.raises(
        UsageError, match="'q10_margin' does not compare between these scoreboards: margins of"
    ):
        read_seeds(paths, ["q10_margin"])


def test_a_figure_of_queries_has_a_value_for_each_query(tmp_path):
    clusters = ["a", "a", "b", "b", "b", "c", "d"]
    tiers = ["tier1_easy", "tier3_adversarial"] * 3 + ["tier1_easy"]
    margins = [0.1, -0.1, -0.2, -0.2, 0.3, 0.1, -0.4]
    paths = [
        write_board(tmp_path, name, margins, tiers, model=name, clusters=clusters, ranks=ranks)
        for name, ranks in (("base", [1, 2, 3, 3, 1, 1, 4]), ("cand", [1, 3, 2, 4, 1, 1, 5]))
    ]
    for metric, queries in (("map", 4), ("tier3_adversarial_recall3", 3), ("mrr", 7)):
        runs = read_seeds(paths, [metric])
        items, sources = runs.items(metric)
        for name in ("base", "cand"):
            ((seed, value),) = runs.samples[metric][name].items()
            assert runs.sampled[metric][name][seed].n == len(items[name][seed]) == queries
            assert items[name][seed].mean() == pytest.approx(value, abs=1e-12)
        assert len(sources) == queries
