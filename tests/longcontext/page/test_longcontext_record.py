"""What can be reported, and what is said of what cannot."""

import json

import pytest

from longcontext.page.graded_record import three, typed
from tellapart.errors import InputError
from tellapart.longcontext.page import load


def test_a_file_of_grades_is_read_with_its_fingerprint(tmp_path):
    path = tmp_path / "grades.json"
    path.write_text(json.dumps(three()), encoding="utf-8")
    view = load(path)
    assert view.record == typed(three())
    assert len(view.fingerprint) == 64
    assert view.run is None


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("{", "this is not JSON"),
        ("[]", "this is not a record of grades"),
        ('{"cases": []}', "this is not a record of grades"),
        ('{"schema_version": 2}', "this record has version 2, expected 1"),
        ('{"schema_version": 1, "models": []}', "this record has no list 'cases'"),
    ],
)
def test_what_is_no_record_is_named(tmp_path, content, said):
    path = tmp_path / "grades.json"
    path.write_text(content, encoding="utf-8")
    with pytest.raises(InputError, match=said) as caught:
        load(path)
    assert str(path) in str(caught.value)


def run_of(tmp_path, **changes):
    told = {
        "suite": "longcontext", "tellapart_version": "0.1.0",
        "config": {}, "inputs": {"results": "ab"}, "seed": 0,
        "status": "complete",
    } | changes  # fmt: skip
    artifacts = tmp_path / "run" / "artifacts"
    artifacts.mkdir(parents=True)
    (artifacts.parent / "run.json").write_text(json.dumps(told), encoding="utf-8")
    (artifacts / "grades.json").write_text(json.dumps(three()), encoding="utf-8")
    return artifacts.parent


def test_a_run_is_read_with_its_record(tmp_path):
    view = load(run_of(tmp_path))
    assert view.run.inputs == {"results": "ab"}
    assert view.models == ("deepseek-chat",)


def test_a_run_of_another_suite_is_sent_to_its_own_report(tmp_path):
    with pytest.raises(InputError, match="this is a run of 'bundles'") as caught:
        load(run_of(tmp_path, suite="bundles"))
    assert "tellapart bundles report" in str(caught.value)


def test_a_run_without_grades_is_named(tmp_path):
    run = run_of(tmp_path)
    (run / "artifacts" / "grades.json").unlink()
    with pytest.raises(InputError, match="cannot read the grades"):
        load(run)


def test_a_missing_file_is_named_with_the_next_step(tmp_path):
    with pytest.raises(InputError, match="cannot read the grades") as caught:
        load(tmp_path / "absent.json")
    assert "tellapart longcontext grade" in str(caught.value)


def test_a_kind_of_probe_that_there_is_not_is_named(tmp_path):
    run = run_of(tmp_path)
    record = three()
    record["probes"][0]["rule"] = "order"
    (run / "artifacts" / "grades.json").write_text(json.dumps(record), encoding="utf-8")
    with pytest.raises(InputError, match=r"'probes\[0\].rule' is 'order'") as caught:
        load(run)
    assert "expected one of facts, sink, recency, enumeration" in str(caught.value)
