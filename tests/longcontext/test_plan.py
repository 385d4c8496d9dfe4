from dataclasses import replace

import pytest

from longcontext.scripted import case
from tellapart.longcontext.case import AnswerKey, Expected
from tellapart.longcontext.plan import Playing, oracle, plan

WRITTEN = "M1 C1-1 M2 V1-1 V1-2"


def ids(steps):
    return " ".join(step.id for step in steps)


def test_without_a_target_all_is_played_as_it_is_written():
    found = plan(case(WRITTEN), Playing(max_repeats=5, fork_probes=True))
    assert (ids(found.opening), found.rounds, found.closing) == (WRITTEN, (), ())


@pytest.mark.parametrize(
    ("last", "opening", "closing"), [(True, "M1 M2", "C1-1 V1-1 V1-2"), (False, WRITTEN, "")]
)
def test_probes_come_where_they_are_wanted(last, opening, closing):
    found = plan(case(WRITTEN), Playing(1000, max_repeats=2, probes_last=last))
    assert (ids(found.opening), ids(found.closing)) == (opening, closing)
    assert [ids(one) for one in found.rounds] == ["M1-R1 M2-R1", "M1-R2 M2-R2"]


def test_a_repeat_says_that_it_is_one():
    first = next(plan(case("M1 V1-1"), Playing(1000)).repeats)
    assert (first.id, first.type, first.text) == ("M1-R1", "message", "REPEAT: text of M1")


def sources(one, step, expected):
    """The messages whose id the right answer names."""
    return [message for message in one.messages if expected and message.id in (expected.answer or "").split()]


KEY = AnswerKey({"V1-1": Expected("V1-1", "M1 M3"), "V1-2": Expected("V1-2", "elsewhere")})


def test_the_evidence_stands_before_the_question_in_one_turn():
    found = oracle(case("M1 V1-1 M2 M3"), KEY, sources)
    assert [one.step.text for one in found] == ["text of M1\n\ntext of M3\n\ntext of V1-1"]
    assert found[0].probe.text == "text of V1-1"


def test_a_probe_without_evidence_says_why_it_is_not_asked():
    found = oracle(case("M1 V1-2 V1-3"), KEY, sources)
    assert [(one.step, one.why) for one in found] == [
        (None, "not asked: no message holds its evidence"),
        (None, "not asked: no right answer is known"),
    ]


def test_what_the_system_prompt_decides_needs_no_message():
    one = case("M1 V1-1")
    sink = replace(one.steps[1], failure_mode="Attention Sink - check")
    found = oracle(replace(one, steps=(one.steps[0], sink)), None, sources)
    assert found[0].step.text == "text of V1-1"
