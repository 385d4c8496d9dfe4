import random

from codesearch.judged_cases import judged
from codesearch.recorded_cases import recorded_cases
from tellapart.codesearch.metrics.warnings import warnings
from tellapart.codesearch.scoring import metrics


def told(cases):
    return warnings(cases, metrics(cases))


def silent(cases, words):
    return not any(words in sentence for sentence in told(cases))


def enough(**changes):
    """Thirty conversations with nothing to beware of."""
    made = [
        judged(f"{n:02}", "abcd", "abce", "abcdf", no="f", area="xy"[n % 2], names=("ax", "bx"))
        for n in range(30)
    ]
    return [changes.get(f"c{n}", one) for n, one in enumerate(made)]


def test_recorded_evaluations_are_warned_of():
    cases = recorded_cases()
    sentences = told(cases)
    assert sentences == [
        "197 of 250 verdicts failed (79 %; judge 197), so precision and recall are not known: precision "
        "0.067 and recall 0.082 if none of these files is relevant, precision 0.723 and recall 0.506 if all "
        "are.",
        "2 relevant verdicts in conv-3 are on files that are not the system's alone; the original pipeline "
        "counts these twice, so its precision and recall are too high.",
        "The exploration of run A (claude-opus-4-20250514) is suspect in 1 of 3 conversations, where it "
        "found no file and reports no error: conv-1.",
        "The product area of all 3 conversations is uncertain: there are no figures by area.",
    ]
    assert told(random.Random(3).sample(cases, 3)) == sentences


def test_anomalies_are_told_with_their_interval():
    poor = [
        judged(f"p{n}", "ab", "b", "acdefghij"[n:], no="cdefghij"[max(n - 1, 0) :], area="z")
        for n in (0, 0, 1)
    ]
    precision, recall = [sentence for sentence in told([*enough(), *poor]) if sentence.startswith("z is")]
    # .8 thirty times, 1/9 twice and 0 once: the whole is .734 and z .074. By Student +- 4.303 x .064 / 1.73.
    assert precision == (
        "z is 0.66 below the whole in precision: 0.074 over 3 conversations (95 % interval 0.00 to 0.23)."
    )
    assert recall.startswith("z is 0.42 below the whole in recall: 0.333 over 3 conversations")


def test_an_anomaly_that_missing_verdicts_decide_is_withheld():
    cases = enough(
        **{f"c{n}": judged(f"{n:02}", "abcd", "", "ijk", failed="ijk", area="z") for n in range(3)}
    )
    # 27 of 30 are at .8; those of z at 0 or at 1.
    assert silent(cases, "below the whole in precision")
    # At 0 or at 1/10, z is below whatever the verdicts say.
    ours = "ijklmnopqr"
    poor = [
        judged(f"{n:02}", "abcd", "", ours, no=ours[1:], failed="i", area="z", names=("ax", "bx"))
        for n in range(3)
    ]
    assert "z is at least 0.630 below the whole in precision, whatever the missing verdicts say." in told(
        enough(**{f"c{n}": one for n, one in enumerate(poor)})
    )
