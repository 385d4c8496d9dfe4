import asyncio
from dataclasses import replace

import pytest

from longcontext.scripted import Listed, case, listen
from tellapart.llm.conversation import TokenCounts, TurnReply
from tellapart.llm.models import LanguageModel
from tellapart.llm.questions import Failure
from tellapart.longcontext.case import AnswerKey, Expected
from tellapart.longcontext.design import Playing
from tellapart.longcontext.play import play_alone
from tellapart.longcontext.transcript import results_json

ERROR = Failure("provider", "bad_request", "402: pay")


def said(text="ok", prompt=100, completion=10, at=0, **facts):
    return TurnReply(text, None, 200, "stop", TokenCounts(prompt, completion), at, at + 5, **facts)


def failed(status=402, why=ERROR, at=0):
    return TurnReply(None, why, status, None, None, at, at + 5)


def empty(stop="stop", why=None):
    return TurnReply(None, why or Failure("parse", "empty", "empty"), 200, stop, TokenCounts(9, 0), 0, 5)


def log(found):
    return [turn["content"] for turn in results_json([found])["cases"][0]["conversationLog"]]


def ids(found):
    return " ".join(step.id for step in found.steps)


def test_the_answer_of_a_probe_is_kept_without_reasoning_and_sent_back_as_it_came():
    replies = [said("<think>Hm.</think>Noted."), said("<think>341? No.</think>342"), said("b")]
    found, sent = listen(case("M1 C1-1 V1-1"), Playing(), *replies)
    assert [step.response for step in found.steps] == ["<think>Hm.</think>Noted.", "342", "b"]
    assert sent[2][1][2:] == [
        "<think>Hm.</think>Noted.", "text of C1-1", "<think>341? No.</think>342", "text of V1-1"
    ]  # fmt: skip


def test_messages_are_repeated_while_the_peak_is_under_the_target():
    # Prompt and reply together: 110, 210, then 299 of the first repeat and 300 of the second, which ends it.
    replies = [said(prompt=n - 10) for n in (110, 210, 299, 300, 400)]
    found, sent = listen(case("M1 C1-1 M2 V1-1"), Playing(300), *replies, said())
    assert ids(found) == "M1 M2 M1-R1 M2-R1 C1-1 V1-1"
    assert sent[2][1][-1] == "REPEAT: text of M1"
    assert found.steps[2].is_repeat


def test_a_fork_is_in_nobodys_context():
    replies = [said("a"), said("b", 200), said("c"), said("d"), said("e")]
    found, sent = listen(case("M1 C1-1 C1-2 M2 V1-1"), Playing(fork_probes=True), *replies)
    held = ["be brief", "text of M1", "a"]
    assert [messages for _, messages in sent[1:]] == [
        [*held, "text of C1-1"],
        [*held, "text of C1-2"],
        [*held, "text of M2"],
        [*held, "text of M2", "d", "text of V1-1"],
    ]
    assert [step.forked for step in found.steps] == [False, True, True, False, True]
    assert [step.conversation_length for step in found.steps] == [2, 2, 2, 4, 4]
    assert (log(found), found.peak_tokens) == (["text of M1", "a", "text of M2", "d"], 210)


@pytest.mark.parametrize("fork", [False, True])
def test_an_error_stops_the_case_and_its_turn_is_not_left_behind(fork):
    found, sent = listen(case("M1 C1-1 M2 V1-1"), Playing(fork_probes=fork), said("a"), failed())
    assert len(sent) == 2
    step = found.steps[-1]
    assert (step.response, step.http_status, step.error_message, step.cause) == (
        *(None, 402, "402: pay", "provider"),
    )
    assert (step.usage, step.conversation_length) == (None, 2)
    assert log(found) == ["text of M1", "a"]
    assert [step.id for step in found.not_asked] == ["M2", "V1-1"]


def test_a_probe_without_a_reply_is_taken_back_and_the_rest_goes_on():
    replies = [said("a"), empty("content_filter", Failure("refusal", "refusal", "")), said("c")]
    found, sent = listen(case("M1 C1-1 V1-1"), Playing(), *replies)
    assert sent[2][1] == ["be brief", "text of M1", "a", "text of V1-1"]
    step = found.steps[1]
    assert (step.response, step.cause, step.conversation_length) == (None, "refusal", 2)
    assert (step.stop_reason, found.not_asked) == ("content_filter", ())


def alone(one, control, key, *replies):
    speaker = Listed(*replies)
    found = asyncio.run(play_alone(one, control, key, LanguageModel("offline/m"), speaker, epoch=2))
    return found, speaker.sent


def test_a_closed_book_asks_each_probe_with_nothing_before_it():
    found, sent = alone(case("M1 C1-1 M2 V1-1"), "closed-book", None, failed(), said("b"))
    assert sent == [(f"small/{id_}", ["be brief", f"text of {id_}"]) for id_ in ("C1-1", "V1-1")]
    assert (ids(found), [step.forked for step in found.steps]) == ("C1-1 V1-1", [True] * 2)
    case_json = results_json([found])["cases"][0]
    assert (case_json["control"], case_json["epoch"], case_json["conversationLog"]) == ("closed-book", 2, [])


def test_an_oracle_shows_the_evidence_above_the_question_in_one_turn():
    shown = [Expected("V1-1", "342", evidence=("text of M1", "text of M3")), Expected("V1-2", "Norda")]
    key = AnswerKey({expected.id: expected for expected in shown})
    one = case("M1 V1-1 M2 M3 V1-2 V1-3 V1-4")
    sink = replace(one.steps[-1], failure_mode="Attention Sink - check")
    found, sent = alone(replace(one, steps=(*one.steps[:-1], sink)), "oracle", key, said(), said())
    assert [messages[1] for _, messages in sent] == [
        "text of M1\n\ntext of M3\n\ntext of V1-1", "text of V1-4"
    ]  # fmt: skip
    assert [(step.cause, step.error_message) for step in found.steps] == [
        (None, None),
        ("infeasible", "not asked: no message holds its evidence"),
        ("infeasible", "not asked: no right answer is known"),
        (None, None),
    ]
