"""The documented cases, their answers and the two real runs: every error and warning, read off by hand."""

from collections import defaultdict
from pathlib import Path

from tellapart.longcontext.case import continuing
from tellapart.longcontext.lint import lint as lint_all
from tellapart.longcontext.lint import lint_inputs
from tellapart.longcontext.reading import read_answers, read_case, read_results

FIXTURES = Path(__file__).parents[1] / "fixtures"
KEY = read_answers(FIXTURES / "answers.txt")
SHORT, LONG, OVERFLOW = (
    read_case(FIXTURES / f"{name}.txt") for name in ("case_1_short", "case_2_long", "case_3_overflow")
)


def lint(*arguments, **options):
    return lint_all(lint_inputs(*arguments, **options))


STUDY_1 = ["C3-1", "C3-3", "C3-5", "C3-7", "V3-4"]


def told(findings, *severities):
    """Steps by check and case, of findings with these severities, but for what only a judge can grade."""
    found = defaultdict(list)
    for one in findings:
        if one.severity in severities and one.check != "undecidable":
            found[one.check, one.case].append(one.step)
    return dict(found)


def messages(findings, check):
    return {one.step: one.message for one in findings if one.check == check}


def test_the_errors_of_the_case_files_before_any_run():
    findings = lint([SHORT, LONG, OVERFLOW], key=KEY)
    assert told(findings, "error") == {
        ("answerability", "case_3_overflow"): [
            "C3-1",
            "C3-2",
            "C3-3",
            "C3-4",
            "C3-5",
            "C3-6",
            "C3-7",
            "V3-3",
            "V3-4",
        ],
        ("order", "case_3_overflow"): [step.id for step in OVERFLOW.probes],
    }
    why = messages(findings, "answerability")
    assert {why[step] for step in STUDY_1} == {why["C3-1"]}
    assert "Study 1 (Zhang et al.)" in why["C3-1"]
    assert "case_2_long holds it (M1)" in why["C3-1"] and "--continues case_2_long.txt" in why["C3-1"]
    assert "(M9)" in why["C3-2"] and "(M7 and M8)" in why["C3-4"]
    assert why["C3-6"] == (
        "not measurable: no earlier message of this conversation shows Study 3 and Study 10. "
        "case_2_long holds it (M3 and M10): run and lint with --continues case_2_long.txt"
    )
    assert why["V3-3"].startswith("10 of 25 never provided: Study 1,")
    assert "128,000 tokens" in messages(findings, "order")["V3-4"]


def test_the_warnings_of_the_case_files():
    assert told(lint([SHORT, LONG, OVERFLOW], key=KEY), "warning") == {
        ("self-leak", "case_2_long"): ["C2-3", "V2-4"],
        ("self-leak", "case_3_overflow"): ["C3-3", "C3-5", "C3-7", "V3-4"],
        ("coverage", "case_1_short"): [None, "V1-4"],
        ("coverage", "case_2_long"): [None, "C2-1", "C2-3", "V2-4", "V2-7"],
        ("coverage", "case_3_overflow"): [
            None, "C3-1", "C3-3", "C3-5", "C3-7", "V3-1", "V3-3", "V3-4", "V3-6",
        ],
        ("same-item", "case_2_long"): ["C2-1", "C2-3", "V2-4"],
        ("same-item", "case_3_overflow"): STUDY_1,
    }  # fmt: skip


def test_without_answers_a_study_that_was_never_shown_is_found_all_the_same():
    findings = [one for one in lint([OVERFLOW]) if one.check == "answerability"]
    assert [one.step for one in findings] == STUDY_1
    assert all(one.message.startswith("never provided:") for one in findings)
    assert not told(lint([SHORT, LONG]), "error")


def test_the_case_that_continues_the_other_is_answerable():
    both = continuing(OVERFLOW, LONG)
    assert set(told(lint([both], key=KEY), "error")) == {("order", "case_3_overflow")}
    assert told(lint([both], key=KEY, probes_last=True), "error") == {}
    assert ("order", "case_3_overflow") in told(lint([both], key=KEY, probes_last=False), "error")


def test_the_real_run_asked_before_its_repeats():
    findings = lint([SHORT], [read_results(FIXTURES / "case_1_smoke_result.json")], KEY)
    assert told(findings, "error") == {("order", "case_1_short"): ["V1-1", "V1-2", "V1-3", "V1-4"]}
    assert told(findings, "warning") == {
        ("self-leak", "case_1_short"): ["V1-3"],
        ("coverage", "case_1_short"): [None, "V1-4"],
    }
    far = messages(findings, "distance")
    assert "evidence in the system prompt" in far["V1-4"] and "context 817," in far["V1-4"]
