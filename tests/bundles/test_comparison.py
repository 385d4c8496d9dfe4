import numpy as np
import polars as pl
import pytest
from scipy.stats import ttest_1samp, ttest_rel
from statsmodels.regression.linear_model import OLS
from statsmodels.stats.contingency_tables import mcnemar

from bundles.made_scores import scores
from reference import stats as reference
from tellapart.bundles.comparison import SCOPES, compare_scores
from tellapart.bundles.tier_stats import TierStats, tier_stats

TIERS = SCOPES[1:]
FIGURES = [name for name in TierStats.model_fields if name != "ci95"]


def compared(a, b, names=("0123456789abcdef|42|4",)):
    return compare_scores(a, b, names=names)


def drawn(seed, n=120, clusters=None):
    """Two models on the same bundles, with ranks up to 6 and some ties."""
    rng = np.random.default_rng(seed)
    hard = rng.normal(size=n) * 0.2
    tiers = [TIERS[i] for i in rng.choice(3, n, p=[0.5, 0.3, 0.2])]
    made = []
    for model, ahead in (("a", 0.1), ("b", 0.02)):
        margins = (hard + ahead + rng.normal(size=n) * 0.1).tolist()
        ranks = [1 if margin >= 0 else int(rng.integers(2, 7)) for margin in margins]
        ties = (rng.random(n) < 0.1).astype(int).tolist()
        made.append(scores(margins, tiers, model=model, clusters=clusters, ranks=ranks, ties=ties))
    return made


def test_every_figure_of_every_tier_by_hand():
    # A passes 1, 2, 3, 5 and 6, B passes 1 and 4; the last two are another tier.
    tiers = ["tier3_adversarial"] * 4 + ["tier1_easy"] * 2
    a = scores([0.1, 0.2, 0.3, -0.4, 0.5, 0.6], tiers, ties=[0, 0, 0, 0, 0, 1])
    b = scores([0.1, -0.1, -0.1, 0.2, -0.1, 0.0], tiers, ties=[0, 0, 0, 0, 0, 1])
    found = compared(a, b)["tiers"]
    assert list(found) == list(SCOPES)
    assert {scope: list(figures) for scope, figures in found.items()} == dict.fromkeys(SCOPES, FIGURES)
    hardest = {
        name: (figure["a"], figure["b"], figure["delta"])
        for name, figure in found["tier3_adversarial"].items()
    }
    assert hardest == {
        "n": (4, 4, 0),
        "correct": (3, 2, -1),
        "accuracy": (0.75, 0.5, -0.25),
        "pass_rate": (0.75, 0.5, -0.25),
        "mean_margin": (0.05, 0.025, -0.025),
        # Between .1 and .2, and between -.1 and .1.
        "median_margin": (0.15, 0.0, -0.15),
        # Place .3 of -.4 and .1, and of -.1 and -.1.
        "q10_margin": (-0.25, -0.1, 0.15),
        # Place 2.7: between .2 and .3, and between .1 and .2.
        "q90_margin": (0.27, 0.17, -0.1),
        "mean_rank": (1.25, 1.5, 0.25),
        "expected_rank": (1.25, 1.5, 0.25),
        "mrr": (0.875, 0.75, -0.125),
        "top3": (1.0, 1.0, 0.0),
        "top5": (1.0, 1.0, 0.0),
        "ties": (0, 0, 0),
    }
    # Of the discordant A alone passes 2, 3, 5 and 6, B alone 4: p is 2 (1 + 5) / 2^5 in all, and in the tier
    # with two against one 2 (1 + 3) / 2^3, at most 1; in the easy one with two against none 2 / 2^2.
    rates = {scope: found[scope]["pass_rate"] for scope in SCOPES}
    assert {scope: rate["p"] for scope, rate in rates.items()} == {
        "overall": 0.375,
        "tier1_easy": 0.5,
        "tier2_robust": None,
        "tier3_adversarial": 1.0,
    }
    assert rates["overall"]["test"] == "exact McNemar"
    assert (rates["overall"]["only_a"], rates["overall"]["only_b"]) == (4, 1)
    # Three tests: 3 x .375, 2 x .5 and 1 x 1, each at most 1.
    assert {scope: rate["p_holm"] for scope, rate in rates.items()} == {
        "overall": 1.0,
        "tier1_easy": 1.0,
        "tier2_robust": None,
        "tier3_adversarial": 1.0,
    }


