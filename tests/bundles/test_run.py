import json

import numpy as np
import polars as pl
import pytest

from tellapart import bundles
from tellapart.bundles.results import scores_path
from tellapart.bundles.run import score, tier
from tellapart.bundles.versions import freeze
from tellapart.errors import InputError, TellapartError, UsageError

UP, DOWN, SIDE = [0.0, 1.0], [0.0, -1.0], [1.0, 0.0]
VECTORS = {"a0": UP, "a1": SIDE, "up": UP, "down": DOWN, "side": SIDE}
VECTORS |= {"slope": [3.0, 4.0], "zero": [0.0, 0.0]}


def bundle(name, anchor, positive, negatives, **more):
    return {"bundle_id": name, "anchor": anchor, "positive": positive, "negatives": negatives, **more}


# Cosines of a0: up 1, slope .8, side 0, down -1; so margins of .2, -.2 and 2. Cosines of a1: up 0, down 0,
# slope .6; so a margin of -.6 and a tie with the other negative.
ROWS = [
    bundle("b0", "a0", "up", ["slope", "side"]),
    bundle("b1", "a0", "slope", ["up", "down"]),
    bundle("b2", "a0", "up", ["down"]),
    bundle("b3", "a1", "up", ["down", "slope"]),
]
MARGINS = [0.2, -0.2, 2.0, -0.6]


def scores_of(out):
    return pl.read_parquet(scores_path(out))


@pytest.fixture
def vectors(tmp_path):
    path = tmp_path / "v.npz"
    np.savez(path, texts=np.array(list(VECTORS)), vectors=np.array([*VECTORS.values()], dtype=np.float32))
    return path


@pytest.fixture
def write(tmp_path):
    def written(rows, name="e.jsonl"):
        path = tmp_path / name
        path.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows))
        return path

    return written


def test_four_bundles_by_hand(write, vectors, tmp_path):
    score(write(ROWS), tmp_path / "b.json", embeddings=vectors, checkpoint="weights/7")
    found = scores_of(tmp_path / "b.json")
    assert found["margin"].to_list() == pytest.approx(MARGINS, abs=1e-6)
    assert found["rank"].to_list() == [1, 2, 1, 2]
    assert found["ties"].to_list() == [0, 0, 0, 1]
    assert found["hardest_negative"].to_list() == [0, 0, 0, 1]
    assert found["cluster"].to_list() == ["b0", "b0", "b0", "b3"]
    # Sorted dangers -2 -.2 .2 .6: places int(2.8) = 2 and int(3.6) = 3.
    tiers = ["tier1_easy"] * 3 + ["tier2_robust"]
    assert found["tier"].to_list() == tiers
    record = json.loads((tmp_path / "b.json").read_text())
    assert record["eval_header"]["tier_distribution"] == {
        "tier1_easy": 3, "tier2_robust": 1, "tier3_adversarial": 0,
    }  # fmt: skip
    assert (record["model"], record["checkpoint_path"]) == ("v", "weights/7")
    assert record["overall"]["pass_rate"] == 0.5
    assert record["by_tier"]["tier3_adversarial"]["mean_margin"] is None


def test_what_was_left_out_is_not_counted_and_not_the_frozen_version(write, vectors, tmp_path):
    path = write([*ROWS, bundle("b4", "a0", "up", ["zero"])])
    freeze(path, "v1")
    with pytest.raises(InputError, match=r"e.jsonl:5: negatives\[0\]: zero vector"):
        score(path, tmp_path / "b.json", embeddings=vectors)
    header = score(path, tmp_path / "b.json", embeddings=vectors, skip_invalid=True).board.eval_header
    assert (header.item_count, header.version) == (4, None)
    assert header.fingerprint == f"{header.source_hash}|42|4"


def test_tier_keeps_all_that_the_eval_says(write, vectors, tmp_path):
    anchor = {"text": "a0", "sense": "Ölung", "source": "x"}
    first = {**ROWS[0], "anchor": anchor, "metadata": {"π": [1, 2.5, None]}}
    rows = [first, {**ROWS[1], "tier": "tier1"}, *ROWS[2:]]
    found = tier(write(rows), tmp_path / "t.jsonl", embeddings=vectors, thresholds=(0.25, 0.5))
    written = [json.loads(line) for line in (tmp_path / "t.jsonl").read_text().splitlines()]
    # Sorted dangers -2 -.2 .2 .6, cut at places 1 and 2.
    tiers = ["tier1_easy", "tier2_robust", "tier1_easy", "tier3_adversarial"]
    assert written == [{**row, "tier": t} for row, t in zip(rows, tiers, strict=True)]
    counts = found.assigned.cuts.tier_distribution
    assert counts == {"tier1_easy": 2, "tier2_robust": 1, "tier3_adversarial": 1}
    score(tmp_path / "t.jsonl", tmp_path / "b.json", embeddings=vectors)
    assert scores_of(tmp_path / "b.json")["tier"].to_list() == tiers


def test_a_scoreboard_in_the_folder_of_its_eval_is_refused(write, tmp_path):
    folder = tmp_path / "eval"
    folder.mkdir()
    write([bundle("b0", "a", "p", ["n"])]).rename(folder / "part.jsonl")
    with pytest.raises(UsageError, match="read as bundles the next time"):
        score(folder, folder / "board.json", model="bm25")
    assert [path.name for path in folder.iterdir()] == ["part.jsonl"]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"model": "bm25"}, r"no negatives\. Fix them, or drop them with skip_invalid=True\.$"),
        ({}, r"give either model='NAME' or embeddings='VECTORS'\.$"),
        ({"model": "bm25", "seed": 7}, r"seed is 7, but version 'v1' .*\. Leave seed out\.$"),
    ],
)
def test_python_is_told_of_arguments_and_not_of_options(write, tmp_path, options, message):
    if "seed" in options:
        freeze(path := write(ROWS), "v1", seed=3)
    else:
        path = write([*ROWS, bundle("b4", "a", "b", [])])
    with pytest.raises(TellapartError, match=message):
        bundles.score(path, tmp_path / "b.json", **options)
