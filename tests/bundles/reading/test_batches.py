import gzip
import json
import os
import string

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tellapart.bundles.reading import BATCH_SCHEMA, read_batches, read_bundles
from tellapart.core.bundle import Bundle, Text
from tellapart.errors import InputError
from tellapart.files import RowFaults
from tellapart.files import reading as files

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
    (ROW | {"positive": {"text": "w"}}, "negatives[1]: positive among the negatives, found 'w'"),
    (ROW | {"anchor": None}, "anchor: null field"),
    (ROW | {"negatives": ["z", None]}, "negatives[1]: null field"),
    (ROW | {"negatives": "z"}, "negatives: wrong type, found 'z', expected a list"),
    (ROW | {"positive": 3}, "positive: wrong type, found 3, expected a text"),
    (ROW | {"bundle_id": True}, "bundle_id: wrong type, found true, expected a text"),
    (ROW | {"bundle_id": ""}, "bundle_id: empty id, found ''"),
    (ROW | {"metadata": []}, "metadata: wrong type, found [], expected an object"),
    (ROW | {"tier": "teir2"}, "tier: unknown tier, found 'teir2'. Did you mean 'tier2'?"),
    ({"anchor": "x", "negatives": ["z"]}, "positive: missing field"),
    (ROW | {"anchr": "x"}, "anchr: unknown field, Did you mean 'anchor'?"),
    (ROW | {"anchor": {"txt": "x"}}, "anchor.text: missing field"),
    (ROW | {"anchor": {"text": "x", "sens": "s"}}, "anchor.sens: unknown field, Did you mean 'sense'?"),
    ([1, 2], "row: not an object, found [1, 2]"),
    ('"text"', "row: not an object, found 'text'"),
    ('{"anchor": "x"', "row: not JSON"),
    (
        '{"anchor": "x", "anchor": "y"}',
        "row: not JSON, the key 'anchor' occurs twice in one object",
    ),
    ('{"anchor": NaN, "positive": "y", "negatives": ["z"]}', "anchor: null field"),
    ({"anchor": "x", "positive": "y", "negative_1": "y"}, "negative_1: positive among the negatives"),
    ({"anchor": "x", "positive": "y", "negative": None}, "negative: no negatives"),
    ({"anchor": "x", "positive": "y", "negative": "ok", "negative_1": " "}, "negative_1: empty text"),
    ({"anchor": "x", "positive": "y", "negative_1": None, "negative_2": " "}, "negative_2: empty text"),
    ({"anchor": "x", "positive": "y", "negative": ""}, "negative: empty text"),
    ({"anchor": "x", "positive": "y", "negative_1": None, "negative_7": 3}, "negative_7: wrong type"),
    ({"query": "x", "positive": [], "negative": ["z"]}, "positive: no positives"),
    ({"query": "x", "positive": ["y"], "negative": []}, "negative: no negatives"),
    ({"query": "", "positive": ["y"], "negative": ["z"]}, "query: empty text"),
    ({"query": "x", "positive": "y", "negative": ["z"]}, "positive: wrong type, found 'y', expected a list"),
    (
        {"query": "x", "positive": ["y"], "negative": ["z"], "bundle_ids": ["a", "b"]},
        "bundle_ids: wrong number",
    ),
]


@pytest.mark.parametrize(("row", "message"), BAD, ids=[message for _, message in BAD])
def test_each_kind_of_bad_row_is_named_with_line_and_field_and_left_out(tmp_path, row, message):
    good = {**ROW, "bundle_id": "good"}
    path = write(tmp_path / "e.jsonl", good, row, {**ROW, "bundle_id": "last"})
    rows, problems = read(path)
    assert [name for _, name, *_ in rows] == ["good", "last"]
    assert any(line.startswith(f"{path}:2: {message}") for line in refusal(problems)), refusal(problems)


def test_all_bad_rows_are_told_together_and_counted_by_cause(tmp_path):
    path = write(tmp_path / "e.jsonl", ROW, *(row for row, _ in BAD))
    _, problems = read(path)
    first, *lines = refusal(problems)
    assert first.startswith(f"{path}: {len(BAD)} bad row(s): ")
    assert "3 no negatives" in first
    assert "3 positive among the negatives" in first
    # The misspelt text is both missing and unknown, so that there is one fault more than there are rows.
    assert problems.counts.total() == len(BAD) + 1
    # The most frequent kinds, each with its lines.
    assert len(lines) == 11
    assert lines[0] == f"{path}:2: negatives: no negatives"
    assert lines[-1].startswith("and 17 more kinds of faults. Fix them, or drop them with --skip-invalid")
    numbers = [int(line.removeprefix(f"{path}:").split(":")[0]) for line in lines[:10]]
    assert numbers == sorted(numbers)


def test_a_repeated_id_names_both_lines_across_batches(tmp_path):
    many = [{**ROW, "bundle_id": f"id {i}"} for i in range(20_000)]
    path = write(tmp_path / "e.jsonl", *many, {**ROW, "bundle_id": "id 3"}, ROW, ROW)
    rows, problems = read(path)
    assert len(rows) == 20_001
    told = [line.split(". Fix")[0] for line in refusal(problems)[1:]]
    assert told == [
        f"{path}:20001: bundle_id: duplicate id, 'id 3' is also in line 4",
        f"{path}:20003: bundle_id: duplicate id, 'a' is also in line 20002",
    ]
    # An id may also be the number of a line that has none.
    path = write(
        tmp_path / "f.jsonl", {**ROW, "bundle_id": "2"}, {k: ROW[k] for k in ROW if k != "bundle_id"}
    )
    assert "'2' is also in line 1" in refusal(read(path)[1])[1]


