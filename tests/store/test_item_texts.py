"""What items ask and what was answered, from the tables of runs."""

from pathlib import Path

import polars as pl

from tellapart.store import ItemText, read_item_texts

STORED = Path(__file__).parents[1] / "pinned" / "stored"


def test_a_run_with_questions_has_its_texts_by_item_each_once():
    run = STORED / "longcontext" / "runs" / "graded"
    texts = read_item_texts([run, run / "scores.parquet"])
    assert set(texts) == set(pl.read_parquet(run / "scores.parquet")["item"])
    first = pl.read_parquet(run / "items.parquet").row(0, named=True)
    parts = texts[f"{first['case']}/{first['step_id']}"]
    assert parts[0] == ItemText("Question", first["question"])
    assert ItemText(f"Answer of {first['model']}", first["response"]) in parts
    assert len({part.name for part in parts}) == len(parts)


def test_other_files_and_runs_without_texts_have_none(tmp_path):
    (tmp_path / "scores.csv").write_text("model,item,score\n")
    places = [tmp_path, tmp_path / "scores.csv", Path("-"), STORED / "contrastive" / "runs" / "embedding"]
    assert read_item_texts(places) == {}
