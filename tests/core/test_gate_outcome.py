"""What several gates come to, and what an unclear one counts as."""

import pytest

from tellapart.core.gate_outcome import GateOutcome, OnUnclear, worst_outcome


@pytest.mark.parametrize(
    ("outcomes", "on_unclear", "expected"),
    [
        ([], "warn", None),
        (["passed"], "warn", "passed"),
        (["passed", "unclear"], "warn", "unclear"),
        (["unclear", "failed"], "warn", "failed"),
        (["unclear"], "pass", "passed"),
        (["unclear", "failed"], "pass", "failed"),
        (["unclear", "passed"], "fail", "failed"),
        (["unchanged", "passed"], "warn", "passed"),
        (["unchanged", "unchanged"], "warn", "unchanged"),
    ],
)
def test_the_worst_gate_decides(outcomes, on_unclear, expected):
    assert worst_outcome(map(GateOutcome, outcomes), OnUnclear(on_unclear)) == expected


def test_exit_codes_tell_noise_from_loss():
    assert {outcome.value: outcome.exit_code for outcome in GateOutcome} == {
        "passed": 0,
        "failed": 3,
        "unclear": 4,
        "unchanged": 0,
    }
