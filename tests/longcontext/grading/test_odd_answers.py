"""Odd and hostile keys and responses: nothing breaks, nothing takes long, and nothing is CORRECT wrongly."""

import time

import pytest

from tellapart.longcontext.case import Expected
from tellapart.longcontext.grading.graders import grade_by_rules
from tellapart.longcontext.reading.answer_forms import checked_regex
from tellapart.longcontext.transcript import PlayedStep

MATERIAL = ["We saw 342 patients. Ann Lee came on 12 June 2026 at 14:30."]


def category(key, response, question="How many patients were there?", **more):
    step = PlayedStep("V1", "verification", "Recall", question, response)
    return grade_by_rules(step, Expected("V1", key, **more), MATERIAL).category


@pytest.mark.parametrize("key", ["王小明", "...", "🎉", "٣٤٢", "Иван"])
def test_exact_and_required_are_compared_in_any_script(key):
    for more in ({"exact": True}, {"required": (key,)}):
        assert category(key, f"{key} ", **more) == "CORRECT"
        for other in ("", " \n", "?", "张伟", "🎊", "Пётр", "12"):
            assert category(key, other, **more) != "CORRECT", (other, more)


def test_required_text_of_two_scripts_is_required_whole():
    required = ("342 王小明",)
    assert category(None, "342, 王小明", required=required) == "CORRECT"
    assert category(None, "342, Ann", required=required) != "CORRECT"


@pytest.mark.parametrize(
    ("key", "right", "wrong"),
    [
        ("5 €", ["5 €.", "5€"], ["5 $", "5"]),
        ("-5", ["-5", "**-5**"], ["5"]),
        ("C#", ["c#"], ["C", "C++"]),
        ("HH-KL 4102", ["hh-kl 4102", '"HH KL 4102".'], ["HH-KL 4120"]),
    ],
)
def test_exact_takes_no_notice_of_case_blanks_and_punctuation_only(key, right, wrong):
    assert {category(key, response, exact=True) for response in right} == {"CORRECT"}
    assert "CORRECT" not in {category(key, response, exact=True) for response in wrong}


@pytest.mark.parametrize(
    ("question", "key", "response"),
    [
        ("Who came and how many?", "王小明, 342", "342"),
        ("谁来了，有多少?", "王小明, 342", "342"),
        ("Who came?", "Ann 王小明", "Ann"),
        ("Which picture and how many?", "🎉, 3", "3"),
    ],
)
def test_letters_that_rules_do_not_read_are_asked_for(question, key, response):
    assert category(key, response, question) == "EVAL_ERROR"
    assert category(key, f"{key}.", question) == "CORRECT"


def test_a_response_in_another_script_may_say_it():
    assert category("Ann Lee", "安来了", "Who came?") == "EVAL_ERROR"


@pytest.mark.parametrize("digits", [29, 31, 400])
def test_numbers_are_compared_by_all_their_digits(digits):
    key = "1" * digits
    assert category(key, key) == "CORRECT"
    assert category(key, f"{key[:-1]}2") != "CORRECT"
    assert category(f"3.{key}", f"3.{key[:-1]}2") != "CORRECT"


def test_a_date_that_no_calendar_has_is_compared_as_it_is_written():
    question, key = "When was it?", "31 February 2026"
    assert category(key, "It was on February 31, 2026.", question) == "CORRECT"
    for other in ("2026", "31 March 2026", "28 February 2026", "in 2026, on the 31st"):
        assert category(key, other, question) != "CORRECT"


def test_what_cannot_be_seen_changes_nothing():
    for response in ("3\u200b42", "34\u00ad2", "\u202e342\u202c", "342 patients\r", "\ud83d 342", "\x00342"):
        assert category("342", response) == "CORRECT"
    assert category("3", "3\u202e000") != "CORRECT"
    assert category("Ann\rBen", "Ann", "Who came?") == "PARTIAL"


def test_of_a_long_response_rules_tell_only_what_they_have_read():
    long = "The answer is complicated. " * 4000
    assert category("342 patients", long) in ("REFUSED", "HALLUCINATED", "EVAL_ERROR")
    assert category("342 patients", f"{long} It was 342.") == "EVAL_ERROR"
    assert category("342 patients", f"It was 342. {long} No, it was 17.") == "EVAL_ERROR"
    assert category("342 patients", long, regex="342") != "CORRECT"
    assert category("342 patients", f"{long} It was 342.", regex=r"\b342\b") == "CORRECT"


def test_no_pattern_takes_long():
    begun = time.perf_counter()
    assert category(None, "a" * 100_000 + "!", regex=r"^(a+)+$") != "CORRECT"
    assert category(None, "a" * 100_000, regex=r"^(a|a)*$") == "CORRECT"
    assert time.perf_counter() - begun < 5
    for pattern in (r"(?=a)b", r"(a)\1", "(", "[z-a]"):
        with pytest.raises(ValueError, match="bounded time"):
            checked_regex(pattern)
