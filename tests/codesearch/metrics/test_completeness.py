import json
import random
import string
from dataclasses import replace

import pytest

from codesearch.as_json import as_json
from codesearch.explored_cases import case, files
from tellapart.codesearch.case import JudgeVerdict
from tellapart.codesearch.metrics.ground_truth import case_completeness, catches, completeness
from tellapart.core.stats import TwoCatches, chapman, chapman_sum, clustered_rate

case_completeness, completeness = map(as_json, (case_completeness, completeness))

# 6 and 5 files, 3 in both: 7 * 6 / 4 - 1 = 9.5 of which 8 are known. Of ours a and d are among them, x and y
# are judged relevant, z is not.
ONE = case("one", "abcdef", "defgh", "adxyz", judged="xy")
# 3 and 3 files, 2 in both: 4 * 4 / 3 - 1 = 4.33 of which 4 are known. Of ours b is among them, x is noise.
TWO = case("two", "abc", "bcd", "bx", judged="")
ESTIMATE = 9.5 + 13 / 3


def test_the_files_of_one_conversation():
    assert catches(ONE) == TwoCatches(6, 5, 3)
    found = case_completeness(ONE)
    assert (found["run_a_files"], found["run_b_files"], found["both_files"], found["known_files"]) == (
        6,
        5,
        3,
        8,
    )
    expected = chapman(TwoCatches(6, 5, 3)).interval
    assert found["estimate"]["value"] == 9.5
    assert (found["estimate"]["low"], found["estimate"]["high"]) == (expected.low, expected.high)
    assert found["coverage"] == {"value": 8 / 9.5, "low": 8 / expected.high, "high": 8 / expected.low}


def test_all_conversations_by_hand():
    found = completeness([ONE, TWO])
    ends = chapman_sum([TwoCatches(6, 5, 3), TwoCatches(3, 3, 2)]).interval
    assert found["conversations"] == 2
    assert found["estimate"]["value"] == pytest.approx(ESTIMATE)
    assert found["coverage"]["value"] == pytest.approx(12 / ESTIMATE)
    assert found["coverage"]["low"] == pytest.approx(12 / ends.high)
    # a, d, x, y and b are ours; 12 known files and x and y are more than the 13.83 estimated.
    assert found["recall"] == {
        "value": 5 / 14,
        "bounds": [5 / 14, 5 / 14],
        "low": pytest.approx(5 / ends.high),
        "high": 5 / 14,
        "without_verdict": 0,
    }
    # As one conversation: 9 and 8 files, 5 in both: 10 * 9 / 6 - 1 = 14.
    assert found["pooled"]["estimate"]["value"] == 14


def test_the_third_source_by_hand():
    third = completeness([ONE, TWO])["third_source"]
    assert third["our_relevant_files"] == 5
    assert third["expected_unique"] == pytest.approx(5 * (1 - 12 / ESTIMATE))
    assert (third["seen_unique"], third["seen_unique_bounds"]) == (2, [2, 2])
    rate = clustered_rate([1, 1, 0, 0, 1], ["one"] * 4 + ["two"])
    assert third["coverage"]["value"] == 0.6 == rate.value
    assert (third["coverage"]["low"], third["coverage"]["high"]) == (rate.interval.low, rate.interval.high)
    assert third["missed_more"] is False


def test_explorations_that_share_a_blind_spot_are_told():
    # Both find the same ten files, of ours a and b among them; ten more of ours are relevant and unknown.
    shared = string.ascii_lowercase[:10]
    cases = [case(n, shared, shared, "ab" + "KLMNOPQRST", judged="KLMNOPQRST") for n in range(6)]
    found = completeness(cases)
    assert found["coverage"]["value"] == 1
    assert found["third_source"]["coverage"]["value"] == pytest.approx(2 / 12)
    assert found["third_source"]["missed_more"] is True
    assert found["recall"]["value"] == pytest.approx(12 / 20)
    # Nine of ten verdicts fail: the one that is there is enough, whatever the others would say.
    judged = {f"repo/{letter}": JudgeVerdict(True) for letter in "K"}
    few = [replace(one, verdicts=judged) for one in cases]
    third = completeness(few)["third_source"]
    assert third["seen_unique_bounds"] == [6, 60]
    assert third["missed_more"] is True
    assert third["coverage"]["bounds"] == [pytest.approx(12 / 72), pytest.approx(12 / 18)]
    assert (third["coverage"]["value"], third["coverage"]["low"]) == (None, None)
    assert completeness(few)["recall"]["value"] is None


