import json
import shutil
from pathlib import Path

import numpy as np
import pytest

from spreads import Pickling
from tellapart.embed.cache import VectorCache
from tellapart.embed.model_files import find_model
from tellapart.embed.models import st
from tellapart.embed.models.st import SentenceTransformerEmbedder
from tellapart.embed.registry import load_embedder
from tellapart.errors import InputError, UsageError

TEXTS = ["read a file", "sort", "write the whole list of names into a file"]


@pytest.fixture(scope="module")
def tiny(tiny_model):
    return SentenceTransformerEmbedder("st:tiny", find_model(str(tiny_model)))


@pytest.fixture(scope="module")
def raw(tiny_model):
    # Imported here, since that takes seconds in every process that only collects these tests.
    from sentence_transformers import SentenceTransformer

    return SentenceTransformer(str(tiny_model), device="cpu", local_files_only=True)


@pytest.mark.parametrize(("kind", "prompt"), [("query", "query: "), ("document", "passage: ")])
def test_each_kind_gets_the_models_own_prompt(tiny, raw, kind, prompt):
    plain = raw.encode([f"{prompt}{text}" for text in TEXTS], prompt="")
    assert tiny.encode(TEXTS, kind=kind) == pytest.approx(plain, abs=1e-6)


def test_many_texts_of_all_lengths_are_embedded_as_one_by_one(tiny, raw):
    texts = ["word " * (n * 7 % 40) + str(n) for n in range(60)]
    plain = np.stack([raw.encode(f"passage: {text}", prompt="") for text in texts])
    assert tiny.encode(texts) == pytest.approx(plain, abs=1e-5)


@pytest.mark.parametrize(("same", "kind"), [(1e-5, "embed.models.st"), (-1.0, "torch.nn")])
def test_layers_are_onednns_unless_vectors_move(tiny_model, raw, monkeypatch, same, kind):
    monkeypatch.setattr(st, "_SAME", same)
    embedder = SentenceTransformerEmbedder("st:tiny", find_model(str(tiny_model)))
    layers = [type(part).__module__ for part in embedder._model.modules() if type(part).__name__ == "Linear"]
    assert layers and all(kind in layer for layer in layers)
    plain = np.stack([raw.encode(f"passage: {text}", prompt="") for text in TEXTS])
    assert embedder.encode(TEXTS) == pytest.approx(plain, abs=1e-5)


def test_name_and_fingerprint(tiny_model, tmp_path):
    model = load_embedder(f"st:{tiny_model}")
    assert model.name == f"st:{tiny_model}"
    moved = shutil.copytree(tiny_model, tmp_path / "moved")
    assert load_embedder(f"st:{moved}").fingerprint == model.fingerprint
    prompts = moved / "config_sentence_transformers.json"
    prompts.write_text(prompts.read_text().replace("passage", "text"))
    assert load_embedder(f"st:{moved}").fingerprint != model.fingerprint


@pytest.mark.parametrize("damage", ["empty", "not json", "weights cut short"])
def test_a_directory_that_is_no_model_is_refused(tiny_model, tmp_path, damage):
    directory = shutil.copytree(tiny_model, tmp_path / "damaged")
    if damage == "empty":
        shutil.rmtree(directory)
        directory.mkdir()
    elif damage == "not json":
        Path(directory, "config.json").write_text("{")
    else:
        weights = Path(directory, "model.safetensors")
        weights.write_bytes(weights.read_bytes()[:-1000])
    with pytest.raises(InputError, match=f"^{directory}: sentence-transformers cannot load this model"):
        load_embedder(f"st:{directory}")


@pytest.mark.parametrize(
    ("file", "content", "kind"),
    [
        ("config.json", {"architectures": ["BertForSequenceClassification"]}, "CrossEncoder"),
        ("config.json", {"architectures": ["HF_ColBERT"]}, "ColBERT"),
        ("config_sentence_transformers.json", {"model_type": "SparseEncoder"}, "SparseEncoder"),
    ],
)
def test_a_model_without_one_dense_vector_for_a_text_is_refused(tmp_path, file, content, kind):
    (tmp_path / file).write_text(json.dumps(content))
    with pytest.raises(InputError, match=f"this is a {kind}, and st: loads a SentenceTransformer"):
        load_embedder(f"st:{tmp_path}")


def test_workers_load_it_once_and_give_its_vectors(tiny, tiny_model, tmp_path):
    spread = Pickling()
    with VectorCache(tmp_path / "cache") as cache:
        embedder = load_embedder(f"st:{tiny_model}", cache=cache, spread=spread)
        for kind in ("query", "document"):
            assert embedder.encode(TEXTS, kind=kind).tolist() == tiny.encode(TEXTS, kind=kind).tolist()
    assert [batch.kind for batch in spread.tasks] == ["query", "document"]
    assert spread.jobs[0] is spread.jobs[1]


def test_in_bfloat16_vectors_move_little_and_the_fingerprint_says_so(tiny, tiny_model, monkeypatch):
    """What a GPU does, on the processor."""
    monkeypatch.setattr(st, "runs_in_bfloat16", lambda model: True)
    half = SentenceTransformerEmbedder("st:tiny", find_model(str(tiny_model)))
    assert half.fingerprint == f"{tiny.fingerprint} bfloat16"
    vectors, exact = (model.encode(TEXTS, kind="query") for model in (half, tiny))
    assert vectors.dtype == np.float32
    off = np.abs(vectors - exact).max()
    assert 1e-4 < off < 0.05


def test_a_worker_that_has_another_model_under_the_name_is_refused(tiny_model, tmp_path, monkeypatch):
    """Its vectors would lie in the cache as those of ours."""
    with VectorCache(tmp_path / "cache") as cache:
        embedder = load_embedder(f"st:{tiny_model}", cache=cache, spread=Pickling())
        monkeypatch.setattr(st, "runs_in_bfloat16", lambda model: True)
        with pytest.raises(UsageError, match="a worker has the model '.* bfloat16', and the command '"):
            embedder.encode(TEXTS)
