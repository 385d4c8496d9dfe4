from dataclasses import replace

import pytest

from codesearch.systems.searched import request, searched
from tellapart.codesearch.kinds import load
from tellapart.codesearch.systems import embeddings
from tellapart.embed.cache import CachedEmbedder
from tellapart.embed.models.hashing import HashingEmbedder
from tellapart.embed.similarity import VectorMatcher


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
