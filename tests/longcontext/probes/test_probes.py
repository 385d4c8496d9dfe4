"""By which rule a probe is graded, and whether it can be."""

import pytest

from tellapart.longcontext.case import Entry, Expected
from tellapart.longcontext.graders import prompts
from tellapart.longcontext.probes import KINDS, grade_by_rules, kind_of
from tellapart.longcontext.transcript import PlayedStep

ENTRIES = (Entry("Study 1", "Wu", None, 4),)


def test_kinds_are_found_in_the_order_in_which_they_are_tried():
    assert list(KINDS) == [
        *("facts", "sink", "recency", "enumeration"),
        *("abstention", "not-mentioned", "rubric", "sequence-ratio"),
        *("token-f1", "token-f1-parts", "contains", "match", "updated", "count"),
    ]
    assert list(prompts()) == ["judge", "recency", "abstention", "rubric"]


def expected(**known):
    return Expected("V1-1", **known)


@pytest.mark.parametrize(
    ("mode", "known", "rule"),
    [
        ("Attention Sink", {"answer": "x", "entries": ENTRIES}, "sink"),
        ("Recency Bias", {"banned": "superb"}, "recency"),
        ("Recency Bias", {"rule": "facts"}, "facts"),
        ("Style", {"banned": "superb"}, "sink"),
        (None, {"entries": ENTRIES}, "enumeration"),
        (None, {"entries": ENTRIES, "answer": "See the list below."}, "enumeration"),
        (None, {"entries": ENTRIES, "answer": "342"}, "facts"),
        ("Enumeration", {"entries": ENTRIES, "answer": "342"}, "enumeration"),
        (None, {"early": "Study 1"}, "recency"),
        (None, {"late": "Study 9", "answer": "Study 1"}, "recency"),
        ("Factual", {"late": "Study 9", "answer": "Study 1"}, "facts"),
    ],
)
def test_the_rule_follows_from_what_is_given(mode, known, rule):
    assert kind_of(mode, expected(**known)).name == rule


@pytest.mark.parametrize(
    ("mode", "known", "has"),
    [
        (None, None, False),
        ("Attention Sink", None, True),
        ("Recency Bias", None, False),
        (None, {"answer": "4"}, True),
        (None, {"answer": " "}, False),
        (None, {"evidence": ("x",), "test": "t"}, False),
        (None, {"early": "x", "rule": "facts"}, False),
        (None, {"entries": ENTRIES}, True),
        (None, {"banned": "superb"}, True),
    ],
)
def test_what_can_be_graded_is_what_gets_a_grade(mode, known, has):
    one = None if known is None else expected(**known)
    step = PlayedStep("V1-1", "verification", mode, "What?", "Wu had 4.")
    assert kind_of(step.failure_mode, one).has_key(one) is has
    # Numbered, so that the rules can tell which entries are recent.
    shown = ("Study 1. Wu, A. (2019). x", "Study 2. Ma, B. (2020). y")
    assert (grade_by_rules(step, one, shown).category != "EVAL_ERROR") is has
