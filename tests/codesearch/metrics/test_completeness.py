import json
import random
import string
from dataclasses import replace

import pytest

from codesearch.as_json import as_json
from codesearch.explored_cases import case, files
from tellapart.codesearch.metrics.capture import TwoCatches, chapman_sum
from tellapart.codesearch.metrics.ground_truth import catches, completeness
from tellapart.codesearch.model import JudgeVerdict

completeness = as_json(completeness)

# 6 and 5 files, 3 in both: 7 * 6 / 4 - 1 = 9.5 of which 8 are known. Of ours a and d are among them, x and y
# are judged relevant, z is not.
ONE = case("one", "abcdef", "defgh", "adxyz", judged="xy")
# 3 and 3 files, 2 in both: 4 * 4 / 3 - 1 = 4.33 of which 4 are known. Of ours b is among them, x is noise.
TWO = case("two", "abc", "bcd", "bx", judged="")
ESTIMATE = 9.5 + 13 / 3


def test_all_conversations_by_hand():
    assert catches(ONE) == TwoCatches(6, 5, 3)
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


def test_runs_without_files_estimate_nothing():
    suspect, failed = case("three", "", "abcd", "a"), case("four", "ab", None, "a")
    found = completeness([ONE, TWO, suspect, failed])
    alone = completeness([ONE, TWO])
    assert found["left_out"] == {"run_failed": 1, "run_found_nothing": 1}
    assert found["estimate"] == alone["estimate"]


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
