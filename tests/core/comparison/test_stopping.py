"""Models compared as scores come in."""

from dataclasses import replace
from math import ceil

import numpy as np
import pytest
from scipy.stats import nct, norm

from support.score_tables import grid_of
from tellapart.core.comparison import ComparisonSettings, Verdict, compare
from tellapart.core.comparison.looks import LookPlan
from tellapart.core.comparison.stopping import StopReason, check_stopping, order_not_of_chance, planned_items
from tellapart.errors import UsageError


def pair(n, gap, differ=0.3, seed=0):
    rng = np.random.default_rng(seed)
    drawn, both = rng.random(n), rng.random(n) < 0.5
    more, less = drawn < (differ + gap) / 2, drawn > 1 - (differ - gap) / 2
    first, second = np.where(more, 1, np.where(less, 0, both)), np.where(more, 0, np.where(less, 1, both))
    return {"a": first.astype(float).tolist(), "b": second.astype(float).tolist()}


ORDER = np.random.default_rng(8).permutation(400)


def test_what_one_look_says_is_what_compare_says():
    grid = grid_of(pair(400, 0.1))
    stopping = check_stopping(grid, ORDER, LookPlan(400, batch=400))
    (looked,), (once,) = stopping.comparison.primary.pairs, compare(grid).primary.pairs
    assert looked.p == pytest.approx(once.p, rel=1e-9)
    assert looked.interval == pytest.approx(once.interval, rel=1e-6)
    assert (looked.verdict, looked.n, looked.items_needed) == (once.verdict, once.n, once.items_needed)


def test_a_stop_stays_whatever_comes_after():
    grid, plan = grid_of(pair(400, 0.25)), LookPlan(400)
    whole = check_stopping(grid, ORDER, plan)
    assert whole.reason is StopReason.DECIDED
    assert whole.used < 200
    assert whole.comparison.primary.pairs[0].verdict is Verdict.A_BETTER
    for asked in (whole.used, whole.used + 1, 399):
        again = check_stopping(grid, ORDER[:asked], plan)
        assert (again.used, again.comparison) == (whole.used, whole.comparison)
    before = check_stopping(grid, ORDER[: whole.used - 1], plan)
    assert before.reason is None
    assert before.next_size == whole.used


def test_without_a_claim_the_greatest_number_of_items_ends_it():
    stopping = check_stopping(grid_of(pair(400, 0.0)), ORDER, LookPlan(200))
    assert (stopping.reason, stopping.used, stopping.next_size) == (StopReason.BUDGET, 200, None)
    assert stopping.comparison.primary.pairs[0].verdict is Verdict.NOT_SEPARATED


def test_models_that_agree_are_equivalent_before_the_end():
    scores = [float(k % 2) for k in range(400)]
    stopping = check_stopping(grid_of({"a": scores, "b": scores}), ORDER, LookPlan(400))
    assert stopping.comparison.primary.pairs[0].verdict is Verdict.EQUIVALENT
    assert stopping.used < 400


def test_a_pair_that_is_decided_stands_as_it_was_then():
    two = pair(400, 0.3)
    grid = grid_of({**two, "c": pair(400, 0.3, seed=1)["b"]})
    stopping = check_stopping(grid, ORDER, LookPlan(400))
    numbers = {(one.a, one.b): (one.n, one.verdict) for one in stopping.comparison.primary.pairs}
    first = min(n for n, _ in numbers.values())
    at_first = check_stopping(grid, ORDER[:first], LookPlan(400)).comparison.primary.pairs
    early = [one for one in at_first if one.is_separated]
    assert early
    later = {(one.a, one.b): one for one in stopping.comparison.primary.pairs}
    for one in early:
        then = later[one.a, one.b]
        assert (then.n, then.p, then.interval, then.verdict) == (one.n, one.p, one.interval, one.verdict)
    assert stopping.used > first
    # Holm goes on with the pair that was open to the end: decided ones no longer count against it.
    assert later["b", "c"].n == 400
    assert later["b", "c"].p_adjusted == later["b", "c"].p < 1
    # Where only pairs with a are awaited, that of the others holds nothing up.
    awaited = check_stopping(grid, ORDER, LookPlan(400), awaited=["a"])
    assert awaited.used == max(n for (name, _), (n, _) in numbers.items() if name == "a")


def test_rare_gains_that_have_not_come_yet_are_no_reason_to_stop():
    # a gains .95 on one item in twenty and loses .05 on the others: the means are equal.
    rng = np.random.default_rng(3)
    false = 0
    for seed in range(60):
        wins = rng.random(400) < 0.05
        rows = {"a": wins.astype(float).tolist(), "b": [0.05] * 400}
        order = np.random.default_rng(seed).permutation(400)
        stopping = check_stopping(grid_of(rows), order, LookPlan(400))
        false += any(pair.is_separated for pair in stopping.comparison.primary.pairs)
    # Without the guard 26 of 60 claim; one look at all items claims in one of twelve.
    assert false <= 9


