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
        (None, "–"), (500, "~500"), (1000, "~1K"), (1500, "~1.5K"), (4000, "~4K"), (9960, "~10K"),
        (10_400, "~10K"), (128_000, "~128K"), (131_072, "~131K"), (1_000_000, "~1M"), (2_500_000, "~2.5M"),
    ],
)  # fmt: skip
def test_tokens_are_rounded(count, said):
    assert tokens.about(count) == said


def test_the_document_speaks_for_its_own_cases_and_probes():
    known = conversation("case_2_long", 25_000)
    assert tokens.of_case(known) == "~30-40K"
    assert tokens.least_of(known) == 30_000
    assert tokens.of_probe(asked("case_3_overflow", 45_000)) == "~40K"


def test_of_other_cases_the_record_speaks():
    other = conversation("case_3_overflow_fixed", 90_000)
    assert tokens.of_case(other) == "~90K"
    assert tokens.least_of(other) == 90_000
    assert tokens.of_case(conversation("case_3_overflow_fixed", None)) == "–"
    assert tokens.of_probe(asked("case_3_overflow_fixed", None)) == "–"
    assert tokens.of_probe(asked("case_3_overflow_fixed", 64_000)) == "~64K"
