"""What several gates come to, and what the command ends with."""

import pytest

from tellapart.core.gate_outcome import GateOutcome, OnUnclear, worst_outcome


@pytest.mark.parametrize(
    ("outcomes", "expected"),
    [
        ([], None),
        (["passed"], "passed"),
        (["passed", "unclear"], "unclear"),
        (["unclear", "failed"], "failed"),
        (["unchanged", "passed"], "passed"),
        (["unchanged", "unchanged"], "unchanged"),
    ],
)
def test_the_worst_gate_decides(outcomes, expected):
    assert worst_outcome(map(GateOutcome, outcomes)) == expected


@pytest.mark.parametrize(("on_unclear", "unclear"), [("fail", 4), ("warn", 0), ("pass", 0)])
def test_exit_codes_tell_noise_from_loss(on_unclear, unclear):
    codes = {outcome.value: outcome.exit_code(OnUnclear(on_unclear)) for outcome in GateOutcome}
    assert codes == {"passed": 0, "failed": 3, "unclear": unclear, "unchanged": 0}
