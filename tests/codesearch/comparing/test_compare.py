import json
import random
from dataclasses import replace
from itertools import product

import pytest

from codesearch.explored_cases import case
from tellapart.codesearch.case import Verdict
from tellapart.codesearch.comparing.compare import EXPLORERS, compare
from tellapart.codesearch.comparing.paired_views import BOUNDS
from tellapart.codesearch.comparing.pooling import MEASURES, TIER_RECALL, pool_of
from tellapart.codesearch.evaluation import Evaluation
from tellapart.codesearch.metrics.grades import Tier
from tellapart.core.stats import paired_difference
from tellapart.errors import InputError, UsageError


def evaluation(*cases):
    return Evaluation(1, None, tuple(cases))


# Both runs found c and d, one of them a, b and e. The first system found a, c and x, which is relevant, the
# second c, d, e and y, which is not.
F1, PRECISION, RECALL, RECALL_UNION = (
    MEASURES[name] for name in ("f1", "precision", "recall", "recall_union")
)
FIRST = case("one", "abcd", "cde", "acx", judged="x")
SECOND = case("one", "abcd", "cde", "cdey", judged="")


def test_what_is_known_together():
    pool = pool_of([FIRST, SECOND])
    assert {tier: sorted(file[-1] for file in files) for tier, files in pool.relevant.items()} == {
        Tier.BOTH: ["c", "d"],
        Tier.ONE: ["a", "b", "e"],
        Tier.JUDGE: ["x"],
    }
    assert pool.open == frozenset()
    assert pool == pool_of([SECOND, FIRST])


def test_measures_against_the_pool_by_hand():
    pool = pool_of([FIRST, SECOND])
    by_hand = [
        (PRECISION, (3 / 3, 3 / 4)),
        (RECALL, (3 / 6, 3 / 6)),
        (F1, (6 / 9, 6 / 10)),
        (RECALL_UNION, (2 / 5, 3 / 5)),
    ]
    by_hand += [
        (TIER_RECALL[Tier.BOTH], (1 / 2, 1)),
        (TIER_RECALL[Tier.ONE], (1 / 3, 1 / 3)),
        (TIER_RECALL[Tier.JUDGE], (1, 0)),
    ]
    for of, expected in by_hand:
        assert (of.score(FIRST, pool).value, of.score(SECOND, pool).value) == pytest.approx(expected)
        assert of.score(FIRST, pool).low == of.score(FIRST, pool).high == of.score(FIRST, pool).value


def test_verdicts_that_are_missing_or_contradict_leave_a_file_open():
    first = case("one", "a", "a", "axy", judged="x")
    second = replace(
        case("one", "a", "a", "bxz"), verdicts={"repo/x": Verdict(False), "repo/b": Verdict(True)}
    )
    pool = pool_of([first, second])
    assert pool.open == {"repo/x", "repo/z"}
    assert pool.relevant[Tier.JUDGE] == {"repo/b"}
    # a of a and b. At worst z is relevant and x is not, at best x is and z is not.
    assert (
        RECALL.score(first, pool).value,
        RECALL.score(first, pool).low,
        RECALL.score(first, pool).high,
    ) == (
        1 / 2,
        1 / 3,
        2 / 3,
    )
    assert (PRECISION.score(first, pool).low, PRECISION.score(first, pool).high) == (1 / 3, 2 / 3)
    assert RECALL_UNION.score(first, pool).low == RECALL_UNION.score(first, pool).high == 1
    assert TIER_RECALL[Tier.JUDGE].score(second, pool).low == pytest.approx(1 / 1)


def test_what_another_evaluations_explorers_found_is_relevant():
    first = case("one", "a", "a", "ax", judged="")
    second = case("one", "x", "", "a", judged="a", names=("other", "other"))
    pool = pool_of([first, second])
    assert pool.relevant == {Tier.BOTH: {"repo/a"}, Tier.ONE: {"repo/x"}, Tier.JUDGE: frozenset()}


