import pytest

from tellapart.llm.conversation import Conversation, TokenCounts, after, reply_of_call
from tellapart.llm.models import LanguageModel
from tellapart.llm.questions import Failure

MODEL = LanguageModel("offline/m")
TIMES = {"sent": "2026-01-01T00:00:00.000+00:00", "time": "2026-01-01T00:00:01.250+00:00"}
# 2026-01-01 is 20,454 days after 1970-01-01: 56 years of 365 days and 14 leap days.
NEW_YEAR_MS = (56 * 365 + 14) * 86_400_000


def begin(model=MODEL, system="be brief", **how):
    return Conversation.begin(model, system, **how)


def reply(text, stop="stop", **facts):
    return {**TIMES, "attempts": 1, "reply": text, "stop_reason": stop, **facts}


def test_every_part_of_what_is_sent_is_in_the_key():
    base = begin().grown("one", "two")
    others = [
        begin(LanguageModel("offline/m", temperature=0.3)).grown("one", "two"),
        begin(system="be long").grown("one", "two"),
        begin(system=None).grown("one", "two"),
        begin(replica=1).grown("one", "two"),
        begin().grown("One", "two"),
        begin().grown("one", "Two"),
        begin().grown("one", "two").grown("one", "two"),
        begin(),
        # The same letters, cut elsewhere.
        begin().grown("onet", "wo"),
    ]
    keys = {other.key("three") for other in [base, *others]} | {base.key("four")}
    assert len(keys) == len(others) + 2
    assert begin().grown("one", "two").key("three") == base.key("three")
    assert all(len(bytes.fromhex(key)) == 32 for key in keys)


def test_a_reply_has_its_facts():
    found = reply_of_call(
        reply("yes", usage={"input_tokens": 120, "output_tokens": 7}, cached={"read_tokens": 100})
    )
    assert (found.text, found.failure, found.status, found.stop_reason) == ("yes", None, 200, "stop")
    assert found.tokens == TokenCounts(120, 7, 100)
    assert (found.tokens.cache_hit, found.tokens.cache_miss) == (100, 20)
    assert (found.sent_ms, found.received_ms) == (NEW_YEAR_MS, NEW_YEAR_MS + 1250)


@pytest.mark.parametrize(
    ("stop", "unread"),
    [
        ("max_tokens", {"cause": "truncated", "kind": "max_tokens", "detail": "cut off"}),
        ("content_filter", {"cause": "refusal", "kind": "refusal", "detail": "no"}),
    ],
)
def test_text_that_ended_early_is_a_reply_all_the_same(stop, unread):
    usage = {"input_tokens": 9, "output_tokens": 3}
    found = reply_of_call(reply("I would say", stop, unread=unread, usage=usage))
    assert (found.text, found.failure, found.stop_reason) == ("I would say", None, stop)
    empty = reply_of_call(reply(" \n", stop, unread=unread, usage=usage))
    assert (empty.text, empty.failure, empty.status) == (None, Failure(**unread), 200)


def test_an_empty_reply_is_none_and_says_how_it_ended():
    found = reply_of_call(reply(""))
    why = Failure("parse", "empty", "the reply was empty, and ended with 'stop'")
    assert (found.text, found.failure, found.stop_reason) == (None, why, "stop")
    conversation = begin()
    assert after(conversation, "one", found) is conversation


@pytest.mark.parametrize(
    ("text", "status"), [("prompt is too long", 400), ("Error code: 413 - {'error': 1}", 413)]
)
@pytest.mark.parametrize("stop", ["model_length", "content_filter"])
def test_an_error_that_inspect_made_into_a_reply_is_none(text, status, stop):
    unread = {"cause": "truncated", "kind": "context_length", "detail": text}
    found = reply_of_call(reply(text, stop, unread=unread))
    assert (found.text, found.status, found.failure.detail, found.stop_reason) == (None, status, text, None)