def test_a_claim_that_missing_scores_could_turn_does_not_stop():
    two = pair(400, 0.2)
    holes = {"a": [None if k % 2 == 0 else score for k, score in enumerate(two["a"])], "b": two["b"]}
    stopping = check_stopping(grid_of(holes), ORDER, LookPlan(400))
    assert stopping.reason is StopReason.BUDGET
    assert stopping.comparison.primary.pairs[0].verdict is Verdict.WITHHELD


def test_an_order_that_is_plainly_none_of_chance_is_told():
    by_kind = {"topic": ["easy"] * 200 + ["hard"] * 200}
    grid = grid_of(pair(400, 0.0), **by_kind)
    assert order_not_of_chance(grid, np.asarray(ORDER)) == ""
    assert order_not_of_chance(grid, np.arange(400)) == "in the order of their ids"
    kinds = [*np.random.default_rng(1).permutation(200), *np.random.default_rng(2).permutation(200) + 200]
    assert order_not_of_chance(grid, np.array(kinds)) == "one topic after another"
    # q10 comes after q9, whatever the alphabet has; and items may be in order without their ids saying so.
    plain = replace(grid, strata={}, items=np.array(sorted(f"q{k}" for k in range(400)), dtype=object))
    by_number = np.argsort([int(item[1:]) for item in plain.items])
    assert order_not_of_chance(plain, by_number) == "in the order of their ids"
    # Eight requests at a time, and one subject after another.
    at_once = np.argsort(np.arange(400) + np.random.default_rng(4).uniform(0, 8, 400))
    blocks = np.arange(400).reshape(8, 50)[np.random.default_rng(5).permutation(8)].ravel()
    for near in (at_once, blocks):
        assert order_not_of_chance(plain, by_number[near]) == "nearly in the order of their ids"
    means = plain.scores.mean(axis=0) + np.random.default_rng(3).normal(0, 0.5, 400)
    assert order_not_of_chance(plain, np.argsort(means)) == "from hard to easy ones"
    assert order_not_of_chance(plain, np.argsort(-means)) == "from easy to hard ones"


def test_looks_are_where_the_plan_has_them():
    assert LookPlan(100).sizes(100) == list(range(10, 101, 10))
    assert LookPlan(407).sizes(250) == [21 * k for k in range(1, 12)]
    assert LookPlan(407).sizes(407)[-2:] == [21 * 18, 407]
    assert LookPlan(100).next_size(100) is None
    assert LookPlan(200, first=50).sizes(200) == [50, 63, 79, 99, 124, 155, 194, 200]
    assert LookPlan(30, first=50).sizes(30) == [30]


def test_the_most_items_are_planned_from_the_first_fifty_alone():
    # 15 of the first 50 differ, by 1: with 7.5 for each the variance is 15/49, with one more 15/49 + 1/50.
    first = np.array([1.0] * 8 + [-1.0] * 7 + [0.0] * 35)
    variance = first.var(ddof=1) + 1 / 50
    # As many as find 5 points, or show that there are none, by a spread that is known from 50 items.
    find = variance * (nct.ppf(0.8, 49, norm.isf(0.025)) / 0.05) ** 2 + norm.isf(0.025) ** 2 / 2
    same = variance * (nct.ppf(0.9, 49, norm.isf(0.05)) / 0.05) ** 2
    needed = max(find, same)
    rest = np.random.default_rng(5).integers(0, 2, (2, 150)).astype(float)
    settings = ComparisonSettings(sesoi=0.05)
    for n in (50, 200):
        scores = np.concatenate([[(1 + first) // 2 + 0.0, (1 - first) // 2 + 0.0], rest], axis=1)[:, :n]
        grid = grid_of({"a": scores[0].tolist(), "b": scores[1].tolist()})
        assert planned_items(grid, np.arange(n), settings) == 100 * ceil(1.11 * needed / 100)
    assert planned_items(grid, np.arange(49), settings) is None


def test_a_look_too_early_for_random_flips_claims_nothing_by_them():
    # Sums of such scores have no common unit, and 60 of them have too many flips: signs are drawn. A claim
    # among 28 pairs would take 448,000 draws at a twentieth of the items, and none is made then.
    scores = np.random.default_rng(3).uniform(0, 0.5, (8, 60))
    scores[0] += 0.5
    grid = grid_of({f"m{k}": row.tolist() for k, row in enumerate(scores)})
    for most, is_drawn, verdict in ((1_200, False, Verdict.NOT_SEPARATED), (60, True, Verdict.A_BETTER)):
        first = check_stopping(grid, np.arange(60), LookPlan(most)).comparison.primary.pairs[0]
        assert (first.verdict, first.p < 1e-4, first.p == 1) == (verdict, is_drawn, not is_drawn)


def test_plans_that_cannot_be_are_refused():
    with pytest.raises(UsageError, match="expected 2 or more"):
        LookPlan(1)
    with pytest.raises(UsageError, match="1,000 looks"):
        LookPlan(1_000, batch=1)
    part = ComparisonSettings(primary=("topic", "x"))
    with pytest.raises(UsageError, match="all items"):
        check_stopping(grid_of(pair(400, 0), topic=["x"] * 400), ORDER, LookPlan(400), part)
