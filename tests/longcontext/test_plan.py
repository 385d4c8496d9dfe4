import pytest

from longcontext.scripted import case
from tellapart.longcontext.plan import Playing, plan

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


def test_twenty_rounds_are_the_most_unless_told():
    assert len(plan(case("M1 M2"), Playing(1000)).rounds) == 20
    assert plan(case("M1"), Playing(1000, max_repeats=0)).rounds == ()
