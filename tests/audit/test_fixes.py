"""What is recommended, what it promises and costs, and in which order."""

import math

import pytest

from audit.made_grids import answers, compared, evidence_of, repeated, told
from support.planted_tables import collect_evidence
from tellapart.audit.options import AuditOptions
from tellapart.audit.results import Action, Fix
from tellapart.core.comparison import ComparisonSettings
from tellapart.core.comparison.compare import primary_family
from tellapart.core.score_grid import score_grid
from tellapart.core.scores import ScoreTable
from tellapart.report.comparison import about


def by_action(pair) -> dict[Action, Fix]:
    return {fix.action: fix for fix in pair.fix}


def test_more_items_are_those_that_settle_what_matters_beyond_those_there_are() -> None:
    pair = told(evidence_of(answers(22, 12, 6, 20)))
    (fix,) = pair.fix
    assert (fix.action, fix.cost_items, fix.cost_replicates) == (Action.ADD_ITEMS, pair.settle_items - 60, 0)
    assert fix.cost_answers == 2 * fix.cost_items
    assert fix.text == (
        f"+{about(fix.cost_items)} items like these, about {about(pair.settle_items)} in all, would settle 2 "
        "points: find such a difference, or show that there is none, with 80 % power; the chance that the "
        f"two separate is then {100 * fix.chance:.0f} %."
    )


def test_what_is_promised_does_not_depend_on_the_gap_that_was_seen() -> None:
    # 18 of 60 differ in both; by 10 points, or by none.
    apart, alike = (told(evidence_of(answers(22, a, 18 - a, 20))) for a in (12, 9))
    assert apart.fix[0].cost_items == pytest.approx(alike.fix[0].cost_items, rel=0.05)
    assert apart.fix[0].chance > alike.fix[0].chance


def test_chance_of_the_fix_is_that_of_the_comparison() -> None:
    evidence = evidence_of(answers(22, 12, 6, 20))
    settle = compared(evidence).settle_items
    (pair,) = primary_family(evidence.grid, ComparisonSettings(plan=settle)).pairs
    assert pair.chance[-1] == (settle, pytest.approx(told(evidence).fix[0].chance))


def test_harder_items_promise_nothing_and_come_after_what_does() -> None:
    pair = told(evidence_of(answers(192, 5, 2, 1)))
    assert [fix.action for fix in pair.fix] == [Action.ADD_ITEMS, Action.HARDER_ITEMS]
    assert pair.fix[1].text == (
        "Write harder items. An item that about half of the answers get right tells most; how many it takes "
        "is not known before."
    )
    assert (pair.fix[1].cost_items, pair.fix[1].cost_answers, pair.fix[1].chance) == (0, None, None)
    floor = {model: [1 - score for score in values] for model, values in answers(192, 5, 2, 1).items()}
    easier = told(evidence_of(floor)).fix
    assert [fix.action for fix in easier] == [Action.ADD_ITEMS, Action.EASIER_ITEMS]
    assert easier[0].cost_items == pair.fix[0].cost_items


def test_enough_items_that_settle_nothing_are_no_reason_for_more() -> None:
    # .0125 apart, on more items than usually settle .02, neither of which is beyond chance.
    pair = told(evidence_of(answers(2000, 390, 340, 1270)))
    assert pair.settle_items <= 4000
    assert not pair.is_separated
    (fix,) = pair.fix
    assert (fix.action, fix.cost_answers) == (Action.CHOOSE_OTHERWISE, 0)
    assert "as many items as usually settle 2 points, and the two are about as far apart" in fix.text


def test_rerun_counts_by_model_and_cause_and_leaves_out_what_would_stay_missing() -> None:
    scores = answers(20, 15, 6, 19)
    scores = {model: values + [0.0] * 340 for model, values in scores.items()}
    scores["a"][60:] = ["timeout"] * 200 + ["parse"] * 100 + ["refusal"] * 30 + ["rules cannot tell"] * 10
    scores["b"][399] = "judge"
    fix = by_action(told(evidence_of(scores)))[Action.RERUN_MISSING]
    assert (fix.cost_items, fix.cost_replicates, fix.cost_answers) == (0, 1, 301)
    assert fix.text == (
        "Ask again for the 301 missing scores: 300 of a (100 parse, 200 timeout) and 1 of b (1 judge). "
        "40 more (30 refusal and 10 rules cannot tell) would stay missing."
    )


def test_further_answers_are_counted_of_both_models_and_every_grading() -> None:
    table = ScoreTable.from_frame(repeated(1.0, 60, 0.05), limits=(-math.inf, math.inf))
    pair = told(collect_evidence(score_grid(table), AuditOptions(sesoi=0.25)))
    again, items = by_action(pair)[Action.ADD_REPLICATES], by_action(pair)[Action.ADD_ITEMS]
    # 60 items and two models; a new item gets two answers of each, as those there are.
    assert again.cost_answers == 2 * 60 * again.cost_replicates
    assert items.cost_answers == 2 * 2 * items.cost_items
    assert [fix.cost_answers for fix in pair.fix] == sorted(fix.cost_answers for fix in pair.fix)
    assert again.text == (
        f"Ask every item again: {again.cost_replicates} more answers per item and model would settle 0.25: "
        "find such a difference, or show that there is none, with 80 % power, without new items; the chance "
        f"that the two separate is then {100 * again.chance:.0f} %."
    )


def test_new_items_where_no_two_have_scores_of_both_are_two_at_least() -> None:
    frame = {"a": [1.0, "refusal"], "b": ["refusal", 0.0]}
    assert told(evidence_of(frame)).fix == ()
    one = told(evidence_of({"a": [1.0], "b": [0.0]}))
    (fix,) = one.fix
    assert (fix.action, fix.cost_items, fix.cost_answers, fix.chance) == (Action.ADD_ITEMS, 1, 2, None)
    assert fix.text == "Give a and b at least 1 further item; only then can the number be estimated."
