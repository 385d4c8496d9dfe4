"""Lengths that were meant as ranges."""

import copy
import pickle
from pathlib import Path

import pytest

from tellapart.longcontext.case import AnswerKey, Case, CaseStep, Expected
from tellapart.longcontext.fingerprints import fingerprint_of
from tellapart.longcontext.lint import lint
from tellapart.longcontext.reading.yaml_cases import case_of_yaml, yaml_of
from tellapart.longcontext.token_ranges import TokenRange, about, most_of, range_of, share_of
from tellapart.longcontext.transcript import PlayedCase, PlayedStep, Results, Usage

RANGE = TokenRange(20_000, 30_000)
WRITTEN = (
    "intended_tokens: 20000-30000\nsteps:\n- verification: V1\n  text: Who?\n  intended_tokens: 900-1500\n"
)


def test_a_range_counts_as_its_lower_end():
    assert (RANGE, most_of(RANGE), f"{RANGE:,}", str(RANGE)) == (20_000, 30_000, "20,000", "20000-30000")
    assert (most_of(5), type(most_of(RANGE))) == (5, int)
    for same in (copy.deepcopy(RANGE), pickle.loads(pickle.dumps(RANGE)), range_of(" 20000 - 30000 ")):
        assert (same, same.most) == (20_000, 30_000)


@pytest.mark.parametrize("text", ["20000", "30000-20000", "0-5", "20K-30K", "1-2-3", ""])
def test_what_is_no_range(text):
    assert range_of(text) is None


def test_no_range_is_empty():
    with pytest.raises(ValueError, match="3 to 2 is no range"):
        TokenRange(3, 2)


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
    case, _ = case_of_yaml(WRITTEN, Path("a.yaml"))
    assert str(case.intended_tokens) == "20000-30000"
    assert str(case.steps[0].expected.intended_tokens) == "900-1500"
    again, _ = case_of_yaml(yaml_of(case), Path("a.yaml"))
    assert yaml_of(again) == yaml_of(case)
    assert "intended_tokens: 20000-30000\n" in yaml_of(case)


def test_another_upper_end_is_another_case():
    one, other, single = (
        Case("c", None, (CaseStep("V1", "verification", "Who?"),), intended_tokens=tokens)
        for tokens in (RANGE, TokenRange(20_000, 40_000), 20_000)
    )
    assert len({fingerprint_of(case) for case in (one, other, single)}) == 3


def reached(tokens):
    step = PlayedStep("V1", "verification", None, "Who?", "Ann", usage=Usage(prompt_tokens=tokens))
    played = PlayedCase("case_2", (step,))
    key = AnswerKey({"V1": Expected("V1", "Ann", intended_tokens=RANGE)}, cases={"2": RANGE})
    return [one.message for one in lint([], [Results((played,))], key) if one.severity == "warning"
            and one.check == "coverage"]  # fmt: skip


@pytest.mark.parametrize("tokens", [15_000, 27_762, 40_000])
def test_a_run_that_reaches_its_range_is_as_meant(tokens):
    assert reached(tokens) == []


def test_a_run_beyond_its_range_is_warned_of_with_both_ends():
    case, probe = reached(45_000)
    assert case.startswith("grows to 45,000 tokens where ~20,000 to 30,000 were meant (150 %)")
    assert probe.startswith("asked at 45,000 tokens where ~20,000 to 30,000 were meant (150 %)")
