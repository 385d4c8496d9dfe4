import json
import os
import subprocess
import sys

import numpy as np
import polars as pl
import pytest

from tellapart.bundles.results import scores_path
from tellapart.bundles.run import score, tier
from tellapart.core.figure_units import FigureKind, FigureUnit
from tellapart.core.scores import ScoreTable
from tellapart.errors import InputError, UsageError
from tellapart.store import read_notes

UP, DOWN, SIDE = [0.0, 1.0], [0.0, -1.0], [1.0, 0.0]
VECTORS = {
    "a0": UP,
    "a1": SIDE,
    "up": UP,
    "down": DOWN,
    "side": SIDE,
    "slope": [3.0, 4.0],
    "zero": [0.0, 0.0],
}


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
    found = score(write(ROWS), tmp_path / "b.json", embeddings=vectors, checkpoint="weights/7")
    assert found.scores["margin"].to_list() == pytest.approx(MARGINS, abs=1e-6)
    assert found.scores["rank"].to_list() == [1, 2, 1, 2]
    assert found.scores["ties"].to_list() == [0, 0, 0, 1]
    assert found.scores["hardest_negative"].to_list() == [0, 0, 0, 1]
    assert found.scores["cluster"].to_list() == ["b0", "b0", "b0", "b3"]
    # Sorted dangers -2 -.2 .2 .6: places int(2.8) = 2 and int(3.6) = 3.
    tiers = ["tier1_easy"] * 3 + ["tier2_robust"]
    assert found.scores["tier"].to_list() == tiers
    record = json.loads((tmp_path / "b.json").read_text())
    assert list(record) == [
        "eval_header", "model", "overall", "by_tier", "timestamp", "checkpoint_path", "tellapart_version",
        "units",
    ]  # fmt: skip
    assert set(record["eval_header"]) == {
        "eval_path", "fingerprint", "source_hash", "seed", "item_count", "tier_distribution", "version",
    }  # fmt: skip
    assert record["eval_header"]["tier_distribution"] == {
        "tier1_easy": 3, "tier2_robust": 1, "tier3_adversarial": 0,
    }  # fmt: skip
    assert (record["model"], record["checkpoint_path"], record["overall"]["pass_rate"]) == (
        "v",
        "weights/7",
        0.5,
    )
    assert record["by_tier"]["tier3_adversarial"]["mean_margin"] is None
    assert pl.read_parquet(scores_path(tmp_path / "b.json")).equals(found.scores)


def test_the_scores_beside_a_scoreboard_are_a_score_table(write, vectors, tmp_path):
    board = score(write(ROWS), tmp_path / "b.json", embeddings=vectors, name="mine").board
    made = ScoreTable.from_frame(pl.read_parquet(scores_path(tmp_path / "b.json")))
    assert made.strata == ["tier"]
    assert (made.models, made.frame.height) == (["mine"], 4)
    assert made.frame["score"].mean() == board.overall.pass_rate


def test_a_scoreboard_may_have_the_name_of_the_eval_or_of_the_vectors(write, vectors, tmp_path):
    for out in (vectors.with_suffix(".json"), tmp_path / "e.json"):
        # Twice, for then there are scores beside it.
        for _ in range(2):
            score(write(ROWS), out, embeddings=vectors)
        assert scores_path(out).exists()
    assert vectors.exists()


def test_the_kind_and_unit_of_every_figure_are_recorded(write, vectors, tmp_path):
    board = score(write(ROWS), tmp_path / "b.json", embeddings=vectors).board
    counts = {"n", "correct", "queries", "ties", "ci95"}
    assert set(board.units) == set(type(board.overall).model_fields) - counts
    assert {name: str(unit.kind) for name, unit in board.units.items() if unit.unit is None} == {
        **dict.fromkeys(("accuracy", "pass_rate", "mrr", "top3", "top5", "any_correct", "map"), "rate"),
        **dict.fromkeys(("ndcg10", "recall1", "recall3", "recall5", "recall10"), "rate"),
        **dict.fromkeys(("mean_rank", "expected_rank"), "rank"),
    }
    margins = {board.units[name] for name in ("mean_margin", "median_margin", "q10_margin", "q90_margin")}
    assert margins == {FigureUnit(FigureKind.SIMILARITY, "cosine")}


