import json
from dataclasses import replace

import pytest

from codesearch.as_json import as_json
from codesearch.explored_cases import FAILED, case
from tellapart.codesearch.case import JudgeVerdict
from tellapart.codesearch.metrics.aggregate import WITHOUT_VERDICTS, measures
from tellapart.codesearch.metrics.conversation import Tier, grades, tiers
from tellapart.codesearch.metrics.ground_truth import BY_CONSTRUCTION, confidence
from tellapart.core.stats import clustered_rate

confidence, measures = map(as_json, (confidence, measures))

# Both found c and d, one of them a, b, e, f and g. Of ours x is relevant, y is not, z has no verdict.
ONE = replace(
    case("one", "abcd", "cdefg", "cabxyz"),
    verdicts={
        "repo/x": JudgeVerdict(True),
        "repo/y": JudgeVerdict(False),
        "repo/z": JudgeVerdict(None, failure=FAILED),
    },
)
# Both found p, one of them q; ours are p, q and r, which is relevant.
TWO = case("two", "pq", "p", "pqr", judged="r")


def test_who_vouches_for_a_file():
    assert tiers(TWO) == {"repo/p": Tier.BOTH, "repo/q": Tier.ONE, "repo/r": Tier.JUDGE}
    assert grades(TWO) == {"repo/p": 2, "repo/q": 1, "repo/r": 1}
    assert grades(ONE) == {
        f"repo/{f}": g for f, g in zip("abcdefgxy", (1, 1, 2, 2, 1, 1, 1, 1, 0), strict=True)
    }


def test_a_verdict_against_a_file_of_a_run_counts():
    ruled = replace(
        ONE,
        verdicts={"repo/c": JudgeVerdict(False), "repo/d": JudgeVerdict(True), "repo/a": JudgeVerdict(None)},
    )
    assert {f: grades(ruled)[f"repo/{f}"] for f in "acd"} == {"a": 1, "c": 0, "d": 2}
    found = confidence([ruled])["tiers"]
    assert (found["both_runs"]["files"], found["both_runs"]["ours"], found["irrelevant"]["ours"]) == (1, 0, 1)
    # d is not ours, so that a verdict against it takes nothing from our precision.
    missed = replace(ONE, verdicts={"repo/d": JudgeVerdict(False)})
    found = confidence([missed])["tiers"]
    assert (found["both_runs"]["files"], found["irrelevant"]["ours"]) == (1, 0)


def test_tiers_by_hand():
    found = confidence([ONE, TWO])["tiers"]
    counts = {name: (one.get("files"), one["ours"]) for name, one in found.items()}
    assert counts == {
        "both_runs": (3, 2),
        "one_run": (6, 3),
        "judge_only": (2, 2),
        "irrelevant": (None, 1),
        "no_verdict": (None, 1),
    }
    # c of c and d, p of p; a and b of five, q of q.
    assert found["both_runs"]["recall"]["value"] == pytest.approx(2 / 3)
    assert found["one_run"]["recall"]["value"] == 1 / 2
    assert found["judge_only"]["recall"] == {"value": None, "reason": BY_CONSTRUCTION}
    assert [found[name]["precision"]["value"] for name in found] == [2 / 9, 3 / 9, None, 1 / 9, 1 / 9]
    judge = found["judge_only"]["precision"]
    assert (judge["bounds"], judge["low"], judge["reason"]) == ([2 / 9, 3 / 9], None, WITHOUT_VERDICTS)
    rate = clustered_rate([1, 0, 0, 0, 0, 0, 1, 0, 0], ["one"] * 6 + ["two"] * 3)
    shown = found["both_runs"]["precision"]
    assert (shown["low"], shown["high"]) == (rate.interval.low, rate.interval.high)
    json.dumps(found, allow_nan=False)


def test_relevant_tiers_add_up_to_precision():
    ruled = replace(ONE, verdicts={**ONE.verdicts, "repo/z": JudgeVerdict(True)})
    found = confidence([ruled, TWO])["tiers"]
    relevant = sum(found[tier.value]["precision"]["value"] for tier in Tier)
    assert relevant == pytest.approx(measures([ruled, TWO])["precision"]["micro"])
