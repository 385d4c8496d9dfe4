import math
from dataclasses import replace

import numpy as np
import pytest

import reference.pairs as reference
from support.score_tables import grid_of
from tellapart.core.comparison import ComparisonSettings, GateOutcome, Verdict, compare
from tellapart.core.comparison.gates import WITHIN_NOISE, fewest_losses, judge_drop, run_gates
from tellapart.core.estimate import Interval


def grid(*, limits=(0.0, 1.0), clusters=None, strata=None, **scores):
    """A grid of models by name; None is a score that is missing."""
    columns = {"tier": strata} if strata else {}
    return grid_of(scores, clusters, limits, name="i{:04}", **columns)


def gates(found, max_drop, **settings):
    settings.setdefault("baseline", "base")
    return run_gates(found, max_drop, ComparisonSettings(**settings))


def passes(n, k):
    return [1] * k + [0] * (n - k)


def test_an_interval_lies_above_the_limit_or_below_it_or_around_it():
    # The limit itself is neither passed nor failed.
    ends = [(-0.05, 0.01), (0.03, 0.09), (-0.01, 0.05), (-0.05, 0.02), (0.02, 0.09)]
    outcomes = [judge_drop(Interval(*both), 0.02) for both in ends]
    assert outcomes == ["passed", "failed", "unclear", "unclear", "unclear"]


def test_a_drop_beyond_the_limit_and_beyond_noise_fails():
    # Of 200 items the baseline passes 160, the candidate 120 of these: 40 lost, none gained.
    (gate,) = gates(grid(base=passes(200, 160), cand=passes(200, 120)), 0.02)
    assert (gate.outcome, gate.drop, gate.n) == ("failed", pytest.approx(0.2), 200)
    # Tango's interval of 40 against 0 of 200.
    assert gate.interval.low > 0.14
    assert (gate.level, gate.can_fire, gate.reason, gate.items_needed) == (0.9, True, "", None)


def test_items_needed_find_a_drop_of_the_limit_and_let_an_equal_candidate_pass():
    # One lost and one gained of 60: differences have a variance of 2 / 59.
    (gate,) = gates(grid(base=[0, *passes(59, 40)], cand=[1, 0, *passes(58, 39)]), 0.02)
    assert (gate.outcome, gate.drop, gate.reason) == ("unclear", 0.0, WITHIN_NOISE)
    assert gate.items_needed == reference.items_needed(0.02, (2 / 59) ** 0.5, 60, exact=True, alpha=0.1)
    same = passes(gate.items_needed - 18, 300)
    (gate,) = gates(grid(base=[0] * 9 + [1] * 9 + same, cand=[1] * 9 + [0] * 9 + same), 0.02)
    assert (gate.outcome, gate.drop, gate.items_needed) == ("passed", 0.0, None)
    # Of so many items that a drop of the limit would be found, more are not asked for.
    lost = [0] * 20 + [1] * 980
    (gate,) = gates(grid(base=[1] * 1000, cand=lost), 0.02)
    assert (gate.outcome, gate.reason, gate.items_needed) == ("unclear", WITHIN_NOISE, None)


def test_without_a_limit_a_drop_is_measured_and_not_judged():
    (gate,) = gates(grid(base=passes(200, 160), cand=passes(200, 120)), None)
    assert (gate.outcome, gate.limit, gate.can_fire, gate.items_needed) == (None, None, None, None)
    assert (gate.drop, gate.n, len(gate.flips)) == (pytest.approx(0.2), 200, 40)


@pytest.mark.parametrize(
    ("base", "clusters", "can_fire"),
    [
        (passes(150, 75), None, True),
        ([0.5] * 150, None, True),
        ([0.5] * 150, [f"s{k % 8}" for k in range(150)], True),
        # Even a fall to 0 would be within noise.
        (passes(150, 1), None, False),
        (passes(3, 3), None, False),
        ([0.5] * 150, [f"s{k % 2}" for k in range(150)], False),
    ],
)
def test_scores_that_did_not_change_pass_where_a_fall_would_fail(base, clusters, can_fire):
    (gate,) = gates(grid(base=base, cand=base, clusters=clusters), 0.0)
    assert (gate.outcome, gate.can_fire) == (("unchanged", True) if can_fire else ("unclear", False))
    assert (gate.outcome.is_passed, gate.outcome.exit_code()) == ((True, 0) if can_fire else (False, 4))
    assert ("even a fall to 0 would be within noise" in gate.reason) is not can_fire


