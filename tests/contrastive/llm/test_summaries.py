from dataclasses import replace

import pytest

from contrastive.fakes import make_unit
from tellapart.contrastive.llm_summaries import Described, summaries_from, wrong_with
from tellapart.contrastive.summaries import Summary
from tellapart.llm.questions import Answer, Failure

CODE = """def split_bill(total, guests):
    # The first ones pay what is left (the odd cents), one each.
    share, rest = divmod(total, guests)
    return [share + (guest < rest) for guest in range(guests)]
"""
BILL = replace(make_unit("split_bill"), content=CODE)
SAID = "Divides an amount of money among people."


@pytest.mark.parametrize(
    ("summary", "complaint"),
    [
        ("x" * 20, None),
        (f"{'x' * 19}  \n", "'summary' has 19 characters, expected 20 to 600"),
        ("x" * 601, "'summary' has 601 characters, expected 20 to 600"),
        (f"{SAID} ```x```", "'summary' contains code, expected plain sentences"),
        (
            "It says share, rest =  divmod(total, guests).",
            "'summary' contains code, expected plain sentences",
        ),
        ("It calls divmod(total, guests) and adds one.", None),
        # A comment is plain language, though it has brackets.
        ("# The first ones pay what is left (the odd cents), one each.", None),
    ],
)
def test_what_a_summary_must_be(summary, complaint):
    assert wrong_with(BILL, Described(summary=summary)) == complaint


def test_what_is_written_and_what_is_missing():
    answers = {
        "b": Answer("b", Described(summary="Two\n lines  of it."), None),
        "c": Answer("c", None, Failure("refusal", "refusal", "no")),
        "a": Answer("a", Described(summary="First."), None, repaired=True),
    }
    assert summaries_from("m", answers) == (
        [Summary("a", "m", "First."), Summary("b", "m", "Two lines of it.")],
        {"c": "refusal"},
    )
