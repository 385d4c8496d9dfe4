"""Grades of the documented run against labels by people."""

from pathlib import Path

import pytest

RESULTS = Path(__file__).parents[2] / "longcontext/fixtures/case_1_smoke_result.json"


@pytest.fixture
def graded(tmp_path, tellapart):
    """The documented run graded by rules, by keys of which code can grade each: its run directory."""
    run, case = tmp_path / "graded", tmp_path / "case_1_short.yaml"
    probes = [f"- {{verification: V1-{n}, text: Was it said?, expected: x, regex: .}}" for n in (1, 2, 3)]
    probes.append("- {verification: V1-4, text: How was it?, rule: sink}")
    case.write_text("\n".join(["steps:", *probes]))
    done = tellapart("longcontext", "grade", RESULTS, "--cases", case, "--run", run)
    assert done.code == 0, done.err
    return run


def test_what_people_read(tmp_path, tellapart, graded):
    sheet = tmp_path / "human.csv"
    labels = {"V1-1": 0.5, "V1-2": 1, "V1-3": 1}
    rows = [f"case_1_smoke_result,case_1_short/{step},{label}" for step, label in labels.items()]
    sheet.write_text("\n".join(["model,item,human", *rows]))
    done = tellapart("longcontext", "agreement", graded, sheet)
    lines = done.out.splitlines()
    assert lines[0] == "People and the grades: no kappa (fewer than 10 probes), the same in 67 % of 3 probes"
    assert "Labels below, grades beside" in done.out
    sheet.write_text("model,item,human\ncase_1_smoke_result,case_1_short/V9-9,1\n")
    done = tellapart("longcontext", "agreement", graded, sheet)
    assert (done.code, done.out) == (2, "")
    assert "human.csv, row 1: the label of model 'case_1_smoke_result', item 'case_1_short/V9-9'" in done.err
