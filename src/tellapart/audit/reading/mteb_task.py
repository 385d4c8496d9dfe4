"""Scores by item from what MTEB predicted, and the right answers, which lie in its task."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from inspect import signature
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from tellapart.audit.reading.rankings import Rankings, score_queries
from tellapart.audit.reading.reader import Choices, LogScores
from tellapart.core.arrays import F64
from tellapart.core.stats.influence import average_precision_values, pearson_values, spearman_values
from tellapart.embed.mteb_library import named_object, quiet_mteb, require_mteb
from tellapart.environment.secrets import without_secrets
from tellapart.errors import InputError, TellapartError, UsageError

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

_PAIRED = {"similarity": "similarity_scores", "cosine": "cosine_scores", "dot": "dot_scores"} | {
    distance: f"{distance}_distances" for distance in ("manhattan", "euclidean")
}
"""What MTEB measures similarity of pairs by, and where its predictions have it."""

_UNBOUNDED = (float("-inf"), float("inf"))


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
            there = sorted(f"{one}/{two}" for one in data for two in data[one])
            raise InputError(
                f"there are predictions for {subset}/{split}, which the task {self.name!r} lacks: it has "
                f"{', '.join(there)[:200]}",
                where=path,
                next_step="Name the task that the predictions are of: --mteb TASK",
            )
        return data[subset][split]


@dataclass(frozen=True)
class _PartScores:
    """Scores of one split of one subset, items in the order of the task."""

    items: Sequence[str]
    scores: Sequence[float]
    replicates: Sequence[int] | None = None
    unranked: tuple[str, ...] = ()


class UnknownTask(InputError):
    """A name that no task of MTEB has, and none that was imported."""


@lru_cache(maxsize=8)
def load_task(reference: str) -> TaskLabels:
    """Find a task and load its data."""
    require_mteb(_FEATURE)
    with quiet_mteb():
        task = _find_task(reference)
        name = task.metadata.name
        if task.is_aggregate:
            parts = ", ".join(part.metadata.name for part in task.metadata.tasks)
            raise UsageError(
                f"{name!r} is the mean of several tasks", next_step=f"Name one of them with --mteb: {parts}"
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
                "give the judgments of rankings as a file: --qrels FILE",
            ) from error
    return TaskLabels(name, task.metadata.main_score, task)


def score_predictions(
    by_subset: Mapping[str, Any], model: str, labels: TaskLabels, choices: Choices, path: Path
) -> LogScores:
    """Score predictions item by item.

    Where MTEB's main score is a mean over items, its mean in each split of each subset is the mean here. A
    correlation and an average precision, which no item has, are written as means over items; see
    `tellapart.core.stats.influence`. Items count once each, where MTEB takes the mean over subsets.
    """
    kind, scorer = _scorer(labels)
    if choices.measure is not None and kind != "rankings":
        raise UsageError(
            f"--measure is for rankings, and {labels.name!r} has {kind}", next_step="Leave --measure out"
        )
    frames, unranked = [], []
    notes: dict[str, None] = {}
    limits = (0.0, 1.0)
    for subset, split, predictions in _parts(by_subset, path):
        data = labels.part(subset, split, path)
        prefix = f"{subset}/" * labels.has_subsets + f"{split}/" * labels.has_splits
        part, limits, sentences = scorer(predictions, data, labels, choices, path)
        notes |= dict.fromkeys(sentences)
        columns: dict[str, Any] = {
            "model": [model] * len(part.items),
            "item": [prefix + item for item in part.items],
            "score": list(part.scores),
        }
        if part.replicates is not None:
            columns["replicate"] = list(part.replicates)
        if labels.has_subsets:
            columns["subset"] = [subset] * len(part.items)
        if labels.has_splits:
            columns["split"] = [split] * len(part.items)
        frames.append(pl.DataFrame(columns, schema_overrides={"model": pl.String, "item": pl.String}))
        unranked += [prefix + item for item in part.unranked]
    return LogScores(pl.concat(frames), tuple(notes), limits=limits, unranked=tuple(sorted(unranked)))


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
    for own in _imported(mteb.AbsTask):
        if getattr(getattr(own, "metadata", None), "name", None) == reference:
            return own()
    try:
        return mteb.get_task(reference)
    except KeyError as error:
        # MTEB knows near matches, and takes seconds to list its tasks.
        raise UnknownTask(
            f"MTEB has no task {reference!r} ({str(error.args[0])[:200]})",
            next_step="A task of your own is named MODULE:CLASS, with PYTHONPATH=. in front",
        ) from None


def _imported(kind: type) -> Iterator[type]:
    """Classes of tasks that are no part of MTEB itself."""
    one: type
    for one in kind.__subclasses__():
        if not one.__module__.startswith("mteb."):
            yield one
        yield from _imported(one)


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


def _scorer(labels: TaskLabels) -> tuple[str, Any]:
    """What a task's predictions are called, and the function that scores them."""
    from mteb.abstasks import AbsTaskClassification, AbsTaskPairClassification, AbsTaskRetrieval, AbsTaskSTS

    for kind, name, scorer in (
        (AbsTaskRetrieval, "rankings", _score_rankings),
        (AbsTaskClassification, "classes", _score_classes),
        (AbsTaskSTS, "similarities", _score_similarities),
        (AbsTaskPairClassification, "similarities of pairs", _score_pairs),
    ):
        if isinstance(labels.task, kind):
            return name, scorer
    raise UsageError(
        f"the task {labels.name!r} is of the type {labels.task.metadata.type}, whose main score "
        f"{labels.main_score!r} is no figure of its items, one by one",
        next_step="Of MTEB, retrieval, reranking, classification, STS and pair classification are read",
    )


