from dataclasses import dataclass
from pathlib import Path

import pytest

from embed.tiny_models import write_encoder
from integrations.mteb_run import evaluate, quiet


@pytest.fixture(scope="session")
def tiny_embedder(tmp_path_factory):
    """Directory of a real model of sentence-transformers with random weights and prompts."""
    return write_encoder(
        tmp_path_factory.mktemp("tiny"),
        "SentenceTransformer",
        "BertModel",
        prompts={"query": "query: ", "document": "passage: "},
    )


@pytest.fixture(scope="session")
def named_model(tiny_embedder):
    """The same model as MTEB evaluates it, called tiny/one."""
    import mteb
    from sentence_transformers import SentenceTransformer

    with quiet():
        model = mteb.SentenceTransformerEncoderWrapper(SentenceTransformer(str(tiny_embedder), device="cpu"))
    changes = {"name": "tiny/one", "revision": "r1"}
    model.mteb_model_meta = model.mteb_model_meta.model_copy(update=changes)
    return model


@dataclass(frozen=True)
class Evaluated:
    """What MTEB wrote of the local tasks.

    Attributes:
        folder: Predictions of the model.
        results: Results of it.
        scores: Main scores by task and (subset, split).
    """

    folder: Path
    results: Path
    scores: dict[str, dict[tuple[str, str], float]]


def evaluated_as(model, parent):
    from mteb.cache import ResultCache

    from integrations import local_tasks

    folder = parent / "predictions" / model.mteb_model_meta.name.replace("/", "__")
    tasks = [kind() for kind in local_tasks.ALL]
    results = evaluate(model, tasks, prediction_folder=folder, cache=ResultCache(parent))
    scores = {
        result.task_name: {
            (part["hf_subset"], split): part["main_score"]
            for split, parts in result.scores.items()
            for part in parts
        }
        for result in results.task_results
    }
    return Evaluated(folder, parent / "results", scores)


@pytest.fixture(scope="session")
def evaluated(named_model, tmp_path_factory):
    """The tiny model on every local task."""
    return evaluated_as(named_model, tmp_path_factory.mktemp("mteb"))


@pytest.fixture(scope="session")
def rival(evaluated, tiny_embedder):
    """A second model beside it: the same without its prompts."""
    import mteb
    from sentence_transformers import SentenceTransformer

    with quiet():
        model = mteb.SentenceTransformerEncoderWrapper(
            SentenceTransformer(str(tiny_embedder), device="cpu", prompts={"query": "", "document": ""})
        )
    changes = {"name": "tiny/bare", "revision": "r1"}
    model.mteb_model_meta = model.mteb_model_meta.model_copy(update=changes)
    return evaluated_as(model, evaluated.results.parent)
