"""Messages whose reply stands in the case: history that is shown and not played."""

from dataclasses import replace

from longcontext.scripted import case, listen
from longcontext.test_play import log, said
from tellapart.longcontext.case import Expected
from tellapart.longcontext.plan import Playing
from tellapart.longcontext.probes import evidence_for
from tellapart.longcontext.transcript import PlayedCase, PlayedStep


def recorded(ids="M1 M2 V1-1", **replies):
    one = case(ids)
    return replace(one, steps=tuple(replace(s, reply=replies.get(s.id)) for s in one.steps))


def given(id_, text, reply, length=None):
    return PlayedStep(id_, "message", None, text, reply, conversation_length=length, given=True)


def test_a_given_reply_is_sent_as_history_and_not_asked_for():
    found, sent = listen(recorded(M1="old"), Playing(), said("a"), said("b"))
    assert sent == [
        ("small/M2", ["be brief", "text of M1", "old", "text of M2"]),
        ("small/V1-1", ["be brief", "text of M1", "old", "text of M2", "a", "text of V1-1"]),
    ]
    first = found.steps[0]
    assert (first.given, first.response, first.usage, first.http_status, first.timestamp) == (
        *(True, "old"),
        *(None, None, None),
    )
    assert [step.conversation_length for step in found.steps] == [2, 4, 6]
    assert log(found)[:2] == ["text of M1", "old"]


def test_a_given_reply_is_evidence_and_no_leak():
    steps = (
        given("M1", "What did they find?", "They found 4711 shards."),
        given("M2", "Fine.", "Good."),
        PlayedStep("V1", "verification", None, "How many shards?", ""),
    )
    expected = Expected("V1", "4711", evidence=("They found 4711 shards.",))
    found = evidence_for(PlayedCase("c", steps), 2, expected, 0.25)
    assert (found.nearest, found.missing, found.leaks) == ("M1", (), ())
    # "Fine.", two line ends and "Good." are 12 letters, a quarter of a token each.
    assert found.distance_tokens == 3