def test_the_tests_are_those_of_scipy_and_statsmodels():
    a, b = drawn(1)
    found = compared(a, b)["tiers"]["overall"]
    right_a, right_b = (frame["margin"].to_numpy() > 0 for frame in (a, b))
    table = [
        [np.sum(right_a & right_b), np.sum(right_a & ~right_b)],
        [np.sum(~right_a & right_b), np.sum(~right_a & ~right_b)],
    ]
    assert found["pass_rate"]["p"] == pytest.approx(mcnemar(table, exact=True).pvalue, rel=1e-8)
    assert (found["pass_rate"]["only_a"], found["pass_rate"]["only_b"]) == (table[0][1], table[1][0])
    columns = {"mean_margin": "margin", "mean_rank": "rank", "mrr": "reciprocal_rank"}
    for name, column in columns.items():
        theirs = ttest_rel(b[column].to_numpy(), a[column].to_numpy())
        assert found[name]["p"] == pytest.approx(theirs.pvalue, rel=1e-7)
        assert found[name]["ci"] == pytest.approx(list(theirs.confidence_interval()), abs=1e-10)
        assert found[name]["test"] == "paired t"
    gaps = right_b.astype(float) - right_a
    interval = ttest_1samp(gaps, 0).confidence_interval()
    assert found["pass_rate"]["ci"] == pytest.approx(list(interval), abs=1e-10)
    tied_a, tied_b = (int(((x["ties"] > 0) & (y["ties"] == 0)).sum()) for x, y in ((a, b), (b, a)))
    assert found["ties"]["p"] == pytest.approx(reference.mcnemar(tied_a, tied_b), rel=1e-8)


def test_bundles_of_one_anchor_are_clustered():
    clusters = [f"b{i // 3 * 3:03}" for i in range(120)]
    a, b = drawn(2, clusters=clusters)
    found = compared(a, b)["tiers"]["overall"]
    codes = np.arange(120) // 3
    for name, values in {"mean_margin": pl.col("margin"), "pass_rate": pl.col("margin") > 0}.items():
        first, second = (frame.select(values.cast(float)).to_series().to_numpy() for frame in (a, b))
        theirs = OLS(second - first, np.ones(120)).fit(
            cov_type="cluster", cov_kwds={"groups": codes}, use_t=True
        )
        assert found[name]["p"] == pytest.approx(theirs.pvalues[0], rel=1e-7)
        assert found[name]["ci"] == pytest.approx(theirs.conf_int()[0].tolist(), abs=1e-10)
        assert found[name]["test"] == "paired t, clustered on the anchor"
    assert found["q10_margin"]["test"] == "paired bootstrap, clustered on the anchor"


def test_quantiles_are_tested_by_drawing_bundles_in_pairs():
    a, b = drawn(3)
    found = compared(a, b)["tiers"]["overall"]
    rng = np.random.default_rng(4)
    first, second = a["margin"].to_numpy(), b["margin"].to_numpy()
    chosen = rng.integers(0, 120, (4000, 120))
    for name, share in {"median_margin": 0.5, "q10_margin": 0.1, "q90_margin": 0.9}.items():
        gaps = np.quantile(second[chosen], share, axis=1) - np.quantile(first[chosen], share, axis=1)
        assert found[name]["ci"] == pytest.approx(np.quantile(gaps, [0.025, 0.975]).tolist(), abs=0.02)
        sides = min(np.mean(gaps <= 0), np.mean(gaps >= 0))
        assert found[name]["p"] == pytest.approx(min(1.0, 2 * sides), abs=0.03)
        assert found[name]["test"] == "paired bootstrap"


