"""The texts of bundles, for the audit beside a report."""

from pathlib import Path

from tellapart.bundles.page.item_texts import item_texts
from tellapart.bundles.page.view import view_of
from tellapart.bundles.scoreboards import load_boards
from tellapart.store import ItemText

STORED = Path(__file__).parents[2] / "pinned" / "stored" / "bundles"


def test_texts_are_those_of_the_eval_that_was_scored_and_of_no_other(tmp_path):
    for name in ("bm25.json", "bm25.scores.parquet", "eval.jsonl"):
        (tmp_path / name).write_bytes((STORED / name).read_bytes())
    (board,) = view_of(load_boards([tmp_path / "bm25.json"])).boards
    texts = item_texts(board)
    assert set(texts) == set(board.scores["item"])
    anchor, positive = texts["easy/client.py::build_query#78f07a77"]
    said = "Build the query string of a request from its parameters, leaving out empty ones."
    assert anchor == ItemText("Anchor", said)
    assert positive.text.startswith("def build_query(")
    (tmp_path / "eval.jsonl").write_text("{}\n")
    assert item_texts(board) == {}
    (tmp_path / "eval.jsonl").unlink()
    assert item_texts(board) == {}
