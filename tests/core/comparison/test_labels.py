from dataclasses import replace
from math import sqrt

import numpy as np
import polars as pl
import pytest
from scipy.stats import t

from tellapart.core.comparison import ComparisonSettings, GateOutcome, LookPlan, Verdict, compare, run_gates
from tellapart.core.comparison.judge import judge_card, levers
from tellapart.core.comparison.labels import LEAST_LABELS, check_labels, corrected, corrected_difference
from tellapart.core.comparison.looks import compare_at_looks
from tellapart.core.score_grid import score_grid
from tellapart.core.scores import ScoreTable
from tellapart.core.stats.agreement import kappa_estimate
from tellapart.core.stats.intervals import clustered_mean
from tellapart.errors import InputError

ALONE = np.arange(600)


def drawn(seed=0, n=600, labelled=60, noise=0.3):
    """Values of a judge for all items, and labels of some, whose mean is 0 but for luck."""
    rng = np.random.default_rng(seed)
    truth = rng.normal(size=n)
    labels = np.where(np.isin(np.arange(n), rng.choice(n, labelled, replace=False)), truth, np.nan)
    return 0.4 + truth + noise * rng.normal(size=n), labels


def table(judge=0.12, labelled=60, models=("a", "b"), items=600, seed=3, **columns):
    """Equal models; the judge errs on a tenth of the answers, and gives the first one more for nothing."""
    rng = np.random.default_rng(seed)
    chosen = np.isin(np.arange(items), rng.choice(items, labelled, replace=False))
    frames = []
    for model in models:
        human = (rng.random(items) < 0.6).astype(float)
        score = np.where(rng.random(items) < 0.1, 1 - human, human)
        if model == models[0]:
            score = np.where(rng.random(items) < judge / (1 - score.mean()), 1.0, score)
        frames.append(
            pl.DataFrame(
                {
                    "model": [model] * items,
                    "item": [f"q{i:03d}" for i in range(items)],
                    "score": score,
                    "human": [h if there else None for h, there in zip(human, chosen, strict=True)],
                    **columns,
                }
            )
        )
    return ScoreTable.from_frame(pl.concat(frames))


def test_each_label_is_corrected_by_what_the_other_folds_say_of_the_judge():
    judged, labels = drawn()
    found = corrected(judged, labels, ALONE, None, 1.0)
    known = ~np.isnan(labels)
    around, y = (judged - judged.mean())[known], labels[known]
    folds = np.arange(60) % 5
    slopes = np.empty(60)
    for fold in range(5):
        others = folds != fold
        slope = around[others] @ (y[others] - y[others].mean()) / (around[others] @ around[others])
        slopes[folds == fold] = min(1, max(0, slope))
    residuals = y - slopes * around
    assert found.estimate == pytest.approx(residuals.mean(), abs=1e-12)
    # Items that nobody labelled vary as the judge does, labelled ones as labels less judge do, ten times so.
    pulls = slopes.mean() * (judged - judged.mean())
    pulls[known] += 10 * (residuals - residuals.mean())
    assert found.standard_error == pytest.approx(sqrt((pulls**2).sum() * 60 / 58) / 600, abs=1e-12)
    half = t.ppf(0.975, 59) * found.standard_error
    assert found.interval() == pytest.approx((found.estimate - half, found.estimate + half))
    assert found.p == pytest.approx(2 * t.sf(abs(found.estimate) / found.standard_error, 59))
    assert found.standard_error < 0.5 * found.alone
    # The two levers are all there is to the error.
    assert found.error_with(600, 60) == pytest.approx(found.standard_error)


def test_with_one_weight_of_the_judge_the_estimate_is_that_of_the_reference_implementation():
    reference = pytest.importorskip("ppi_py")
    judged, labels = drawn()
    known = ~np.isnan(labels)
    found = corrected(judged, labels, ALONE, None, 1.0)
    around = judged - judged.mean()
    total = 0.0
    for fold in range(5):
        chosen = np.flatnonzero(known)[np.arange(60) % 5 == fold]
        others = np.setdiff1d(np.flatnonzero(known), chosen)
        slope = around[others] @ (labels[others] - labels[others].mean()) / (around[others] @ around[others])
        weight = np.clip(slope, 0, 1)
        point = reference.ppi_mean_pointestimate(labels[chosen], judged[chosen], judged, lam=weight)
        total += float(np.squeeze(point)) * len(chosen) / 60
    assert found.estimate == pytest.approx(total, abs=1e-9)


