import random

from codesearch.as_json import as_json
from codesearch.judged_cases import judged
from tellapart.codesearch.metrics.judge import judging
from tellapart.codesearch.metrics.score_tables import score_table_rows
from tellapart.codesearch.model import JudgeVerdict

judging = as_json(judging)


def test_by_hand():
    cases = [
        judged(2, "a", "", "abcdef", yes="bc", no="d", failed="e"),
        judged(1, "a", "", "ab", failed="b", cause="timeout"),
        judged(3, "a", "", "a"),
    ]
    cases[0].verdicts["repo/c"] = JudgeVerdict(True, "maybe")
    told = judging(cases)
    assert (told["judged"], told["relevant"], told["not_asked"]) == (3, 2, 1)
    # A failed verdict says nothing of what is actionable.
    assert told["actionable"] == {"yes": 1, "no": 1, "maybe": 1}
    assert told["failed"] == {"judge": 1, "timeout": 1}
    assert (told["share_failed"], told["reliable"]) == (2 / 5, False)
    assert judging(random.Random(2).sample(cases, 3)) == told


def test_a_file_that_may_not_be_shown_is_no_failure_of_the_judge():
    cases = [judged(1, "a", "", "abc", yes="b", failed="c", cause="infeasible"), judged(2, "a", "", "a")]
    told = judging(cases)
    assert (told["judged"], told["failed"], told["not_shown"]) == (1, {}, {"recorded": 1})
    assert (told["share_failed"], told["reliable"]) == (0.0, True)
    # It may be relevant: precision is 2/3 or 1, so the score is missing, and not for want of the judge.
    rows = score_table_rows(cases, system="ours", measure="precision")
    assert rows["score"].to_list() == [None, 1.0]
    assert rows["missing"].to_list() == ["infeasible", None]
    assert (rows["low"][0], rows["high"][0]) == (2 / 3, 1.0)
