"""Sparse encoders and late interaction, against the library's own similarities."""

import numpy as np
import pytest

from embed.tiny_models import write_bert, write_encoder
from spreads import Pickling
from tellapart.embed.cache import VectorCache
from tellapart.embed.registry import load_embedder, load_matcher
from tellapart.errors import InputError, UsageError

QUERIES = ["read a file", "sort names (quickly)", "read a file"]
DOCUMENTS = ["def sort(x)", "read: the file again", "unused", "def sort(x)"]
PAIRS = np.array([0, 0, 1, 1, 2, 2]), np.array([0, 1, 0, 1, 1, 3])

KINDS = {
    "sparse": ("SparseEncoder", "BertForMaskedLM", ["dot", "cosine", "euclidean", "manhattan"]),
    "multivector": ("MultiVectorEncoder", "BertModel", ["maxsim", "meanmaxsim"]),
}
CASES = [(stem, similarity) for stem, (_, _, names) in KINDS.items() for similarity in names]


@pytest.fixture(scope="module", params=CASES, ids="-".join)
def tiny(request, tmp_path_factory):
    stem, similarity = request.param
    kind, architecture, _ = KINDS[stem]
    prompts = {"query": "query: ", "document": "text: "}
    directory = tmp_path_factory.mktemp(stem)
    return (
        stem,
        similarity,
        write_encoder(directory, kind, architecture, similarity_fn_name=similarity, prompts=prompts),
    )


def test_scores_are_those_of_the_librarys_similarity(tiny, tmp_path):
    import sentence_transformers

    stem, similarity, directory = tiny
    model = getattr(sentence_transformers, KINDS[stem][0])(
        str(directory), device="cpu", local_files_only=True
    )
    sides = model.encode_query(QUERIES), model.encode_document(DOCUMENTS)
    if stem == "sparse":
        # In single precision, distances by the library are off by 1e-5.
        sides = [side.to_dense().double() for side in sides]
    expected = np.asarray(model.similarity(*sides))[PAIRS]
    with VectorCache(tmp_path / "cache") as cache:
        matcher = load_matcher(f"{stem}:{directory}", corpus=[], cache=cache)
        scores = matcher.score_pairs(QUERIES, DOCUMENTS, *PAIRS)
        assert scores == pytest.approx(expected, rel=1e-6, abs=1e-6)
        assert matcher.unit == similarity
        kept = cache.get(matcher.fingerprint, "query", QUERIES[:2])
        matcher.encode = None
        assert matcher.score_pairs(QUERIES, DOCUMENTS, *PAIRS).tolist() == scores.tolist()
    with VectorCache(tmp_path / "other") as other:
        elsewhere = load_matcher(f"{stem}:{directory}", cache=other, spread=Pickling())
        assert elsewhere.score_pairs(QUERIES, DOCUMENTS, *PAIRS).tolist() == scores.tolist()
    assert sorted(kept) == sorted(QUERIES[:2])
    with pytest.raises(UsageError, match="has no dense vectors"):
        load_embedder(f"{stem}:{directory}")


def test_models_of_other_kinds_are_refused_with_what_to_write(tmp_path, tiny_model):
    plain = write_bert(tmp_path / "plain", "BertModel")
    for name, message in [
        (f"sparse:{tiny_model}", f"this is a SentenceTransformer, and sparse: .* Write st:{tiny_model}"),
        (f"multivector:{tiny_model}", "this is a SentenceTransformer, and multivector:"),
        # Without the head that gives weights of words, the library would make one at random.
        (f"sparse:{plain}", "these are no files of a SparseEncoder"),
        (f"multivector:{plain}", "these are no files of a MultiVectorEncoder"),
    ]:
        with pytest.raises(InputError, match=message):
            load_matcher(name, corpus=[])


def test_nan_is_refused(tmp_path):
    directory = write_encoder(tmp_path, "SparseEncoder", "BertForMaskedLM")
    matcher = load_matcher(f"sparse:{directory}", corpus=[])
    matcher.encode = lambda texts, kind: [np.full(2, np.nan, dtype=np.float32) for _ in texts]
    with pytest.raises(InputError, match="gave NaN or infinity for the query text that begins 'read a file'"):
        matcher.score_pairs(QUERIES, DOCUMENTS, *PAIRS)
