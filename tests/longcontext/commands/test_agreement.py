"""Grades of the documented run against scores by people."""

import json
from pathlib import Path

import pytest

REAL = Path(__file__).parents[2] / "longcontext/fixtures"
RESULTS = REAL / "case_1_smoke_result.json"
SCORES = "case,step,score,rater\n"


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


def table(tmp_path, *rows):
    path = tmp_path / "human.csv"
    path.write_text(SCORES + "".join(f"{row}\n" for row in rows))
    return path


def all_as_graded(graded, rater="ann"):
    record = json.loads((graded / "artifacts/grades.json").read_text())
    return [f"{one['case']},{one['step_id']},{one['category']},{rater}" for one in record["probes"]]


def test_what_people_read(tmp_path, tellapart, graded):
    rows = all_as_graded(graded)
    others = [row.replace("CORRECT", "PARTIAL").replace(",ann", ",[b]bob") for row in rows]
    done = tellapart("longcontext", "agreement", graded, table(tmp_path, *rows, *others[:3]))
    assert done.code == 0
    lines = done.out.splitlines()
    few = "no kappa (fewer than 10 probes), the same in"
    assert lines[0] == f"[b]bob and the grades: {few} 0 % of 3 probe(s)"
    assert "[b]bob below, grades beside" in done.out
    assert any(
        line.startswith("3 disagree: case_1_short/V1-1 (PARTIAL, graded CORRECT), case_1") for line in lines
    )
    assert "1 graded, but not scored: case_1_short/V1-4" in lines
    assert f"ann and the grades: {few} 100 % of 4 probe(s)" in lines
    assert "changed its mind" not in done.out


@pytest.mark.parametrize(
    ("rows", "told"),
    [
        (
            ["case_1_short,V1-1,CORECT,ann"],
            "human.csv:2: the score 'CORECT' is no category",
        ),
        (["other,V1-1,CORRECT,ann"], "human.csv: no score belongs to any of the 4 graded probe(s)"),
        ([], "human.csv: there is no score in this table"),
        (
            ["case_1_short,V1-1,CORRECT,ann", "case_1_short,V1-1,PARTIAL,ann"],
            "human.csv:3: 'ann' scores case_1_short/V1-1 of 'case_1_smoke_result' (epoch 0) a second time",
        ),
    ],
)
def test_bad_input_ends_with_2_and_a_sentence(tmp_path, tellapart, graded, rows, told):
    done = tellapart("longcontext", "agreement", graded, table(tmp_path, *rows))
    assert (done.code, done.out) == (2, "")
    assert told in done.err
