import random

from codesearch.judged_cases import judged
from codesearch.recorded_cases import recorded_cases
from tellapart.codesearch.scoring import metrics, warnings


def told(cases):
    return warnings(cases, metrics(cases))


def enough():
    """Thirty conversations with nothing to beware of."""
    return [
        judged(f"{n:02}", "abcd", "abce", "abcdf", no="f", area="xy"[n % 2], names=("ax", "bx"))
        for n in range(30)
    ]


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


def test_areas_far_below_are_told():
    poor = [
        judged(f"p{n}", "ab", "b", "acdefghij"[n:], no="cdefghij"[max(n - 1, 0) :], area="z")
        for n in (0, 0, 1)
    ]
    # .8 thirty times, 1/9 twice and 0 once: the whole is .734 and z .074.
    assert [sentence for sentence in told([*enough(), *poor]) if sentence.startswith("z is")] == [
        "z is 0.660 below the whole in precision.",
        "z is 0.424 below the whole in recall.",
    ]
    # Whatever the missing verdicts say, one in ten is far below.
    ours = "ijklmnopqr"
    poor = [judged(f"p{n}", "abcd", "", ours, no=ours[1:], failed="i", area="z") for n in range(3)]
    assert any(sentence.startswith("z is at least 0.6") for sentence in told([*enough(), *poor]))
    assert not any(sentence.startswith("z is") for sentence in told([*enough(), *poor[:2]]))


def test_explorations_that_agree_in_every_file_are_told():
    same = [judged(str(n), "abc", "abc", "ab", names=("ax", "bx")) for n in range(2)]
    sentence = (
        "Run A and run B found exactly the same files in all 2 conversations that both explored: independent "
        "explorations do not."
    )
    assert sentence in told(same)
    assert sentence not in told([same[0], judged("3", "abc", "ab", "ab", names=("ax", "bx"))])
