"""Lengths that were meant as ranges."""

from pathlib import Path

import pytest

from tellapart.longcontext.case import about, range_of, share_of
from tellapart.longcontext.reading.cases import case_of_yaml, yaml_of

RANGE = (20_000, 30_000)
WRITTEN = (
    "intended_tokens: 20000-30000\nsteps:\n- verification: V1\n  text: Who?\n  intended_tokens: 900-1500\n"
)


@pytest.mark.parametrize("text", ["20000", "30000-20000", "0-5", "20K-30K", "1-2-3", ""])
def test_what_is_no_range(text):
    assert range_of(text) is None


@pytest.mark.parametrize(
    ("tokens", "share"), [(20_000, 1), (27_762, 1), (30_000, 1), (10_000, 0.5), (45_000, 1.5)]
)
def test_what_is_inside_is_as_meant_and_else_the_nearer_end_counts(tokens, share):
    assert share_of(tokens, RANGE) == share
    assert share_of(tokens, 20_000) == tokens / 20_000


@pytest.mark.parametrize(
    ("ends", "words"),
    [((4_000,), "~4K"), ((20_000, 30_000), "~20-30K"), ((500, 900), "~500-900"), ((9_960, 10_400), "~10K")],
)
def test_ranges_are_rounded(ends, words):
    assert about(*ends) == words


def test_yaml_has_numbers_or_ranges_and_is_written_as_it_was_read():
    case = case_of_yaml(WRITTEN, Path("a.yaml"))
    assert case.intended_tokens == (20_000, 30_000)
    assert case.steps[0].expected.intended_tokens == (900, 1_500)
    again = case_of_yaml(yaml_of(case), Path("a.yaml"))
    assert yaml_of(again) == yaml_of(case)
    assert "intended_tokens: 20000-30000\n" in yaml_of(case)
