import pytest

from llm.asked import Number, ask, calls, right, said
from llm.calls import at
from support.loopback import LoopbackServer, Reply
from tellapart.llm.asking import call_key, recorded
from tellapart.llm.budget import Limits
from tellapart.llm.journal import CallJournal, RecordedCalls
from tellapart.llm.models import LanguageModel
from tellapart.llm.questions import Question
from tellapart.offline import respond
from tellapart.store.database import RunDatabase

MODEL = LanguageModel("offline/learner")
asked = []


@respond("learner")
def learner(prompt):
    """Replies with prose until it is told what was wrong, and never learns about seven."""
    asked.append(prompt)
    if "?" in prompt:
        learner.number = said(prompt)
        return f"I think it is {learner.number}."
    return right(f"? {learner.number}") if learner.number != 7 else "Still seven."


@pytest.fixture(autouse=True)
def none_asked(keys):
    asked.clear()


def key(prompt="p", reply=Number, model=MODEL, replica=0):
    question = Question("q", prompt, reply, replica=replica)
    return call_key(question, model, [{"role": "user", "content": prompt}])


def test_a_call_is_known_by_all_that_is_sent_and_by_which_asking_it_is():
    class Other(Number):
        further: int

    others = [
        key(prompt="other"),
        key(reply=Other),
        key(replica=1),
        key(model=LanguageModel("offline/right")),
        key(model=LanguageModel("offline/learner", temperature=None)),
        key(model=LanguageModel("offline/learner", base_url="http://127.0.0.1:1")),
    ]
    assert len({key(), *others}) == 7
    assert key() == key(model=LanguageModel("offline/learner", max_retries=1, attempt_timeout_s=9))
    # Whatever the question is called.
    assert call_key(Question("another", "p", Number), MODEL, [{"role": "user", "content": "p"}]) == key()


def test_a_reply_that_cannot_be_read_is_asked_for_once_more(tmp_path):
    _, answers = ask(tmp_path, 1, MODEL)
    assert answers["q0"].value.number == 0
    assert answers["q0"].repaired
    first, second = calls(tmp_path)
    assert [message["role"] for message in second["messages"]] == ["user", "assistant", "user"]
    assert second["messages"][:2] == [*first["messages"], {"role": "assistant", "content": first["reply"]}]
    assert len(asked) == 2


def test_the_schema_of_a_reply_goes_with_the_question_and_its_repair_where_that_is_wanted(tmp_path):
    with LoopbackServer(["prose", right("? 0"), right("? 0")]) as server:
        ask(tmp_path / "with", 1, at(server, "openai/gpt-4o", response_schema=True))
        ask(tmp_path / "without", 1, at(server, "openai/gpt-4o"))
        formats = [request.body.get("response_format") for request in server.requests]
    assert [form and form["json_schema"]["name"] for form in formats] == ["Number", "Number", None]


def test_a_second_reply_that_cannot_be_read_is_the_end(tmp_path):
    _, answers = ask(tmp_path, 8, MODEL, limits=Limits(max_connections=1))
    assert (answers["q7"].failure.cause, answers["q7"].failure.kind) == ("parse", "not_json")
    assert answers["q7"].repaired
    assert len(asked) == 16
    ask(tmp_path, 8, MODEL)
    assert len(asked) == 16


def test_a_repair_that_was_cut_short_is_all_that_is_asked_again(tmp_path):
    ask(tmp_path, 1, MODEL)
    with RunDatabase(tmp_path / "calls.db") as database:
        database.remove("calls", calls(tmp_path)[-1]["key"])
    asked.clear()
    _, answers = ask(tmp_path, 1, MODEL)
    assert answers["q0"].repaired
    assert len(asked) == 1


@pytest.mark.parametrize(
    ("reply", "cause", "kind"),
    [
        (Reply(right("? 0"), stop="max_tokens"), "truncated", "max_tokens"),
        (Reply("I will not.", stop="refusal"), "refusal", "refusal"),
    ],
)
def test_what_was_cut_off_or_refused_is_neither_read_nor_asked_again(tmp_path, reply, cause, kind):
    with LoopbackServer([reply]) as server:
        for _ in range(2):
            _, answers = ask(tmp_path, 1, at(server, "anthropic/m"))
            assert (answers["q0"].failure.cause, answers["q0"].failure.kind) == (cause, kind)
        assert len(server.requests) == 1


def test_what_is_known_is_read_without_asking(tmp_path):
    ask(tmp_path, 1, MODEL)
    question = Question("q0", "Which number? 0", Number)
    with CallJournal(tmp_path / "calls.db") as journal:
        answer = recorded(question, MODEL, RecordedCalls([journal]))
        assert (answer.value.number, answer.repaired) == (0, True)
        unknown = Question("q1", "Which number? 1", Number)
        assert recorded(unknown, MODEL, RecordedCalls([journal])) is None