def test_a_judge_that_says_nothing_leaves_the_labels_alone():
    _, labels = drawn()
    known = labels[~np.isnan(labels)]
    found = corrected(np.ones(600), labels, ALONE, None, 1.0)
    alone = clustered_mean(known)
    assert (found.weight, found.estimate) == (0.0, pytest.approx(known.mean()))
    assert found.standard_error == found.alone == pytest.approx(alone.standard_error)
    assert found.interval() == pytest.approx((alone.low, alone.high))
    assert found.items == pytest.approx(0.0)


def test_labels_with_unequal_chances_count_by_their_inverse():
    rng = np.random.default_rng(1)
    truth = np.repeat([0.0, 1.0], 300)
    chance = np.where(truth == 1, 0.4, 0.1)
    estimates = []
    for _ in range(200):
        labels = np.where(rng.random(600) < chance, truth, np.nan)
        found = corrected(np.full(600, np.nan), labels, ALONE, chance, 1.0)
        estimates.append(found.estimate)
    # Ratio of weighted sums: the truth is .5, and unweighted labels would say .8.
    assert np.mean(estimates) == pytest.approx(0.5, abs=0.02)


def test_sources_widen_the_interval_and_take_degrees_of_freedom():
    rng = np.random.default_rng(2)
    sources = np.repeat(np.arange(20), 30)
    truth = rng.normal(size=20)[sources] + 0.1 * rng.normal(size=600)
    labels = np.where(np.arange(600) % 10 == 0, truth, np.nan)
    alone, together = (corrected(np.full(600, np.nan), labels, of, None, 1.0) for of in (ALONE, sources))
    assert (alone.degrees, together.degrees) == (59, 19)
    assert together.estimate == alone.estimate
    by_hand = clustered_mean(labels[::10], sources[::10])
    assert together.standard_error == pytest.approx(by_hand.standard_error)


def test_errors_too_rare_to_be_among_the_labels_are_allowed_for():
    judged = np.tile([0.0, 1.0], 300)
    labels = np.where(np.isin(np.arange(600), range(0, 600, 25)), judged, np.nan)
    labels[1:600:25] = judged[1:600:25]
    found = corrected(judged, labels, ALONE, None, 1.0)
    # No error among 48: as with three in 48, each as large as can be.
    unseen = 3 / 48**2 * 48 / 46
    assert found.standard_error**2 > unseen
    assert found.labels / found.labelled == pytest.approx(unseen, rel=1e-3)


def test_rare_labels_unlike_the_rest_are_allowed_for_too():
    # Grades near 0 but for a few, as a judge gives a weak model: of 20 labels, Student's t misses their mean.
    covered = by_t = 0
    for seed in range(200):
        rng = np.random.default_rng(seed)
        truth = rng.beta(0.05, 1.5, 600)
        labels = np.where(rng.permutation(600) < 20, truth, np.nan)
        covered += truth.mean() in corrected(np.full(600, np.nan), labels, ALONE, None, 1.0).interval()
        alone = clustered_mean(labels[~np.isnan(labels)])
        by_t += alone.low <= truth.mean() <= alone.high
    assert covered >= 190 > 160 > by_t


def test_too_few_labels_correct_nothing():
    judged, labels = drawn(labelled=LEAST_LABELS - 1)
    assert corrected(judged, labels, ALONE, None, 1.0) is None
    assert corrected(judged, labels, np.zeros(600, np.int64), None, 1.0) is None


def test_a_judge_s_bias_makes_no_verdict_once_people_labelled_some():
    scores = table()
    (judged,) = compare(replace(scores, frame=scores.frame.drop("human"))).primary.pairs
    (pair,) = compare(scores).primary.pairs
    assert judged.verdict is Verdict.A_BETTER
    assert (pair.verdict, pair.test, pair.n) == (Verdict.NOT_SEPARATED, "labels", 600)
    found = corrected_difference(score_grid(scores), 0, 1)
    assert (pair.difference, pair.p) == (found.estimate, pytest.approx(found.p))
    assert pair.interval == pytest.approx(found.interval())
    assert 0.0 in pair.interval


