"""Each check on a small experiment that has, and on one that has not, what it looks for."""

from dataclasses import replace

import pytest

from tellapart.longcontext.case import AnswerKey, Case, CaseStep, Expected
from tellapart.longcontext.lint import lint, lint_inputs
from tellapart.longcontext.transcript import PlayedCase, PlayedStep, Results, Usage

FILLER = "The weather was mild and nothing happened. " * 40
ZHANG = "Study 1. Zhang: 342 adults."
ASK = "How many adults were in Study 1 (Zhang et al.)?"
KEY = AnswerKey({"V1": Expected("V1", answer="N=342."), "C1": Expected("C1", answer="N=342.")})


def case(*steps, name="made", system="Be brief.", note="", tokens=None):
    """A case of (id, text) or (id, text, failure mode)."""
    kinds = {"M": "message", "C": "checkpoint", "V": "verification"}
    made = tuple(CaseStep(id_, kinds[id_[0]], text, *(mode or ["Recall"])) for id_, text, *mode in steps)
    return Case(name, system, made, note, tokens, f"/somewhere/{name}.txt")


def played(*steps, name="made", prompts=None, **values):
    """Steps of (id, text, reply), clean in what they count unless ``prompts`` says otherwise."""
    kinds = {"M": "message", "C": "checkpoint", "V": "verification"}
    held, made = 50, []
    for number, (id_, text, reply) in enumerate(steps):
        prompt = prompts[number] if prompts else held + len(text) // 4
        held = held + len(text) // 4 + len(reply or "") // 4
        usage = Usage(prompt, len(reply or "") // 4) if reply is not None else None
        made.append(PlayedStep(id_, kinds[id_[0]], "Recall", text, reply, usage, 200, None, 2 * number + 2))
    return Results([PlayedCase(name, tuple(made), **values)])


def found(check, *given, **more):
    """Severity, step and message of what one check finds."""
    return [(f.severity, f.step, f.message) for f in lint(lint_inputs(*given, **more)) if f.check == check]


def steps(check, *arguments, **options):
    return [(severity, step) for severity, step, _ in found(check, *arguments, **options)]


def test_evidence_after_the_question_is_said_to_be():
    late = case(("M1", "Study 2. Li: 9."), ("V1", ASK), ("M2", ZHANG))
    ((severity, step, message),) = found("answerability", [late], key=KEY)
    assert (severity, step) == ("error", "V1")
    assert "M2 shows it only after the question" in message
    assert found("answerability", [case(("M2", ZHANG), ("V1", ASK))], key=KEY) == []


def test_order_is_of_cases_that_ask_for_repeats():
    note = 'Repeat messages with prefix "REPEAT:"'
    steps_ = (("M1", ZHANG), ("C1", ASK), ("V1", ASK))
    asking = case(*steps_, note=note, tokens=5000)
    assert steps("order", [asking], key=KEY) == [("error", "C1"), ("error", "V1")]
    assert steps("order", [asking], key=KEY, probes_last=True) == []
    assert steps("order", [replace(asking, intended_tokens=10)], key=KEY) == []
    assert steps("order", [case(*steps_, note="Have fun", tokens=5000)], key=KEY) == []


def test_a_cut_is_told_where_it_begins_and_how_long_it_lasts():
    turns = [(f"M{n}", FILLER, "ok") for n in range(30)]
    clean = [50 + 430 * (n + 1) for n in range(30)]
    assert found("truncation", [], [played(*turns, prompts=clean)]) == []
    cut = [min(n, 5800) for n in clean]
    ((severity, step, message),) = found("truncation", [], [played(*turns, prompts=cut)])
    # prompts are 480 + 430 n: step 12 has 5,640, and step 13 would have 6,070
    assert (severity, step) == ("error", "M13")
    assert "again at" in message and "up to M29" in message
    ((*_, message),) = found("truncation", [], [played(*turns[:15], prompts=cut[:15])])
    assert "and again at 1 step up to M14" in message


@pytest.mark.parametrize(
    ("lengths", "at"), [((2, 3, 5), "M3"), ((2, 3, 3), None), ((2, 2, 4), None), ((2, None, 5), None)]
)
def test_a_failed_turn_that_stays_makes_two_user_turns_in_a_row(lengths, at):
    (one,) = played(("M1", FILLER, "ok"), ("M2", FILLER, None), ("M3", FILLER, "ok")).cases
    made = tuple(replace(s, conversation_length=n) for s, n in zip(one.steps, lengths, strict=True))
    assert steps("roles", [], [Results([replace(one, steps=made)])]) == ([("error", at)] if at else [])


def test_sums_are_compared_with_the_rows():
    turns = (("M1", "abcd" * 10, "abcd" * 5), ("V1", "abcd" * 10, None))
    right = (("totalSteps", 2), ("failedSteps", 1), ("totalMessages", 4), ("peakTokens", 65))
    assert found("summary", [], [played(*turns, recorded=right)]) == []
    wrong = (("totalSteps", 2), ("failedSteps", 0), ("peakTokens", 900))
    ((severity, _, message),) = found("summary", [], [played(*turns, recorded=wrong)])
    assert severity == "warning"
    assert "failedSteps is recorded as 0, and its steps give 1" in message
    assert "peakTokens is recorded as 900, and its steps give 65" in message
    assert "totalSteps" not in message


def test_the_same_question_again_is_one_item():
    one = case(("M1", ZHANG), ("C1", "Quick recall check: " + ASK), ("V1", "Final recall: " + ASK))
    assert steps("same-item", [one], key=KEY) == [("warning", "C1"), ("warning", "V1")]
    assert steps("same-item", [case(("M1", ZHANG), ("V1", ASK))], key=KEY) == []
    again = [played(("M1", ZHANG, "ok"), ("V1", ASK, "342"), epoch=n) for n in range(3)]
    assert steps("same-item", [], again, KEY) == []


def test_a_reply_that_will_stay_leaks_and_forks_help():
    one = case(("M1", ZHANG), ("C1", ASK), ("V1", ASK))
    assert steps("self-leak", [one], key=KEY) == [("warning", "V1")]
    run = played(("M1", ZHANG, "ok"), ("C1", ASK, "342"), ("V1", ASK, "342"))
    assert steps("self-leak", [one], [run], KEY) == [("warning", "V1")]
    forked = tuple(replace(s, forked=s.is_probe) for s in run.cases[0].steps)
    assert steps("self-leak", [one], [Results([replace(run.cases[0], steps=forked)])], KEY) == []


def test_a_question_that_states_its_answer_is_an_error():
    assert steps("self-leak", [case(("M1", ZHANG), ("V1", "Study 1: N=342?"))], key=KEY) == [("error", "V1")]
    trap = AnswerKey({"V1": Expected("V1", answer="Study 1 did not enrol 500.")})
    assert steps("self-leak", [case(("M1", ZHANG), ("V1", "Did Study 1 enrol 500?"))], key=trap) == []


@pytest.mark.parametrize(
    ("copy", "severity"),
    [("Again: " + ZHANG, "error"), ("REPEAT: " + ZHANG, "warning"), ("Study 3. Li.", None)],
)
def test_evidence_that_is_pasted_next_to_the_question(copy, severity):
    made = case(("M1", ZHANG), ("M2", FILLER), ("M3", copy), ("V1", ASK))
    assert steps("repeats", [made], key=KEY) == ([(severity, "V1")] if severity else [])
    near = case(("M1", ZHANG), ("M3", "Again: " + ZHANG), ("V1", ASK))
    assert steps("repeats", [near], key=KEY) == [("warning", "V1")]


def test_contexts_are_compared_with_what_was_meant():
    key = AnswerKey({"V1": Expected("V1", answer="N=342.", intended_tokens=1000)})
    turns = [("M1", FILLER, "ok"), ("V1", ASK, "342")]
    for tokens, short in ((749, True), (751, False), (1333, False), (1334, True)):
        run = played(*turns, prompts=[400, tokens])
        assert sum(severity == "warning" for severity, _ in steps("coverage", [], [run], key)) == int(short)
    run = played(*turns, prompts=[400, 500])
    told = [message for severity, _, message in found("coverage", [], [run], key) if severity == "info"]
    assert "900-1K 50 % (n=1)" in told[0] and "800-900 no probe" in told[0]


def control(kind, reply, answer="N=342.", question=ASK, **values):
    step = PlayedStep("V1", "verification", "Recall", question, reply)
    results = Results([PlayedCase("made", (step,), model="m", control=kind)])
    return found("controls", [], [results], AnswerKey({"V1": Expected("V1", answer=answer, **values)}))


def test_controls_say_what_can_be_guessed_and_what_not_be_answered():
    assert control("closed-book", "It was 342.")[0][:2] == ("error", "V1")
    assert control("closed-book", "I do not know.") == []
    assert control("oracle", "It was 342.", question=f"{ZHANG}\n\n{ASK}") == []
    assert control("oracle", "I cannot find it.")[0][:2] == ("error", "V1")
    assert control("oracle", None) == []
    assert control("closed-book", "It is good.", rule="sink") == []


def test_probes_and_answers_without_a_partner():
    key = AnswerKey({**KEY.by_id, "V9": Expected("V9", answer="1")})
    made = case(("M1", ZHANG), ("V1", ASK), ("V2", "Why?"))
    assert steps("answers", [made], key=key) == [("warning", "V2"), ("info", "C1"), ("info", "V9")]
    assert steps("answers", [made]) == []