@pytest.mark.parametrize(("model", "unit"), [("tfidf", "cosine"), ("hashing", "cosine"), ("bm25", "bm25")])
def test_the_unit_of_margins_is_the_models(write, tmp_path, model, unit):
    board = score(write(ROWS), tmp_path / "b.json", model=model).board
    assert board.units["q10_margin"].unit == unit


def test_tiers_cut_by_the_model_itself_are_noted_with_its_scores(write, tmp_path):
    rng = np.random.default_rng(4)
    texts = [f"t{i}" for i in range(60)]
    np.savez(tmp_path / "v.npz", texts=np.array(texts), vectors=rng.normal(size=(60, 8)))
    rows = [bundle(f"b{i}", f"t{3 * i}", f"t{3 * i + 1}", [f"t{3 * i + 2}"]) for i in range(20)]
    score(write(rows), tmp_path / "b.json", embeddings=tmp_path / "v.npz", name="mine")
    (caution,) = read_notes(scores_path(tmp_path / "b.json")).cautions
    assert caution.startswith("the tiers were cut by the margins of mine itself, so its pass rates by tier")


def test_warnings_are_returned(write, vectors, tmp_path):
    def warnings(rows, **options):
        return score(write(rows), tmp_path / "b.json", embeddings=vectors, **options).warnings

    # Five bundles are cut at places 3 and 4: all are in the first two tiers.
    ties, own, empty = warnings([*ROWS, bundle("b4", "a1", "down", ["up"])])
    assert ties.startswith("in 2 of 5 bundles (40.0 %)")
    assert own.startswith("this eval has no tiers")
    assert empty.startswith("no bundle is in tier3_adversarial, so")
    tiered = [{**row, "tier": f"tier{t}"} for row, t in zip(ROWS[:3], (1, 2, 3), strict=True)]
    # One bundle a tier is no disorder, whatever passes.
    assert warnings(tiered) == ()
    bad = [*tiered[:2], bundle("b2", "a0", "up", ["zero"]), bundle("b3", "a0", "unknown", ["up"])]
    (left_out,) = warnings(bad, skip_invalid=True)
    assert left_out == "left out 2 bad row(s): 1 missing embedding, 1 zero vector"


def test_what_was_left_out_is_not_counted_and_not_the_frozen_version(write, vectors, tmp_path):
    from tellapart.bundles.versions import freeze

    path = write([*ROWS, bundle("b4", "a0", "up", ["zero"])])
    freeze(path, "v1")
    with pytest.raises(InputError, match=r"e.jsonl:5: negatives\[0\]: zero vector"):
        score(path, tmp_path / "b.json", embeddings=vectors)
    header = score(path, tmp_path / "b.json", embeddings=vectors, skip_invalid=True).board.eval_header
    assert (header.item_count, header.version) == (4, None)
    assert header.fingerprint == f"{header.source_hash}|42|4"


def test_nothing_left_is_an_error(write, vectors, tmp_path):
    with pytest.raises(InputError, match="no bundle is left to score: left out 1 bad row.*1 zero vector"):
        path = write([bundle("b", "a0", "up", ["zero"])])
        score(path, tmp_path / "b.json", embeddings=vectors, skip_invalid=True)
    assert not (tmp_path / "b.json").exists()


def test_the_eval_is_never_overwritten(write, vectors):
    path = write(ROWS)
    for shell in (score, tier):
        with pytest.raises(UsageError, match="is an input and would be lost"):
            shell(path, path, embeddings=vectors)


def test_tier_keeps_all_that_the_eval_says(write, vectors, tmp_path):
    rows = [
        {
            **ROWS[0],
            "anchor": {"text": "a0", "sense": "Ölung", "source": "x"},
            "metadata": {"π": [1, 2.5, None]},
        },
        {**ROWS[1], "tier": "tier1"},
        *ROWS[2:],
    ]
    found = tier(write(rows), tmp_path / "t.jsonl", embeddings=vectors, thresholds=(0.25, 0.5))
    written = [json.loads(line) for line in (tmp_path / "t.jsonl").read_text().splitlines()]
    # Sorted dangers -2 -.2 .2 .6, cut at places 1 and 2.
    tiers = ["tier1_easy", "tier2_robust", "tier1_easy", "tier3_adversarial"]
    assert written == [{**row, "tier": t} for row, t in zip(rows, tiers, strict=True)]
    assert found.assigned.counts == {"tier1_easy": 2, "tier2_robust": 1, "tier3_adversarial": 1}
    again = score(tmp_path / "t.jsonl", tmp_path / "b.json", embeddings=vectors)
    assert again.scores["tier"].to_list() == tiers


