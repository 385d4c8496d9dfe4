"""Why answers are missing, in words."""

from typing import get_args

from tellapart.llm.questions import Kind
from tellapart.report.missing_reasons import KINDS, by_cause, why


def test_causes_are_put_into_words():
    counted = {why("provider", "rate_limit"): 1200, why("parse", None): 1}
    assert by_cause(counted) == "provider (rate limit, 429) 1,200, parse 1"


def test_every_kind_of_failure_has_its_words():
    assert set(KINDS) == set(get_args(Kind))
