from functools import cache

import numpy as np
import pytest

from embed.tiny_models import write_bert, write_cross_encoder
from spreads import Pickling
from tellapart.embed.cache import VectorCache
from tellapart.embed.models.st import CrossEncoderMatcher, PairEncoder
from tellapart.embed.registry import load_embedder, load_matcher
from tellapart.errors import InputError, UsageError

QUERIES = ["read a file", "sort names (quickly)", "read a file"]
DOCUMENTS = ["def sort(x)", "read: the file again", "def sort(x)", "unused"]
PAIRS = np.array([0, 0, 1, 1, 2, 2, 0]), np.array([0, 1, 0, 1, 1, 2, 0])
TEXTS = [(QUERIES[i], DOCUMENTS[j]) for i, j in zip(*PAIRS, strict=True)]


@pytest.fixture(scope="module")
def tiny(tmp_path_factory):
    return write_cross_encoder(tmp_path_factory.mktemp("ce"))


@cache
def encoder(directory):
    from sentence_transformers import CrossEncoder

    return CrossEncoder(str(directory), device="cpu", local_files_only=True)


def predicted(directory, pairs):
    return encoder(directory).predict(pairs)


@pytest.mark.parametrize(
    ("activation", "unit"), [("Sigmoid", "sigmoid"), ("Identity", "logit"), ("Tanh", "tanh")]
)
def test_scores_are_those_of_predict_and_the_unit_says_of_which_activation(tmp_path, activation, unit):
    directory = write_cross_encoder(tmp_path, activation=activation)
    matcher = load_matcher(f"ce:{directory}", corpus=[])
    scores = matcher.score_pairs(QUERIES, DOCUMENTS, *PAIRS)
    assert scores == pytest.approx(predicted(directory, TEXTS), abs=1e-6)
    assert (matcher.unit, matcher.name) == (unit, f"ce:{directory}")
    assert len(set(scores.tolist())) == 4


def test_each_distinct_pair_of_texts_is_scored_once_and_kept(tiny, tmp_path, monkeypatch):
    import sentence_transformers

    seen = []
    predict = sentence_transformers.CrossEncoder.predict
    monkeypatch.setattr(
        sentence_transformers.CrossEncoder,
        "predict",
        lambda self, pairs, **options: seen.extend(pairs) or predict(self, pairs, **options),
    )
    with VectorCache(tmp_path / "cache") as cache:
        matcher = load_matcher(f"ce:{tiny}", corpus=[], cache=cache)
        first = matcher.score_pairs(QUERIES, DOCUMENTS, *PAIRS)
        assert sorted(seen) == sorted(set(TEXTS))
        seen.clear()
        wider = np.append(PAIRS[0], 1), np.append(PAIRS[1], 3)
        assert matcher.score_pairs(QUERIES, DOCUMENTS, *wider)[:-1].tolist() == first.tolist()
        assert seen == [(QUERIES[1], "unused")]
        # Workers score the rest likewise, and what they scored is kept.
        spread = Pickling()
        elsewhere = load_matcher(f"ce:{tiny}", cache=cache, spread=spread)
        most = np.append(wider[0], 0), np.append(wider[1], 3)
        assert elsewhere.score_pairs(QUERIES, DOCUMENTS, *most)[:-2].tolist() == first.tolist()
        assert [list(task.texts) for task in spread.tasks] == [["11 read a fileunused"]]
        every = elsewhere.score_pairs(QUERIES, DOCUMENTS, *most).tolist()
        assert matcher.score_pairs(QUERIES, DOCUMENTS, *most).tolist() == every
    assert matcher.score_pairs(QUERIES, DOCUMENTS, *PAIRS) == pytest.approx(first, abs=1e-6)


def test_two_texts_that_make_one_when_joined_are_two_pairs(tiny, tmp_path):
    with VectorCache(tmp_path / "cache") as cache:
        matcher = load_matcher(f"ce:{tiny}", corpus=[], cache=cache)
        first, second = matcher.score_pairs(["ab", "a"], ["c", "bc"], np.arange(2), np.arange(2))
    assert [first, second] == pytest.approx(predicted(tiny, [("ab", "c"), ("a", "bc")]), abs=1e-6)
    assert abs(first - second) > 1e-4


def test_a_sigmoid_does_not_saturate(tiny):
    from sentence_transformers import CrossEncoder

    model = CrossEncoder(str(tiny), device="cpu", local_files_only=True)
    model.model.classifier.weight.data *= 0
    model.model.classifier.bias.data[:] = 20
    matcher = CrossEncoderMatcher(PairEncoder("ce:sure", model, "sure"))
    first = np.zeros(1, dtype=np.int64)
    [sure] = matcher.score_pairs(["a"], ["b"], first, first)
    assert model.predict([("a", "b")])[0] == 1
    assert sure == pytest.approx(1 - np.exp(-20), abs=1e-12)
    assert sure < 1


def test_nan_is_refused(tiny):
    from sentence_transformers import CrossEncoder

    model = CrossEncoder(str(tiny), device="cpu", local_files_only=True)
    model.model.classifier.bias.data[:] = np.nan
    matcher = CrossEncoderMatcher(PairEncoder("ce:broken", model, "broken"))
    with pytest.raises(InputError, match="'ce:broken' gave NaN or infinity for 4 of 4 pairs, the first"):
        matcher.score_pairs(QUERIES, DOCUMENTS, *PAIRS)


def test_models_that_are_no_ranker_are_refused_with_what_to_write(tmp_path, tiny, tiny_model):
    three = write_cross_encoder(tmp_path / "three", labels=3, activation="Identity")
    plain = write_bert(tmp_path / "plain", "BertModel")
    for name, message in [
        (f"ce:{three}", "3 scores for a pair, one for each label, expected a single one to rank by"),
        (f"ce:{tiny_model}", f"this is a SentenceTransformer, and ce: .* Write st:{tiny_model}"),
        (f"st:{tiny}", f"this is a CrossEncoder, and st: loads a SentenceTransformer. Write ce:{tiny}"),
        (f"st:{tiny.parent / 'plain'}", "this is a CrossEncoder, and st:"),
        (f"ce:{plain}", "these are no files of a CrossEncoder"),
        ("ce:/no/such", "there is no directory '/no/such'"),
    ]:
        with pytest.raises(InputError, match=message):
            load_matcher(name, corpus=[])
    with pytest.raises(UsageError, match="scores pairs in its own way and has no vectors to compare by dot"):
        load_matcher(f"ce:{tiny}", corpus=[], similarity="dot")
    with pytest.raises(UsageError, match="scores pairs and has no dense vectors; expected an embedder"):
        load_embedder(f"ce:{tiny}")