@pytest.mark.parametrize("by_source", [False, True])
def test_grades_pass_only_where_rare_failures_are_ruled_out(by_source):
    # All are higher by .005, so the interval is above -.02. But items, or sources, that fall by 1 make up 2
    # points from a share of .025 / 1.005 on, and so many hold none of them with a chance of at most .05.
    needed = math.ceil(math.log(0.05) / math.log1p(-0.025 / 1.005))
    assert needed == 119
    for n, expected in ((needed - 1, "unclear"), (needed, "passed")):
        each = 3 if by_source else 1
        base = np.tile([0.5, 0.6], n * each)[: n * each]
        rise = np.tile([0.004, 0.006], n)[:n].repeat(each)
        rise += 0.005 - rise.mean()
        clusters = [f"s{k // each}" for k in range(n * each)] if by_source else None
        (gate,) = gates(grid(base=base, cand=base + rise, clusters=clusters), 0.02)
        assert (gate.outcome, gate.interval.high < 0) == (expected, True)
        what = "sources" if by_source else "items"
        reason = f"{n} {what} are too few to rule out a rare complete failure; 119 would be enough"
        assert gate.reason == ("" if expected == "passed" else reason)


@pytest.mark.parametrize("graded", [False, True])
def test_models_that_are_equivalent_pass_a_limit_of_that_margin(graded):
    # Equivalence within 2 points and a gate at 2 points are the same two tests: never one without the other.
    rng = np.random.default_rng(5)
    found = set()
    for flipped in range(8):
        n, scores = 250, rng.random(250).round(2) if graded else (rng.random(250) < 0.6) * 1.0
        other = scores.copy()
        other[:flipped] = 1 - other[:flipped]
        two = grid(base=scores, cand=other)
        (pair,) = compare(two, ComparisonSettings(baseline="base")).primary.pairs
        (gate,) = gates(two, 0.02)
        found.add((pair.verdict.value, gate.outcome.value))
        assert gate.outcome.is_passed or pair.verdict is not Verdict.EQUIVALENT, (flipped, n)
    assert ("equivalent", "passed") in found


@pytest.mark.parametrize(("k", "said"), [(0, "base is at 0 itself"), (4, "base is at 0.02 itself")])
def test_a_baseline_at_the_floor_cannot_be_fallen_below(k, said):
    (gate,) = gates(grid(base=passes(200, k), cand=passes(200, k + 1)), 0.02)
    assert (gate.outcome, gate.can_fire, gate.items_needed) == ("unclear", False, None)
    assert gate.reason == f"this gate cannot fail: {said}, so nothing can fall by more than 0.02"


def test_too_few_items_for_any_outcome_to_fail():
    # Four lost and none gained have a one-sided p of .0625, five of .03125.
    (gate,) = gates(grid(base=[1] * 4, cand=[1, 1, 1, 0]), 0.02)
    assert (gate.outcome, gate.can_fire) == ("unclear", False)
    assert gate.reason.endswith("with base at 1 on 4 items, even a fall to 0 would be within noise")
    (gate,) = gates(grid(base=[1] * 5, cand=[0] * 5), 0.02)
    assert (gate.outcome, gate.can_fire) == ("failed", True)


def test_items_without_a_common_score_are_no_gate():
    (gate,) = gates(grid(base=[1, 1, None, None], cand=[None, None, 0, 0]), 0.02)
    assert (gate.outcome, gate.n, gate.drop) == ("unclear", 0, None)
    assert gate.reason == "this gate cannot fail: there is no item on which both have a score"


MISSING = {
    "a failure": ([1] * 60 + [0] * 80, [0] * 30 + [1] * 30 + [0] * 40 + [None] * 40),
    "a pass": ([0] * 60 + [1] * 140, [1] * 100 + [None] * 100),
    "unchanged": ([1] * 60, [1] * 50 + [None] * 10),
}