def test_equivalence_needs_enough_labels_to_rule_rare_errors_out():
    judged = np.tile([0.0, 1.0], 3_000)
    for labelled, verdict in ((50, Verdict.NOT_SEPARATED), (1_000, Verdict.EQUIVALENT)):
        drawn_items = set(np.random.default_rng(0).choice(6_000, labelled, replace=False).tolist())
        frames = [
            pl.DataFrame(
                {
                    "model": model,
                    "item": [f"q{i:04d}" for i in range(6_000)],
                    "score": judged,
                    "human": [s if i in drawn_items else None for i, s in enumerate(judged)],
                }
            )
            for model in "ab"
        ]
        grid = score_grid(ScoreTable.from_frame(pl.concat(frames)))
        (pair,) = compare(replace(grid, scores=grid.scores), ComparisonSettings(sesoi=0.05)).primary.pairs
        assert pair.verdict is verdict, labelled


def test_a_stratum_with_too_few_labels_has_no_verdict_and_says_why():
    scores = table(level=["rare"] * 60 + ["usual"] * 540)
    pairs = compare(scores).secondary.pairs
    rare, usual = pairs
    assert (rare.p, rare.reason) == (None, "fewer than 20 items have labels of both models")
    assert rare.verdict is Verdict.NOT_SEPARATED
    assert usual.p is not None


def test_a_gate_holds_the_corrected_drop():
    scores = table(models=("base", "new"))
    settings = ComparisonSettings(baseline="base")
    without = run_gates(score_grid(replace(scores, frame=scores.frame.drop("human"))), 0.05, settings)
    gates = run_gates(score_grid(scores), 0.05, settings)
    assert [gate.outcome for gate in (*without, *gates)] == [GateOutcome.FAILED, GateOutcome.UNCLEAR]
    (gate,) = gates
    assert gate.can_fire
    found = corrected_difference(score_grid(scores), 0, 1)
    assert gate.drop == found.estimate
    assert gate.interval == pytest.approx(found.interval(0.1))


def test_missing_scores_still_withhold_and_undecided_ones_do_not():
    scores = table(judge=0.0, seed=8, labelled=300)
    better = pl.col("model") == "a"
    for cause, verdict in (("provider", Verdict.WITHHELD), ("rules cannot tell", Verdict.A_BETTER)):
        # Every third item of the better model has no score; its labels are there.
        lost = better & (pl.col("item").str.slice(1).cast(pl.Int64) % 3 == 0)
        lifted = pl.when(~better).then(pl.col("score") * 0.75)
        frame = scores.frame.with_columns(
            score=pl.when(lost).then(None).otherwise(lifted.otherwise("score")),
            human=pl.when(~better).then(pl.col("human") * 0.75).otherwise("human"),
            missing=pl.when(lost).then(pl.lit(cause)),
        )
        (pair,) = compare(ScoreTable.from_frame(frame)).primary.pairs
        assert pair.verdict is verdict


def test_looks_at_growing_scores_are_corrected_too():
    grid = score_grid(table(labelled=300))
    order = np.random.default_rng(0).permutation(600)
    without = replace(grid, human=None)
    judged, found = (
        compare_at_looks(of, order, LookPlan(600, 100), ComparisonSettings()) for of in (without, grid)
    )
    assert judged.is_decided
    assert not found.is_decided
    assert found.pairs[0].test == "labels"


