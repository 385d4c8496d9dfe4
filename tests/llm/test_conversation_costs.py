import pytest

from llm.calls import at
from tellapart.llm.conversation import Conversation
from tellapart.llm.conversation_costs import estimate_conversations
from tellapart.llm.journal import CallJournal
from tellapart.llm.models import LanguageModel
from tellapart.llm.replay import replayed_models
from tellapart.llm.talking import hold_all
from tellapart.testing.loopback import LoopbackServer, Reply

MODEL = LanguageModel("offline/nobody", max_tokens=50)

pytestmark = pytest.mark.usefixtures("keys")


def talk(texts, model=MODEL):
    async def play(speaker):
        conversation = Conversation.begin(model, None)
        for text in texts:
            _, conversation = await speaker.say(conversation, text, "t")

    return play


def foresee(plays, model=MODEL, journals=(), price=(1.0, 2.0)):
    return estimate_conversations(plays, model, journals, reply_characters=30, price=price)


def test_each_turn_sends_what_came_before_again():
    # Turns of 60 letters and replies of 30, or 10 tokens of three letters: 60, 150 and 240 letters are 150
    # tokens in, and 30 out. A hundredth of a cent is 150 + 2 * 30 millionths.
    found = foresee([talk(["x" * 60] * 3)])
    assert (found.questions, found.answered, found.calibrated_on) == (3, 0, 0)
    expected = found.expected
    assert (expected.calls, expected.input_tokens, expected.output_tokens) == (3, 150, 30)
    assert expected.cost == pytest.approx(210e-6)
    # Replies of 50 tokens, two letters each: 60, 220 and 380 letters are 330 tokens; 150 out.
    most = found.at_most
    assert (most.calls, most.input_tokens, most.output_tokens) == (3, 330, 150)
    assert most.cost == pytest.approx(630e-6)


def test_a_play_that_grows_to_a_length_takes_fewer_calls_with_long_replies_and_no_less_at_most():
    async def grow(speaker):
        conversation, peak = Conversation.begin(MODEL, None), 0
        while peak < 100:
            said, conversation = await speaker.say(conversation, "x" * 30, "t")
            peak = said.tokens.prompt + said.tokens.completion

    # Each turn and its reply are 20 tokens, 65 at most.
    found = foresee([grow])
    assert (found.expected.calls, found.at_most.calls) == (5, 5)
    assert found.expected.output_tokens == 50
    assert found.at_most.output_tokens == 100
    assert found.at_most.input_tokens >= found.expected.input_tokens


def test_without_a_price_there_is_no_cost():
    assert foresee([talk(["x"])], price=None).expected.cost is None
    assert foresee([], price=None).expected.cost == 0.0


def test_what_is_known_costs_nothing_and_says_how_long_tokens_are(tmp_path):
    # 60 letters are 30 tokens: two letters a token, where three were the guess; a reply of 6 letters has 4.
    with LoopbackServer([Reply("a reply", usage=(30, 4))]) as server:
        model = at(server, "deepseek/deepseek-chat", max_tokens=50)
        with CallJournal(tmp_path / "calls.jsonl") as journal:
            hold_all([talk(["x" * 60], model)], model, journal, logs=tmp_path / "logs")
        found = foresee([talk(["x" * 60, "y" * 33], model)], model, [tmp_path / "calls.jsonl"])
        assert len(server.requests) == 1
    assert (found.questions, found.answered, found.calibrated_on) == (2, 1, 1)
    # 60 + 7 + 33 letters are left to send.
    assert (found.expected.calls, found.expected.input_tokens, found.expected.output_tokens) == (1, 50, 4)
    assert (found.at_most.input_tokens, found.at_most.output_tokens) == (50, 50)


def test_a_recording_is_asked_nothing(tmp_path):
    with LoopbackServer(["a"]) as server:
        model = at(server, "deepseek/deepseek-chat")
        with CallJournal(tmp_path / "calls.jsonl") as journal:
            hold_all([talk(["x"], model)], model, journal, logs=tmp_path / "logs")
    (recorded,) = replayed_models(f"replay:{tmp_path}")
    found = foresee([talk(["x"], recorded), talk(["lacking"], recorded)], recorded)
    assert (found.questions, found.expected.calls, found.expected.cost) == (2, 0, 0.0)