def test_holm_goes_over_overall_and_the_tiers_figure_by_figure():
    a, b = drawn(5, n=300)
    found = compared(a, b)["tiers"]
    for name in set(FIGURES) - {"n"}:
        p = [found[scope][name]["p"] for scope in SCOPES]
        adjusted = [found[scope][name]["p_holm"] for scope in SCOPES]
        assert adjusted == pytest.approx(reference.holm(p), rel=1e-7)
    assert len({found["overall"][name]["p_holm"] for name in FIGURES}) > 4


def test_deltas_are_those_of_the_scoreboards():
    a, b = drawn(6)
    for scope, figures in compared(a, b)["tiers"].items():
        mine = [
            tier_stats(frame if scope == "overall" else frame.filter(pl.col("tier") == scope))
            for frame in (a, b)
        ]
        for name, figure in figures.items():
            assert (figure["a"], figure["b"]) == (getattr(mine[0], name), getattr(mine[1], name))
            assert figure["delta"] == pytest.approx(figure["b"] - figure["a"], abs=1e-11)


def test_swapped_models_turn_the_signs_and_keep_p():
    a, b = drawn(7)
    forth, back = compared(a, b)["tiers"], compared(b, a)["tiers"]
    for scope in SCOPES:
        for name, one in forth[scope].items():
            other = back[scope][name]
            assert (one["a"], one["b"], one["delta"]) == (other["b"], other["a"], -other["delta"])
            assert (one["p"], one["p_holm"], one["test"]) == (other["p"], other["p_holm"], other["test"])
            if one["ci"]:
                assert one["ci"] == pytest.approx([-end for end in reversed(other["ci"])], abs=1e-11)


def test_where_tiers_differ_only_all_bundles_can_be_swapped():
    a, b = drawn(7)
    b = b.with_columns(pl.lit(SCOPES[1]).alias("tier"))
    forth, back = (found["tiers"] for found in (compared(a, b), compared(b, a)))
    for name, one in forth["overall"].items():
        other = back["overall"][name]
        assert (one["delta"], one["p"]) == (-other["delta"], other["p"])
    # A's tiers: those of a first, then the one tier of b.
    assert forth[SCOPES[3]]["n"]["a"] > 0
    assert back[SCOPES[3]]["n"]["a"] == 0


def test_the_order_of_bundles_is_irrelevant():
    # So many that not all are near a quantile; equal margins, whose order could leak into the draws.
    a, b = drawn(8, n=2000)
    a, b = (frame.with_columns(pl.col("margin").round(1)) for frame in (a, b))
    assert compared(a.sample(fraction=1, shuffle=True, seed=1), b.reverse()) == compared(a, b)


def test_the_names_seed_the_draws_in_any_order():
    a, b = drawn(9)
    assert compared(a, b, ("x", "y")) == compared(a, b, ("y", "x"))
    one, other = (compared(a, b, names)["tiers"]["overall"] for names in (("x",), ("y",)))
    assert one["q10_margin"]["ci"] != other["q10_margin"]["ci"]
    assert one["mean_margin"] == other["mean_margin"]


def test_equal_scores_differ_by_nothing():
    a, _ = drawn(10)
    found = compared(a, a)["tiers"]
    for figures in found.values():
        assert all(figure["delta"] == 0 for figure in figures.values())
        assert {figures[name]["p"] for name in ("pass_rate", "top3", "ties")} == {1.0}
        for name in ("mean_margin", "q10_margin"):
            assert (figures[name]["p"], figures[name]["p_holm"], figures[name]["ci"]) == (None, None, None)
            assert figures[name]["reason"] == "no bundle differs"


def test_a_mean_that_happens_to_be_0_or_1_is_not_tested_as_a_share():
    found = compared(*[scores([0.1, 0.2, 0.3])] * 2)["tiers"]["overall"]
    assert (found["top3"]["p"], found["top3"]["test"]) == (1.0, "exact McNemar")
    assert (found["mean_rank"]["p"], found["mean_rank"]["test"]) == (None, None)


def test_a_shift_of_all_margins_is_no_test():
    a = scores([0.25, 0.5, 1.0])
    found = compared(a, a.with_columns(pl.col("margin") + 0.5))["tiers"]["overall"]
    for name in ("mean_margin", "median_margin"):
        assert (found[name]["delta"], found[name]["p"]) == (0.5, None)
        assert found[name]["reason"] == "all bundles differ equally"


