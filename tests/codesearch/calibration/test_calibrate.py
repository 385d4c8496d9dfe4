from dataclasses import replace

from codesearch.explored_cases import case
from tellapart.codesearch.looping import calibration
from tellapart.codesearch.looping.calibration import (
    CALIBRATING,
    KEEP,
    SWITCH,
    CalibrationRule,
    State,
    explorers_for,
    iteration_record,
)


def calibrate(*arguments, **options):
    """As programs read it."""
    found = calibration.calibrate(*arguments, **options)
    return replace(found, block=found.block.to_json(), agreement=found.agreement.to_json())


def agreeing(n, shared, of=10, first=0, names=("ax", "bx")):
    """``n`` conversations in each of which run B finds ``shared`` of run A's ``of`` files."""
    letters = "abcdefghij"[:of]
    return [case(f"c{first + i}", letters, letters[:shared] + "xyz", names=names) for i in range(n)]


def knowing(number, rule=None, **cases):
    state = State(iterations=[iteration_record(int(n[1:]), n, these) for n, these in cases.items()])
    return (rule or CalibrationRule()).knowing(state, number)


def test_counts_accumulate_over_the_calibration_iterations():
    # 6 conversations at 8 of 10 and 6 at 10 of 10: 108 of 120.
    found = calibrate(agreeing(6, 10), iteration=2, rule=knowing(2, i1=agreeing(6, 8)))
    assert found.block == {
        "opus_only_files": 12,
        "sonnet_only_files": 36,
        "both_models_files": 108,
        "overlap_rate": 0.9,
        "recommendation": SWITCH,
    }
    decision = found.agreement["decision"]
    assert (decision["complete"], decision["switches"]) == (True, True)
    assert decision["conversations"] == 6


def test_the_first_iteration_is_still_calibrating():
    low = calibrate(agreeing(12, 8), iteration=1)
    assert low.block["recommendation"] == KEEP
    assert not low.agreement["decision"]["switches"]
    high = calibrate(agreeing(12, 10), iteration=1)
    assert high.block["recommendation"] == CALIBRATING
    assert not high.agreement["decision"]["switches"]
    assert high.agreement["decision"]["text"] == (
        "Run B (bx) found 1.000 of the files of run A (ax), and 0.9 would be enough: both explorers stay "
        "until calibration is complete (counted: iteration 1, requested: 2)."
    )
    assert high.warnings == ()


def test_without_a_state_an_iteration_is_counted_alone_and_decides_nothing():
    for iteration in (2, 7):
        found = calibrate(agreeing(12, 10), iteration=iteration)
        assert found.block["recommendation"] == CALIBRATING
        assert found.block["both_models_files"] == 120
        assert f"(counted: iteration {iteration}, " in found.agreement["decision"]["text"]
        assert not found.agreement["decision"]["switches"]


def test_suspect_runs_stay_in_the_documented_figure_only():
    # Ten conversations at 10 of 10, one in which run B found nothing: 100 of 110 is .909; two: 100 of 120.
    suspect = [case(f"s{i}", "abcdefghij", "") for i in range(2)]
    one = calibrate(agreeing(10, 10) + suspect[:1], iteration=1, rule=CalibrationRule(iterations=1))
    assert one.block["overlap_rate"] == 0.909
    two = calibrate(agreeing(10, 10) + suspect, iteration=1, rule=CalibrationRule(iterations=1))
    assert two.block["recommendation"] == KEEP
    assert not two.agreement["decision"]["switches"]


def test_three_conversations_settle_nothing():
    found = calibrate(agreeing(3, 10), iteration=1, rule=CalibrationRule(iterations=1))
    assert found.block["recommendation"] == SWITCH
    assert found.warnings == ("The overlap of ax and bx settles nothing: it rests on only 3 conversations.",)
    assert found.agreement["decision"]["text"].endswith("bx explores as both runs from now on.")


def test_explorers_of_an_iteration():
    configured = ("ax", "bx")
    high = {"i1": agreeing(1, 10), "i2": agreeing(1, 9)}
    low = {"i1": agreeing(1, 8), "i2": agreeing(1, 9)}
    assert explorers_for(3, configured, knowing(3, **high)) == ("bx", "bx")
    assert explorers_for(2, configured, knowing(2, **high)) == configured
    assert explorers_for(3, configured, knowing(3, **low)) == configured
    assert explorers_for(3, configured, CalibrationRule()) == configured
    # Calibrated were others, or not all that there should have been.
    assert explorers_for(3, ("ax", "cx"), knowing(3, **high)) == ("ax", "cx")
    assert explorers_for(3, configured, knowing(3, i2=agreeing(1, 10))) == configured
    for rule in (CalibrationRule(iterations=0), CalibrationRule(threshold=0.96)):
        assert explorers_for(3, configured, knowing(3, rule, **high)) == configured


def test_a_rate_is_written_rounded_and_decided_unrounded():
    # 8,999 of 10,000 is written 0.9, but it is less.
    files = [f"repo/{i}.py" for i in range(10_000)]
    (one,) = agreeing(1, 1)
    one = replace(one, run_a=replace(one.run_a, files=files), run_b=replace(one.run_b, files=files[:8999]))
    found = calibrate([one], iteration=1, rule=CalibrationRule(iterations=1))
    assert (found.block["overlap_rate"], found.block["recommendation"]) == (0.9, KEEP)
