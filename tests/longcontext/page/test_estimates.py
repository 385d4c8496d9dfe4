"""Numbers of tokens in the document's words."""

import pytest

from tellapart.longcontext.page import tokens


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
    known = {"name": "case_2_long", "expected_tokens": 25_000}
    assert tokens.of_case(known) == "~30-40K"
    assert tokens.least_of(known) == 30_000
    asked = {"case": "case_3_overflow", "step_id": "C3-1", "intended_tokens": 45_000}
    assert tokens.of_probe(asked) == "~40K"


def test_of_other_cases_the_record_speaks():
    other = {"name": "case_3_overflow_fixed", "expected_tokens": 90_000}
    assert tokens.of_case(other) == "~90K"
    assert tokens.least_of(other) == 90_000
    assert tokens.of_case(other | {"expected_tokens": None}) == "–"
    asked = {"case": "case_3_overflow_fixed", "step_id": "C3-1", "intended_tokens": None}
    assert tokens.of_probe(asked) == "–"
    assert tokens.of_probe(asked | {"intended_tokens": 64_000}) == "~64K"
