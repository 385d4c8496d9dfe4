import json

import pytest

from tellapart.bundles.mining.events import read_events
from tellapart.errors import InputError
from tellapart.files import RowFaults


def row(**changes):
    return {"event_id": "e1", "text": "a text", "sense": "s", **changes}


def written(path, *rows):
    lines = [line if isinstance(line, bytes) else json.dumps(line).encode() for line in rows]
    path.write_bytes(b"\n".join(lines) + b"\n")
    return path


def test_all_bad_rows_are_told_together_by_line_and_field(tmp_path):
    path = written(
        tmp_path / "e.jsonl",
        row(),
        row(),
        {"event_id": "e3", "text": "x"},
        row(event_id="e4", text="  "),
        row(event_id="e5", lema="l"),
        b"{",
        b"[1]",
    )
    problems = RowFaults(path)
    assert list(read_events(path, problems)) == [1]
    with pytest.raises(InputError) as refused:
        problems.refuse()
    told = str(refused.value)
    expected = {
        2: ("event_id", "duplicate id, 'e1' is on line 1"),
        3: ("sense", "missing field"),
        4: ("text", "empty text"),
        5: ("lema", "unknown field, Did you mean 'lemma'?"),
        6: ("row", "not JSON"),
        7: ("row", "not an object, found [1]"),
    }
    for line, (field, cause) in expected.items():
        assert f"{path}:{line}: {field}: {cause}" in told
