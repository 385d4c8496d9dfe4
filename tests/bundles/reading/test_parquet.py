import polars as pl
import pytest

from tellapart.bundles.reading import read_batches, read_bundles
from tellapart.core.bundle import Bundle, Text
from tellapart.errors import InputError
from tellapart.files import RowFaults

OWN = {
    "bundle_id": ["a", None, "c", "d", "e", "f", "a", ""],
    "anchor": ["x", "y", None, " ", "x", "x", "x", "x"],
    "positive": ["p", "p", "p", "p", "p", "p", "p", "p"],
    "negatives": [["n", "m"], ["n"], ["n"], ["n", "p"], [], None, ["n"], ["n", "m", None]],
    "tier": ["tier1", None, "tier2", "tier2", "tier9", None, None, None],
}
TRIPLETS = {
    "anchor": ["x", "x", "x"],
    "positive": ["p", "p", "p"],
    "negative_1": ["n", "n", None],
    "negative_2": ["m", None, None],
    "negative_10": ["p", "o", None],
}
RERANKING = {
    "query": ["x", "y", "z", None],
    "positive": [["p", "q"], [], ["p"], ["p"]],
    "negative": [["n", "q"], ["n"], ["n"], ["n"]],
    "bundle_ids": [["1", "2"], None, ["3", "4"], None],
}
NO_IDS = {name: values for name, values in RERANKING.items() if name != "bundle_ids"}


def write(path, table):
    frame = table if isinstance(table, pl.DataFrame) else pl.DataFrame(table, strict=False)
    frame.write_parquet(path)
    return path


def by_columns(path):
    problems = RowFaults(path)
    rows = [row for frame in read_batches(path, problems) for row in frame.drop("line").rows()]
    return rows, problems


def by_rows(path):
    problems = RowFaults(path)
    rows = [
        (b.bundle_id, b.anchor.text, b.positive.text, [t.text for t in b.negatives], b.tier)
        for b in read_bundles(path, problems)
    ]
    return rows, problems


def told(problems):
    try:
        problems.refuse()
    except InputError as error:
        return str(error)
    return ""


@pytest.mark.parametrize(
    "table", [OWN, TRIPLETS, RERANKING, NO_IDS], ids=["own", "triplets", "rerank", "no ids"]
)
def test_columns_and_rows_agree_on_bundles_and_on_what_is_wrong(tmp_path, table):
    path = write(tmp_path / "e.parquet", table)
    (columns, wrong_columns), (rows, wrong_rows) = by_columns(path), by_rows(path)
    assert columns == rows
    assert columns
    assert wrong_columns.counts == wrong_rows.counts
    assert told(wrong_columns) == told(wrong_rows)


def test_columns_by_hand(tmp_path):
    rows, problems = by_columns(write(tmp_path / "e.parquet", OWN))
    assert rows == [("a", "x", "p", ["n", "m"], "tier1_easy"), ("2", "y", "p", ["n"], None)]
    path = tmp_path / "e.parquet"
    assert told(problems).split(". Fix")[0].splitlines()[1:] == [
        f"{path}:3: anchor: null field",
        f"{path}:4: anchor: empty text, found ' '",
        f"{path}:4: negatives[1]: positive among the negatives, found 'p'",
        f"{path}:5: negatives: no negatives",
        f"{path}:5: tier: unknown tier, found 'tier9'. Did you mean 'tier3'? There are: tier1, "
        "tier1_easy, tier2, tier2_robust, tier3, tier3_adversarial",
        f"{path}:6: negatives: null field",
        f"{path}:7: bundle_id: duplicate id, 'a' is also in line 1",
        f"{path}:8: negatives[2]: null field",
    ]
    rows, _ = by_columns(write(tmp_path / "r.parquet", NO_IDS))
    assert rows == [("1.1", "x", "p", ["n", "q"], None), ("3.1", "z", "p", ["n"], None)]
    rows, _ = by_columns(write(tmp_path / "t.parquet", TRIPLETS))
    assert rows == [("2", "x", "p", ["n", "o"], None)]


