"""Who grades what: rules where no model is needed, a judge where one is asked."""

from longcontext.grading.judged_lines import conversation, played
from tellapart.longcontext.case import AnswerKey, Expected
from tellapart.longcontext.graders import decide_without_judge, grade_all, put_to_judge
from tellapart.longcontext.grades import Grade
from tellapart.longcontext.transcript import PlayedStep

ANSWER = "N=342."
KEY = AnswerKey(
    {
        "C1-1": Expected("C1-1", ANSWER),
        "V1-1": Expected("V1-1", ANSWER),
        "V1-4": Expected("V1-4", "Use NOTABLE.", "Attention Sink"),
        "V2-1": Expected("V2-1", ANSWER),
    }
)
CASE = conversation(
    PlayedStep("M1", "message", None, "Study 1 had N=342 patients.", "I see."),
    played("N=342", id="C1-1"),
    played(None, id="V1-1", http_status=500),
    played("A notable result.", id="V1-4", mode="Attention Sink"),
    played("It was 99.", id="V2-1"),
    played("No idea.", id="V9-9"),
)


class Judge:
    """Says what it is told, and remembers what it was asked."""

    def __init__(self, *grades):
        self.asked = []
        self._grades = grades

    def __call__(self, probes):
        self.asked.append([probe.step.id for probe in probes])
        return [self._grades] * len(probes)


def told(grader, judge=None):
    return grade_all(decide_without_judge([CASE], KEY, {}, grader), judge=judge)


def test_a_judge_is_asked_once_for_what_needs_one_and_keeps_its_order():
    judge = Judge(Grade("PARTIAL", "hm", "x", "judge"))
    graded = told("judge", judge)
    assert judge.asked == [["C1-1", "V2-1"]]
    assert [one.grade.grader for one in graded] == ["judge", "rules", "rules", "judge", "rules"]
    assert graded[0].grade.category == graded[3].grade.category == "PARTIAL"


def test_with_auto_the_judge_is_asked_just_what_rules_cannot_tell():
    key = AnswerKey(KEY.by_id | {"V2-1": Expected("V2-1", "Because too few patients came.")})
    case = conversation(*CASE.steps[:-2], played("It ended early.", id="V2-1", question="Why did it end?"))
    judge = Judge(Grade("PARTIAL", "Half of it.", grader="judge"))
    decided = decide_without_judge([case], key, {}, "auto")
    graded = grade_all(decided, judge=judge)
    assert judge.asked == [["V2-1"]]
    assert [probe.step.id for probe in put_to_judge(decided)] == ["V2-1"]
    by_id = {one.step.id: one.grade for one in graded}
    assert (by_id["V2-1"].category, by_id["V2-1"].grader) == ("PARTIAL", "judge")
    assert (by_id["C1-1"].category, by_id["C1-1"].grader) == ("CORRECT", "rules")
