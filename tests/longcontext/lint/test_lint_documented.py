"""The documented cases, their answers and the two real runs: every error and warning, read off by hand."""

from collections import defaultdict
from pathlib import Path

from tellapart.longcontext.case import continuing
from tellapart.longcontext.lint import lint as lint_all
from tellapart.longcontext.lint import lint_inputs
from tellapart.longcontext.reading import read_answers, read_case

FIXTURES = Path(__file__).parents[1] / "fixtures"
KEY = read_answers(FIXTURES / "answers.txt")
SHORT, LONG, OVERFLOW = (read_case(FIXTURES / f"case_{of}.txt") for of in ("1_short", "2_long", "3_overflow"))


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
