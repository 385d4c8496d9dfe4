from dataclasses import replace

from codesearch.explored_cases import case
from tellapart.codesearch.looping.calibration import (
    KEEP,
    SWITCH,
    CalibrationRule,
    State,
    calibrate,
    iteration_record,
)

ALONE = CalibrationRule(iterations=1)


def agreeing(n, shared, of=10, first=0, names=("ax", "bx")):
    """``n`` conversations in each of which run B finds ``shared`` of run A's ``of`` files."""
    letters = "abcdefghij"[:of]
    return [case(f"c{first + i}", letters, letters[:shared] + "xyz", names=names) for i in range(n)]


def knowing(number, rule=None, **cases):
    state = State(iterations=[iteration_record(int(n[1:]), n, these) for n, these in cases.items()])
    return (rule or CalibrationRule()).knowing(state, number)


def test_counts_accumulate_over_the_calibration_iterations():
    # 6 conversations at 8 of 10 and 6 at 10 of 10: 108 of 120.
    block, agreement, doubts = calibrate(agreeing(6, 10), iteration=2, rule=knowing(2, i1=agreeing(6, 8)))
    counts = {"opus_only_files": 12, "sonnet_only_files": 36, "both_models_files": 108}
    assert block.to_json() == {**counts, "overlap_rate": 0.9, "recommendation": SWITCH}
    assert agreement.decision.endswith("bx explores as both runs from now on.")
    assert doubts == ["The overlap of ax and bx settles nothing: it rests on only 6 conversations."]


def test_suspect_runs_stay_in_the_documented_figure_only():
    # Ten conversations at 10 of 10, one in which run B found nothing: 100 of 110 is .909; two: 100 of 120.
    suspect = [case(f"s{i}", "abcdefghij", "") for i in range(2)]
    one, _, doubts = calibrate(agreeing(10, 10) + suspect[:1], iteration=1, rule=ALONE)
    assert (one.overlap_rate, doubts) == (0.909, [])
    two, agreement, _ = calibrate(agreeing(10, 10) + suspect, iteration=1, rule=ALONE)
    assert two.recommendation == KEEP
    assert agreement.decision.endswith("both explorers stay.")


def test_a_rate_is_written_rounded_and_decided_unrounded():
    # 8,999 of 10,000 is written 0.9, but it is less.
    files = [f"repo/{i}.py" for i in range(10_000)]
    (one,) = agreeing(1, 1)
    one = replace(one, run_a=replace(one.run_a, files=files), run_b=replace(one.run_b, files=files[:8999]))
    block, _, _ = calibrate([one], iteration=1, rule=ALONE)
    assert (block.overlap_rate, block.recommendation) == (0.9, KEEP)