def test_faults_of_triplets_name_the_column_through_columns_rows_and_lines(tmp_path):
    table = {
        "anchor": ["x"] * 5,
        "positive": ["p"] * 5,
        "negative_10": [None, "p", None, None, " "],
        "negative": ["ok", None, "", None, "p"],
        "negative_1": [" ", None, None, None, None],
    }
    path = write(tmp_path / "e.parquet", table)
    expected = [
        ":1: negative_1: empty text, found ' '",
        ":2: negative_10: positive among the negatives, found 'p'",
        ":3: negative: empty text, found ''",
        ":4: negative: no negatives",
        ":5: negative_10: empty text, found ' '",
        ":5: negative: positive among the negatives, found 'p'",
    ]
    lines = tmp_path / "e.jsonl"
    pl.DataFrame(table).write_ndjson(lines)
    for read, place in ((by_columns, path), (by_rows, path), (by_columns, lines)):
        rows, problems = read(place)
        assert rows == []
        shown = told(problems).split(". Fix")[0].splitlines()[1:]
        assert shown == [f"{place}{line}" for line in expected]


def test_objects_integers_for_ids_and_metadata(tmp_path):
    table = {
        "bundle_id": [7],
        "anchor": [{"text": "x", "sense": "s"}],
        "positive": ["p"],
        "negatives": [[{"text": "n", "sense": None}]],
        "metadata": ['{"deep": [1, {"a": null}]}'],
    }
    path = write(tmp_path / "e.parquet", table)
    metadata = {"deep": [1, {"a": None}]}
    assert list(read_bundles(path, RowFaults(path))) == [
        Bundle("7", Text("x", sense="s"), Text("p"), (Text("n"),), None, metadata)
    ]
    assert by_columns(path)[0] == [("7", "x", "p", ["n"], None)]
    path = write(tmp_path / "f.parquet", table | {"anchor": ["x"], "negatives": [["n"]]})
    assert by_columns(path)[0] == by_rows(path)[0] == [("7", "x", "p", ["n"], None)]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"positive": None}, "there is no column 'positive'"),
        ({"neg": ["x"]}, "unknown columns 'neg'; known are"),
        ({"note": [{"a": 1}]}, "unknown columns 'note'; known are"),
        ({"anchor": [1]}, "column 'anchor' holds Int64, expected strings"),
        ({"negatives": ["n"]}, "column 'negatives' holds String, expected lists of strings"),
        ({"negatives": [[1]]}, r"column 'negatives' holds List\(Int64\), expected lists of strings"),
        ({"tier": [1]}, "column 'tier' holds Int64, expected strings"),
    ],
)
def test_columns_that_do_not_fit(tmp_path, change, message):
    table = {"anchor": ["x"], "positive": ["p"], "negatives": [["n"]]} | change
    path = write(
        tmp_path / "e.parquet", {name: values for name, values in table.items() if values is not None}
    )
    with pytest.raises(InputError, match=message) as raised:
        by_columns(path)
    assert str(path) in str(raised.value)


def test_a_file_cut_in_half_is_one_clear_error(tmp_path):
    table = {"anchor": ["x"] * 999, "positive": ["p"] * 999, "negatives": [["n"]] * 999}
    path = write(tmp_path / "e.parquet", table)
    data = path.read_bytes()
    for damaged in (data[: len(data) // 2], data[:4], data[:-4] + b"nope", data[:4] + data[90:]):
        path.write_bytes(damaged)
        with pytest.raises(InputError, match="damaged or cut off: not a whole Parquet file") as raised:
            by_columns(path)
        assert len(str(raised.value).splitlines()) == 1


def test_the_kind_is_seen_in_the_content_whatever_the_name(tmp_path):
    table = {"anchor": ["x"], "positive": ["p"], "negatives": [["n"]]}
    assert by_columns(write(tmp_path / "e.jsonl", table))[0] == [("1", "x", "p", ["n"], None)]
    path = tmp_path / "e.parquet"
    path.write_text('{"anchor": "x", "positive": "p", "negatives": ["n"]}')
    assert by_columns(path)[0] == [("1", "x", "p", ["n"], None)]


def test_a_table_without_rows(tmp_path):
    table = pl.DataFrame(schema={"anchor": pl.String, "positive": pl.String, "negatives": pl.List(pl.String)})
    with pytest.raises(InputError, match="no bundle in this file"):
        by_columns(write(tmp_path / "e.parquet", table))


def test_what_other_programs_write(tmp_path):
    datasets = pytest.importorskip("datasets")
    path = tmp_path / "e.parquet"
    rows = [{"query": "x", "positive": ["p"], "negative": ["n", "m"]}]
    datasets.Dataset.from_list(rows).to_parquet(str(path))
    assert by_columns(path)[0] == [("1.1", "x", "p", ["n", "m"], None)]
