import numpy as np
import pytest

from embed.fakes import Scripted
from tellapart.embed.cache import CachedEmbedder, VectorCache
from tellapart.errors import InputError

QUERY = {"a": [1, 0], "b": [2, 0], "longer": [3, 0]}
DOCUMENT = {"a": [0, 1], "b": [0, 2], "longer": [0, 3]}


@pytest.fixture
def cache(tmp_path):
    with VectorCache(tmp_path / "vectors.sqlite") as cache:
        yield cache


def test_the_model_is_asked_only_for_distinct_missing_texts(cache):
    model = Scripted(QUERY, DOCUMENT)
    embedder = CachedEmbedder(model, cache)
    assert embedder.encode(["b", "a", "b"]).tolist() == [[0, 2], [0, 1], [0, 2]]
    assert embedder.encode(["longer", "b", "a"]).tolist() == [[0, 3], [0, 2], [0, 1]]
    assert model.asked == [("document", ["a", "b"]), ("document", ["longer"])]


def test_another_run_finds_the_vectors_of_each_kind(tmp_path):
    path, model = tmp_path / "vectors.sqlite", Scripted(QUERY, DOCUMENT)
    with VectorCache(path) as cache:
        first = CachedEmbedder(model, cache).encode(["a", "b"], kind="query")
    with VectorCache(path) as cache:
        again = CachedEmbedder(Scripted(), cache).encode(["b", "a"], kind="query")
        assert CachedEmbedder(model, cache).encode(["a"], kind="document").tolist() == [[0, 1]]
    assert again.dtype == first.dtype == np.float32
    assert again.tolist() == first[::-1].tolist()


def test_another_fingerprint_has_other_vectors(cache):
    CachedEmbedder(Scripted(QUERY, fingerprint="scripted 1"), cache).encode(["a"], kind="query")
    other = Scripted({"a": [9, 9]}, fingerprint="scripted 2")
    assert CachedEmbedder(other, cache).encode(["a"], kind="query").tolist() == [[9, 9]]


def test_an_interrupted_run_loses_one_batch_at_most(cache):
    class Interrupted(Scripted):
        def encode(self, texts, *, kind="document"):
            if len(self.asked) == 1:
                raise KeyboardInterrupt
            return super().encode(texts, kind=kind)

    with pytest.raises(KeyboardInterrupt):
        CachedEmbedder(Interrupted(QUERY), cache, batch_size=2).encode(list(QUERY), kind="query")
    resumed = Scripted(QUERY)
    CachedEmbedder(resumed, cache, batch_size=2).encode(list(QUERY), kind="query")
    assert resumed.asked == [("query", ["longer"])]


def test_vectors_with_nan_are_refused_and_not_kept(cache):
    broken = Scripted({"a": [np.nan, 0]})
    for _ in range(2):
        with pytest.raises(InputError, match="NaN"):
            CachedEmbedder(broken, cache).encode(["a"], kind="query")
    assert len(broken.asked) == 2


def test_kept_vectors_of_other_dimensions_are_embedded_again(cache):
    kept = {"a": [7], "b": [7, 7, 7]}
    cache.put("scripted 1", "query", {text: np.array(row, dtype=np.float32) for text, row in kept.items()})
    vectors = CachedEmbedder(Scripted(QUERY), cache).encode(["a", "b", "longer"], kind="query")
    assert vectors.tolist() == list(QUERY.values())
    assert cache.get("scripted 1", "query", ["a"])["a"].tolist() == QUERY["a"]


def test_batches_that_are_embedded_elsewhere_come_in_any_order(cache):
    model, sent = Scripted(DOCUMENT), []

    def elsewhere(batches):
        sent.extend(batches)
        scripted = Scripted(QUERY, DOCUMENT)
        return ((n, scripted.encode(batches[n].texts, kind=batches[n].kind)) for n in (1, 0))

    embedder = CachedEmbedder(model, cache, batch_size=2, elsewhere=elsewhere)
    assert embedder.encode(["longer", "b", "a"]).tolist() == [[0, 3], [0, 2], [0, 1]]
    assert sent == [("document", ["a", "b"]), ("document", ["longer"])]
    assert embedder.encode(["a", "longer"]).tolist() == [[0, 1], [0, 3]]
    assert (len(sent), model.asked) == (2, [])
    bad = CachedEmbedder(model, cache, elsewhere=lambda _: iter([(0, np.full((1, 2), np.nan))]))
    with pytest.raises(InputError, match="model 'scripted' gave NaN or infinity for 1 of 1 query texts"):
        bad.encode(["a"], kind="query")
