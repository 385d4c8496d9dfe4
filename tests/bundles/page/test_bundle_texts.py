"""The texts of bundles, for the audit beside a report."""

import json

import numpy as np

from tellapart.bundles.eval_texts import item_texts
from tellapart.bundles.run import score
from tellapart.bundles.scoreboards import load_boards
from tellapart.store import ItemText


def test_texts_are_those_of_the_eval_that_was_scored_and_of_no_other(tmp_path):
    eval_path = tmp_path / "eval.jsonl"
    row = {"bundle_id": "b1", "anchor": "a question", "positive": "its answer", "negatives": ["another"]}
    eval_path.write_text(json.dumps(row) + "\n")
    texts = [row["anchor"], row["positive"], *row["negatives"]]
    np.savez(tmp_path / "v.npz", texts=np.array(texts), vectors=np.eye(3, dtype=np.float32) + 0.1)
    score(eval_path, tmp_path / "board.json", embeddings=tmp_path / "v.npz")
    (board,) = load_boards([tmp_path / "board.json"]).boards
    found = item_texts(board)
    assert set(found) == {"b1"}
    anchor, positive = found["b1"][:2]
    assert anchor == ItemText("Anchor", "a question")
    assert positive.text == "its answer"
    eval_path.write_text("{}\n")
    assert item_texts(board) == {}
    eval_path.unlink()
    assert item_texts(board) == {}