def test_the_card_of_a_judge():
    grid = score_grid(table(judge=0.3))
    comparison = compare(grid, secondary=False)
    card = judge_card(grid, comparison, ComparisonSettings(), prices=(0.1, 2.0))
    both = ~np.isnan(grid.human)
    assert (card.n, card.answers) == (60, 120)
    errors = (grid.scores - grid.human)[0, both[0]]
    assert card.judge["a"].bias == pytest.approx(errors.mean())
    assert card.judge["a"].interval.low < errors.mean() < card.judge["a"].interval.high
    grades = (of[both].astype(str) for of in (grid.scores, grid.human))
    assert card.agreement == pytest.approx(kappa_estimate(*grades).value)
    assert card.agreement in card.agreement_interval
    assert card.favours == ("a",)
    found = corrected_difference(grid, 0, 1)
    assert card.width_ratio == pytest.approx(found.standard_error / found.alone)
    assert [of.labels for of in card.more] == [60, 120, 180, 300]
    assert card.more[0].half_width == pytest.approx(found.interval().high - found.estimate)
    assert np.all(np.diff([of.half_width for of in card.more]) < 0)
    assert card.judge_alone.primary.pairs[0].verdict is Verdict.A_BETTER
    # The cheapest: no other split of the same error costs less.
    least, cost = card.settle, card.settle.cost
    error = found.error_with(least.items, least.labels)
    for items in np.linspace(least.items * 0.8, least.items * 1.3, 11):
        labels = found.labels / (error**2 - found.items / items)
        assert labels > items or labels < 0 or 0.1 * items + 2 * labels >= cost * 0.999
    assert levers(found, 600, 60).half_width == card.more[0].half_width


@pytest.mark.parametrize(
    ("models", "families"),
    [
        (("lab/a", "lab/b", "other/c", "other/d"), ["lab", "other"]),
        (("lab/a", "lab/b", "lab/c", "lab/d"), []),
        (("runs/main/a", "runs/main/b", "solo", "z (runs/lab)"), []),
    ],
)
def test_a_judge_that_favours_a_family_is_found_where_names_declare_families(models, families):
    grid = score_grid(table(models=models, judge=0.0))
    scores = grid.scores.copy()
    lifted = np.random.default_rng(3).random((2, 600)) < 0.6
    scores[:2] = np.where(lifted, 1.0, scores[:2])
    grid = replace(grid, scores=scores, low=scores, high=scores)
    card = judge_card(grid, compare(grid, secondary=False), ComparisonSettings())
    assert list(card.families) == families
    labelled = ~np.isnan(grid.human[0])
    errors = (scores - grid.human)[:, labelled]
    by_hand = clustered_mean(errors[:2].mean(axis=0) - errors[2:].mean(axis=0))
    for family, sign in zip(families, (1, -1), strict=False):
        bias = card.families[family]
        assert bias.bias == pytest.approx(sign * by_hand.value)
        half = t.ppf(1 - 0.025 / len(families), 59) * by_hand.standard_error
        assert bias.interval == pytest.approx((bias.bias - half, bias.bias + half))
        assert (bias.interval.low > 0) is (sign > 0)


def test_a_judge_that_is_of_no_use_is_named():
    scores = table()
    noise = np.random.default_rng(1).integers(0, 2, 1200).astype(float)
    cautions = compare(ScoreTable.from_frame(scores.frame.with_columns(score=noise))).cautions
    assert cautions == (
        "The judge's scores add nothing to people's labels, and the verdict rests on these alone.",
        "Numbers of items assume that people label 10 % of them, as here.",
    )


def chosen(frame, keep):
    return frame.with_columns(human=pl.when(keep).then("human"))


def test_chosen_labels_with_their_true_chances_are_taken():
    scores = table().frame
    differ = pl.col("score").n_unique().over("item") > 1
    rng = np.random.default_rng(4)
    drawn_items = pl.DataFrame({"item": scores["item"].unique().sort(), "u": rng.random(600)})
    chance = pl.when(differ).then(0.3).otherwise(0.05)
    frame = scores.join(drawn_items, on="item").with_columns(label_probability=chance)
    frame = frame.with_columns(human=pl.when(pl.col("u") < pl.col("label_probability")).then("score"))
    check_labels(score_grid(ScoreTable.from_frame(frame.drop("u"))))
    with pytest.raises(InputError, match="no random sample"):
        check_labels(score_grid(ScoreTable.from_frame(frame.drop("u", "label_probability"))))


def test_labels_of_items_without_a_score_are_left_to_the_comparison_to_refuse():
    frame = table().frame.with_columns(score=pl.lit(None, pl.Float64), missing=pl.lit("unknown"))
    check_labels(score_grid(ScoreTable.from_frame(frame)))
