"""Areas that an iteration is held to: the gate of `core.comparison` on the scores of two iterations."""

from dataclasses import replace

from codesearch.explored_cases import FAILED, case
from codesearch.looping.made_iterations import iteration
from tellapart.codesearch.evaluation import SEARCHED_BY
from tellapart.codesearch.looping.trend import EVERYWHERE, failed_gates, trend
from tellapart.codesearch.model import Gold, JudgeVerdict
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


def told(gates):
    return [(gate.area, gate.measure, gate.against_iteration, round(gate.drop, 9)) for gate in gates]


def test_an_area_that_fell_is_found_while_another_rose():
    gates = failed_gates([searched(1, x=5, y=9)], searched(2, x=9, y=4), 0.1)
    assert told(gates) == [("y", "recall_union", 1, 0.5)]
    assert (gates[0].outcome, gates[0].n) == (FAIL, 8)


def test_all_conversations_together_count_where_they_fell_beyond_noise():
    gates = failed_gates([searched(1, x=9, y=9)], searched(2, x=4, y=4), 0.1)
    assert {gate.area for gate in gates} == {"x", "y", EVERYWHERE}


def test_a_fall_of_just_the_limit_is_none():
    now = searched(2, x=4, every=1)
    assert failed_gates([searched(1, x=5)], now, 0.1) == []
    (gate,) = failed_gates([searched(1, x=5)], now, 0.09)
    assert (gate.outcome, gate.reason) == (UNCLEAR, "the values do not vary")


def test_an_area_cannot_lose_a_little_in_every_iteration():
    # 8, 7, 6 of ten: never more than .1 at a time, but .2 since the first.
    earlier = [searched(1, x=8), searched(2, x=7, every=1)]
    gates = failed_gates(earlier, searched(3, x=6, every=1), 0.1)
    assert told(gates) == [("x", "recall_union", 1, 0.2)]


def test_worse_is_what_fell_by_more_than_the_limit_beyond_noise():
    for n, outcome in ((3, UNCLEAR), (8, FAIL)):
        (gate,) = failed_gates([searched(1, n=n, x=9)], searched(2, n=n, x=4), 0.1)
        assert gate.outcome is outcome, n
    assert failed_gates([searched(1, x=9)], searched(2, x=10), 0.1) == []


def test_iterations_of_other_explorers_are_not_compared():
    assert failed_gates([searched(1, x=9)], searched(2, x=1, names=("bx", "bx")), 0.1) == []


def lexical_search(number, hits, names, *, gold=None):
    """Twelve conversations of a search by words: run A found all ten files, run B two, and four others."""
    cases = [
        case(i, TRUTH, f"{TRUTH[:2]}wxyz", TRUTH[: hits - i // number % 2], names=names) for i in range(12)
    ]
    evaluation = iteration(number, *(replace(each, gold=gold) for each in cases))
    return replace(evaluation, facts={SEARCHED_BY: "lexical:"})


def test_an_explorer_that_searches_as_the_system_does_orders_no_rollback():
    def of(before, now, **options):
        return failed_gates([lexical_search(1, before, **options)], lexical_search(2, now, **options), 0.1)

    # Run A alone is of its kind, so run B decides, of whose six files a shorter answer has more.
    apart = {"names": ("ripgrep", "bx")}
    assert of(10, 3, **apart) == []
    (gate,) = of(3, 10, **apart)
    assert (gate.measure, gate.outcome) == ("f1_run_b", FAIL)
    # Both are of its kind, so that their word on recall is none.
    same = {"names": ("ripgrep", "lexical")}
    (gate,) = of(10, 5, **same)
    assert (gate.measure, gate.outcome, gate.circular) == ("recall_union", UNCLEAR, True)
    # Unless gold says which files these are: both are still found, and then one or none.
    gold = Gold(tuple(f"repo/{letter}" for letter in TRUTH[:2]))
    assert of(10, 5, **same, gold=gold) == []
    (gate,) = of(10, 1, **same, gold=gold)
    assert (gate.measure, gate.drop, gate.circular) == ("gold_recall_at_10", 0.75, False)


def test_a_judge_that_failed_makes_nothing_worse():
    before = iteration(1, *(case(f"x{i}", TRUTH, TRUTH, f"{TRUTH}k", judged="") for i in range(8)))
    failing = [
        replace(
            case(f"x{i}", TRUTH, TRUTH, f"{TRUTH}klmnopqrst"),
            verdicts={f"repo/{f}": JudgeVerdict(None, failure=FAILED) for f in "klmnopqrst"},
        )
        for i in range(8)
    ]
    assert failed_gates([before], iteration(2, *failing), 0.1) == []
    # One conversation has its verdicts, and is no sample of the others.
    ruled = replace(failing[0], verdicts={file: JudgeVerdict(False) for file in failing[0].verdicts})
    (gate,) = failed_gates([before], iteration(2, ruled, *failing[1:]), 0.1)
    assert (gate.measure, gate.outcome) == ("precision", UNCLEAR)


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
    # Run A found what the system did, so F1 is that against run B: 1/2 and 1, then 1 and 1/2.
    difference, _ = second.comparison.primary.pairs[0].of("iteration 2")
    assert (second.compared_by, difference) == ("f1_run_b", 0)