def test_verdicts_that_decide_leave_it_open():
    shared = string.ascii_lowercase[:10]
    ours = "abcdefghij" + "KLMNOPQRST"
    irrelevant = {f"repo/{letter}": JudgeVerdict(False) for letter in "KL"}
    third = completeness([replace(case(n, shared, shared, ours), verdicts=irrelevant) for n in range(6)])
    assert third["third_source"]["coverage"]["bounds"] == [10 / 18, 1]
    assert third["third_source"]["missed_more"] is None


def test_nothing_judged_leaves_bounds():
    found = completeness([case("one", "abcdef", "defgh", "adxyz"), case("two", "abc", "bcd", "b")])
    assert found["recall"]["value"] is None
    assert found["recall"]["bounds"] == [pytest.approx(3 / ESTIMATE), 6 / 15]
    assert found["recall"]["without_verdict"] == 3
    assert found["third_source"]["conversations"] == 0
    assert found["third_source"]["coverage"]["value"] is None


def test_runs_without_files_estimate_nothing():
    suspect, failed = case("three", "", "abcd", "a"), case("four", "ab", None, "a")
    found = completeness([ONE, TWO, suspect, failed])
    alone = completeness([ONE, TWO])
    assert found["left_out"] == {"run_failed": 1, "run_found_nothing": 1}
    assert found["estimate"] == alone["estimate"]
    assert found["pooled_clean"] == alone["pooled_clean"] == alone["pooled"]
    # 9 and 12 files, 5 in both: 10 * 13 / 6 - 1.
    assert found["pooled"]["estimate"]["value"] == pytest.approx(130 / 6 - 1)
    assert case_completeness(failed)["estimate"]["reason"] == "run B failed"
    assert case_completeness(suspect)["coverage"] == {"value": None, "low": None, "high": None}


def test_files_that_a_recorded_judge_calls_irrelevant_do_not_count():
    ruled = replace(
        ONE, verdicts={**ONE.verdicts, files("f")[0]: JudgeVerdict(False), files("a")[0]: JudgeVerdict(True)}
    )
    assert catches(ruled) == TwoCatches(5, 4, 2)


def test_runs_that_share_nothing_leave_no_upper_end():
    found = completeness([case("one", "abc", "def", "a")])
    assert found["estimate"]["value"] == 15
    assert found["estimate"]["high"] is None
    assert "share nothing" in found["estimate"]["reason"]
    assert (found["coverage"]["low"], found["recall"]["low"]) == (0, 0)
    json.dumps(found, allow_nan=False)


def test_nothing_to_estimate():
    assert completeness([]) is None
    found = completeness([case("one", "", "", "ab")])
    assert found["estimate"]["value"] is None
    assert found["recall"] == {"value": None, "bounds": [None, None], "low": None, "high": None} | {
        "without_verdict": 0
    }


def test_the_order_of_conversations_changes_nothing():
    rng = random.Random(4)
    cases = []
    for n in range(12):
        a, b, ours = ("".join(rng.sample(string.ascii_letters, 9)) for _ in range(3))
        cases.append(case(n, a, b, ours, judged="".join(rng.sample(string.ascii_letters, 20))))
    assert completeness(cases) == completeness(cases[::-1])


@pytest.mark.parametrize("seed", range(3))
def test_coverage_covers_what_was_planted(seed):
    # Sixteen conversations of 40 relevant files each, found by chances of .4 and .5. Of 24 draws at 95 %,
    # fewer than 21 cover with a chance of 3 %.
    rng = random.Random(seed)
    inside = 0
    for _ in range(24):
        cases = []
        for n in range(16):
            letters = string.ascii_letters[:40]
            a, b = ("".join(c for c in letters if rng.random() < chance) for chance in (0.4, 0.5))
            cases.append(case(n, a, b, "a", judged=""))
        found = completeness(cases)
        true = found["known_files"] / (16 * 40)
        inside += found["coverage"]["low"] <= true <= found["coverage"]["high"]
    assert inside >= 21
