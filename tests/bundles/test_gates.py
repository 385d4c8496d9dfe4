import pytest

from tellapart.bundles.gates import drop_gates, refuse_failed
from tellapart.errors import Refused, UsageError


def tiers(**figures):
    """Figures of the hardest tier: delta, interval and reason by name."""
    keys = ("delta", "ci", "reason")
    return {
        "tier3_adversarial": {name: dict(zip(keys, value, strict=True)) for name, value in figures.items()}
    }


FELL = tiers(pass_rate=(-0.02, [-0.05, 0.01], None), q10_margin=(-0.06, None, "no bundle differs"))


def test_no_limit_no_gate():
    assert drop_gates(FELL) == []


@pytest.mark.parametrize(("limit", "passed"), [(0.02, True), (0.019, False), (0.0, False), (1.0, True)])
def test_a_drop_of_just_the_limit_passes(limit, passed):
    assert drop_gates(FELL, max_drop=limit) == [
        {
            "name": "tier3_adversarial.pass_rate.drop",
            "option": "--max-drop",
            "limit": limit,
            "value": 0.02,
            "passed": passed,
            "ci": [-0.01, 0.05],
            "reason": None,
        }
    ]


def test_the_margin_has_a_gate_of_its_own():
    found = drop_gates(FELL, max_drop=0.5, max_q10_drop=0.05)
    assert [gate["name"] for gate in found] == [
        "tier3_adversarial.pass_rate.drop",
        "tier3_adversarial.q10_margin.drop",
    ]
    assert [gate["passed"] for gate in found] == [True, False]
    assert (found[1]["value"], found[1]["ci"]) == (0.06, None)


def test_a_rise_is_a_negative_drop():
    (gate,) = drop_gates(tiers(pass_rate=(0.1, None, None)), max_drop=0)
    assert (gate["value"], gate["passed"]) == (-0.1, True)


def test_nothing_is_not_minus_nothing():
    (gate,) = drop_gates(tiers(pass_rate=(0.0, [0.0, 0.0], None)), max_drop=0)
    assert [str(number) for number in (gate["value"], *gate["ci"])] == ["0.0"] * 3


def test_an_undefined_drop_does_not_pass():
    (gate,) = drop_gates(tiers(pass_rate=(None, None, "no bundles in A")), max_drop=1)
    assert (gate["value"], gate["passed"], gate["reason"]) == (None, False, "no bundles in A")
    with pytest.raises(Refused, match=r"undefined \(no bundles in A\), so --max-drop cannot pass"):
        refuse_failed([gate])


def test_failed_gates_are_told_together():
    with pytest.raises(Refused) as refused:
        refuse_failed(drop_gates(FELL, max_drop=0.01, max_q10_drop=0.05))
    assert str(refused.value) == (
        "2 gates failed: tier3_adversarial pass_rate fell by 0.02, more than --max-drop 0.01; "
        "tier3_adversarial q10_margin fell by 0.06, more than --max-q10-drop 0.05."
    )
    assert refused.value.exit_code == 1


def test_passed_gates_say_nothing():
    refuse_failed(drop_gates(FELL, max_drop=0.02))
    refuse_failed([])


@pytest.mark.parametrize(
    ("limits", "message"),
    [
        ({"max_drop": 2.0}, "For 2 percentage points write 0.02"),
        ({"max_drop": -0.1}, r"--max-drop is -0\.1, expected a share"),
        ({"max_drop": float("nan")}, "--max-drop is nan"),
        ({"max_q10_drop": float("inf")}, "--max-q10-drop is inf"),
        ({"max_q10_drop": -1.0}, r"--max-q10-drop is -1\.0"),
    ],
)
def test_a_limit_out_of_range_is_refused(limits, message):
    with pytest.raises(UsageError, match=message):
        drop_gates(FELL, **limits)
