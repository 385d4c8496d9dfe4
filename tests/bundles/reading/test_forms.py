"""The forms that others write, each read whole, and a broken twin of each refused."""

import csv
import json
from pathlib import Path

import polars as pl
import pytest

from tellapart.bundles.reading import read_batches, read_bundles
from tellapart.core.bundle import Bundle, Text
from tellapart.errors import InputError
from tellapart.files import RowFaults


def write(path, *rows):
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def bundles(path):
    problems = RowFaults(path)
    whole = list(read_bundles(path, problems))
    problems.refuse()
    # The quick way reads the same.
    rows = [row for frame in read_batches(path, RowFaults(path)) for row in frame.drop("line").rows()]
    assert rows == [
        (one.bundle_id, one.anchor.text, one.positive.text, [text.text for text in one.negatives], one.tier)
        for one in whole
    ]
    return whole


def refusal(path):
    problems = RowFaults(path)
    kept = list(read_bundles(path, problems))
    with pytest.raises(InputError) as raised:
        problems.refuse(next_step="")
    told = str(raised.value).rstrip(". ").replace(f"{path}:", "").splitlines()[1:]
    quick = RowFaults(path)
    assert sum(frame.height for frame in read_batches(path, quick)) == len(kept)
    assert quick.counts == problems.counts
    return told


# The example of the schema, and with the tier where the builder of the same system writes it.
EVENT = {"event_id": "evt_001", "sense": "bank#financial", "text": "The bank approved the loan."}
DOCUMENTED = {
    "bundle_id": "bnd_001",
    "anchor": EVENT | {"lemma": "bank", "embedding": [0.5, -1]},
    "positive": {"event_id": "evt_002", "sense": "bank#financial", "text": "Check your balance."},
    "negatives": [{"event_id": "evt_3", "sense": "bank#river", "text": "A river bank.", "source": "sibling"}],
    "metadata": {"tier": "tier3_adversarial", "danger_score": 0.623},
}


@pytest.mark.parametrize("key", ["tier", "difficulty_tier"])
def test_a_tier_in_the_metadata_is_the_tier(tmp_path, key):
    metadata = {key: "tier3", "danger_score": 0.623}
    path = write(tmp_path / "e.jsonl", DOCUMENTED | {"metadata": metadata})
    pl.read_ndjson(path).write_parquet(tmp_path / "e.parquet")
    for place in (path, tmp_path / "e.parquet"):
        (one,) = bundles(place)
        assert one.tier == "tier3_adversarial"
        assert one.metadata == {"danger_score": 0.623}
        assert one.anchor == Text(EVENT["text"], "evt_001", "bank#financial")
        assert one.negatives == (Text("A river bank.", "evt_3", "bank#river", "sibling"),)


HEADER = {"_header": True, "source_bundles": "b.jsonl", "eval_seed": 42, "eval_count": 2, "tier_counts": {}}
FROZEN = {"id": "0f", "tier": "tier2_robust", "lemma": "bank", "pos": "noun", "danger": -0.25}
FROZEN |= {"anchor_text": "a", "positive_text": "p", "negative_texts": ["n", "m"], "sense_id": "bank#1"}
BARE = {**dict.fromkeys(FROZEN), "anchor_text": "a", "positive_text": "p", "negative_texts": ["n"]}


def test_a_frozen_eval_below_its_header(tmp_path):
    path = write(tmp_path / "e.jsonl", HEADER, FROZEN, BARE)
    about = {"lemma": "bank", "pos": "noun", "danger": -0.25}
    full = Bundle("0f", Text("a", sense="bank#1"), Text("p"), (Text("n"), Text("m")), "tier2_robust", about)
    assert bundles(path) == [full, Bundle("3", Text("a"), Text("p"), (Text("n"),))]
    assert refusal(write(path, FROZEN, HEADER)) == ["2: _header: header below the first line"]


GROUPED = {
    "id": "0f",
    "lemma": "bank",
    "anchor": {"text": "a", "span": {}, "sense_id": "bank#1", "source": "wiki", "quality": {"risk": 0.3}},
    "positive": {"text": "p", "sense_id": "bank#1"},
    "negatives": {
        "within_lemma": [{"text": "n", "sense_id": "bank#2", "source": "wiki"}],
        "cross_lemma": ["m", {"text": "k", "_similarity": 0.9}],
    },
    "metadata": {"difficulty_tier": "tier1_easy", "danger_score": 0.1},
}


def test_negatives_by_kind_keep_the_kind_as_their_source(tmp_path):
    path = write(tmp_path / "e.jsonl", GROUPED)
    anchor, positive = (Text(text, sense="bank#1") for text in "ap")
    others = (Text(text, source="cross_lemma") for text in "mk")
    negatives = (Text("n", sense="bank#2", source="within_lemma"), *others)
    about = {"lemma": "bank", "danger_score": 0.1}
    assert bundles(path) == [Bundle("0f", anchor, positive, negatives, "tier1_easy", about)]
    columns = {**GROUPED, "anchor": "a", "negatives": {"within_lemma": [{"text": "n"}], "cross_lemma": None}}
    pl.DataFrame([columns]).write_parquet(tmp_path / "e.parquet")
    assert bundles(tmp_path / "e.parquet")[0].negatives == (Text("n", source="within_lemma"),)


COLUMNS = {"id": "q7", "anchor": "an anchor", "positive": 'a "good" one\nin two lines'}
COLUMNS |= {"negative_1": "wrong", "negative_2": "too"}


def _delimited(path, separator, *rows):
    with path.open("w", newline="") as file:
        table = csv.DictWriter(file, rows[0], delimiter=separator)
        table.writeheader()
        table.writerows(rows)


@pytest.mark.parametrize(
    ("name", "save"),
    [
        ("e.csv", lambda path, *rows: _delimited(path, ",", *rows)),
        ("e.tsv", lambda path, *rows: _delimited(path, "\t", *rows)),
        ("e.csv", lambda path, *rows: _delimited(path, ";", *rows)),
        ("e.json", lambda path, *rows: path.write_text(json.dumps(rows, indent=1))),
        ("e.jsonl", write),
        ("e.parquet", lambda path, *rows: pl.DataFrame(rows).write_parquet(path)),
    ],
)
def test_a_table_is_the_same_in_every_file(tmp_path, name, save):
    path = tmp_path / name
    save(path, COLUMNS, COLUMNS | {"id": "q8", "negative_2": None})
    first, second = bundles(path)
    assert first == Bundle(
        "q7", Text("an anchor"), Text('a "good" one\nin two lines'), (Text("wrong"), Text("too"))
    )
    assert (second.bundle_id, second.negatives) == ("q8", (Text("wrong"),))


def test_what_the_miner_of_the_library_writes_is_read():
    """Files that ``mine_hard_negatives`` of sentence-transformers wrote, with and without scores."""
    for path in Path(__file__).with_name("mined").glob("*.jsonl"):
        read = bundles(path)
        assert {(one.anchor.text, one.positive.text) for one in read} >= {
            ("the bank approved the loan", "a loan from the bank"),
            ("the river flooded", "water came over the bank"),
        }
        assert {len(one.negatives) for one in read} <= {1, 2}
        assert all(bool(one.metadata) == path.stem.endswith("scores") for one in read)


@pytest.mark.parametrize("name", ["neg", "postive", "negative_01", "Tier", "domain"])
def test_an_unknown_column_is_refused(tmp_path, name):
    path = write(tmp_path / "e.jsonl", {"anchor": "a", "positive": "p", "negative": "n", name: "x"})
    assert any(line.startswith(f"1: {name}: unknown field") for line in refusal(path))
