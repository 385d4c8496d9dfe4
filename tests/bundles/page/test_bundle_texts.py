"""The texts of bundles, for the flips of a comparison and the view."""

import json

import numpy as np

from tellapart.bundles.run import score
from tellapart.bundles.scoreboards import anchor_texts, eval_texts, load_boards


def test_texts_are_those_of_the_eval_that_was_scored_and_of_no_other(tmp_path):
    eval_path = tmp_path / "eval.jsonl"
    row = {"bundle_id": "b1", "anchor": "a question", "positive": "its answer", "negatives": ["another"]}
    eval_path.write_text(json.dumps(row) + "\n")
    texts = [row["anchor"], row["positive"], *row["negatives"]]
    np.savez(tmp_path / "v.npz", texts=np.array(texts), vectors=np.eye(3, dtype=np.float32) + 0.1)
    score(eval_path, tmp_path / "board.json", embeddings=tmp_path / "v.npz")
    (board,) = load_boards([tmp_path / "board.json"]).boards
    assert eval_texts(board).row(0, named=True)["positive"] == "its answer"
    assert anchor_texts(board, ["b1"]) == {"b1": "a question"}
    eval_path.write_text("{}\n")
    assert anchor_texts(board, ["b1"]) == {}
    eval_path.unlink()
    assert eval_texts(board) is None
