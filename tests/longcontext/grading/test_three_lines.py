"""What is a reply in three lines, and what is none."""

import pytest

from longcontext.grading.judged_lines import lines
from tellapart.llm.questions import Failure
from tellapart.longcontext.graders import Evaluated, read_three_lines

GOOD = Evaluated(score="CORRECT", reason="All of it is right.", key_detail="N=342")


def read(reply, material=""):
    return read_three_lines(reply, material)


@pytest.mark.parametrize(
    "reply",
    [
        lines(),
        lines().replace("\n", "\n\n"),
        lines().replace("\n", "\r\n"),
        lines().replace(": ", ":"),
        lines("**CORRECT**"),
        "**SCORE:** CORRECT\n**REASON:** All of it is right.\n**KEY_DETAIL:** N=342",
        "**SCORE: CORRECT**\n**REASON: All of it is right.**\n**KEY_DETAIL: N=342**",
        "**SCORE:** **CORRECT**\nREASON: All of it is right.\nKEY_DETAIL: **N=342**",
    ],
)
def test_what_cannot_mean_anything_else_is_read(reply):
    assert read(reply) == GOOD


@pytest.mark.parametrize(
    ("reply", "why"),
    [
        ("The answer is correct: it says N=342.", "it has 1 line of text, expected exactly 3"),
        (f"Here you are:\n{lines()}", "it has 4 lines of text, expected exactly 3"),
        (f"```\n{lines()}\n```", "it has 5 lines of text, expected exactly 3"),
        ("SCORE: CORRECT\nREASON: All of it is right.", "it has 2 lines of text, expected exactly 3"),
        ("REASON: Right.\nSCORE: CORRECT\nKEY_DETAIL: N=342", "its line 1 does not begin with 'SCORE: '"),
        (lines().replace("KEY_DETAIL", "KEY DETAIL"), "its line 3 does not begin with 'KEY_DETAIL: '"),
        ("- " + lines().replace("\n", "\n- "), "its line 1 does not begin with 'SCORE: '"),
        (lines("CORRECT or PARTIAL"), "what follows 'SCORE: ' is not exactly one category"),
        (lines(""), "what follows 'SCORE: ' is not exactly one category"),
        (lines(reason=""), "there is nothing after 'REASON: '"),
    ],
)
def test_all_else_fails_and_says_why(reply, why):
    assert read(reply) == Failure("parse", "schema", why)
