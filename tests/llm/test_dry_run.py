import pytest

from llm.asked import Numbers, right
from tellapart.errors import InputError
from tellapart.llm.asking import call_key
from tellapart.llm.costs import Estimate, Tokens
from tellapart.llm.dry_run import estimate_cost
from tellapart.llm.journal import CallJournal
from tellapart.llm.models import LanguageModel

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
    found = look(tmp_path / "none.jsonl", price=(1.0, 2.0))
    assert (found.questions, found.answered, found.calibrated_on) == (4, 0, 0)
    assert found.expected == Tokens(
        4, 4 * CHARACTERS // 3, 40, pytest.approx((4 * CHARACTERS / 3 + 80) / 1e6)
    )
    assert list(tmp_path.iterdir()) == []


def test_what_was_answered_is_not_asked_again_and_sets_the_rates(tmp_path):
    journal = keep(tmp_path / "calls.jsonl", 0, **replied(tokens_in=5, tokens_out=20))
    keep(journal, 1, **replied(tokens_in=5, tokens_out=30))
    found = look(journal)
    # 15 characters were 5 tokens, and a reply was 25 tokens on average.
    assert (found.answered, found.calibrated_on) == (2, 2)
    assert found.expected == Tokens(2, 2 * CHARACTERS // 3, 50, None)


def test_what_failed_is_asked_again(tmp_path):
    failure = {"cause": "provider", "kind": "rate_limit", "detail": "429"}
    found = look(keep(tmp_path / "calls.jsonl", 2, failure=failure))
    assert (found.answered, found.expected.calls) == (0, 4)


def test_a_reply_that_needs_repair_is_left_to_ask_and_shows_its_tokens(tmp_path):
    usage = {"input_tokens": 5, "output_tokens": 8}
    found = look(keep(tmp_path / "calls.jsonl", 0, reply="no idea", usage=usage))
    assert (found.answered, found.expected.calls, found.calibrated_on) == (0, 4, 1)


def test_calls_of_an_earlier_run_are_known_too(tmp_path):
    failure = {"cause": "provider", "kind": "connection", "detail": "cut"}
    own = keep(tmp_path / "own.jsonl", 0, **replied())
    keep(own, 1, failure=failure)
    earlier = keep(tmp_path / "earlier.jsonl", 1, **replied())
    assert look(own).answered == 1
    assert look(own, earlier).answered == 2


def test_calls_that_were_asked_for_otherwise_say_nothing(tmp_path):
    warmer = LanguageModel("anthropic/claude-x", temperature=1.0, max_tokens=100)
    found = look(keep(tmp_path / "calls.jsonl", 0, model=warmer, **replied()))
    assert (found.answered, found.calibrated_on) == (0, 0)


def test_a_recording_is_asked_nothing(tmp_path):
    model = LanguageModel("anthropic/claude-x", recording=tmp_path / "not-looked-at")
    nothing = Tokens(0, 0, 0, 0.0)
    assert look(model=model) == Estimate(4, 4, nothing, nothing, 0)


def test_the_journal_is_the_same_afterwards_even_with_half_a_line(tmp_path):
    journal = keep(tmp_path / "calls.jsonl", 0, **replied())
    with journal.open("ab") as file:
        file.write(b'{"key": "ab')
    before = journal.read_bytes()
    assert look(journal).answered == 1
    assert journal.read_bytes() == before
    assert list(tmp_path.iterdir()) == [journal]


def test_a_journal_may_be_looked_at_while_another_process_writes_it(tmp_path):
    journal = keep(tmp_path / "calls.jsonl", 0, **replied())
    with CallJournal(journal):
        assert look(journal).answered == 1


def test_a_damaged_journal_is_told(tmp_path):
    (tmp_path / "calls.jsonl").write_text("not a call\n")
    with pytest.raises(InputError, match="calls.jsonl:1"):
        look(tmp_path / "calls.jsonl")
