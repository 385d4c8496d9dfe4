import json

import pytest

from tellapart.bundles.reading import BATCH_SCHEMA, read_batches, read_bundles
from tellapart.core.bundle import Bundle, Text
from tellapart.errors import InputError
from tellapart.files import RowFaults

ROW = {"bundle_id": "a", "anchor": "x", "positive": "y", "negatives": ["z", "w"]}


def write(path, *rows):
    lines = (row if isinstance(row, str) else json.dumps(row) for row in rows)
    path.write_text("".join(line + "\n" for line in lines), encoding="utf-8")
    return path


def read(path):
    problems = RowFaults(path)
    frames = list(read_batches(path, problems))
    assert all(frame.schema == BATCH_SCHEMA for frame in frames)
    return [row for frame in frames for row in frame.rows()], problems


def bundles(path):
    problems = RowFaults(path)
    return list(read_bundles(path, problems)), problems


def refusal(problems):
    with pytest.raises(InputError) as raised:
        problems.refuse()
    return str(raised.value).splitlines()


def test_our_own_form(tmp_path):
    path = write(
        tmp_path / "e.jsonl",
        ROW | {"tier": "tier3"},
        "",
        {"anchor": {"text": "x", "sense": "s"}, "positive": "y", "negatives": [{"text": "z"}]},
        ROW | {"bundle_id": 7, "tier": "tier1_easy", "metadata": {"any": ["thing"]}},
    )
    rows, problems = read(path)
    problems.refuse()
    # The row without an id is named after its line, which counts the blank one.
    assert rows == [
        (1, "a", "x", "y", ["z", "w"], "tier3_adversarial"),
        (3, "3", "x", "y", ["z"], None),
        (4, "7", "x", "y", ["z", "w"], "tier1_easy"),
    ]
    assert bundles(path)[0] == [
        Bundle("a", Text("x"), Text("y"), (Text("z"), Text("w")), "tier3_adversarial"),
        Bundle("3", Text("x", sense="s"), Text("y"), (Text("z"),)),
        Bundle("7", Text("x"), Text("y"), (Text("z"), Text("w")), "tier1_easy", {"any": ["thing"]}),
    ]


def test_columns_of_sentence_transformers_and_reranking_rows(tmp_path):
    path = write(
        tmp_path / "e.jsonl",
        {"anchor": "x", "positive": "y", "negative": "z"},
        {"anchor": "x", "positive": "y", "negative_1": "a", "negative_10": "c", "negative_2": "b"},
        {"anchor": "x", "positive": "y", "negative_1": "a", "negative_2": None},
        {"query": "q", "positive": ["y", "v"], "negative": ["a", "b"], "tier": "tier2"},
        {"query": "q", "positive": ["y", "v"], "negative": ["a"], "bundle_ids": ["one", "two"]},
    )
    rows, problems = read(path)
    problems.refuse()
    assert rows == [
        (1, "1", "x", "y", ["z"], None),
        (2, "2", "x", "y", ["a", "b", "c"], None),
        (3, "3", "x", "y", ["a"], None),
        (4, "4.1", "q", "y", ["a", "b"], "tier2_robust"),
        (4, "4.2", "q", "v", ["a", "b"], "tier2_robust"),
        (5, "one", "q", "y", ["a"], None),
        (5, "two", "q", "v", ["a"], None),
    ]


BAD = [
    ({"anchor": "x", "positive": "y", "negatives": []}, "negatives: no negatives"),
    (ROW | {"anchor": " \t"}, "anchor: empty text, found ' \\t'"),
    (ROW | {"negatives": ["z", ""]}, "negatives[1]: empty text, found ''"),
    (ROW | {"negatives": ["z", "y"]}, "negatives[1]: positive among the negatives, found 'y'"),
    (ROW | {"anchor": None}, "anchor: null field"),
    (ROW | {"negatives": "z"}, "negatives: wrong type, found 'z', expected a list"),
    (ROW | {"tier": "teir2"}, "tier: unknown tier, found 'teir2'. Did you mean 'tier2'?"),
    ({"anchor": "x", "negatives": ["z"]}, "positive: missing field"),
    (ROW | {"anchr": "x"}, "anchr: unknown field, Did you mean 'anchor'?"),
    ([1, 2], "row: not an object, found [1, 2]"),
    ('{"anchor": "x"', "row: not JSON"),
    ('{"anchor": "x", "anchor": "y"}', "row: not JSON, the key 'anchor' occurs twice in one object"),
    ('{"anchor": NaN, "positive": "y", "negatives": ["z"]}', "anchor: null field"),
    ({"anchor": "x", "positive": "y", "negative_1": "y"}, "negative_1: positive among the negatives"),
    ({"query": "x", "positive": "y", "negative": ["z"]}, "positive: wrong type, found 'y', expected a list"),
    (
        {"query": "x", "positive": ["y"], "negative": ["z"], "bundle_ids": ["a", "b"]},
        "bundle_ids: wrong number",
    ),
]


def test_each_kind_of_bad_row_is_named_with_line_and_field_and_left_out(tmp_path):
    good, last = ({**ROW, "bundle_id": name} for name in ("good", "last"))
    for row, message in BAD:
        path = write(tmp_path / "e.jsonl", good, row, last)
        rows, problems = read(path)
        assert [name for _, name, *_ in rows] == ["good", "last"], message
        assert any(line.startswith(f"{path}:2: {message}") for line in refusal(problems)), refusal(problems)


def test_bytes_that_are_no_utf8(tmp_path):
    path = tmp_path / "e.jsonl"
    path.write_bytes(b'{"anchor": "caf\xe9"}\n' + json.dumps(ROW).encode())
    rows, problems = read(path)
    assert len(rows) == 1
    assert refusal(problems)[1].startswith(f"{path}:1: row: not UTF-8, byte 0xe9, column 16")
