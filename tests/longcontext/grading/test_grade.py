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


def test_a_judge_is_asked_for_what_needs_one_and_keeps_its_order():
    decided = decide_without_judge([CASE], KEY, {}, "judge")
    assert [probe.step.id for probe in put_to_judge(decided)] == ["C1-1", "V2-1"]
    graded = grade_all(decided, [[Grade(of, "", grader="judge")] for of in ("PARTIAL", "CORRECT")])
    assert [(one.step.id, one.grade.grader, one.grade.category) for one in graded] == [
        *(("C1-1", "judge", "PARTIAL"), ("V1-1", "rules", "ERROR"), ("V1-4", "rules", "PASS")),
        *(("V2-1", "judge", "CORRECT"), ("V9-9", "rules", "EVAL_ERROR")),
    ]
