"""Odd and hostile keys and responses: nothing breaks, nothing takes long, and nothing is CORRECT wrongly."""

import time

import pytest

from tellapart.longcontext.case import Expected
from tellapart.longcontext.probes import grade_by_rules
from tellapart.longcontext.probes.strings import matches
from tellapart.longcontext.transcript import PlayedStep

MATERIAL = ["We saw 342 patients. Ann Lee came on 12 June 2026 at 14:30."]


def category(key, response, question="How many patients were there?", **more):
    step = PlayedStep("V1", "verification", "Recall", question, response)
    return grade_by_rules(step, Expected("V1", key, **more), MATERIAL).category


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


def test_what_cannot_be_seen_changes_nothing():
    for response in ("3\u200b42", "34\u00ad2", "\u202e342\u202c", "342 patients\r", "\ud83d 342", "\x00342"):
        assert category("342", response) == "CORRECT"
    assert category("3", "3\u202e000") != "CORRECT"


def test_of_a_long_response_rules_tell_only_what_they_have_read():
    long = "The answer is complicated. " * 4000
    assert category("342 patients", long) in ("REFUSED", "HALLUCINATED", "EVAL_ERROR")
    assert category("342 patients", f"{long} It was 342.") == "EVAL_ERROR"
    assert category("342 patients", f"It was 342. {long} No, it was 17.") == "EVAL_ERROR"
    assert category("342 patients", f"{long} It was 342.", regex=r"\b342\b") == "CORRECT"


def test_no_pattern_takes_long():
    begun = time.perf_counter()
    assert category(None, "a" * 100_000 + "!", regex=r"^(a+)+$") != "CORRECT"
    assert category(None, "a" * 100_000, regex=r"^(a|a)*$") == "CORRECT"
    assert time.perf_counter() - begun < 5
    for pattern in (r"(?=a)b", r"(a)\1", "(", "[z-a]"):
        with pytest.raises(ValueError, match="bounded time"):
            matches(pattern, "")


FORKLIFTS, DATES = ("How many forklifts are there?", "41"), ("When is the call?", "14:30")
ANNA, POOL = ("Who won, Anna or Ben?", "Anna"), ("Is the pool open?", "yes")


@pytest.mark.parametrize(
    ("asked", "response"),
    [
        *((FORKLIFTS, text) for text in ("41 has been corrected to 42.", "41 has since become 42")),
        *((FORKLIFTS, text) for text in ("half of 41", "far from 41", "41 was last year's figure")),
        (FORKLIFTS, "It had 41, bought 3, and now has 44."),
        (DATES, "14:30 was cancelled"),
        *((ANNA, text) for text in ("Anna lost.", "Anna was beaten", "Everyone but Anna")),
        *((POOL, text) for text in ("Yes, it's closed", "Yes, until it closed", "Yes, Ben says")),
    ],
)
def test_what_takes_the_right_value_back_is_not_correct(asked, response):
    question, answer = asked
    expected = Expected("V1", answer=answer)
    step = PlayedStep("V1", "probe", None, question, response)
    assert grade_by_rules(step, expected, ("There are 41 forklifts.", answer)).category != "CORRECT"
