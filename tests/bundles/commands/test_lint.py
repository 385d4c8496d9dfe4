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
    assert clean.out.startswith("0 errors, 0 warnings, 1 info in 16 bundles.\n")
