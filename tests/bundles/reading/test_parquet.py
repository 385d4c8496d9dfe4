import polars as pl
import pytest

from tellapart.bundles.reading import read_batches, read_bundles
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


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"positive": None}, "column 'positive': missing field"),
        ({"neg": ["x"]}, "column 'neg': unknown field, Did you mean 'negatives'"),
        ({"anchor": [1]}, "1: anchor: wrong type, found 1, expected a text"),
        ({"negatives": None, "negative": [None]}, "1: negative: no negatives"),
        ({"negatives": ["n"]}, "1: negatives: wrong type, found 'n', expected a list"),
    ],
)
def test_columns_that_do_not_fit(tmp_path, change, message):
    table = {"anchor": ["x"], "positive": ["p"], "negatives": [["n"]]} | change
    path = write(
        tmp_path / "e.parquet", {name: values for name, values in table.items() if values is not None}
    )
    with pytest.raises(InputError, match=message) as raised:
        by_columns(path)[1].refuse()
    assert str(path) in str(raised.value)
