from dataclasses import replace

import pytest

from codesearch.explored_cases import FAILED, case
from codesearch.looping.made_iterations import iteration
from tellapart.codesearch.looping.records import RegressionStatus
from tellapart.codesearch.looping.regression import regressions
from tellapart.codesearch.model import SEARCHED_BY, Gold, JudgeVerdict

TRUTH = "abcdefghij"


def searched(number, names=("ax", "bx"), **hits):
    """Two conversations an area; so many of ten files found, none wrong: recall is hits / 10, precision 1."""
    return iteration(
        number,
        *(
            case(f"{area}{i}", TRUTH, TRUTH, TRUTH[:n], area=area, names=names)
            for area, n in hits.items()
            for i in range(2)
        ),
    )


def told(found):
    return [(one.area, one.measure, one.against_iteration, round(one.difference, 9)) for one in found]


def test_an_area_that_fell_is_found_while_another_rose():
    found = regressions([searched(1, x=5, y=5)], searched(2, x=9, y=3), 0.1)
    assert told(found) == [("y", "recall_union", 1, -0.2)]
    assert found[0].n == 2


@pytest.mark.parametrize(("before", "after"), [(5, 4), (8, 7), (3, 2)])
def test_a_fall_of_just_the_limit_is_none(before, after):
    assert regressions([searched(1, x=before)], searched(2, x=after), 0.1) == []
    assert len(regressions([searched(1, x=before)], searched(2, x=after), 0.09)) == 1


def test_an_area_cannot_lose_a_little_in_every_iteration():
    # 7, 6, 5 of ten: never more than .1 at a time, but .2 since the first.
    found = regressions([searched(1, x=7), searched(2, x=6)], searched(3, x=5), 0.1)
    assert told(found) == [("x", "recall_union", 1, -0.2)]


def test_without_verdicts_the_measures_that_need_none_are_held():
    before, now = iteration(1, case(1, "ab", "ab", "ax")), iteration(2, case(1, "ab", "ab", "awxyz"))
    assert told(regressions([before], now, 0.1)) == [("uncertain", "precision_union", 1, -0.3)]


def lexical_search(number, hits, names, *, gold=None):
    """Twelve conversations of a search by words: run A found all ten files, run B two, and four others."""
    cases = [case(i, TRUTH, f"{TRUTH[:2]}wxyz", TRUTH[:hits], names=names) for i in range(12)]
    evaluation = iteration(number, *(replace(each, gold=gold) for each in cases))
    return replace(evaluation, facts={SEARCHED_BY: "lexical:"})


def test_an_explorer_that_searches_as_the_system_does_orders_no_rollback():
    def of(before, now, **options):
        return regressions([lexical_search(1, before, **options)], lexical_search(2, now, **options), 0.1)

    # Run A alone is of its kind, so run B decides, by an F1 of 4 / 16 for ten files and 4 / 8 for two.
    apart = {"names": ("ripgrep", "bx")}
    assert of(10, 2, **apart) == []
    (fall,) = of(2, 10, **apart)
    assert (fall.measure, fall.fall) == ("f1_run_b", RegressionStatus.WORSE)
    assert fall.difference == -0.25
    # Both are of its kind: recall fell from 10 / 14 to 5 / 14, as they have it.
    same = {"names": ("ripgrep", "lexical")}
    (fall,) = of(10, 5, **same)
    assert (fall.measure, fall.fall, fall.verdict) == ("recall_union", RegressionStatus.CIRCULAR, "withheld")
    assert "iteration 2 is judged by its own kind" in fall.withheld and fall.beyond_chance is None
    # Unless gold says which files these are: both are still found, and then one.
    gold = Gold(tuple(f"repo/{letter}" for letter in TRUTH[:2]))
    assert of(10, 5, **same, gold=gold) == []
    (fall,) = of(10, 1, **same, gold=gold)
    assert (fall.measure, fall.difference) == ("gold_recall_at_10", -0.5)


def test_iterations_of_other_explorers_are_not_compared():
    before = iteration(1, case(1, "ab", "ab", "ab"))
    worse = case(1, "yz", "yz", "a", names=("bx", "bx"))
    assert regressions([before], iteration(2, worse), 0.1) == []


def failing(number, failed, area="x", n=2):
    """Conversations in which all of ten files were found, and so many more on which the judge failed."""
    more = "klmnopqrst"[:failed]
    return iteration(
        number,
        *(
            replace(
                case(f"{area}{i}", TRUTH, TRUTH, TRUTH + more, area=area),
                verdicts={f"repo/{f}": JudgeVerdict(None, failure=FAILED) for f in more},
            )
            for i in range(n)
        ),
    )


def test_a_judge_that_failed_makes_nothing_worse():
    before = iteration(1, *(case(f"x{i}", TRUTH, TRUTH, TRUTH, area="x", judged="") for i in range(2)))
    ruled = iteration(1, *before.cases, case("y0", "a", "a", "ab", area="y", judged=""))
    # Precision 1; then 10 of 20 if none of the others is relevant, and 20 of 20 if all are.
    (found,) = regressions([ruled], failing(2, 10), 0.1)
    assert (found.area, found.measure, found.fall) == ("x", "precision", RegressionStatus.UNRELIABLE)
    assert (found.n, found.open, found.bounds) == (0, 2, (-0.5, 0))
    # One of eleven cannot make it fall by more than a tenth.
    assert regressions([ruled], failing(2, 1), 0.1) == []


def test_worse_is_what_fell_by_more_than_the_limit_beyond_noise():
    def hits(number, n, of):
        return iteration(
            number, *(case(f"{i:02}", TRUTH, TRUTH, TRUTH[: of - i % 2], area="x") for i in range(n))
        )

    def fall(n, before, after):
        return [one.fall for one in regressions([hits(1, n, before)], hits(2, n, after), 0.1)]

    # By .5 in every conversation: five cannot tell it from chance.
    assert fall(5, 9, 4) == [RegressionStatus.UNCLEAR]
    assert fall(8, 9, 4) == [RegressionStatus.WORSE]
    assert fall(8, 9, 9) == fall(8, 9, 10) == []