def test_tier_takes_rows_of_several_bundles_apart(write, vectors, tmp_path):
    row = {"query": "a0", "positive": ["up", "slope"], "negative": ["side"]}
    tier(write([row]), tmp_path / "t.jsonl", embeddings=vectors)
    written = [json.loads(line) for line in (tmp_path / "t.jsonl").read_text().splitlines()]
    assert [(one["positive"], one["tier"]) for one in written] == [
        ("up", "tier1_easy"),
        ("slope", "tier1_easy"),
    ]


@pytest.mark.slow
@pytest.mark.process
def test_threads_and_hash_seeds_change_nothing(tmp_path, write):
    rng = np.random.default_rng(0)
    words = [f"w{i}" for i in range(300)]
    rows = [bundle(f"b{i}", *(words[j] for j in rng.choice(300, 2)), []) for i in range(400)]
    for i, row in enumerate(rows):
        row["anchor"] = f"anchor {i % 90}"
        row["negatives"] = [word for word in rng.choice(words, 5, replace=False) if word != row["positive"]]
    path, vectors = write(rows), tmp_path / "many.npz"
    texts = sorted({text for row in rows for text in (row["anchor"], row["positive"], *row["negatives"])})
    np.savez(vectors, texts=np.array(texts), vectors=rng.normal(size=(len(texts), 24)).astype(np.float32))
    made = []
    for threads, seed in (("1", "0"), ("2", "17")):
        out = tmp_path / f"{threads}.json"
        variables = ("NUMBA_NUM_THREADS", "POLARS_MAX_THREADS", "OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS")
        subprocess.run(
            [
                sys.executable,
                "-m",
                "tellapart",
                "bundles",
                "score",
                path,
                "--embeddings",
                vectors,
                "--out",
                out,
            ],
            env={**os.environ, "PYTHONHASHSEED": seed, **dict.fromkeys(variables, threads)},
            check=True,
            capture_output=True,
        )
        record = json.loads(out.read_text())
        del record["timestamp"]
        made.append((json.dumps(record), scores_path(out).read_bytes()))
    assert made[0] == made[1]


def test_bad_rows_are_refused_before_a_model_is_asked(write, monkeypatch):
    monkeypatch.setattr("tellapart.bundles.run.embed_eval", lambda *_: pytest.fail("embedded for nothing"))
    path = write([{"anchr": "a"}])
    with pytest.raises(InputError, match=r":1: anchr: unknown field, Did you mean 'anchor'"):
        score(path, path.with_name("o.json"), model="tfidf")
    with pytest.raises(InputError, match="no bundle is left to score: left out 1 bad row"):
        score(path, path.with_name("o.json"), model="tfidf", skip_invalid=True)


@pytest.mark.parametrize(
    ("similarity", "margin"),
    [("dot", 4 - 3), ("euclidean", 20**0.5 - 18**0.5), ("manhattan", 0), ("cosine", 0.8 - 0.6)],
)
def test_vectors_of_a_file_are_compared_as_the_user_says(tmp_path, similarity, margin):
    # (1, 0) with (4, 3) and (3, 4); a zero vector is a bad row only where it needs a direction.
    vectors = np.array([[1, 0], [4, 3], [3, 4], [0, 0]], dtype=np.float32)
    texts = np.array(["east", "near", "far", "none"])
    np.savez(tmp_path / "v.npz", texts=texts, vectors=vectors)
    rows = [
        {"bundle_id": "b", "anchor": "east", "positive": "near", "negatives": ["far"]},
        {"bundle_id": "z", "anchor": "east", "positive": "near", "negatives": ["none"]},
    ]
    path = tmp_path / "eval.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    request = {"embeddings": tmp_path / "v.npz", "similarity": similarity}
    if similarity == "cosine":
        with pytest.raises(InputError, match=r"negatives\[0\]: zero vector"):
            score(path, tmp_path / "board.json", **request)
    found = score(path, tmp_path / "board.json", skip_invalid=True, **request)
    assert found.scores["margin"][0] == pytest.approx(margin, abs=1e-9)
    assert found.scores.height == (1 if similarity == "cosine" else 2)
    assert found.board.units["mean_margin"].unit == similarity
