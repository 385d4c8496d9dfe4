import pytest

from codesearch.as_json import as_json
from codesearch.explored_cases import case
from codesearch.judged_cases import judged, with_failure
from tellapart.codesearch.metrics.measures import MEASURES, aggregate, by_product_area, measures, never_judged

aggregate, by_product_area, measures = map(as_json, (aggregate, by_product_area, measures))

# Precision 1/2, 1/4, 1, found 2, 4, 1; recall 1/2, 1/3, 1/1; verdicts all there but those of the last one.
CASES = [
    judged(1, "ab", "", "ac", no="c", area="x"),
    judged(2, "abc", "", "adef", no="def", area="y"),
    judged(3, "a", "a", "a", area="x"),
    judged(4, "a", "", "b", failed="b", area="y"),
]


def test_measures_by_hand():
    found = measures(CASES)
    precision, recall = found["precision"], found["recall"]
    assert precision["bounds"] == pytest.approx([1.75 / 4, 2.75 / 4])
    # The file of 4 would be found, and known to be relevant beside the one missed: 1 of 2.
    assert recall["bounds"][1] == pytest.approx((1 / 2 + 1 / 3 + 1 + 1 / 2) / 4)
    assert (precision["conversations"], precision["missing"]) == (3, {"judge": 1})
    told = measures(CASES[:3])["precision"]
    assert (told["macro"], told["missing"]) == (pytest.approx(1.75 / 3), {})


def test_what_is_missing_is_counted_by_cause_and_opens_the_bounds():
    gone = with_failure(judged(5, None, None, "ab", yes="a", no="b"), "run_a", "budget")
    found = measures([*CASES, gone, case(6, "a", "", "", judged=""), case(7, "a", "", "bc")])
    assert found["recall"]["missing"] == {"budget": 1, "judge": 2}
    assert found["precision"]["missing"] == {"infeasible": 1, "judge": 2}
    assert found["recall_union"]["missing"] == {"budget": 1}
    assert [found[name]["conversations"] for name in MEASURES] == [4, 4, 4, 5, 6]
    # Known recalls, with that of 6, are 0; 5 may be anything; the two files of 7 may both be relevant.
    known = 1 / 2 + 1 / 3 + 1
    assert found["recall"]["bounds"] == pytest.approx([known / 7, (known + 1 / 2 + 1 + 2 / 3) / 7])


def test_where_nothing_was_judged_there_are_only_bounds():
    cases = [case(1, "ab", "", "ac"), case(2, "a", "a", "a")]
    assert never_judged(cases)
    found = measures(cases)
    # The second needs no verdict, but is no sample of both.
    assert found["precision"]["macro"] is None
    assert found["precision"]["bounds"] == [3 / 4, 1.0]
    assert found["precision"]["missing"] == {"judge": 2}
    assert found["precision_union"]["macro"] == 3 / 4
    assert aggregate(cases)["precision"] is None
    assert not never_judged(cases[1:])
    assert measures(cases[1:])["precision"]["macro"] == 1.0
