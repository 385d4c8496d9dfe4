"""Vectors written once and read by every score: from evals, benchmarks and tables."""

import json

import numpy as np
import polars as pl
import pytest

from tellapart import embedding
from tellapart.bundles.run import score
from tellapart.bundles.vectors import look_up
from tellapart.embed.models.hashing import HashingEmbedder
from tellapart.errors import InputError, UsageError

WORDS = ["parse", "merge", "count", "filter", "rename", "rows", "orders", "tokens", "pages", "users"]


def bundle(number):
    one, two, three = (WORDS[(number * step + step) % len(WORDS)] for step in (1, 3, 7))
    negatives = [f"{two} {three} {number % 17}", f"{three} of {one} {number % 5}"]
    return {"anchor": f"{one} the {two}", "positive": f"{one} {three} in {number}", "negatives": negatives}


@pytest.fixture
def evals(tmp_path):
    """One eval as a file and as a folder."""
    lines = [json.dumps({"bundle_id": f"b{n}", **bundle(n)}) + "\n" for n in range(120)]
    (tmp_path / "eval.jsonl").write_text("".join(lines))
    (tmp_path / "parts").mkdir()
    for part in range(3):
        (tmp_path / "parts" / f"{part}.jsonl").write_text("".join(lines[40 * part : 40 * part + 40]))
    return tmp_path / "eval.jsonl", tmp_path / "parts"


def files(folder):
    return {path.name: path.read_bytes() for path in sorted(folder.iterdir())}


def test_scores_from_vectors_are_those_of_the_model(evals, tmp_path):
    for source in evals:
        out = tmp_path / f"vectors-{source.stem}"
        written = embedding.embed(str(source), out, "lsa")
        assert (written.model, written.parts, written.similarity) == ("lsa", 2, "cosine")
        direct = score(source, tmp_path / "direct.json", model="lsa")
        stored = score(source, tmp_path / "stored.json", embeddings=out, name="lsa")
        assert stored.board.overall == direct.board.overall
        assert (tmp_path / "direct.scores.parquet").read_bytes() == (
            tmp_path / "stored.scores.parquet"
        ).read_bytes()
    assert files(tmp_path / "vectors-eval") == files(tmp_path / "vectors-parts")


def test_a_benchmark_is_embedded_as_its_bundles_are(tellapart, tiny_bench, tmp_path):
    assert tellapart("contrastive", "bundles", tiny_bench, "--out", tmp_path / "bundles.jsonl").code == 0
    for source in (tiny_bench, tmp_path / "bundles.jsonl"):
        done = tellapart("embed", source, "--model", "lsa", "--out", tmp_path / f"of-{source.stem}")
        assert done.code == 0, done.err
    assert files(tmp_path / f"of-{tiny_bench.stem}") == files(tmp_path / "of-bundles")


@pytest.fixture
def table(tmp_path):
    path = tmp_path / "texts.csv"
    path.write_text("key,body\na,red rows\nb,blue rows\nc,red rows\n")
    return path


def test_a_table_keeps_its_rows_and_ids(tellapart, table, tmp_path):
    options = ("--text", "body", "--id", "key", "--model", "hashing", "--out", tmp_path / "vectors")
    done = tellapart("embed", table, *options, "--json")
    assert json.loads(done.out)["rows"] == 3, done.err
    frame = pl.read_parquet(tmp_path / "vectors")
    assert frame["id"].to_list() == ["a", "b", "c"] and frame["text"][2] == "red rows"
    expected = HashingEmbedder().encode(["red rows", "blue rows", "red rows"])
    assert np.array_equal(frame["vector"].to_numpy(), expected)
    # Without a kind, texts are found as queries and as documents.
    found = look_up(tmp_path / "vectors", ["red rows"], ["blue rows", "green"])
    assert found.anchor_faults.tolist() == [""] and found.option_faults.tolist() == ["", "missing embedding"]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--text", "bdy"), "no column 'bdy'. Did you mean 'body'"),
        (("--id", "key"), "--id and --queries are for tables. Add --text COLUMN"),
        (("--text", "body", "--model", "bm25"), "'bm25' scores pairs and has no dense vectors"),
        (("--text", "body", "--workers", "2"), "--workers is for an engine"),
    ],
)
def test_what_cannot_be_embedded_is_refused(tellapart, table, tmp_path, options, message):
    model = () if "--model" in options else ("--model", "hashing")
    done = tellapart("embed", table, *options, *model, "--out", tmp_path / "vectors")
    assert done.code == 2 and message in done.err
    assert not (tmp_path / "vectors").exists()


