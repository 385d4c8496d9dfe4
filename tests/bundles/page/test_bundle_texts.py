"""The texts of bundles, for the audit beside a report."""

import json

from tellapart.bundles.page.item_texts import item_texts
from tellapart.bundles.page.view import view_of
from tellapart.bundles.scoreboards import load_boards
from tellapart.store import ItemText


def test_texts_are_those_of_the_eval_that_was_scored_and_of_no_other(tmp_path, tellapart):
    rows = [{"query": f"word {i}", "positive": [f"text {i}"], "negative": ["a", "b"]} for i in range(3)]
    (tmp_path / "eval.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    scored = tellapart(
        "bundles", "score", tmp_path / "eval.jsonl", "--model", "bm25", "--out", tmp_path / "bm25.json"
    )
    assert scored.code == 0, scored.err
    (board,) = view_of(load_boards([tmp_path / "bm25.json"])).boards
    texts = item_texts(board)
    assert set(texts) == set(board.scores["item"])
    assert ItemText("Anchor", "word 1") in {parts[0] for parts in texts.values()}
    (tmp_path / "eval.jsonl").write_text("{}\n")
    assert item_texts(board) == {}
    (tmp_path / "eval.jsonl").unlink()
    assert item_texts(board) == {}
