"""Why answers are missing, in words."""

from typing import get_args

from tellapart.llm.questions import Kind
from tellapart.report.missing_reasons import KINDS


def test_every_kind_of_failure_has_its_words():
    assert set(KINDS) == set(get_args(Kind))
