import json

import pytest

from bundles.lint.questions import clean_rows, write_rows


@pytest.fixture
def faulty(tmp_path):
    rows = clean_rows()
    rows[3]["negatives"].append(rows[3]["positive"].upper())
    rows[4]["negatives"] = []
    rows.append({**rows[6], "bundle_id": "again"})
    return write_rows(tmp_path / "eval.jsonl", rows)


def test_errors_end_with_1_and_are_listed_as_json(tellapart, faulty, tmp_path):
    made = tellapart("bundles", "lint", faulty, "--json")
    assert made.code == 1
    found = json.loads(made.out)
    errors = [(one["check"], one["bundles"]) for one in found if one["severity"] == "error"]
    assert errors == [
        ("unreadable", ["q4"]),
        ("positive-among-negatives", ["q3"]),
        ("duplicate-bundle", ["q6", "again"]),
    ]
    assert list(found[0]) == ["check", "severity", "bundles", "detail", "places"]
    assert found[2]["places"] == [f"{faulty}:7", f"{faulty}:17"]
    clean = tellapart("bundles", "lint", write_rows(tmp_path / "clean.jsonl", clean_rows()))
    assert clean.code == 0, clean.out
    assert clean.out.startswith(
        "0 errors, 0 warnings, 1 info; 0 of 16 bundles (0.0 %) would be quarantined.\n"
    )


@pytest.mark.parametrize(("limit", "code", "line"), [
    (0.15, 3, "FAILED: 3 of 17 bundles (17.6 %) would be quarantined, above the limit of 15.0 %."),
    (0.2, 0, "PASSED: 3 of 17 bundles (17.6 %) would be quarantined, within the limit of 20.0 %."),
])  # fmt: skip
def test_a_quarantine_rate_is_a_gate(tellapart, faulty, limit, code, line):
    made = tellapart("bundles", "lint", faulty, "--max-quarantine", limit)
    assert (made.code, " ".join(made.out.split()).startswith(line)) == (code, True)


def test_the_bad_and_the_rest(tellapart, faulty, tmp_path):
    bad, rest = tmp_path / "bad.jsonl", tmp_path / "rest.jsonl"
    made = tellapart("bundles", "lint", faulty, "--quarantine", bad, "--out", rest)
    assert made.code == 1
    kept = [json.loads(line)["bundle_id"] for line in rest.read_text().splitlines()]
    assert kept == [f"q{i}" for i in range(16) if i not in (3, 4)]
    out = [json.loads(line) for line in bad.read_text().splitlines()]
    assert [(row["line"], row["bundle_id"], row["causes"][0]["check"]) for row in out] == [
        (4, "q3", "positive-among-negatives"),
        (5, "q4", "unreadable"),
        (17, "again", "duplicate-bundle"),
    ]
    given = faulty.read_text().splitlines()
    assert [row["row"] for row in out] == [json.loads(given[i]) for i in (3, 4, 16)]
    assert tellapart("bundles", "lint", rest).code == 0


def test_bad_input(tellapart, faulty, tmp_path):
    shared = tellapart("bundles", "lint", faulty, faulty, "--out", tmp_path / "o.jsonl")
    assert shared.code == 2
    assert "take bundles out of one file" in shared.err
    limit = tellapart("bundles", "lint", faulty, "--max-quarantine", 20)
    assert (limit.code, limit.out) == (2, "")
    assert "--max-quarantine is 20.0, expected a share from 0 to 1" in limit.err
    train = tmp_path / "train.jsonl"
    train.write_text('{"id": 1}\n')
    empty = tellapart("bundles", "lint", faulty, "--train", train)
    assert (empty.code, empty.out) == (2, "")
    assert f"{train}: there is no text in this training data" in empty.err
