"""Numbers of tokens in the document's words."""

import pytest

from longcontext.page.graded_record import playing, record, typed, typed_probe
from tellapart.longcontext.page import tokens


def conversation(name, expected):
    return typed(record([playing(name, {}, expected_tokens=expected)], [])).cases[0]


def asked(case, intended):
    return typed_probe(case, "C3-1", None, "CORRECT", "Which?", "A.", "A.", intended_tokens=intended)


@pytest.mark.parametrize(
    ("count", "said"),
    [
        (500, "~500"), (1000, "~1K"), (1500, "~1.5K"), (4000, "~4K"), (9960, "~10K"),
        (10_400, "~10K"), (128_000, "~128K"), (131_072, "~131K"), (1_000_000, "~1M"), (2_500_000, "~2.5M"),
    ],
)  # fmt: skip
def test_tokens_are_rounded(count, said):
    assert tokens.about(count) == said


def test_the_document_speaks_for_its_own_cases_where_the_record_does_not():
    unsaid = conversation("case_2_long", None)
    assert (tokens.of_case(unsaid), tokens.least_of(unsaid)) == ("~30-40K", 30_000)
    assert tokens.of_probe(asked("case_3_overflow", None)) == "~40K"
    known = conversation("case_2_long", 25_000)
    assert (tokens.of_case(known), tokens.least_of(known)) == ("~25K", 25_000)
    assert tokens.of_probe(asked("case_3_overflow", 45_000)) == "~45K"


def test_the_table_says_the_range_that_was_meant():
    ranged = typed(
        record([playing("case_2_long", {}, expected_tokens=20_000, expected_most_tokens=30_000)], [])
    )
    assert tokens.of_case(ranged.cases[0]) == "~20-30K"
    probe = asked("x", 900).model_copy(update={"intended_most_tokens": 1_500})
    assert tokens.of_probe(probe) == "~900-1.5K"


def test_of_other_cases_the_record_speaks():
    other = conversation("case_3_overflow_fixed", 90_000)
    assert tokens.of_case(other) == "~90K"
    assert tokens.least_of(other) == 90_000
    assert tokens.of_case(conversation("case_3_overflow_fixed", None)) == "–"
    assert tokens.of_probe(asked("case_3_overflow_fixed", None)) == "–"
    assert tokens.of_probe(asked("case_3_overflow_fixed", 64_000)) == "~64K"
