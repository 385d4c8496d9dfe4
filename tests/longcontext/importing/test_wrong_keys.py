"""Questions whose published answer key is known to be wrong are left out, and counted."""

import json

import pytest

from longcontext.importing.data_sets import locomo, written
from tellapart.longcontext.reading import read_cases


@pytest.fixture
def imported(tellapart, tmp_path):
    def run(records, *ids):
        path, wrong = written(tmp_path / "data.json", records), tmp_path / "wrong.txt"
        wrong.write_text("\n".join(ids), encoding="utf-8")
        out = tmp_path / "cases"
        return tellapart("longcontext", "import", path, "--out", out, "--wrong-keys", wrong, "--json"), out

    return run


def test_a_question_of_a_conversation_is_left_out_and_ids_that_nothing_has_are_counted(imported):
    done, out = imported([locomo()], "# published audit", "conv-1/V2", "conv-1/V4  # wrong date", "conv-9/V1")
    assert done.code == 0, done.err
    (case,) = read_cases([out])
    assert [probe.id for probe in case.probes] == ["V1", "V3", "V5"]
    record = json.loads(done.out)
    assert sum(record["questions"].values()) == 3
    assert record["changes"]["questions left out: their answer key is known to be wrong"] == 2
    assert record["changes"]["wrong keys that belong to no question that was read"] == 1
