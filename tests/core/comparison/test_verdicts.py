import numpy as np
import pytest

from reference import pairs as reference
from support.score_tables import grid_of, right
from tellapart.core.comparison import ComparisonSettings, Verdict
from tellapart.core.comparison.compare import primary_family
from tellapart.core.comparison.pairs import NOTHING_NEEDED
from tellapart.core.stats.paired import PairedTest, holm, mcnemar_exact

OPTIONS = ComparisonSettings()


def judge(grid, options):
    return list(primary_family(grid, options).pairs)


def pair(a, b, clusters=None, options=OPTIONS, **keywords):
    return judge(grid_of({"a": a, "b": b}, clusters, **keywords), options)[0]


def test_right_and_wrong_is_decided_by_mcnemar_and_planned_for_it():
    found = pair(*right(30, 10, 50, 10))
    assert (found.n, found.clusters, found.binary, found.test) == (100, 100, True, PairedTest.MCNEMAR)
    assert found.p == found.p_adjusted == mcnemar_exact(30, 10)
    assert found.difference == pytest.approx(0.2)
    assert found.verdict is Verdict.A_BETTER
    assert found.items_needed.value == reference.items_needed(0.2, found.sd, 100, exact=True)
    few = pair(*right(2, 1, 0, 2))
    assert few.items_needed.value == reference.items_needed(0.2, few.sd, 5, exact=True)
    turned = pair(*right(10, 30, 50, 10))
    assert (turned.verdict, turned.p, turned.items_needed) == (Verdict.B_BETTER, found.p, found.items_needed)


def test_right_and_wrong_in_few_clusters_is_decided_by_flips_of_whole_clusters():
    a, b = [1.0, 1, 1, 0, 1, 1, 1, 1], [0.0, 0, 0, 1, 0, 0, 1, 1]
    clusters = [0, 0, 1, 1, 2, 2, 3, 3]
    found = pair(a, b, clusters)
    assert (found.test, found.clusters) == (PairedTest.SIGN_FLIP, 4)
    assert found.p == reference.sign_flip([2, 0, 2, 0])
    # No number of items stands without its interval, and flips of four signs have none at 95 %.
    assert (found.interval_95, found.items_needed.value) == (None, None)


def test_claims_hold_over_all_pairs_and_the_next_is_planned_at_its_level():
    a, b = right(40, 10, 50)
    scores = {"a": a, "b": b, "c": [1.0] * 42 + [0.0] * 8 + [1.0] * 46 + [0.0] * 4}
    pairs = judge(grid_of(scores), OPTIONS)
    assert [p.p_adjusted for p in pairs] == pytest.approx(holm([p.p for p in pairs]).tolist())
    assert [p.verdict.value for p in pairs] == ["a>b", "not_separated", "b>a"]
    assert {p.planned_level for p in pairs} == {0.05}
    lone = judge(grid_of({**scores, "d": scores["a"], "e": scores["c"]}), OPTIONS)
    at = 0.05 / sum(not p.is_separated for p in lone)
    assert at < 0.02
    assert {p.planned_level for p in lone} == {at}
    assert lone[1].items_needed.value == reference.items_needed(0.02, lone[1].sd, 100, exact=True, alpha=at)


def test_equivalence():
    # 1 of 1000 items differs each way.
    found = pair(*right(1, 1, 998))
    assert found.verdict is Verdict.EQUIVALENT
    assert found.p == 1.0
    assert found.p_equivalent == pytest.approx(reference.score_equivalence(1, 1, 1000, 0.02), rel=1e-7)
    assert pair(*right(1, 1, 998), options=ComparisonSettings(sesoi=0.002)).verdict is Verdict.NOT_SEPARATED
    # Grades that hardly differ on 100 items: one that differs wholly may be too rare to be among them.
    graded = np.random.default_rng(1).random(100)
    close = pair(graded.tolist(), (graded * 0.999).tolist())
    apart = abs(close.difference)
    assert close.p_equivalent == pytest.approx((1 - (0.02 - apart) / (1 - apart)) ** 100)


def test_a_difference_too_small_to_matter_is_still_one():
    found = pair(*right(30, 5, 9965))
    assert found.p_equivalent < 0.05
    assert found.verdict is Verdict.A_BETTER


