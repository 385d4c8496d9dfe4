import pytest

from llm.asked import Number, right
from tellapart.llm.answers import AnswersOnDisk
from tellapart.llm.journal import CallJournal
from tellapart.llm.questions import Answer, Failure, Question


def question(number):
    return Question(f"q{number}", f"Which number? {number}", Number)


def call(number, **more):
    return {
        "model": "m",
        "messages": [{"role": "user", "content": question(number).prompt}],
        "reply": right(f"? {number}"),
        **more,
    }


@pytest.fixture
def journal(tmp_path):
    with CallJournal(tmp_path / "calls.jsonl") as journal:
        yield journal


def key(number):
    return f"{number:064x}"


def test_answers_are_read_from_the_journal_in_the_order_of_the_questions(journal):
    kept = AnswersOnDisk(journal)
    for number in range(3):
        kept.expect(question(number))
    for number in (2, 0, 1):
        journal.append(key(number), call(number))
        kept.keep(question(number), Answer(f"q{number}", Number(number=number, why=""), None), key(number))
    assert list(kept) == ["q0", "q1", "q2"]
    assert [kept[f"q{i}"].value.number for i in range(3)] == [0, 1, 2]
    assert (kept.answered, kept.failed, len(kept)) == (3, 0, 3)


def test_a_failure_is_read_from_the_journal_or_held_where_it_is_not_there(journal):
    kept, failure = AnswersOnDisk(journal), Failure("provider", "overloaded", "529")
    journal.append(key(0), call(0, failure=vars(failure)))
    kept.keep(question(0), Answer("q0", None, failure), key(0))
    unasked = Answer("q1", None, Failure("budget", "max_cost", ""))
    kept.keep(question(1), unasked, None)
    assert kept["q0"] == Answer("q0", None, failure)
    assert kept["q1"] is unasked
    assert kept.failed == 2


def test_a_question_without_an_answer_has_none(journal):
    kept = AnswersOnDisk(journal)
    kept.expect(question(0))
    with pytest.raises(KeyError, match="q0"):
        kept["q0"]
    with pytest.raises(KeyError, match="q1"):
        kept["q1"]
