"""Areas that an iteration is held to: the gate of `core.comparison` on the scores of two iterations."""

from dataclasses import replace

from codesearch.explored_cases import FAILED, case
from codesearch.looping.made_iterations import iteration
from tellapart.codesearch.evaluation import SEARCHED_BY
from tellapart.codesearch.looping.trend import failed_gates, trend
from tellapart.codesearch.model import JudgeVerdict
from tellapart.core.comparison import GateOutcome

TRUTH = "abcdefghij"
FAIL, UNCLEAR = GateOutcome.FAILED, GateOutcome.UNCLEAR


def searched(number, n=8, names=("ax", "bx"), every=None, **hits):
    """So many conversations an area; of ten files so many found, one less in others of each iteration."""
    every = every or number
    return iteration(
        number,
        *(
            case(f"{area}{i}", TRUTH, TRUTH, TRUTH[: right - i // every % 2], area=area, names=names)
            for area, right in hits.items()
            for i in range(n)
        ),
    )


def gates(before, now, limit=0.1):
    return [(each.area, each.measure, each.gate) for each in failed_gates([before], now, limit)]


def test_an_area_that_fell_is_found_while_another_rose():
    ((area, measure, gate),) = gates(searched(1, x=5, y=9), searched(2, x=9, y=4))
    assert (area, measure, gate.drop) == ("y", "recall", 0.5)
    assert (gate.outcome, gate.n, gate.baseline) == (FAIL, 8, "iteration 1")


def test_a_fall_of_just_the_limit_is_none():
    now = searched(2, x=4, every=1)
    assert gates(searched(1, x=5), now) == []
    ((_, _, gate),) = gates(searched(1, x=5), now, 0.09)
    assert (gate.outcome, gate.reason) == (UNCLEAR, "the values do not vary")


def test_an_area_cannot_lose_a_little_in_every_iteration():
    # 8, 7, 6 of ten: never more than .1 at a time, but .2 since the first.
    earlier = [searched(1, x=8), searched(2, x=7, every=1)]
    (found,) = failed_gates(earlier, searched(3, x=6, every=1), 0.1)
    assert (found.area, found.gate.baseline, round(found.drop, 9)) == ("x", "iteration 1", 0.2)


def test_worse_is_what_fell_by_more_than_the_limit_beyond_noise():
    for n, outcome in ((3, UNCLEAR), (8, FAIL)):
        ((_, _, gate),) = gates(searched(1, n=n, x=9), searched(2, n=n, x=4))
        assert gate.outcome is outcome, n
    assert gates(searched(1, x=9), searched(2, x=10)) == []


def test_iterations_of_other_explorers_are_not_compared():
    assert gates(searched(1, x=9), searched(2, x=1, names=("bx", "bx"))) == []


def test_explorers_that_search_as_the_system_does_order_no_rollback():
    names = ("ripgrep", "bx")
    before, now = (
        replace(searched(number, x=hits, names=names), facts={SEARCHED_BY: "lexical:"})
        for number, hits in ((1, 9), (2, 4))
    )
    ((_, measure, gate),) = gates(before, now)
    assert (measure, gate.outcome) == ("recall", UNCLEAR)
    assert "judged by its own kind" in gate.reason


def test_a_judge_that_failed_makes_nothing_worse():
    before = iteration(1, *(case(f"x{i}", TRUTH, TRUTH, f"{TRUTH}k", judged="") for i in range(8)))
    failing = [
        replace(
            case(f"x{i}", TRUTH, TRUTH, f"{TRUTH}klmnopqrst"),
            verdicts={f"repo/{f}": JudgeVerdict(None, failure=FAILED) for f in "klmnopqrst"},
        )
        for i in range(8)
    ]
    assert gates(before, iteration(2, *failing)) == []
    # One conversation has its verdicts, and is no sample of the others.
    ruled = replace(failing[0], verdicts={file: JudgeVerdict(False) for file in failing[0].verdicts})
    ((_, measure, gate),) = gates(before, iteration(2, ruled, *failing[1:]))
    assert (measure, gate.outcome) == ("precision", UNCLEAR)


def test_a_trend_by_hand():
    before = iteration(
        1, case(1, "ab", "ab", "ax", judged="", area="x"), case(2, "cd", "cd", "cd", judged="", area="y")
    )
    now = iteration(
        2, case(1, "ab", "ab", "ab", judged="", area="x"), case(2, "cd", "ce", "cd", judged="", area="y")
    )
    first, second = trend([before, now])
    # Precision 1/2 and 1, recall 1/2 and 1; then 1 and 1, 1 and 2/3.
    assert first.measures["precision"].macro == 0.75 and first.same_files is None
    assert second.measures["recall"].macro == (1 + 2 / 3) / 2
    assert (second.same_files, second.same_ground_truth, second.same_explorers) == (False, False, True)
    # F1: 1/2 and 1, then 1 and 4/5.
    difference, _ = second.comparison.primary.pairs[0].of("iteration 2")
    assert (second.compared_by, round(difference, 9)) == ("f1", 0.15)
