from dataclasses import replace

from codesearch.systems.searched import request, searched
from tellapart.codesearch.kinds import load
from tellapart.codesearch.systems import embeddings
from tellapart.embed.cache import CachedEmbedder
from tellapart.embed.models.hashing import HashingEmbedder
from tellapart.embed.similarity import VectorMatcher


def test_a_model_finds_the_file_of_an_issue_and_reads_no_secret(tmp_path):
    first, none = searched(tmp_path, "embeddings:tfidf", "the board is not shown", "zzz")
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