def test_two_systems_by_hand():
    # On both conversations the first is ahead: 6/9 to 6/10, and 1 to 0.
    more = [case("two", "ab", "a", "ab", area="feed"), case("two", "ab", "a", "z", area="feed", judged="")]
    found = compare({"first": evaluation(FIRST, more[0]), "second": evaluation(more[1], SECOND)})
    pair = found["pooled"]["f1"]["pairs"][0]
    gaps = [6 / 9 - 6 / 10, 1]
    assert pair["difference"] == pytest.approx(sum(gaps) / 2)
    assert pair["bounds"] == [pytest.approx(sum(gaps) / 2)] * 2
    expected = paired_difference(gaps, [0, 0])
    assert (pair["low"], pair["high"]) == pytest.approx((expected.interval.low, expected.interval.high))
    # Of the four ways to flip signs two are as extreme.
    assert pair["p"] == pair["p_holm"] == 0.5
    assert found["pooled"]["f1"]["systems"]["second"] == {
        "mean": 0.3,
        "bounds": [0.3, 0.3],
        "conversations": 2,
    }
    views = found["verdicts"][0]["views"]
    # In the tier of both runs 1/2 to 1 and 1 to 0; of one run 1/3 to 1/3 and 1 to 0.
    assert views == {
        "tier both_runs": "same",
        "tier one_run": "same",
        "tier judge_only": "same",
        "area feed": "same",
        "area uncertain": "same",
        "own ground truth": "same",
    }
    assert found["verdicts"][0] | {"views": None} == {
        "a": "first",
        "b": "second",
        "leader": "first",
        "withheld": None,
        "beyond_chance": False,
        "holds": True,
        "views": None,
    }
    assert found["sentences"][1].startswith(
        "first is better than second, which may be chance (first - second = +0.5"
    )
    json.dumps(found, allow_nan=False)


def test_a_tier_that_reverses_the_order_is_named():
    found = compare({"first": evaluation(FIRST), "second": evaluation(SECOND)})
    verdict = found["verdicts"][0]
    assert (verdict["leader"], verdict["holds"]) == ("first", False)
    assert verdict["views"]["tier both_runs"] == "reversed"
    assert verdict["views"]["tier one_run"] == "tied"
    assert verdict["views"]["tier judge_only"] == "same"
    assert "The order is reversed on files of both runs" in found["sentences"]


def test_no_verdict_where_files_without_one_decide():
    second = replace(SECOND, verdicts={})
    found = compare({"first": evaluation(FIRST), "second": evaluation(second)})
    pair = found["pooled"]["f1"]["pairs"][0]
    # y relevant: 2 * 3 / (3 + 7) to 2 * 4 / (4 + 7).
    assert pair["bounds"] == [pytest.approx(6 / 10 - 8 / 11), pytest.approx(6 / 9 - 6 / 10)]
    assert pair["withheld"] == BOUNDS
    assert found["verdicts"][0]["leader"] is None
    assert found["verdicts"][0]["holds"] is None
    assert BOUNDS in found["sentences"][1]


def test_no_verdict_where_explorers_differ():
    other = case("one", "abcd", "cde", "cdey", judged="", names=("ax", "another"))
    found = compare({"first": evaluation(FIRST), "second": evaluation(other)})
    assert not found["same_explorers"]
    assert found["verdicts"][0]["withheld"] == EXPLORERS == found["own"]["pairs"][0]["withheld"]
    assert found["pooled"]["f1"]["pairs"][0]["leader"] == "first"
    assert "No verdict" in found["sentences"][1]


def test_nothing_judged_is_compared_by_what_needs_no_verdict():
    found = compare(
        {
            "first": evaluation(case("one", "abc", "c", "abx")),
            "second": evaluation(case("one", "abc", "c", "ay")),
        }
    )
    assert found["measure"] == "recall_union"
    assert found["pooled"]["recall_union"]["pairs"][0]["difference"] == pytest.approx(1 / 3)
    assert found["verdicts"][0]["leader"] == "first"
    # Of the judge's tier nothing is known.
    assert found["verdicts"][0]["views"]["tier judge_only"] == "unknown"


def test_conversations_that_are_not_common():
    found = compare({"first": evaluation(FIRST, case("two", "a", "a", "a")), "second": evaluation(SECOND)})
    assert (found["conversations"], found["only_in"]) == (1, {"first": 1, "second": 0})
    assert "Conversations that not all evaluations have are left out: 1 of first" in found["sentences"]
    with pytest.raises(InputError, match="first has 'one', second has 'two'"):
        compare({"first": evaluation(FIRST), "second": evaluation(case("two", "a", "a", "a"))})
    with pytest.raises(UsageError, match="1 evaluation to compare"):
        compare({"first": evaluation(FIRST)})


