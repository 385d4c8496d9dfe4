"""The record of a grading: every key of its contract, with what it stands for."""

from longcontext.grading.judged_lines import conversation, played
from tellapart.longcontext.case import AnswerKey, Expected
from tellapart.longcontext.grades import Grade
from tellapart.longcontext.grading_record import grading_record
from tellapart.longcontext.probes import Probe
from tellapart.longcontext.transcript import PlayedStep, Usage
from tellapart.longcontext.truncation import Scan, Truncation

MESSAGE = PlayedStep("M1", "message", None, "Material.", "I see.", Usage(90, 10), 200, conversation_length=2)
PROBE = played(
    "N=12",
    id="C2-1",
    mode=None,
    question="Quick recall check: How large?",
    usage=Usage(120, 5),
    http_status=200,
    conversation_length=4,
)
FAILED = played(None, id="V2-1", http_status=500, error_message="down", conversation_length=4, forked=True)
EXPECTED = Expected("C2-1", "N=342.", "Attention Dilution", evidence=("Material",), intended_tokens=4_000)
JUDGED = (
    Grade("PARTIAL", "One is wrong.", "12", "judge", judging=1),
    Grade("CORRECT", "Fine.", "", "judge", judging=0),
)


def record(*, key=None, **more):
    case = conversation(MESSAGE, PROBE, FAILED, name="case_2_long", epoch=1)
    cut = Truncation("C2-1", 90, 120, 130, 4, "shortfall")
    graded = [
        Probe(case, 1, PROBE, EXPECTED, rate=1.0, grades=JUDGED),
        Probe(case, 2, FAILED, None, grades=(Grade("ERROR", "No response.", missing="provider"),)),
    ]
    key = key or AnswerKey({"C2-1": EXPECTED})
    found = grading_record([case], [Scan((cut,), ("V2-1",))], graded, key=key, **more)
    return found.model_dump(mode="json")


def test_a_case_by_hand():
    (case,) = record()["cases"]
    assert {name: case[name] for name in ("model", "name", "epoch", "control", "steps", "messages")} == {
        "model": "m",
        "name": "case_2_long",
        "epoch": 1,
        "control": None,
        "steps": 3,
        "messages": 4,
    }
    # 120 and 5 together; what the key intends for its probes; one without a response.
    assert (case["peak_tokens"], case["expected_tokens"], case["failed_steps"]) == (125, 4_000, 1)
    assert case["statuses"] == {"200": 2, "500": 1}
    assert case["tokens"][2] == {
        "step": "V2-1",
        "type": "verification",
        "prompt_tokens": None,
        "forked": True,
        "repeat": False,
        "conversation_length": 4,
    }
    (cut,) = case["truncations"]
    assert {"model", "case", "epoch"}.isdisjoint(cut)
    assert (cut["step_id"], cut["rule"], cut["expected_prompt_tokens"]) == ("C2-1", "shortfall", 130)
    assert case["unknown"] == ["V2-1"]


def test_a_probe_by_hand():
    probe, failed = record()["probes"]
    assert probe == {
        "model": "m",
        "case": "case_2_long",
        "epoch": 1,
        "step_id": "C2-1",
        "type": "checkpoint",
        "failure_mode": "Attention Dilution",
        "rule": "facts",
        "item": "how large?",
        "question": "Quick recall check: How large?",
        "expected": "N=342.",
        "response": "N=12",
        "http_status": 200,
        "error": None,
        "category": "PARTIAL",
        "value": 0.5,
        "reason": "One is wrong.",
        "key_detail": "12",
        "grader": "judge",
        "note": None,
        "missing": None,
        "correct": None,
        "of": None,
        "context_tokens": 120,
        "intended_tokens": 4_000,
        # The full stop and the reply come after the evidence, and the evidence after nothing.
        "distance_tokens": 7,
        "depth": 8 / 15,
        "judgings": ["CORRECT", "PARTIAL"],
        "banned": None,
        "decidable": True,
        "intended_most_tokens": None,
        "failure": None,
    }
    assert list(failed) == list(probe)
    assert (failed["category"], failed["missing"], failed["error"]) == ("ERROR", "provider", "down")
    assert failed["expected"] is failed["context_tokens"] is None
    assert failed["judgings"] == []