_Scored = tuple[_PartScores, tuple[float, float], list[str]]


def _score_rankings(predictions: Any, data: Any, labels: TaskLabels, choices: Choices, path: Path) -> _Scored:
    measure = choices.measure or choices.metric
    name = _measure_of(measure) or measure if measure else _measure_of(labels.main_score)
    if name is None:
        raise UsageError(
            f"the main score of {labels.name!r} is {labels.main_score!r}, no mean over queries",
            where=path,
            next_step="Name a measure of queries: --measure nDCG@10",
        )
    judged = {
        str(query): dict(by_document) for query, by_document in data["relevant_docs"].items() if by_document
    }
    ranked = _as_mteb_ranks(_rankings(predictions, path), labels.task)
    scored = score_queries(
        ranked, judged, name, path, source=f"the task {labels.name!r}", complete=bool(choices.complete)
    )
    return (
        _PartScores(list(scored.scores), list(scored.scores.values()), unranked=scored.unranked),
        (0, 1),
        scored.notes,
    )


def _measure_of(name: str) -> str | None:
    """``nDCG@10`` for ``ndcg_at_10``; None for what is no measure of one query."""
    stem, _, cutoff = name.partition("_at_")
    if name == "accuracy":
        # MTEB's name for recall at 1, where each query has one right answer.
        return "R@1"
    return f"{_RANKED[stem]}@{cutoff}" if stem in _RANKED and cutoff.isdigit() else None


def has_main_score(labels: TaskLabels) -> bool:
    """Whether the mean of the scores of a task's items is MTEB's main score of a split of a subset."""
    kind, _ = _scorer(labels)
    if kind == "classes":
        return labels.main_score == "accuracy"
    return kind != "rankings" or _measure_of(labels.main_score) is not None


def _rankings(predictions: Any, path: Path) -> Rankings:
    rankings = {}
    for query, row in _object(predictions, "rankings by query", path).items():
        row = _object(row, f"scores by document for query {query!r}", path)
        if bad := [d for d, s in row.items() if not isinstance(s, int | float) or not np.isfinite(s)]:
            raise InputError(
                f"the score of document {bad[0]!r} for query {query!r} is {row[bad[0]]!r}, expected a finite "
                "number",
                where=path,
            )
        rankings[query] = {document: float(score) for document, score in row.items()}
    return rankings


def _as_mteb_ranks(rankings: Rankings, task: Any) -> Rankings:
    """Leave out what MTEB leaves out after it has saved: a query among its documents, a first result."""
    if task.ignore_identical_ids:
        rankings = {q: {d: s for d, s in row.items() if d != q} for q, row in rankings.items()}
    if getattr(task, "skip_first_result", False):
        rankings = {
            q: dict(sorted(row.items(), key=lambda one: one[1], reverse=True)[1:])
            for q, row in rankings.items()
        }
    return rankings