def test_ground_truths_of_the_same_explorers_that_differ_are_counted():
    found = compare(
        {"first": evaluation(FIRST), "second": evaluation(case("one", "ab", "cde", "cdey", judged=""))}
    )
    assert found["ground_truth_differs"] == 0
    found = compare(
        {"first": evaluation(FIRST), "second": evaluation(case("one", "ab", "cd", "cdey", judged="e"))}
    )
    assert found["ground_truth_differs"] == 1
    assert "found other files in 1 of 1" in found["sentences"][1]


def test_three_systems_are_corrected_for():
    def of(found):
        return evaluation(*(case(n, "abcd", "abcd", letters) for n, letters in enumerate(found)))

    # On eight conversations the first is ahead of both others, by a different gap each.
    found = compare({"all": of(["abcd"] * 8), "half": of(["ab"] * 8), "one": of(["a"] * 8)})
    pairs = found["pooled"]["f1"]["pairs"]
    assert [(pair["a"], pair["b"]) for pair in pairs] == [("all", "half"), ("all", "one"), ("half", "one")]
    assert [pair["p"] for pair in pairs] == [2 / 256] * 3
    assert [pair["p_holm"] for pair in pairs] == [6 / 256] * 3
    assert [verdict["leader"] for verdict in found["verdicts"]] == ["all", "all", "half"]
    assert all(verdict["beyond_chance"] for verdict in found["verdicts"])


def test_a_system_against_itself_ties():
    found = compare({"first": evaluation(FIRST), "again": evaluation(FIRST)})
    assert found["verdicts"][0]["leader"] is None
    assert found["sentences"][1] == "first and again tie"


def test_a_system_without_verdicts_ties_with_itself_too():
    first = evaluation(replace(FIRST, verdicts={}), case("two", "ab", "b", "bz", judged=""))
    found = compare({"first": first, "again": first})
    assert found["pooled"]["f1"]["pairs"][0]["bounds"] == [0, 0]
    assert found["verdicts"][0]["holds"] is None
    assert found["sentences"][1] == "first and again tie"


@pytest.mark.parametrize("seed", range(8))
def test_bounds_of_a_difference_are_reached_and_never_left(seed):
    rng = random.Random(seed)
    a, b = ("".join(rng.sample("abcdefgh", 3)) for _ in range(2))
    cases = [case("one", a, b, "".join(rng.sample("abcdefghijklm", 6))) for _ in range(3)]
    pool = pool_of(cases)
    open_ = sorted(pool.open)
    for name, of in [*MEASURES.items(), ("judge", TIER_RECALL[Tier.JUDGE])]:
        gaps = []
        for relevant in product((True, False), repeat=len(open_)):
            said = {file: Verdict(its) for file, its in zip(open_, relevant, strict=True)}
            ruled = [replace(one, verdicts={f: v for f, v in said.items() if f in one.ours}) for one in cases]
            known = pool_of(ruled)
            values = [of.score(one, known).value for one in ruled[:2]]
            gaps += [values[0] - values[1]] if None not in values else []
        low, high = of.gap_bounds(cases[0], pool, cases[1], pool)
        assert (low, high) == pytest.approx((min(gaps), max(gaps))), name
    own = [pool_of([one]) for one in cases[:2]]
    for of in (F1, PRECISION):
        assert of.gap_bounds(cases[1], own[1], cases[0], own[0]) == pytest.approx(_own_ends(of, cases[:2]))


def _own_ends(of, cases):
    """Least and greatest of the second less the first, each by its own evaluation alone."""
    open_ = sorted(frozenset().union(*(one.without_verdict for one in cases)))
    gaps = []
    for relevant in product((True, False), repeat=len(open_)):
        said = dict(zip(open_, map(Verdict, relevant), strict=True))
        ruled = [
            replace(one, verdicts={f: v for f, v in said.items() if f in one.our_unique}) for one in cases
        ]
        values = [of.score(one, pool_of([one])).value for one in ruled]
        gaps += [values[1] - values[0]] if None not in values else []
    return min(gaps), max(gaps)
