import json

import polars as pl
import pytest

from pinned.terminal import tellapart
from tellapart.bundles.convert import convert
from tellapart.bundles.reading import read_bundles
from tellapart.bundles.targets import TARGETS
from tellapart.core.bundle import Bundle, Text
from tellapart.errors import InputError
from tellapart.files import RowFaults

PLAIN = [
    Bundle("a b", Text("x"), Text("p"), (Text("n"), Text("m"))),
    Bundle("c%d", Text("y"), Text("q"), (Text("n"), Text("x")), "tier3_adversarial"),
    Bundle("e", Text("x"), Text("r"), (Text("n"), Text("m"))),
    Bundle("f", Text("x"), Text("r"), (Text("n"), Text("o"))),
]
FULL = [
    *PLAIN,
    Bundle(
        "g", Text("x", "7", "s", "w"), Text("p"), (Text("n"), Text("m", sense="t")), None, {"k": [1, None]}
    ),
]


def write(path, bundles):
    path.write_text("".join(json.dumps(bundle.to_row()) + "\n" for bundle in bundles))
    return path


def read(path):
    problems = RowFaults(path)
    bundles = list(read_bundles(path, problems))
    problems.refuse()
    return bundles


def rows(path):
    return [json.loads(line) for line in path.read_text().splitlines()]


@pytest.mark.parametrize("bundles", [PLAIN, FULL], ids=["tiers", "everything"])
def test_our_own_form_by_way_of_parquet_is_the_same_bytes(tmp_path, bundles):
    start = write(tmp_path / "e.jsonl", bundles)
    done = convert(start, tmp_path / "e.parquet", "jsonl")
    assert (done.bundles, done.left_out) == (len(bundles), {})
    assert read(tmp_path / "e.parquet") == bundles
    convert(tmp_path / "e.parquet", tmp_path / "back.jsonl", "jsonl")
    convert(start, tmp_path / "straight.jsonl", "jsonl")
    assert (tmp_path / "back.jsonl").read_bytes() == (tmp_path / "straight.jsonl").read_bytes()
    assert read(tmp_path / "back.jsonl") == bundles
    texts = pl.read_parquet_schema(tmp_path / "e.parquet")["anchor"]
    assert (texts == pl.String) == (bundles is not FULL)


def test_triplets_are_columns_of_texts_and_nothing_else(tmp_path):
    out = tmp_path / "t.parquet"
    done = convert(write(tmp_path / "e.jsonl", FULL), out, "triplets")
    names = ["anchor", "positive", "negative_1", "negative_2"]
    found = pl.read_parquet(out)
    assert found.columns == names
    assert found.row(1) == ("y", "q", "n", "x")
    assert found.null_count().row(0) == (0, 0, 0, 0)
    assert done.left_out == {"bundle_id": 5, "event_id, sense, source": 1, "metadata": 1, "tier": 1}
    # What the form holds comes back: the texts, under the numbers of the lines.
    assert [(b.bundle_id, b.anchor.text, b.positive.text, len(b.negatives)) for b in read(out)] == [
        (str(i), b.anchor.text, b.positive.text, 2) for i, b in enumerate(FULL, start=1)
    ]


@pytest.mark.parametrize("suffix", ["jsonl", "parquet"])
def test_reranking_gathers_an_anchor_with_the_same_negatives(tmp_path, suffix):
    out, back = tmp_path / f"r.{suffix}", tmp_path / "back.jsonl"
    convert(write(tmp_path / "e.jsonl", PLAIN), out, "reranking")
    found = pl.read_parquet(out).to_dicts() if suffix == "parquet" else rows(out)
    lists = {"positive": ["p", "r"], "negative": ["n", "m"], "bundle_ids": ["a b", "e"]}
    assert found[0] | {"tier": None} == {"query": "x", "tier": None, **lists}
    assert [row["positive"] for row in found] == [["p", "r"], ["q"], ["r"]]
    assert found[1]["tier"] == "tier3_adversarial"
    convert(out, back, "jsonl")
    assert sorted(read(back), key=lambda b: b.bundle_id) == PLAIN


def test_only_good_rows_are_written_and_only_where_that_was_asked_for(tmp_path):
    start = write(tmp_path / "e.jsonl", PLAIN)
    with start.open("a") as file:
        file.write('{"anchor": "x"}\n')
    with pytest.raises(InputError, match="e.jsonl:5: positive: missing field"):
        convert(start, tmp_path / "o.jsonl", "jsonl")
    assert not (tmp_path / "o.jsonl").exists()
    done = convert(start, tmp_path / "o.jsonl", "jsonl", skip_invalid=True)
    assert (done.bundles, done.dropped) == (4, {"missing field": 2})
    assert read(tmp_path / "o.jsonl") == PLAIN


def test_the_command_offers_what_is_written_and_says_what_was_probably_meant(tmp_path):
    _, shown, _ = tellapart(tmp_path, "bundles", "convert", "--help")
    assert f"--to <str> {', '.join(TARGETS)}; " in " ".join(shown.split())
    write(tmp_path / "e.jsonl", PLAIN)
    code, _, err = tellapart(tmp_path, "bundles", "convert", "e.jsonl", "o.jsonl", "--to", "tripplet")
    there_are = "Did you mean 'triplet'? There are: jsonl, reranking, triplet, triplets."
    assert (code, err) == (2, f"error: unknown form 'tripplet'. {there_are}\n")


@pytest.mark.parametrize("name", ["e.jsonl", "e.csv", "e.parquet"])
def test_fields_of_other_names_are_renamed(tmp_path, name):
    path, out = tmp_path / name, tmp_path / "out.jsonl"
    rows = [{"q_text": "x", "right": "p", "negative": "n"}, {"q_text": "y", "right": "q", "negative": "m"}]
    frame = pl.DataFrame(rows)
    {".jsonl": frame.write_ndjson, ".csv": frame.write_csv, ".parquet": frame.write_parquet}[path.suffix](
        path
    )
    convert(path, out, "jsonl", rename={"q_text": "anchor", "right": "positive"})
    assert [(one.anchor.text, one.positive.text) for one in read(out)] == [("x", "p"), ("y", "q")]
    with pytest.raises(InputError, match="no row has the field 'q'"):
        convert(path, out, "jsonl", rename={"q": "anchor", "q_text": "anchor", "right": "positive"})
