"""What is prescribed, what it costs, and in which order."""

import math
from dataclasses import replace

import numpy as np
import polars as pl
import pytest

from audit.made_grids import answers, evidence_of, repeated, told
from tellapart.audit.evidence import gather
from tellapart.audit.fixes.kinds import FEWEST_ITEMS, best_kind
from tellapart.audit.options import AuditOptions
from tellapart.audit.pairs import Action, Verdict
from tellapart.audit.planning import Plan, plan_for
from tellapart.core.score_grid import score_grid
from tellapart.core.scores import ScoreTable
from tellapart.core.stats import items_needed_t, mcnemar_items_needed


def by_action(pair) -> dict[Action, object]:
    return {fix.action: fix for fix in pair.fixes}


def test_separated_pair_needs_nothing() -> None:
    assert told(evidence_of(answers(20, 30, 5, 20))).fixes == ()


def test_more_items_are_those_that_the_exact_test_needs_beyond_those_there_are() -> None:
    # 12 against 6 of 60: shares as in test_causes.
    pair = told(evidence_of(answers(22, 12, 6, 20)))
    discordant = (18 / 60 - 0.01) * 60 / 59 + 0.01
    needed = mcnemar_items_needed([discordant / 2 + 0.05], [discordant / 2 - 0.05])[0]
    (fix,) = pair.fixes
    assert (fix.action, fix.cost_items, fix.cost_replicates) == (Action.ADD_ITEMS, needed - 60, 0)
    assert fix.text == (
        f"+{needed - 60:,} items like these, {needed:,} in all, would separate a and b with 80 % power."
    )


def test_difference_that_does_not_matter_is_settled_both_ways() -> None:
    # 20 against 19 of 200: planned for .02, found by the exact test and excluded by two one-sided tests.
    pair = told(evidence_of(answers(100, 20, 19, 61)))
    evidence = evidence_of(answers(100, 20, 19, 61))
    discordant = pair.sd**2 + 0.02**2
    found = mcnemar_items_needed([discordant / 2 + 0.01], [discordant / 2 - 0.01])[0]
    equal = items_needed_t(0.02, pair.sd, power=0.9, alpha=2 * evidence.level_equivalent)
    (fix,) = pair.fixes
    assert fix.cost_items == max(found, equal) - 200
    assert "show with 80 % power whether a and b differ by 0.02 or are equivalent" in fix.text


def test_levels_are_those_of_the_next_claim() -> None:
    rng = np.random.default_rng(0)
    evidence = evidence_of({model: (rng.random(40) < 0.5).astype(float).tolist() for model in "abcd"})
    assert evidence.level == pytest.approx(0.05 / sum(not pair.is_separated for pair in evidence.pairs))
    pair = told(evidence)
    assert plan_for(pair, evidence).level == evidence.level
    assert evidence.level_equivalent == pytest.approx(0.05 / 6)


def test_pairs_that_are_equivalent_already_do_not_lower_the_level_for_the_next() -> None:
    scores = answers(1500, 11, 9, 1480)
    evidence = evidence_of(scores | {"c": [1 - score for score in scores["a"]]})
    assert told(evidence).verdict is Verdict.EQUIVALENT
    assert evidence.level_equivalent == pytest.approx(0.05 / 2)


def test_near_the_smallest_difference_that_matters_a_plan_goes_by_what_is_seen() -> None:
    # 4,000 items are more than the plan to settle asks for; .011 is too near to .02 for either test.
    pair = told(evidence_of(answers(2000, 381, 337, 1282)))
    assert not pair.is_separated
    discordant = pair.sd**2 + 0.011**2
    found = mcnemar_items_needed([discordant / 2 + 0.0055], [discordant / 2 - 0.0055])[0]
    equal = items_needed_t(0.009, pair.sd, power=0.9, alpha=0.1)
    (fix,) = pair.fixes
    assert fix.cost_items == min(found, equal) - 4000
    assert "if they differ as seen" in fix.text


def test_models_that_never_differ_are_planned_by_the_rule_of_three() -> None:
    # (1 - .02)^n <= .05 from n = 149.
    (fix,) = told(evidence_of({"a": [0.5] * 50, "b": [0.5] * 50})).fixes
    assert (fix.action, fix.cost_items) == (Action.ADD_ITEMS, 99)
    assert told(evidence_of({"a": [0.5] * 50, "b": [0.5] * 50}, limits=(-math.inf, math.inf))).fixes == ()