def test_models_that_always_agree_are_equivalent_on_enough_items():
    many, short = pair([1.0] * 149, [1.0] * 149), pair([1.0] * 148, [1.0] * 148)
    assert (many.verdict, many.p, many.p_equivalent) == (Verdict.EQUIVALENT, 1.0, pytest.approx(0.98**149))
    assert (short.verdict, short.items_needed.value) == (Verdict.NOT_SEPARATED, None)
    assert (short.reason, short.interval.low < 0 < short.interval.high) == ("", True)
    # In clusters, these are what is independent; grades without limits may always matter.
    assert pair([1.0] * 300, [1.0] * 300, np.arange(300) // 3).p_equivalent == pytest.approx(0.98**100)
    unlimited = pair([0.3] * 900, [0.3] * 900, limits=(-np.inf, np.inf))
    assert (unlimited.p, unlimited.p_equivalent, unlimited.verdict) == (1.0, 1.0, Verdict.NOT_SEPARATED)


def test_pairs_that_cannot_be_compared_say_why():
    apart = pair([1.0, 0.5, ...], [..., ..., 0.5])
    assert (apart.n, apart.difference, apart.bounds, apart.reason) == (0, None, None, "no values")
    one = pair([1.0, 0.5], [0.5, ...])
    assert (one.n, one.difference, one.reason) == (1, 0.5, "fewer than two values")
    together = pair([1.0, 0.5, 0.2], [0.5, 0.2, 0.3], [1, 1, 1])
    assert together.reason == "all values are in one cluster"
    for found in (apart, one, together):
        assert (found.p, found.p_adjusted, found.p_equivalent, found.test, found.interval) == (None,) * 5
        assert found.verdict is Verdict.NOT_SEPARATED
    assert (apart.items_needed, one.items_needed) == (NOTHING_NEEDED, NOTHING_NEEDED)
    lone = pair([1.0], [0.0])
    assert (lone.p, lone.items_needed, lone.verdict) == (None, NOTHING_NEEDED, Verdict.NOT_SEPARATED)


def test_pairs_without_a_test_cost_the_others_nothing():
    a, b = right(30, 10, 60)
    pairs = judge(grid_of({"a": a, "b": b, "c": [None] * 100}), OPTIONS)
    assert [p.p_adjusted for p in pairs] == [pairs[0].p, None, None]
    # But they remain to be separated.
    assert {p.planned_level for p in pairs} == {0.025}


def test_bounds_take_the_worst_and_the_best_for_missing_scores():
    # a - b on the four that both were asked: 1, [0 - 0, 1 - 0], [1 - 1, 1 - 0], 0; the fifth only a was.
    found = pair([1.0, None, 1.0, 0.0, 1.0], [0.0, 0.0, None, 0.0, ...])
    assert found.n == 2
    assert found.bounds == (0.25, 0.75)


def test_a_claim_that_missing_scores_could_turn_around_is_withheld():
    a, b = right(30, 10, 60)
    assert pair(a + [1.0] * 19, b + [None] * 19).verdict is Verdict.A_BETTER
    assert pair(a + [0.0] * 20, b + [None] * 20).bounds == (0.0, pytest.approx(20 / 120))
    # 30 against 10 and the missing ones: exact McNemar gives .036 for 15 and .054 for 16.
    assert pair(a + [0.0] * 5, b + [None] * 5).verdict is Verdict.A_BETTER
    assert pair(a + [0.0] * 6, b + [None] * 6).verdict is Verdict.WITHHELD
    turned = pair(a + [0.0] * 21, b + [None] * 21)
    assert (turned.verdict, turned.p_adjusted < 0.05) == (Verdict.WITHHELD, True)
    assert pair(b + [None] * 21, a + [0.0] * 21).verdict is Verdict.WITHHELD
    # Questions that were never asked turn nothing around.
    assert pair(a + [0.0] * 21, b + [...] * 21).verdict is Verdict.A_BETTER


def test_equivalence_that_missing_scores_could_turn_around_is_withheld():
    a, b = right(1, 1, 998)
    # Two points of 1,012 items are excluded at 5 % with 13 against 1, and of 1,013 with 14 no more.
    assert pair(a + [1.0] * 12, b + [None] * 12).verdict is Verdict.EQUIVALENT
    assert pair(a + [1.0] * 13, b + [None] * 13).verdict is Verdict.WITHHELD
    assert pair(b + [None] * 13, a + [1.0] * 13).verdict is Verdict.WITHHELD
    # With graded scores and clusters it is the score test's.
    rng, clusters = np.random.default_rng(4), [f"c{k // 2}" for k in range(1_200)]
    graded = (0.2 + rng.random(1_200) / 2).tolist()
    noisy = [score + gap for score, gap in zip(graded, rng.normal(0, 0.02, 1_200).tolist(), strict=True)]
    for missing, verdict in ((0, Verdict.EQUIVALENT), (8, Verdict.EQUIVALENT), (40, Verdict.WITHHELD)):
        some = [None] * missing + noisy[missing:]
        assert pair(graded, some, clusters).verdict is verdict, missing


def test_a_missing_score_without_limits_could_be_anything():
    rng = np.random.default_rng(1)
    a, b = (rng.random(50) + 9).tolist(), rng.random(50).tolist()
    found = pair([*a, None], [*b, 1.0], limits=(-np.inf, np.inf))
    assert (found.bounds, found.verdict) == ((-np.inf, np.inf), Verdict.WITHHELD)
    below = pair([*a, None], [*b, 1.0], limits=(-np.inf, 20.0))
    assert (below.bounds[0], below.verdict) == (-np.inf, Verdict.WITHHELD)


def test_rounding_withholds_nothing():
    # Nothing is missing; the bounds are the difference.
    rng = np.random.default_rng(2)
    a = rng.random(300)
    found = pair((a * 0.9).tolist(), a.tolist())
    assert found.bounds == (found.difference, found.difference)
    assert found.verdict is Verdict.B_BETTER
