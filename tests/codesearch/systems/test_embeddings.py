from dataclasses import replace

import numpy as np
import pytest

from codesearch.systems.searched import request, searched
from tellapart.codesearch.kinds import load
from tellapart.codesearch.systems import embeddings
from tellapart.codesearch.systems.embeddings import MOST_CHARACTERS, Pieces, pieces_of
from tellapart.embed.cache import CachedEmbedder
from tellapart.embed.models.hashing import HashingEmbedder
from tellapart.embed.similarity import VectorMatcher


def test_a_piece_has_whole_lines_below_the_path():
    lines = [f"line {number}" for number in range(100)]
    pieces = pieces_of("a/x.py", "\n".join(lines))
    assert [len(piece.splitlines()) - 1 for piece in pieces] == [40, 40, 20]
    assert all(piece.startswith("a/x.py\n") for piece in pieces)
    assert [line for piece in pieces for line in piece.splitlines()[1:]] == lines
    long = "y" * (MOST_CHARACTERS + 1)
    assert pieces_of("a", f"{long}\nz\n{long}") == [f"a\n{long}", "a\nz", f"a\n{long}"][:2]
    assert pieces_of("a", "  \n\n") == []


def test_a_file_is_as_good_as_its_best_piece():
    # Of a: 0.2 and 0.9; of b: 0.9, which ties with a and comes after it by path; of c: 0, which is nothing.
    pieces = Pieces(("a", "b", "c"), np.array([0, 2, 3]), lambda _: np.array([0.2, 0.9, 0.9, 0.0]))
    assert pieces.best("issue", 5) == ["a", "b"]
    assert pieces.best("issue", 1) == ["a"]
    assert Pieces((), np.array([], dtype=np.int64), lambda _: np.array([])).best("issue", 5) == []


@pytest.mark.parametrize("model", ["bm25", "tfidf", "lsa"])
def test_models_find_the_file_of_an_issue_and_read_no_secret(tmp_path, model):
    first, none = searched(tmp_path, f"embeddings:{model}", "the board is not shown", "zzz")
    assert first.output["files_found"][0] == "b/board.py"
    assert "b/credentials.json" not in first.output["files_found"]
    assert none.output == {"files_found": []}


def test_a_model_that_is_dear_is_loaded_once_for_all_trees(tmp_path, monkeypatch):
    loads = []

    def load_model(name, *, cache, **_):
        loads.append(name)
        return VectorMatcher(CachedEmbedder(HashingEmbedder(), cache))

    monkeypatch.setattr(embeddings, "load_matcher", load_model)
    monkeypatch.setenv("TELLAPART_CACHE", str(tmp_path / "vectors.sqlite"))
    now = request(tmp_path, "embeddings:hashing")
    for tree in (now, replace(now)):
        load("systems", tree).prepare()
    assert loads == ["hashing"]
