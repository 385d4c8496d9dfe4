"""The library MTEB itself evaluates; each of its figures must be ours."""

import sys
from types import SimpleNamespace

import numpy as np
import polars as pl
import pytest

from integrations.mteb_run import evaluate
from support.recorded import record_of
from tellapart.embed import mteb_library
from tellapart.embed.registry import load_embedder
from tellapart.errors import TellapartError, UsageError
from tellapart.integrations.mteb import prediction_folder, task

TEXTS = ["read a file", " sort the names ", "write"]


def test_a_frozen_benchmark_scores_in_mteb_as_here(
    tiny_bench, tiny_embedder, named_model, tellapart, tmp_path
):
    done = tellapart(
        "contrastive", "run", tiny_bench, "--model", f"mteb:{tiny_embedder}", "--out", tmp_path / "run"
    )
    assert done.code == 0, done.err
    ours = pl.read_parquet(tmp_path / "run" / "items.parquet").filter(condition="summary")
    assert ours["ties"].max() == 0
    result = evaluate(named_model, task(tiny_bench)).task_results[0]
    theirs = {scores["hf_subset"]: scores["main_score"] for scores in result.scores["test"]}
    means = dict(ours.group_by("level").agg(pl.col("correct").mean()).iter_rows())
    assert theirs == pytest.approx(means, abs=1e-12) and len(theirs) == 2
    assert 0 < sum(means.values()) < 2
    record = record_of(tmp_path / "run")
    fingerprint = record["models"][f"mteb:{tiny_embedder}"]["fingerprint"]
    assert 'prompts={"document": "passage: ", "query": "query: "}' in fingerprint


def test_a_model_that_mteb_loads_embeds_with_the_prompts_of_each_side(tiny_embedder, named_model):
    model = load_embedder(f"mteb:{tiny_embedder}")
    raw = named_model.model
    for kind, prompt in (("query", "query: "), ("document", "passage: ")):
        texts = TEXTS if kind == "query" else [text.strip() for text in TEXTS]
        plain = raw.encode([prompt + text for text in texts], prompt="")
        assert model.encode(TEXTS, kind=kind) == pytest.approx(np.asarray(plain), abs=1e-6)
    assert model.encode([]).shape == (0, 16)
    assert model.similarity == "cosine"


def test_each_model_has_a_folder_of_its_own_for_predictions(named_model):
    assert prediction_folder("pred", named_model).parts == ("pred", "tiny__one__r1")
    with pytest.raises(UsageError, match="has no name"):
        prediction_folder("pred", SimpleNamespace(name="no_model_name/available", revision=None))


def test_a_model_of_a_users_module_is_loaded_and_others_are_refused(named_model, monkeypatch):
    # As without a network, wherever this runs.
    monkeypatch.setattr(mteb_library, "_answers", lambda address: False)
    monkeypatch.setitem(sys.modules, "my_models", SimpleNamespace(tuned=named_model, other=object()))
    assert "model=tiny/one revision=r1" in load_embedder("mteb:my_models:tuned").fingerprint
    for name, words in (
        ("my_models:none", "PYTHONPATH=. in front"),
        ("my_models:other", "gives no dense vector"),
        ("sentence-transformers/all-MiniLM-L6-v", "Did you mean 'sentence-transformers/all-MiniLM-L"),
        ("sentence-transformers/all-mpnet-base-v2", "give the directory of a downloaded copy: mteb:PATH"),
    ):
        with pytest.raises(TellapartError, match=words):
            load_embedder(f"mteb:{name}")