def _score_classes(predictions: Any, data: Any, labels: TaskLabels, _: Choices, path: Path) -> _Scored:
    """Whether each experiment, which trained on other examples, found the class of each item."""
    task = labels.task
    truth = list(data[task.label_column_name])
    folds = [range(len(truth))] * task.n_experiments
    if getattr(task, "is_cross_validation", False):
        from sklearn.model_selection import KFold

        splitter = KFold(n_splits=task.n_splits, shuffle=True, random_state=task.seed)
        folds = [fold.tolist() for _, fold in splitter.split(range(len(truth)))]
    if not isinstance(predictions, list) or len(predictions) != len(folds):
        given = f"{len(predictions)}" if isinstance(predictions, list) else type(predictions).__name__
        raise InputError(f"expected the classes of {len(folds)} experiments, got {given}", where=path)
    items, scores, replicates = [], [], []
    for experiment, (fold, classes) in enumerate(zip(folds, predictions, strict=True)):
        _check_length(classes, len(fold), labels, path)
        items += [str(i) for i in fold]
        scores += [float(given == truth[i]) for i, given in zip(fold, classes, strict=True)]
        replicates += [0 if len(fold) < len(truth) else experiment] * len(fold)
    notes = []
    if labels.main_score != "accuracy":
        notes.append(
            f"{labels.name}: the scores are accuracy; MTEB's main score, {labels.main_score}, is no mean "
            "over items."
        )
    return _PartScores(items, scores, replicates), (0, 1), notes


def _score_similarities(predictions: Any, data: Any, labels: TaskLabels, _: Choices, path: Path) -> _Scored:
    by, __, statistic = labels.main_score.rpartition("_")
    function = {"spearman": spearman_values, "pearson": pearson_values}.get(statistic)
    column = _PAIRED.get(by or "similarity")
    if function is None or column is None:
        raise _no_items(labels, path)
    truth = np.asarray(list(data["score"]), dtype=np.float64)
    held = _object(predictions, "similarities by kind", path)
    # A model without a similarity of its own is measured by cosines.
    values = held.get(column) if held.get(column) is not None else held.get("cosine_scores")
    scores = function(truth, _numbers(values, len(truth), labels, path))
    return _figures(scores, labels, path, what=f"{statistic.capitalize()}'s correlation")


def _score_pairs(predictions: Any, data: Any, labels: TaskLabels, _: Choices, path: Path) -> _Scored:
    by, __, statistic = labels.main_score.rpartition("_")
    if statistic != "ap" or (by != "max" and by not in _PAIRED):
        raise _no_items(labels, path)
    if len(data) == 1:
        # Of version 1 of MTEB: all pairs in one row.
        data = data[0]
    truth = np.asarray(list(data[labels.task.label_column_name]), dtype=np.float64)
    held = _object(predictions, "similarities by kind", path)
    figures = []
    for kind in _PAIRED if by == "max" else (by,):
        values = _numbers(held.get(_PAIRED[kind]), len(truth), labels, path)
        nearest_first = -values if _PAIRED[kind].endswith("distances") else values
        figures.append(average_precision_values(truth, nearest_first))
    best = max(figures, key=lambda values: float(values.mean()))
    return _figures(best, labels, path, what="average precision")


def _figures(scores: F64, labels: TaskLabels, path: Path, *, what: str) -> _Scored:
    if not np.isfinite(scores).all():
        raise InputError(
            f"{what} is undefined: the predictions, or the right answers of {labels.name!r}, are constant",
            where=path,
        )
    note = (
        f"{labels.name}: {what} is no mean over items. Each item's score is the figure plus the item's "
        "influence on it, so that means and intervals are the figure's; a single score says little."
    )
    return _PartScores([str(i) for i in range(len(scores))], scores.tolist()), _UNBOUNDED, [note]


def _no_items(labels: TaskLabels, path: Path) -> TellapartError:
    return UsageError(
        f"the main score of {labels.name!r} is {labels.main_score!r}, which is neither a mean over items nor "
        "a correlation or an average precision",
        where=path,
        next_step="Compare the models on MTEB's results instead: tellapart leaderboard RESULTS",
    )


def _numbers(values: Any, n: int, labels: TaskLabels, path: Path) -> F64:
    _check_length(values, n, labels, path)
    try:
        numbers = np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError):
        numbers = np.full(n, np.nan)
    if numbers.shape != (n,) or not np.isfinite(numbers).all():
        raise InputError("expected finite numbers as similarities", where=path)
    return numbers


def _check_length(values: Any, n: int, labels: TaskLabels, path: Path) -> None:
    if not isinstance(values, list) or len(values) != n:
        given = f"{len(values):,}" if isinstance(values, list) else type(values).__name__
        raise InputError(
            f"expected a prediction for each of the {n:,} items of {labels.name!r}, got {given}",
            where=path,
            next_step="Name the task that the predictions are of, in the revision of its data",
        )


def _object(value: Any, what: str, path: Path) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise InputError(f"expected {what}, got {value!r:.60}", where=path)
    return value
