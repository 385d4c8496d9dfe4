import pytest

from llm.asked import Numbers, right
from llm.calls import at
from support.loopback import LoopbackServer, Reply
from tellapart.llm.asking import call_key
from tellapart.llm.conversation import Conversation
from tellapart.llm.costs import Estimate, Tokens, estimate_conversations, estimate_cost
from tellapart.llm.journal import CallJournal
from tellapart.llm.models import LanguageModel
from tellapart.llm.run_models import RunCalls

pytestmark = pytest.mark.usefixtures("keys")

MODEL = LanguageModel("anthropic/claude-x", max_tokens=100)
FOUR = Numbers(4)
# "Which number? 0" and its three like.
CHARACTERS = 15


def keep(path, number, model=MODEL, **call):
    """Write the call for the question of that number into a journal."""
    question = list(FOUR)[number]
    messages = [{"role": "user", "content": question.prompt}]
    with CallJournal(path) as journal:
        found = {"model": model.name, "messages": messages, "stop_reason": "stop", **call}
        journal.append(call_key(question, model, messages), found)
    return path


def replied(tokens_in=5, tokens_out=20):
    return {
        "reply": right("Which number? 1"),
        "usage": {"input_tokens": tokens_in, "output_tokens": tokens_out},
    }


def look(*journals, model=MODEL, price=None):
    return estimate_cost(FOUR, model, journals, reply_characters=30, price=price)


def test_without_a_journal_everything_is_left_to_ask(tmp_path):
    found = look(tmp_path / "none.db", price=(1.0, 2.0))
    assert (found.questions, found.answered) == (4, 0)
    assert found.expected == Tokens(
        4, 4 * CHARACTERS // 3, 40, pytest.approx((4 * CHARACTERS / 3 + 80) / 1e6)
    )
    # At most, in: the prompts twice and 600 characters of repair each, at two characters a token, and the
    # first replies, 100 tokens each, once more.
    most = (2 * 4 * CHARACTERS + 4 * 600) // 2 + 400
    assert found.at_most == Tokens(8, most, 800, pytest.approx((most + 1600) / 1e6))
    assert list(tmp_path.iterdir()) == []


def test_what_was_answered_is_not_asked_again_but_what_was_no_answer_is(tmp_path):
    journal = keep(tmp_path / "run.db", 0, **replied())
    keep(journal, 1, **replied())
    keep(journal, 2, reply="no idea")
    found = look(journal)
    assert found.answered == 2
    assert found.expected == Tokens(2, 2 * CHARACTERS // 3, 20, None)


def test_calls_of_an_earlier_run_are_known_too(tmp_path):
    failure = {"cause": "provider", "kind": "connection", "detail": "cut"}
    own = keep(tmp_path / "own.db", 0, **replied())
    keep(own, 1, failure=failure)
    earlier = keep(tmp_path / "earlier.db", 1, **replied())
    assert look(own).answered == 1
    assert look(own, earlier).answered == 2
    # What an earlier run has of no use is asked for again where only usable replies count.
    useless = keep(tmp_path / "useless.db", 2, reply="no idea", usage={"input_tokens": 5, "output_tokens": 2})
    keep(useless, 3, **replied())
    found = estimate_cost(
        FOUR, MODEL, [own], reply_characters=30, price=None, reuse=[useless], only_usable=True
    )
    assert (found.answered, found.expected.calls) == (2, 2)


def test_a_recording_is_asked_nothing(tmp_path):
    model = LanguageModel("anthropic/claude-x", recording=tmp_path / "not-looked-at")
    nothing = Tokens(0, 0, 0, 0.0)
    assert look(model=model) == Estimate(4, 4, nothing, nothing)


TALKER = LanguageModel("offline/nobody", max_tokens=50)


def talk(texts, model=TALKER):
    async def play(speaker):
        conversation = Conversation.begin(model, None)
        for text in texts:
            _, conversation = await speaker.say(conversation, text, "t")

    return play


def estimated(plays, model=TALKER, journals=(), price=(1.0, 2.0)):
    return estimate_conversations(plays, model, journals, reply_characters=30, price=price)


def test_each_turn_sends_what_came_before_again():
    # Turns of 60 letters and replies of 30, or 10 tokens of three letters: 60, 150 and 240 letters are 150
    # tokens in, and 30 out. A hundredth of a cent is 150 + 2 * 30 millionths.
    found = estimated([talk(["x" * 60] * 3)])
    assert (found.questions, found.answered) == (3, 0)
    expected = found.expected
    assert (expected.calls, expected.input_tokens, expected.output_tokens) == (3, 150, 30)
    assert expected.cost == pytest.approx(210e-6)
    # Replies of 50 tokens, two letters each: 60, 220 and 380 letters are 330 tokens; 150 out.
    most = found.at_most
    assert (most.calls, most.input_tokens, most.output_tokens) == (3, 330, 150)
    assert most.cost == pytest.approx(630e-6)


def test_what_an_earlier_turn_sent_is_expected_in_a_cache():
    # Turns of 9,000 letters are 3,000 tokens, replies 10: prompts of 3,000, 6,010 and 9,020 tokens. The
    # second begins with the first, the third with the second.
    grown = estimated([talk(["x" * 9000] * 3)], price=(1.0, 2.0, 0.1))
    assert grown.expected.input_tokens == 18_030
    assert grown.expected.cost == pytest.approx((9_020 + 901 + 60) / 1e6)
    assert estimated([talk(["x" * 9000] * 3)]).expected.cost == pytest.approx((18_030 + 60) / 1e6)
    most = grown.at_most
    assert most.cost == pytest.approx((most.input_tokens + 2 * most.output_tokens) / 1e6)
    # Another conversation begins anew, even with the same words.
    twice = estimated([talk(["x" * 9000] * 3)] * 2, price=(1.0, 2.0, 0.1))
    assert twice.expected.cost == pytest.approx(2 * grown.expected.cost)


def test_turns_that_are_known_cost_nothing(tmp_path):
    with LoopbackServer([Reply("a reply", usage=(30, 4))]) as server:
        model = at(server, "deepseek/deepseek-chat", max_tokens=50)
        with RunCalls(tmp_path).opened() as calls:
            calls.hold([talk(["x" * 60], model)], model)
        found = estimated([talk(["x" * 60, "y" * 32], model)], model, [tmp_path / "calls.db"])
        assert len(server.requests) == 1
    assert (found.questions, found.answered) == (2, 1)
    # 60 + 7 + 32 letters are left to send, of three a token; two at most.
    assert (found.expected.calls, found.expected.input_tokens, found.expected.output_tokens) == (1, 33, 10)
    assert (found.at_most.input_tokens, found.at_most.output_tokens) == (50, 50)
