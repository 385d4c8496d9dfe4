from dataclasses import replace
from pathlib import Path

import pytest

from tellapart.errors import InputError
from tellapart.longcontext.case import Case, CaseStep, Entry, Expected
from tellapart.longcontext.reading import read_case
from tellapart.longcontext.reading.yaml_cases import yaml_of

REAL = Path(__file__).parent / "fixtures"


def without_lines(case):
    return replace(case, source="", steps=tuple(replace(step, line=1) for step in case.steps))


def read_back(tmp_path, case):
    path = tmp_path / "written.yaml"
    path.write_text(yaml_of(case), encoding="utf-8")
    return without_lines(read_case(path))


@pytest.mark.parametrize("name", ["case_1_short", "case_2_long", "case_3_overflow"])
def test_the_documented_cases_are_read_back_as_they_are(tmp_path, name):
    case = read_case(REAL / f"{name}.txt")
    assert read_back(tmp_path, case) == without_lines(case)
    assert "  text: |-\n    " in yaml_of(case)


def test_what_is_known_of_an_answer_is_written_beside_its_probe(tmp_path):
    known = Expected(
        id="V1-1",
        answer="N = 342:\nmore",
        failure_mode="Trap",
        question="Q",
        test="T",
        scoring="S",
        expected_failure="F",
        early="e",
        late="l",
        entries=(Entry("Study 1", "Zhang", 2019, 342, "pooled"), Entry("Study 2", "no", None, None)),
        evidence=("- one", "two # three"),
        rule="facts",
        banned="superb",
        intended_tokens=2000,
    )
    case = Case("yes", "~", (CaseStep("V1-1", "verification", "a: b", "Trap", known),), "n", 4000)
    assert read_back(tmp_path, case) == case
    assert yaml_of(case).splitlines()[:8] == [
        "name: 'yes'",
        "system: |-",
        "  ~",
        "note: |-",
        "  n",
        "intended_tokens: 4000",
        "steps:",
        "- verification: V1-1",
    ]


@pytest.mark.parametrize("change", [{"steps": (CaseStep("M1", "message", " spaced"),)}, {"system": "x\n"}])
def test_a_case_that_would_be_read_back_as_another_one_is_refused(change):
    with pytest.raises(InputError, match="it would be read back as another one"):
        yaml_of(replace(Case("c", None, (CaseStep("M1", "message", "x"),)), **change))