def test_first_items_where_nothing_can_be_planned() -> None:
    assert [fix.cost_items for fix in told(evidence_of({"a": [1.0], "b": [0.0]})).fixes] == [1]
    one_source = told(evidence_of(answers(9, 8, 3, 9), cluster=["c"] * 29))
    assert "1 item from another source" in one_source.fixes[0].text


def test_clusters_inflate_what_is_planned() -> None:
    alone, shared = (
        told(evidence_of(answers(30, 20, 9, 31), **columns)).fixes[0].cost_items
        for columns in ({}, {"cluster": [str(place // 5) for place in range(90)]})
    )
    assert shared > 2 * alone


def test_ceiling_asks_for_harder_items_and_not_for_more_that_cannot_tell() -> None:
    pair = told(evidence_of(answers(192, 5, 2, 1)))
    assert [fix.action for fix in pair.fixes] == [Action.HARDER_ITEMS]
    floor = {model: [1 - score for score in values] for model, values in answers(192, 5, 2, 1).items()}
    assert [fix.action for fix in told(evidence_of(floor)).fixes] == [Action.EASIER_ITEMS]
    assert told(evidence_of(floor)).fixes[0].cost_items == pair.fixes[0].cost_items


def test_rerun_counts_by_model_and_cause_and_leaves_out_what_would_stay_missing() -> None:
    scores = answers(20, 15, 6, 19)
    scores = {model: values + [0.0] * 340 for model, values in scores.items()}
    scores["a"][60:] = ["timeout"] * 200 + ["parse"] * 100 + ["refusal"] * 40
    scores["b"][399] = "judge"
    fix = by_action(told(evidence_of(scores)))[Action.RERUN_MISSING]
    assert (fix.cost_items, fix.cost_replicates) == (0, 1)
    assert fix.text == (
        "Ask again for the 301 missing scores: 300 of a (100 parse, 200 timeout) and 1 of b (1 judge). "
        "40 more, refused or infeasible, would stay missing."
    )


def test_nothing_to_rerun_where_all_was_refused() -> None:
    assert told(evidence_of({"a": ["refusal", "infeasible"], "b": [1.0, 0.0]})).fixes == ()


def test_equivalent_models_are_chosen_between_otherwise() -> None:
    (fix,) = told(evidence_of(answers(1500, 11, 9, 1480))).fixes
    assert (fix.action, fix.cost_items, fix.cost_replicates) == (Action.CHOOSE_OTHERWISE, 0, 0)


def test_cheapest_first_new_items_costing_most() -> None:
    table = ScoreTable.from_frame(repeated(1.0, 60, 0.1), limits=(-math.inf, math.inf))
    pair = told(gather(score_grid(table), AuditOptions()))
    costs = [fix.cost_items for fix in pair.fixes]
    assert costs == sorted(costs)
    assert [fix.action for fix in pair.fixes][-1] is Action.ADD_ITEMS


def test_answers_cost_no_items() -> None:
    table = ScoreTable.from_frame(repeated(1.0, 100, 0.15, seed=3), limits=(-math.inf, math.inf))
    fixes = by_action(told(gather(score_grid(table), AuditOptions())))
    assert fixes[Action.ADD_REPLICATES].cost_items == 0
    assert fixes[Action.ADD_REPLICATES].cost_replicates > 0
    assert Action.REPEAT_GRADING not in fixes


def two_kinds(n_easy: int = 100, n_hard: int = 40):
    """All easy items right by both; of the hard ones 14 by a alone and 6 by b alone in 40."""
    easy, share = n_easy, n_hard // 40
    hard = answers(10 * share, 14 * share, 6 * share, 10 * share)
    scores = {model: [1.0] * (easy // 2) + [0.0] * (easy - easy // 2) + hard[model] for model in "ab"}
    return evidence_of(scores, difficulty=["easy"] * easy + ["hard"] * n_hard)


def test_stratum_that_separates_most_per_item_is_costed_beyond_its_items() -> None:
    pair = told(two_kinds())
    fix = by_action(pair)[Action.USE_STRATUM]
    assert fix.stratum == ("difficulty", "hard")
    # One kind alone has a gap, so the balance is its own: (14 - 6) / 40 on 20 / 40 of its items.
    discordant = (20 / 40 - 0.04) * 40 / 39 + 0.04
    needed = mcnemar_items_needed([discordant / 2 + 0.1], [discordant / 2 - 0.1])[0]
    assert fix.cost_items == needed - 40
    assert f"{needed:,} items of it alone instead of" in fix.text
    assert "there are 40" in fix.text


def test_items_like_the_best_kind_are_the_fewest_that_do_beside_the_others() -> None:
    evidence = two_kinds()
    pair = told(evidence)
    fix = by_action(pair)[Action.ADD_ITEMS]
    assert fix.stratum == ("difficulty", "hard")

    def enough(added: int) -> bool:
        # The table as it is, and so many items more of the kind with its planned gap and its variance.
        hard, n = best_kind(evidence.of(pair), plan_for(pair, evidence)), 140 + added
        whole = 140 * (evidence.of(pair).parts.variance + pair.difference**2)
        gap = (140 * pair.difference + added * hard.gap) / n
        square = (whole + added * (hard.seen.variance + hard.gap**2)) / n
        return mcnemar_items_needed([square / 2 + gap / 2], [square / 2 - gap / 2])[0] <= n

    assert enough(fix.cost_items)
    assert not enough(fix.cost_items - 1)


@pytest.mark.parametrize(("n_hard", "stratum"), [(FEWEST_ITEMS - 1, None), (FEWEST_ITEMS, "hard")])
def test_kinds_of_few_items_are_not_planned_from(n_hard: int, stratum: str | None) -> None:
    hard = answers(2, 9, 3, n_hard - 14)
    scores = {model: [1.0] * 40 + [0.0] * 60 + hard[model] for model in "ab"}
    pair = told(evidence_of(scores, difficulty=["easy"] * 100 + ["hard"] * n_hard))
    assert pair.fixes
    assert {fix.stratum and fix.stratum[1] for fix in pair.fixes} == {stratum}


def test_kinds_that_differ_by_chance_alone_share_one_balance() -> None:
    # The same discordance in both kinds: whichever is ahead by chance, neither needs fewer items.
    first, second = answers(20, 13, 7, 20), answers(20, 11, 9, 20)
    scores = {model: first[model] + second[model] for model in "ab"}
    evidence = evidence_of(scores, difficulty=["x"] * 60 + ["y"] * 60)
    pair = told(evidence)
    assert best_kind(evidence.of(pair), plan_for(pair, evidence)) is None


def test_kind_with_the_opposite_order_is_advised_alone_but_never_added() -> None:
    # a is far ahead on the few items of x, b a little on the many of y and over all.
    x, y = answers(10, 18, 4, 8), answers(80, 30, 55, 35)
    scores = {model: x[model] + y[model] for model in "ab"}
    pair = told(evidence_of(scores, kind=["x"] * 40 + ["y"] * 200))
    assert not pair.is_separated
    assert pair.difference < 0
    fixes = by_action(pair)
    assert fixes[Action.USE_STRATUM].stratum == ("kind", "x")
    assert "a is 0.35 ahead there" in fixes[Action.USE_STRATUM].text
    assert fixes[Action.ADD_ITEMS].stratum is None


def test_order_of_rows_changes_nothing() -> None:
    rng = np.random.default_rng(5)
    frame = repeated(0.5, 50, 0.1).with_columns(kind=pl.col("item").str.slice(4))
    pairs = [
        told(gather(score_grid(ScoreTable.from_frame(rows, limits=(-9.0, 9.0))), AuditOptions()))
        for rows in (frame, frame[rng.permutation(frame.height).tolist()])
    ]
    assert (pairs[0].why, pairs[0].fixes) == (pairs[1].why, pairs[1].fixes)


def test_plan_gives_none_where_no_number_would_do() -> None:
    plan = Plan(0.1, 0.02, False, False, 1.0, 1.0, 0.05, 0.05, 0.8)
    assert plan.items(0.25) == items_needed_t(0.1, 0.5)
    assert plan.items(0.25, gap=0.0) is None
    assert replace(plan, exact=True).items(0.25, gap=0.0) is None
