"""Why answers are missing: counted by cause and kind, and put into words."""

from typing import get_args

import polars as pl

from tellapart.llm.questions import Kind
from tellapart.report.missing_reasons import KINDS, in_words, reasons


def asked(*answers):
    """Rows of (cause, kind), both None for an answer."""
    return pl.DataFrame(answers, schema={"missing": pl.String, "failure": pl.String}, orient="row")


LIMIT, SERVER = ("provider", "rate_limit"), ("provider", "server_error")
NOT_JSON, DECLINED = ("parse", "not_json"), ("refusal", "refusal")


def test_reasons_are_counted_by_cause_and_kind_most_first():
    found = reasons(asked(SERVER, LIMIT, (None, None), NOT_JSON, LIMIT))
    assert found == [
        ("provider", "rate limit, 429", 2),
        ("parse", "no JSON in the reply", 1),
        ("provider", "server error, 5xx", 1),
    ]
    assert in_words(found) == (
        "1 parse (no JSON in the reply) and 3 provider (rate limit, 429: 2; server error, 5xx: 1)"
    )
    assert in_words(reasons(asked(DECLINED, DECLINED))) == "2 refusal (declined to answer)"


def test_every_kind_of_failure_has_its_words():
    assert set(KINDS) == set(get_args(Kind))