def test_marks_ends_of_lines_and_separators(tmp_path):
    path = tmp_path / "e.jsonl"
    line = json.dumps({**ROW, "anchor": "x\u2028y\x85z"}, ensure_ascii=False).encode()
    path.write_bytes(b"\xef\xbb\xbf" + line + b"\r\n\r\n  \n" + line.replace(b'"a"', b'"b"'))
    rows, problems = read(path)
    problems.refuse()
    assert [(row[0], row[1], row[2]) for row in rows] == [
        (1, "a", "x\u2028y\x85z"),
        (4, "b", "x\u2028y\x85z"),
    ]


def test_bytes_that_are_no_utf8(tmp_path):
    path = tmp_path / "e.jsonl"
    path.write_bytes(b'{"anchor": "caf\xe9"}\n' + json.dumps(ROW).encode())
    rows, problems = read(path)
    assert len(rows) == 1
    assert refusal(problems)[1].startswith(f"{path}:1: row: not UTF-8, byte 0xe9, column 16")


def test_a_line_without_end_is_a_bad_row_and_not_held(tmp_path, monkeypatch):
    monkeypatch.setattr(files, "LONGEST_LINE_BYTES", 1_000)
    path = write(tmp_path / "e.jsonl", ROW, ROW | {"anchor": "x" * 5_000}, ROW | {"bundle_id": "b"})
    rows, problems = read(path)
    assert [(row[0], row[1]) for row in rows] == [(1, "a"), (3, "b")]
    assert refusal(problems)[1].startswith(f"{path}:2: row: line too long, more than 1,000 bytes")
    assert problems.counts == {"line too long": 1}


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "there is no bundle in this file"),
        (b"\n\n", "there is no bundle in this file"),
        (gzip.compress(b"{}", mtime=0), "compressed with gzip"),
        ("{}".encode("utf-16"), "UTF-16"),
        (b"PK\x03\x04....", "a zip archive"),
    ],
)
def test_files_that_are_something_else(tmp_path, content, message):
    path = tmp_path / "e.jsonl"
    path.write_bytes(content)
    with pytest.raises(InputError, match=message) as raised:
        read(path)
    assert str(path) in str(raised.value)


def test_files_that_cannot_be_read(tmp_path):
    with pytest.raises(InputError, match="No such file"):
        read(tmp_path / "none.jsonl")
    with pytest.raises(InputError, match="not a regular file"):
        read(tmp_path)
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(InputError, match="read more than once"):
        read(tmp_path / "pipe")


WORDS = st.text(string.ascii_letters + " \n\u2028ß漢😀\x85", min_size=1, max_size=8).filter(str.strip)
TEXTS = st.builds(Text, WORDS, event_id=st.none() | WORDS, sense=st.none() | WORDS, source=st.none() | WORDS)
JSON = st.recursive(st.none() | st.booleans() | st.integers() | WORDS, lambda v: st.lists(v, max_size=2))
BUNDLES = st.lists(
    st.builds(
        Bundle,
        bundle_id=WORDS,
        anchor=TEXTS,
        positive=TEXTS,
        negatives=st.lists(TEXTS, min_size=1, max_size=3).map(tuple),
        tier=st.sampled_from([None, "tier1_easy", "tier3_adversarial"]),
        metadata=st.dictionaries(WORDS, JSON, max_size=2),
    ).filter(lambda bundle: bundle.positive.text not in {text.text for text in bundle.negatives}),
    min_size=1,
    max_size=4,
    unique_by=lambda bundle: bundle.bundle_id,
)


@settings(deadline=None, max_examples=40)
@given(written=BUNDLES)
def test_any_bundle_is_read_as_it_was_written(tmp_path_factory, written):
    path = tmp_path_factory.getbasetemp() / "any.jsonl"
    path.write_text(
        "".join(json.dumps(b.to_row(), ensure_ascii=False) + "\n" for b in written), encoding="utf-8"
    )
    found, problems = bundles(path)
    problems.refuse()
    assert found == written
    rows, _ = read(path)
    assert rows == [
        (i, b.bundle_id, b.anchor.text, b.positive.text, [t.text for t in b.negatives], b.tier)
        for i, b in enumerate(written, start=1)
    ]


def test_rows_of_several_forms_keep_their_order(tmp_path):
    reranking = {"query": "q", "positive": ["y"], "negative": ["z"]}
    path = write(tmp_path / "e.jsonl", ROW, reranking, {**ROW, "bundle_id": "b"}, reranking)
    assert [row[1] for row in read(path)[0]] == ["a", "2.1", "b", "4.1"]


def test_a_batch_is_never_the_whole_file(tmp_path):
    path = write(tmp_path / "e.jsonl", *({**ROW, "bundle_id": str(i)} for i in range(9_000)))
    assert [frame.height for frame in read_batches(path, RowFaults(path))] == [8_192, 808]
    parquet = tmp_path / "e.parquet"
    pl.DataFrame([{**ROW, "bundle_id": str(i)} for i in range(20_000)]).write_parquet(parquet)
    assert [frame.height for frame in read_batches(parquet, RowFaults(parquet))] == [16_384, 3_616]