@pytest.mark.parametrize("name", MISSING)
def test_missing_scores_that_could_turn_an_outcome_make_it_unclear(name):
    base, cand = MISSING[name]
    (gate,) = gates(grid(base=base, cand=cand), 0.02)
    n = sum(score is not None for score in cand)
    assert (gate.n, gate.outcome, gate.reason) == (n, "unclear", "missing scores could reverse this result")
    (gate,) = gates(grid(base=base[:n], cand=cand[:n]), 0.02)
    assert gate.outcome == {"a failure": "failed", "a pass": "passed", "unchanged": "unchanged"}[name]


def test_every_candidate_has_a_gate_against_the_baseline():
    found = grid(base=passes(300, 200), worse=passes(300, 120), best=passes(300, 280), alike=passes(300, 199))
    assert {gate.candidate: gate.outcome.value for gate in gates(found, 0.005)} == {
        "alike": "unclear",
        "best": "passed",
        "worse": "failed",
    }
    assert {gate.candidate: gate.outcome.value for gate in gates(found, 0.05)}["alike"] == "passed"
    # Five items that are lost are beyond noise for one candidate, and not for one of three.
    lost = [0, 1, 1, 1, 1]
    assert [gate.can_fire for gate in gates(grid(base=[1] * 5, cand=lost), 0.02)] == [True]
    three = gates(grid(base=[1] * 5, cand=lost, other=lost, third=lost), 0.02)
    assert [gate.can_fire for gate in three] == [False] * 3


def test_a_gate_may_be_about_part_of_the_items():
    tiers = ["easy"] * 100 + ["hard"] * 100
    found = grid(base=[1] * 200, cand=[1] * 100 + passes(100, 60), strata=tiers)
    (gate,) = gates(found, 0.02, primary=("tier", "hard"), primary_declared=True)
    assert (gate.scope, gate.n, gate.outcome, gate.drop) == ("tier=hard", 100, "failed", 0.4)
    assert {int(flip.item[1:]) // 100 for flip in gate.flips} == {1}
    (easy,) = gates(found, 0.02, primary=("tier", "easy"), primary_declared=True)
    assert (easy.outcome, easy.drop, easy.flips) == ("unchanged", 0.0, ())


def test_flips_are_listed_both_ways_the_largest_first():
    found = grid(base=[0.9, 0.2, 0.5, 0.5, 1.0], cand=[0.1, 1.0, 0.45, 0.5, 0.9])
    (gate,) = gates(found, 0.02)
    assert [(flip.item, flip.baseline, flip.candidate) for flip in gate.flips] == [
        ("i0000", 0.9, 0.1),
        ("i0001", 0.2, 1.0),
        ("i0004", 1.0, 0.9),
        ("i0002", 0.5, 0.45),
    ]


def test_scores_without_a_lower_limit_can_always_fall():
    rng = np.random.default_rng(3)
    base = rng.normal(size=40)
    (gate,) = gates(grid(limits=(-math.inf, math.inf), base=base, cand=base - 1 + 0.1 * base), 0.5)
    assert (gate.outcome, gate.can_fire) == ("failed", True)
    (gate,) = gates(grid(limits=(-math.inf, math.inf), base=base[:1], cand=base[:1] - 1), 0.5)
    assert (gate.outcome, gate.can_fire) == ("unclear", False)


@pytest.mark.slow
def test_false_failures_are_as_rare_as_the_level_allows():
    # The candidate is worse by just the limit: each test may be wrong in 5 % of tables, 20 of 400 and no more
    # than 34 in 99.9 % of such counts.
    rng = np.random.default_rng(11)
    failed = passed = 0
    made = grid(base=passes(120, 60), cand=passes(120, 60))
    for _ in range(400):
        base = rng.random(120) < 0.7
        scores = np.stack([base, base & (rng.random(120) >= 1 / 7)]).astype(float)
        (gate,) = gates(replace(made, scores=scores, low=scores, high=scores), 0.1)
        failed += gate.outcome is GateOutcome.FAILED
        passed += gate.outcome is GateOutcome.PASSED
    assert failed <= 34
    assert passed <= 34


def test_fewest_losses_are_those_of_the_exact_test_and_then_of_the_limit():
    assert [fewest_losses(n, 0.0) for n in (4, 5, 100)] == [None, 5, 5]
    for n in (200, 500):
        least = fewest_losses(n, 0.02)
        for lost, expected in ((least - 1, False), (least, True)):
            (gate,) = gates(grid(base=[1] * n, cand=passes(n, n - lost)), 0.02)
            assert (gate.outcome is GateOutcome.FAILED) == expected
