"""What a question asks for of its key, and that a response which lacks it is not right."""

import pytest

from tellapart.longcontext.case import Expected
from tellapart.longcontext.rules.answer_spec import answer_spec
from tellapart.longcontext.rules.by_facts import grade_answer


def spec(question, key):
    return answer_spec(question, Expected("V1", key))


def grade(question, key, response):
    return grade_answer(question, response, Expected("V1", key), []).category


def test_hours_without_a_sign_of_their_own_are_asked_for_by_when():
    question, key = "When does the carpenter come?", "On the 22nd, between 8 and 10."
    assert spec(question, key).unasked == ()
    right = ["The 22nd, between 8 and 10.", "On the 22nd, from eight to ten", "The 22nd, 8:00 to 10:00"]
    assert {grade(question, key, response) for response in right} == {"CORRECT"}
    assert grade(question, key, "On the 22nd, between 2 and 4.") != "CORRECT"


def test_what_is_not_an_hour_is_not_asked_for_by_when():
    assert spec("When did she move in?", "In May 2021, with 8 boxes.").unasked == ("8",)


@pytest.mark.parametrize(
    ("question", "key", "asked", "unasked"),
    [
        ("Which version do we run?", "15.4", ["15.4"], ()),
        ("How much of it, and how often?", "7.5 ml, three times a day.", ["7.5 ml", "three times"], ()),
        ("What is the tracking number of it?", "JJD-0142-77, item 17.", ["JJD-0142-77"], ("17",)),
        ("What was the number of patients?", "342 at 17 sites.", ["342"], ("17",)),
    ],
)  # fmt: skip
def test_what_is_asked_for_of_a_key(question, key, asked, unasked):
    found = spec(question, key)
    assert [detail.fact.text for detail in found.details] == asked
    assert found.unasked == unasked


@pytest.mark.parametrize(
    ("question", "key"),
    [
        ("What is the tenant's complaint?", "The window does not close."),
        ("On what condition may I leave?", "As long as the customers agree."),
        ("What does the boiler sound like?", "Like a kettle."),
    ],
)
def test_a_clause_is_hidden_however_short_it_is(question, key):
    assert spec(question, key).coverage < 1
    assert grade(question, key, "Something about a window, a kettle and the customers.") == "EVAL_ERROR"


def test_a_name_after_not_is_no_clause():
    assert spec("Which kettle did we keep?", "The blue one, not the red one.").coverage == 1
