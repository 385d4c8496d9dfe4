"""Which probes are graded, against which answers, and what the conversation held when they were asked."""

from longcontext.grading.judged_lines import conversation, played
from tellapart.longcontext.case import AnswerKey, Case, CaseStep, Expected
from tellapart.longcontext.graders import gradable_probes
from tellapart.longcontext.transcript import PlayedStep


def message(n, text="Material.", response="I see.", **more):
    return PlayedStep(f"M{n}", "message", None, text, response, **more)


KEY = AnswerKey({"C1-1": Expected("C1-1", "file"), "V1-1": Expected("V1-1", "file")})


def test_probes_behind_the_error_that_ended_a_conversation_are_there_without_a_response():
    written = Case(
        "c",
        None,
        (
            CaseStep("M1", "message", "Material."),
            CaseStep("C1-1", "checkpoint", "How many?", "Dilution"),
            CaseStep("M2", "message", "More."),
            CaseStep("V1-1", "verification", "Who?", "Recall"),
        ),
    )
    ended = message(2, "More.", None, http_status=402, error_message="No money", cause="provider")
    case = conversation(message(1), played(id="C1-1"), ended, name="c")
    asked, never = gradable_probes([case], KEY, {"c": written})
    assert asked.position == 1
    assert never.position is None
    assert never.material == []
    assert never.expected == KEY.by_id["V1-1"]
    assert never.step == PlayedStep(
        "V1-1",
        "verification",
        "Recall",
        "Who?",
        None,
        http_status=402,
        error_message="never asked: the conversation ended at M2 (No money)",
        cause="provider",
    )
    # Of a conversation that went to its end, or of which no case is known, nothing is made up.
    whole = conversation(message(1), played(id="C1-1"), name="c")
    assert len(list(gradable_probes([whole], KEY, {"c": written}))) == 1
    assert len(list(gradable_probes([case], KEY, {"d": written}))) == 1
