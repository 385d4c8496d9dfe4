"""Retrieval scores as JSON: by query as pytrec_eval gives them, rankings as MTEB and BEIR save them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from typing import Any

import polars as pl

from tellapart.embed.mteb_library import UNNAMED, named_object, quiet_mteb, require_mteb
from tellapart.environment.secrets import without_secrets
from tellapart.errors import InputError, UsageError, option
from tellapart.files import as_object, read_object
from tellapart.files.tables import head_text
from tellapart.readers.rankings import Rankings, rankings_of, score_queries, score_rankings
from tellapart.readers.reader import LogScores, NoItemScores, OtherTask
from tellapart.readers.row_form import Log, Row, looks_like_measure
from tellapart.readers.settings import ReadingSettings

NAME = "MTEB or BEIR JSON"

TAKES = ("metric", "qrels", "model", "trec_eval")

_META = "mteb_model_meta"
_PREDICTIONS = "_predictions.json"
_TEXT = r'"(?:[^"\\]|\\.)*"'
_NUMBERS_BY_TWO = re.compile(rf"\{{\s*{_TEXT}\s*:\s*\{{\s*{_TEXT}\s*:\s*(?:-?[0-9]|NaN|null)")
_HEAD = re.compile(
    rf'\{{\s*"{_META}"\s*:\s*\{{\s*"model_name"\s*:\s*({_TEXT})\s*,\s*"revision"\s*:\s*({_TEXT}|null)'
)
"""How MTEB begins a file of predictions."""

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

Numbers = dict[str, dict[str, float | None]]


def recognises(path: Path) -> bool:
    """Check whether a file is an object of objects of numbers, or records that MTEB wrote it."""
    text = (head_text(path) or "").lstrip() if path.is_file() else ""
    return text.startswith("{") and (
        f'"{_META}"' in text
        or ('"mteb_version"' in text and '"scores"' in text)
        or _NUMBERS_BY_TWO.match(text) is not None
    )


def read(path: Path, settings: ReadingSettings) -> LogScores:
    """Read scores by query, or rankings where ``settings.qrels`` gives their judgments.

    The forms are ``{query: {measure: score}}`` and ``{measure: {query: score}}``, recognised by the names of
    measures; MTEB's predictions of a retrieval task, and BEIR's ``{query: {document: score}}``. The model is
    ``settings.name``, or what MTEB names, or the name of the file.
    """
    whole = read_object(path)
    if "mteb_version" in whole and "scores" in whole:
        raise NoItemScores(
            "MTEB's results hold means over queries, nothing by query",
            where=path,
            next_step="Evaluate with prediction_folder=… and give the predictions with "
            f"{option('qrels', 'TASK')}; or compare models task by task: tellapart leaderboard RESULTS",
        )
    if _META in whole:
        return _of_predictions(whole, settings, path)
    numbers = _numbers(whole, path)
    if settings.qrels is not None:
        return score_rankings(rankings_of(numbers, path), settings.name or path.stem, settings, path)
    return _of_numbers(numbers, path).scores(path, settings)


def _of_numbers(numbers: Numbers, path: Path) -> Log:
    """Scores by query and measure in either order, or by model and item."""
    outer, inner = set(numbers), {name for row in numbers.values() for name in row}
    if all(map(looks_like_measure, inner)):
        rows = [Row(query, row) for query, row in numbers.items()]
        return Log(rows, model=path.stem, is_sparse=True, are_measures=True)
    if all(map(looks_like_measure, outer)):
        rows = [Row(q, {measure: score}) for measure, row in numbers.items() for q, score in row.items()]
        return Log(rows, model=path.stem, is_sparse=True, are_measures=True)
    # Of other numbers nobody can say whether they are scores of models or of ranked documents.
    are_alike = all(len(row) > 0.9 * len(inner) for row in numbers.values())
    values = {value for row in numbers.values() for value in row.values() if value is not None}
    has_measures = any(map(looks_like_measure, (*outer, *inner)))
    if not has_measures and are_alike and 1 < len(outer) < len(inner) and values <= {0, 1}:
        rows = [Row(i, {"score": score}, model=m) for m, row in numbers.items() for i, score in row.items()]
        note = "read as {model: {item: score}}. Rankings need their judgments: " + option("qrels", "FILE")
        return Log(rows, notes=[f"{path.name}: {note}."])
    raise InputError(
        f"neither {min(outer)!r} nor {min(inner)!r} is a known measure",
        where=path,
        next_step="If these are rankings, {query: {document: score}}, give their judgments: "
        f"{option('qrels', 'FILE')}. If "
        "they are scores, {model: {item: score}}, write them as rows with model, item and score",
    )


def _of_predictions(whole: dict[str, Any], settings: ReadingSettings, path: Path) -> LogScores:
    """Score predictions of MTEB by its task, or by judgments that are given."""
    _check_one_model(path)
    name, notes = settings.name, list[str]()
    if name is None:
        name = str(as_object(whole[_META], f"{path}: {_META!r}").get("model_name") or path.stem)
        if name.startswith(UNNAMED):
            name = path.resolve().parent.name
            called = f"so it is called {name!r}, as its folder."
            notes = [f"{path}: MTEB records no name for this model, {called}"]
    task = path.name.removesuffix(_PREDICTIONS) if path.name.endswith(_PREDICTIONS) else None
    if settings.qrels is None:
        raise UsageError(
            "predictions of MTEB have no scores by themselves",
            where=path,
            next_step="Name the task, whose data hold the right answers: "
            f"{option('qrels', task or 'TASK')}. Or give judgments of rankings: {option('qrels', 'FILE')}",
        )
    parts = {
        (subset, split): predictions
        for subset, by_split in whole.items()
        if subset != _META and isinstance(by_split, dict)
        for split, predictions in by_split.items()
    }
    if not parts:
        raise InputError("there are no predictions in this file", where=path)
    if settings.qrels.exists():
        scores = _by_qrels(parts, name, settings, path)
    else:
        of = _load_task(str(settings.qrels))
        if task not in (None, of.metadata.name):
            raise OtherTask(
                f"these are predictions of the task {task!r}, not of {of.metadata.name!r}",
                where=path,
                next_step=f"Give {option('qrels', task)}",
            )
        scores = _score_predictions(parts, name, of, settings, path)
    return replace(scores, notes=(*scores.notes, *notes))


def _check_one_model(path: Path) -> None:
    """Refuse a folder into which MTEB wrote predictions of several models.

    It adds the predictions of a second model to the files of the first, which name the first alone; so what
    is in which of these files cannot be known.
    """
    named: dict[tuple[str, ...], str] = {}
    for other in sorted(path.parent.glob(f"*{_PREDICTIONS}")) if path.name.endswith(_PREDICTIONS) else ():
        if meta := _HEAD.match((head_text(other) or "").lstrip()):
            named.setdefault(tuple(text.strip('"') for text in meta.groups()), other.name)
    if len(named) < 2:
        return
    (first, first_file), (second, second_file) = list(named.items())[:2]
    shown = [" at revision ".join(of) if first[0] == second[0] else of[0] for of in (first, second)]
    raise InputError(
        f"predictions of two models are in this folder: {shown[0]} ({first_file}) and {shown[1]} "
        f"({second_file}). MTEB writes the second into the files of the first, under its name",
        where=path.parent,
        next_step="Evaluate each model again with a prediction_folder of its own; "
        "tellapart.integrations.mteb.prediction_folder(PARENT, model) names one",
    )


def _by_qrels(
    parts: dict[tuple[str, str], Any], model: str, settings: ReadingSettings, path: Path
) -> LogScores:
    """Score all subsets and splits, whose queries are different ones."""
    rankings: dict[str, Any] = {}
    part_of: dict[str, str] = {}
    for names, ranked in parts.items():
        part = "/".join(names)
        ranked = _numbers(ranked if isinstance(ranked, dict) else {}, path)
        both = min(ranked.keys() & part_of.keys(), default=None)
        if both is not None:
            raise InputError(
                f"query {both!r} is in {part_of[both]!r} and in {part!r}, and one file of judgments cannot "
                "tell them apart",
                where=path,
                next_step="Evaluate one subset and split at a time, each into a prediction folder of its own",
            )
        part_of |= dict.fromkeys(ranked, part)
        rankings |= ranked
    scores = score_rankings(rankings_of(rankings, path), model, settings, path)
    if len(parts) == 1:
        return scores
    split = pl.col("item").replace_strict(part_of, default=None, return_dtype=pl.String)
    return replace(scores, frame=scores.frame.with_columns(split=split))


def _numbers(whole: dict[str, Any], path: Path) -> Numbers:
    for outer, row in whole.items():
        for inner, value in row.items() if isinstance(row, dict) else [("", row)]:
            if not isinstance(row, dict) or not (value is None or isinstance(value, int | float)):
                under = f"{outer!r}, {inner!r}" if inner else repr(outer)
                raise InputError(
                    f"expected numbers by query and measure, got {value!r:.60} under {under}", where=path
                )
    if not any(whole.values()):
        raise InputError("there are no scores by query in this file", where=path)
    return whole


# What MTEB predicted, scored by the right answers that lie in its task.


@lru_cache(maxsize=8)
def _load_task(reference: str) -> Any:
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


def _score_predictions(
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
