"""Scores by item from what MTEB predicted, and the right answers, which lie in its task."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any

import polars as pl

from tellapart.embed.mteb_library import named_object, quiet_mteb, require_mteb
from tellapart.environment.secrets import without_secrets
from tellapart.errors import InputError, UsageError, option
from tellapart.readers.rankings import Rankings, rankings_of, score_queries
from tellapart.readers.reader import LogScores
from tellapart.readers.settings import ReadingSettings

_FEATURE = "--qrels TASK"

_RANKED = {
    "ndcg": "nDCG",
    "map": "AP",
    "mrr": "RR",
    "recall": "R",
    "precision": "P",
    "hit_rate": "Success",
}
"""Measures of MTEB that are means over queries, and their names in ir_measures."""


@lru_cache(maxsize=8)
def load_task(reference: str) -> Any:
    """Find a task of rankings and load its data."""
    require_mteb(_FEATURE)
    from mteb.abstasks import AbsTaskRetrieval

    with quiet_mteb():
        task = _find_task(reference)
        metadata = task.metadata
        if task.is_aggregate:
            parts = ", ".join(part.metadata.name for part in metadata.tasks)
            raise UsageError(
                f"{metadata.name!r} is the mean of several tasks",
                next_step=f"Name one of them with {option('qrels', 'TASK')}: {parts}",
            )
        if not isinstance(task, AbsTaskRetrieval):
            raise UsageError(
                f"the task {metadata.name!r} is of the type {metadata.type}, whose main score "
                f"{metadata.main_score!r} is no mean over queries",
                next_step="Compare the models on MTEB's results instead: tellapart leaderboard RESULTS",
            )
        try:
            task.load_data()
            task.convert_v1_dataset_format_to_v2(num_proc=None)
        except Exception as error:  # Each of a thousand tasks has errors of its own.
            reason = without_secrets(str(error)).split("\n")[0]
            raise InputError(
                f"the data of MTEB's task {metadata.name!r} cannot be loaded "
                f"({type(error).__name__}: {reason:.300})",
                next_step="Check the connection; data that were downloaded earlier are used without one. Or "
                f"give the judgments of rankings as a file: {option('qrels', 'FILE')}",
            ) from error
    return task


def score_predictions(
    parts: Mapping[tuple[str, str], Any], model: str, task: Any, settings: ReadingSettings, path: Path
) -> LogScores:
    """Score rankings of each subset and split query by query.

    The mean in each split of each subset is MTEB's main score. Items count once each, where MTEB takes the
    mean over subsets.
    """
    metadata, wanted = task.metadata, settings.metric
    measure = _measure_of(wanted) or wanted if wanted else _measure_of(metadata.main_score)
    if measure is None:
        raise UsageError(
            f"the main score of {metadata.name!r} is {metadata.main_score!r}, no mean over queries",
            where=path,
            next_step=f"Name a measure of queries: {option('metric', 'nDCG@10')}",
        )
    frames, unranked, notes = [], list[str](), dict[str, None]()
    for (subset, split), predictions in parts.items():
        relevant = _data(task, subset, split, path)["relevant_docs"]
        judged = {str(query): dict(documents) for query, documents in relevant.items() if documents}
        ranked, source = _as_mteb_ranks(rankings_of(predictions, path), task), f"the task {metadata.name!r}"
        scores = score_queries(ranked, judged, measure, model, settings, path, source=source)
        strata = {"subset": subset} if len(metadata.hf_subsets) > 1 else {}
        strata |= {"split": split} if len(metadata.eval_splits) > 1 else {}
        # Items of the same name may be in several subsets, such as languages, and splits.
        prefix = "".join(f"{name}/" for name in strata.values())
        of_part = {name: pl.lit(value) for name, value in strata.items()}
        frames.append(scores.frame.with_columns(item=prefix + pl.col("item"), **of_part))
        unranked += [prefix + query for query in scores.unranked]
        notes |= dict.fromkeys(scores.notes)
    return LogScores(pl.concat(frames), tuple(notes), limits=(0.0, 1.0), unranked=tuple(sorted(unranked)))


def _data(task: Any, subset: str, split: str, path: Path) -> Any:
    """The data of one split of one subset."""
    data = task.dataset
    if subset not in data and subset == "default":
        data = {subset: data}
    if subset not in data or split not in data[subset]:
        there = sorted(f"{other}/{other_split}" for other in data for other_split in data[other])
        raise InputError(
            f"there are predictions for {subset}/{split}, which the task {task.metadata.name!r} lacks: it "
            f"has {', '.join(there)[:200]}",
            where=path,
            next_step=f"Name the task that the predictions are of: {option('qrels', 'TASK')}",
        )
    return data[subset][split]


def _find_task(reference: str) -> Any:
    import mteb

    if ":" in reference:
        value = named_object(reference, f"the task of {_FEATURE}")
        task = value if isinstance(value, mteb.AbsTask) else value()
        if not isinstance(task, mteb.AbsTask):
            raise InputError(
                f"{reference!r} gives a {type(task).__name__}, expected a task of MTEB",
                next_step="Give MODULE:NAME of an AbsTask, or of a class or function that makes one",
            )
        return task
    try:
        return mteb.get_task(reference)
    except KeyError as error:
        # MTEB knows near matches, and takes seconds to list its tasks.
        raise InputError(
            f"MTEB has no task {reference!r} ({str(error.args[0])[:200]})",
            next_step="It is no file of judgments either. A task of your own is named MODULE:CLASS, with "
            "PYTHONPATH=. in front",
        ) from None


def _measure_of(name: str) -> str | None:
    """``nDCG@10`` for ``ndcg_at_10``; None for what is no measure of one query."""
    stem, _, cutoff = name.partition("_at_")
    if name == "accuracy":
        # MTEB's name for recall at 1, where each query has one right answer.
        return "R@1"
    return f"{_RANKED[stem]}@{cutoff}" if stem in _RANKED and cutoff.isdigit() else None


def _as_mteb_ranks(rankings: Rankings, task: Any) -> Rankings:
    """Leave out what MTEB leaves out after it has saved: a query among its documents, a first result."""
    if task.ignore_identical_ids:
        rankings = {q: {d: s for d, s in row.items() if d != q} for q, row in rankings.items()}
    if getattr(task, "skip_first_result", False):
        rankings = {
            q: dict(sorted(row.items(), key=lambda pair: pair[1], reverse=True)[1:])
            for q, row in rankings.items()
        }
    return rankings