@pytest.mark.parametrize(
    ("file", "values", "options", "message"),
    [
        ("x.jsonl", [["a"]], ("--text", "body"), "column 'body' holds List(String), expected text. Write"),
        ("x.jsonl", [{"a": "b"}], ("--text", "body"), "column 'body' holds Struct"),
        ("x.parquet", [b"a"], ("--text", "body"), "column 'body' holds Binary, expected text. Write"),
        ("x.jsonl", [[1]], ("--text", "key", "--id", "body"), "holds List(Int64), expected text or numbers"),
        ("x.jsonl", ["a"], (), "For a table of texts, name their column: --text COLUMN. Fix them"),
        ("x.csv", ["a"], (), "no column 'anchor'. For a table of texts, name their column: --text COLUMN"),
        ("x.parquet", ["a"], (), "For a table of texts, name their column: --text COLUMN"),
    ],
)
def test_columns_that_hold_no_text_are_refused(tellapart, tmp_path, file, values, options, message):
    frame = pl.DataFrame({"key": ["k"], "body": values})
    write = {"x.jsonl": frame.write_ndjson, "x.parquet": frame.write_parquet, "x.csv": frame.write_csv}
    write[file](tmp_path / file)
    done = tellapart("embed", tmp_path / file, *options, "--model", "hashing", "--out", tmp_path / "vectors")
    assert done.code == 2 and message in done.err and str(tmp_path / file) in done.err
    assert not (tmp_path / "vectors").exists()


def test_bad_rows_of_each_input_are_refused_or_left_out(tellapart, evals, table, tmp_path):
    with table.open("a") as file:
        file.write("a,more\nd, \n")
    with evals[0].open("a") as file:
        file.write('{"anchor": "a", "positive": "p", "negatives": []}\n')
    for source, options, causes in (
        (table, ("--text", "body", "--id", "key"), ["empty text in 'body'", "no id of its own in 'key'"]),
        (evals[0], (), ["no negatives"]),
    ):
        command = ("embed", source, *options, "--model", "hashing", "--out", tmp_path / f"of-{source.stem}")
        refused = tellapart(*command)
        assert refused.code == 2 and all(f"1 {cause}" in refused.err.replace("with ", "") for cause in causes)
        dropped = tellapart(*command, "--skip-invalid")
        assert dropped.code == 0 and all(f"left out: 1 {cause}" in dropped.err for cause in causes)
    (tmp_path / "of-texts" / "part-00000.parquet").write_bytes(b"PAR1")
    command = ("embed", table, "--text", "body", "--model", "hashing", "--skip-invalid")
    damaged = tellapart(*command, "--out", tmp_path / "of-texts")
    assert damaged.code == 2 and "not a whole Parquet file" in damaged.err


def test_a_changed_benchmark_is_refused(tellapart, tiny_bench, tmp_path):
    (tiny_bench / "units.parquet").write_bytes(b"PAR1")
    done = tellapart("embed", tiny_bench, "--model", "lsa", "--out", tmp_path / "vectors")
    assert done.code == 2 and "units.parquet" in done.err


def test_parts_that_are_done_are_not_done_again(evals, tmp_path, monkeypatch):
    monkeypatch.setattr(embedding, "TEXTS_A_PART", 25)
    encode, calls = HashingEmbedder.encode, []

    def counting(self, texts, *, kind="document"):
        calls.append(len(texts))
        if len(calls) == 4:
            raise KeyboardInterrupt
        return encode(self, texts, kind=kind)

    whole = embedding.embed(str(evals[0]), tmp_path / "whole", "hashing")
    monkeypatch.setattr(HashingEmbedder, "encode", counting)
    with pytest.raises(KeyboardInterrupt):
        embedding.embed(str(evals[0]), tmp_path / "again", "hashing")
    (tmp_path / "again.partial" / "part-00001.parquet").unlink()
    calls[:] = [0] * 4
    resumed = embedding.embed(str(evals[0]), tmp_path / "again", "hashing")
    assert (resumed.parts_before, len(calls) - 4) == (2, whole.parts - 2)
    assert files(tmp_path / "again") == files(tmp_path / "whole")
    assert embedding.embed(str(evals[0]), tmp_path / "again", "hashing").parts_before == whole.parts
    with pytest.raises(UsageError, match="does not hold the vectors of these texts"):
        embedding.embed(str(evals[0]), tmp_path / "again", "lsa")


def test_vectors_of_two_models_in_one_folder_are_refused(evals, tmp_path):
    for model in ("hashing", "lsa"):
        embedding.embed(str(evals[0]), tmp_path / model, model)
    (tmp_path / "lsa" / "part-00001.parquet").replace(tmp_path / "hashing" / "part-00002.parquet")
    with pytest.raises(InputError, match="vectors of two models are here"):
        score(evals[0], tmp_path / "board.json", embeddings=tmp_path / "hashing")
