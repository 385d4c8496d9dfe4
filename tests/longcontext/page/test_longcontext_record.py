"""What can be reported, and what is said of what cannot."""

import json

import pytest

from longcontext.page.graded_record import three
from tellapart.errors import InputError
from tellapart.longcontext.page import load


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("{", "this is not JSON"),
        ("[]", "this is not a record of grades"),
        ('{"cases": []}', "this is not a record of grades"),
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


def test_a_run_of_another_suite_is_sent_to_its_own_report(tmp_path):
    with pytest.raises(InputError, match="this is a run of 'bundles'") as caught:
        load(run_of(tmp_path, suite="bundles"))
    assert "tellapart bundles report" in str(caught.value)


def test_a_kind_of_probe_that_there_is_not_is_named(tmp_path):
    run = run_of(tmp_path)
    record = three()
    record["probes"][0]["rule"] = "order"
    (run / "artifacts" / "grades.json").write_text(json.dumps(record), encoding="utf-8")
    with pytest.raises(InputError, match=r"'probes\[0\].rule' is 'order'") as caught:
        load(run)
    assert "expected one of facts, sink, recency, enumeration" in str(caught.value)
