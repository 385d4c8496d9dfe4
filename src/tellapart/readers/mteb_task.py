"""Scores by item from what MTEB predicted, and the right answers, which lie in its task."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from inspect import signature
from pathlib import Path
from typing import Any

import polars as pl

from tellapart.embed.mteb_library import named_object, quiet_mteb, require_mteb
from tellapart.environment.secrets import without_secrets
from tellapart.errors import InputError, UsageError, option
from tellapart.readers.rankings import QueryScores, Rankings, rankings_of, score_queries, scores_frame
from tellapart.readers.reader import LogScores
from tellapart.readers.settings import ReadingSettings

_FEATURE = "--mteb"

_RANKED = {
    "ndcg": "nDCG",
    "map": "AP",
    "mrr": "RR",
    "recall": "R",
    "precision": "P",
    "hit_rate": "Success",
}
"""Measures of MTEB that are means over queries, and their names in ir_measures."""


@dataclass(frozen=True)
class TaskLabels:
    """A task and its right answers.

    Attributes:
        name: In MTEB; its file of predictions is ``NAME_predictions.json``.
        main_score: By which MTEB ranks models on it.
        task: The task itself, its data loaded.
    """

    name: str
    main_score: str
    task: Any

    @property
    def file_name(self) -> str:
        """Of its predictions."""
        return f"{self.name}_predictions.json"

    @property
    def has_subsets(self) -> bool:
        """Whether items of the same name may be in several subsets, such as languages."""
        return len(self.task.metadata.hf_subsets) > 1

    @property
    def has_splits(self) -> bool:
        """The same of splits."""
        return len(self.task.metadata.eval_splits) > 1

    def part(self, subset: str, split: str, path: Path) -> Any:
        """The data of one split of one subset."""
        data = self.task.dataset
        if subset not in data and subset == "default":
            data = {subset: data}
        if subset not in data or split not in data[subset]:
            there = sorted(f"{other}/{other_split}" for other in data for other_split in data[other])
            raise InputError(
                f"there are predictions for {subset}/{split}, which the task {self.name!r} lacks: it has "
                f"{', '.join(there)[:200]}",
                where=path,
                next_step=f"Name the task that the predictions are of: {option('mteb', 'TASK')}",
            )
        return data[subset][split]


@lru_cache(maxsize=8)
def load_task(reference: str) -> TaskLabels:
    """Find a task of rankings and load its data."""
    require_mteb(_FEATURE)
    from mteb.abstasks import AbsTaskRetrieval

    with quiet_mteb():
        task = _find_task(reference)
        name = task.metadata.name
        if task.is_aggregate:
            parts = ", ".join(part.metadata.name for part in task.metadata.tasks)
            raise UsageError(
                f"{name!r} is the mean of several tasks",
                next_step=f"Name one of them with {option('mteb', 'TASK')}: {parts}",
            )
        if not isinstance(task, AbsTaskRetrieval):
            raise UsageError(
                f"the task {name!r} is of the type {task.metadata.type}, whose main score "
                f"{task.metadata.main_score!r} is no mean over queries",
                next_step="Compare the models on MTEB's results instead: tellapart leaderboard RESULTS",
            )
        try:
            task.load_data()
            if hasattr(task, "convert_v1_dataset_format_to_v2"):
                takes_processes = "num_proc" in signature(task.convert_v1_dataset_format_to_v2).parameters
                task.convert_v1_dataset_format_to_v2(**({"num_proc": None} if takes_processes else {}))
        except Exception as error:  # Each of a thousand tasks has errors of its own.
            reason = without_secrets(str(error)).split("\n")[0]
            raise InputError(
                f"the data of MTEB's task {name!r} cannot be loaded ({type(error).__name__}: {reason:.300})",
                next_step="Check the connection; data that were downloaded earlier are used without one. Or "
                f"give the judgments of rankings as a file: {option('qrels', 'FILE')}",
            ) from error
    return TaskLabels(name, task.metadata.main_score, task)


def score_predictions(
    by_subset: Mapping[str, Any], model: str, labels: TaskLabels, settings: ReadingSettings, path: Path
) -> LogScores:
    """Score rankings query by query.

    The mean in each split of each subset is MTEB's main score. Items count once each, where MTEB takes the
    mean over subsets.
    """
    frames, unranked = [], []
    notes: dict[str, None] = {}
    for subset, split, predictions in _parts(by_subset, path):
        data = labels.part(subset, split, path)
        prefix = f"{subset}/" * labels.has_subsets + f"{split}/" * labels.has_splits
        scored = _score_rankings(predictions, data, labels, settings, path)
        notes |= dict.fromkeys(scored.notes)
        frame = scores_frame(model, {prefix + query: score for query, score in scored.scores.items()})
        strata = {"subset": subset} if labels.has_subsets else {}
        strata |= {"split": split} if labels.has_splits else {}
        frames.append(frame.with_columns(pl.lit(value).alias(name) for name, value in strata.items()))
        unranked += [prefix + query for query in scored.unranked]
    return LogScores(pl.concat(frames), tuple(notes), limits=(0.0, 1.0), unranked=tuple(sorted(unranked)))


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
            next_step="A task of your own is named MODULE:CLASS, with PYTHONPATH=. in front",
        ) from None


def _parts(by_subset: Mapping[str, Any], path: Path) -> Iterator[tuple[str, str, Any]]:
    parts = [
        (subset, split, predictions)
        for subset, by_split in by_subset.items()
        if isinstance(by_split, dict)
        for split, predictions in by_split.items()
    ]
    if not parts:
        raise InputError("there are no predictions in this file", where=path)
    yield from parts


def _score_rankings(
    predictions: Any, data: Any, labels: TaskLabels, settings: ReadingSettings, path: Path
) -> QueryScores:
    measure = settings.metric
    name = _measure_of(measure) or measure if measure else _measure_of(labels.main_score)
    if name is None:
        raise UsageError(
            f"the main score of {labels.name!r} is {labels.main_score!r}, no mean over queries",
            where=path,
            next_step=f"Name a measure of queries: {option('metric', 'nDCG@10')}",
        )
    judged = {
        str(query): dict(by_document) for query, by_document in data["relevant_docs"].items() if by_document
    }
    ranked = _as_mteb_ranks(rankings_of(predictions, path), labels.task)
    return score_queries(ranked, judged, name, settings, path, source=f"the task {labels.name!r}")


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
