from dataclasses import replace
from pathlib import Path

from tellapart.longcontext.case import AnswerKey, Case, CaseStep, Expected
from tellapart.longcontext.lint.integrity import Unmatched, unknown_steps, unmatched
from tellapart.longcontext.reading import read_answers, read_cases, read_results
from tellapart.longcontext.transcript import PlayedCase, PlayedStep, Results

REAL = Path(__file__).parents[1] / "fixtures"
NAMES = ("1_short", "2_long", "3_overflow")


def probe(id_, expected=None):
    return CaseStep(id_, "verification", "q", None, expected)


def case(name, *steps, **further):
    return Case(name, None, (CaseStep("M1", "message", "x"), *steps), **further)


def played(name, *ids):
    return PlayedCase(name, tuple(PlayedStep(id_, "verification", None, "q", "a") for id_ in ids))


ONE, TWO = Expected("V1", "1"), Expected("V1", "2")


def test_every_documented_probe_has_its_answer_and_every_answer_its_probe():
    key = read_answers(REAL / "answers.txt")
    cases = read_cases([REAL / f"case_{name}.txt" for name in NAMES])
    assert unmatched(cases, key) == Unmatched((), ())
    run = read_results(REAL / "case_1_smoke_result.json")
    found = unmatched([run], key)
    assert (found.probes, len(found.answers)) == ((), 23)
    assert {id_[1] for id_ in found.answers} == {"2", "3"}


def test_what_cannot_be_graded_has_no_answer():
    steps = (
        probe("V1"),
        replace(probe("V2"), failure_mode="Attention Sink"),
        replace(probe("V3"), failure_mode="Recency Bias"),
        probe("V4"),
        probe("V5"),
    )
    key = AnswerKey(
        {
            "V1": Expected("V1", test="t", evidence=("e",)),
            "V3": Expected("V3"),
            "V4": Expected("V4", late="Study 2"),
            "V5": Expected("V5", banned="fine"),
        }
    )
    assert unmatched([case("a", *steps)], key) == Unmatched((("a", "V1"),), ())
    assert unmatched([case("a", *steps)], AnswerKey({})).probes == (
        ("a", "V1"),
        ("a", "V3"),
        ("a", "V4"),
        ("a", "V5"),
    )


def test_steps_that_no_case_has():
    cases = [case("a", probe("V1")), case("b", probe("V2"))]
    results = [Results([played("a", "V1", "M1", "M1-R3", "V2", "V7", "M9-R1"), played("b", "V7", "V7 (2)")])]
    assert unknown_steps(results, cases) == (("a", "V7"), ("a", "M9-R1"), ("b", "V7"), ("b", "V7 (2)"))
    assert unknown_steps(results, []) == ()
    real = read_cases([REAL / f"case_{name}.txt" for name in NAMES])
    assert unknown_steps([read_results(REAL / "case_1_smoke_result.json")], real) == ()