def test_an_empty_tier_has_nulls_and_a_reason():
    found = compared(*[scores([0.1, -0.2, 0.3])] * 2)["tiers"]["tier2_robust"]
    assert (found["n"]["a"], found["n"]["b"], found["n"]["delta"]) == (0, 0, 0)
    for name in ("pass_rate", "mean_margin", "q10_margin", "mrr"):
        figure = found[name]
        assert [figure[key] for key in ("a", "b", "delta", "p", "p_holm", "ci", "test")] == [None] * 7
        assert figure["reason"] == "no bundles in A and B"


def test_without_bundles_nothing_is_defined():
    found = compared(scores([]), scores([]))
    assert found["items"] == {"a": 0, "b": 0, "shared": 0, "moved": 0, "reshaped": 0}
    assert found["tiers"]["overall"]["pass_rate"]["delta"] is None


def test_tiers_of_a_are_used_for_both():
    a = scores([0.1, -0.2, 0.3, 0.4], ["tier1_easy", "tier3_adversarial", "tier1_easy", "tier1_easy"])
    b = scores([-0.1, 0.2, 0.3, 0.4], ["tier3_adversarial", "tier1_easy", "tier1_easy", "tier1_easy"])
    found = compared(a, b)
    assert found["items"]["moved"] == 2
    hardest = found["tiers"]["tier3_adversarial"]
    # Bundle 2, which A fails and B passes; with B's own tiers it would be bundle 1, which B fails.
    assert (hardest["n"]["a"], hardest["n"]["b"], hardest["n"]["shared"]) == (1, 1, 1)
    assert (hardest["pass_rate"]["a"], hardest["pass_rate"]["b"]) == (0.0, 1.0)


def test_a_bundle_without_a_tier_in_a_has_none_in_b():
    a = scores([0.1, -0.2], ["tier1_easy", "tier1_easy"]).with_columns(
        tier=pl.Series(["tier1_easy", None], dtype=pl.String)
    )
    found = compared(a, scores([0.1, -0.2], ["tier1_easy", "tier3_adversarial"]))
    assert found["items"]["moved"] == 1
    assert found["tiers"]["tier3_adversarial"]["n"]["b"] == 0
    assert found["tiers"]["overall"]["n"]["b"] == 2


def test_the_test_is_on_shared_bundles_and_the_delta_on_all():
    # Shared are y and z: A passes both, B neither. A's x and B's w are their own.
    a = scores([0.1, 0.2, 0.3], items=["x", "y", "z"])
    b = scores([-0.2, -0.4, 0.9, 0.9], items=["y", "z", "w", "v"])
    found = compared(a, b)
    assert found["items"] == {"a": 3, "b": 4, "shared": 2, "moved": 0, "reshaped": 0}
    rate = found["tiers"]["overall"]["pass_rate"]
    assert (rate["a"], rate["b"], rate["delta"], rate["delta_shared"]) == (1.0, 0.5, -0.5, -1.0)
    # Two against none: 2 / 2^2.
    assert (rate["p"], rate["only_a"], rate["only_b"]) == (0.5, 2, 0)
    margin = found["tiers"]["overall"]["mean_margin"]
    assert margin["delta_shared"] == pytest.approx(-0.55)
    assert margin["p"] == pytest.approx(ttest_rel([-0.2, -0.4], [0.2, 0.3]).pvalue, rel=1e-7)


def test_without_shared_bundles_there_are_deltas_and_no_p():
    found = compared(scores([0.1, 0.2], items=["x", "y"]), scores([-0.1, 0.2], items=["v", "w"]))
    for name in ("pass_rate", "mean_margin", "q10_margin"):
        figure = found["tiers"]["overall"][name]
        assert figure["delta"] is not None
        assert (figure["p"], figure["ci"], figure["reason"]) == (None, None, "no bundle is in both")


def test_another_number_of_negatives_is_counted():
    a = scores([0.1, 0.2])
    assert compared(a, a.with_columns(negatives=pl.Series([5, 6])))["items"]["reshaped"] == 1
