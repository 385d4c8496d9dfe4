import json

import pytest

from tellapart.bundles.mining.events import number_events, read_events
from tellapart.core.bundle import Event
from tellapart.errors import InputError
from tellapart.files import RowFaults


def row(**changes):
    return {"event_id": "e1", "text": "a text", "sense": "s", **changes}


def written(path, *rows):
    lines = [line if isinstance(line, bytes) else json.dumps(line).encode() for line in rows]
    path.write_bytes(b"\n".join(lines) + b"\n")
    return path


def test_events_are_read_by_line(tmp_path):
    path = written(tmp_path / "e.jsonl", row(), b"", row(event_id="e2", lemma="l"))
    problems = RowFaults(path)
    assert read_events(path, problems) == {
        1: Event(event_id="e1", text="a text", sense="s"),
        3: Event(event_id="e2", text="a text", sense="s", lemma="l"),
    }
    assert not problems.counts


def test_all_bad_rows_are_told_together_by_line_and_field(tmp_path):
    path = written(
        tmp_path / "e.jsonl",
        row(),
        row(),
        {"event_id": "e3", "text": "x"},
        row(event_id="e4", text="  "),
        row(event_id="e5", lema="l"),
        row(event_id="e6", lemma=7),
        b"{",
        b'{"event_id": "\xff"}',
        b"[1]",
        row(event_id="e7", text=None),
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
        6: ("lemma", "wrong type, found 7, expected a text"),
        7: ("row", "not JSON"),
        8: ("row", "not UTF-8"),
        9: ("row", "not an object, found [1]"),
        10: ("text", "null field"),
    }
    for line, (field, cause) in expected.items():
        assert f"{path}:{line}: {field}: {cause}" in told


@pytest.mark.parametrize("content", [b"", b"\n \n"])
def test_a_file_without_events_is_refused(tmp_path, content):
    path = tmp_path / "e.jsonl"
    path.write_bytes(content)
    with pytest.raises(InputError, match="no event"):
        read_events(path, RowFaults(path))


def test_numbers_do_not_depend_on_the_order():
    made = [
        Event(event_id="b", text="two  words", sense="s2", lemma="l"),
        Event(event_id="a", text="two words", sense="s1"),
        Event(event_id="c", text="other", sense="s1", lemma="k"),
    ]
    events = number_events(made)
    assert events.ids == ["a", "b", "c"]
    assert events.texts == ["other", "two  words", "two words"]
    assert events.text_of.tolist() == [2, 1, 0]
    assert events.content_of[0] == events.content_of[1] != events.content_of[2]
    assert events.sense_of.tolist() == [0, 1, 0]
    assert events.lemma_of.tolist() == [-1, 1, 0]
    assert [events.by_sense.of(i).tolist() for i in (0, 1)] == [[0, 2], [1]]
    assert [events.by_lemma.of(i).tolist() for i in (0, 1)] == [[2], [1]]
    assert number_events(made[::-1]).fingerprint == events.fingerprint
    other = [made[0], made[1], made[2].model_copy(update={"lemma": None})]
    assert number_events(other).fingerprint != events.fingerprint
