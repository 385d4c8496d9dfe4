"""Retrieval scores as JSON: by query as pytrec_eval gives them, rankings as MTEB and BEIR save them."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import polars as pl

from tellapart.embed.mteb_library import UNNAMED
from tellapart.errors import InputError, UsageError, option
from tellapart.files import as_object, read_object
from tellapart.files.tables import head_text
from tellapart.readers.metric_choice import choose_measure, looks_like_measure
from tellapart.readers.rankings import rankings_of, score_rankings, scores_frame
from tellapart.readers.reader import LogScores, NoItemScores, OtherTask
from tellapart.readers.settings import ReadingSettings
from tellapart.readers.table import scores_of_frame

NAME = "MTEB or BEIR JSON"

TAKES = ("metric", "qrels", "mteb", "model", "complete", "trec_eval_order")

_META = "mteb_model_meta"
_NUMBERS_BY_TWO = re.compile(
    r'\{\s*"(?:[^"\\]|\\.)*"\s*:\s*\{\s*"(?:[^"\\]|\\.)*"\s*:\s*(?:-?[0-9]|NaN|null)'
)

_PREDICTIONS = "_predictions.json"
_TEXT = r'(?:[^"\\]|\\.)*'
_HEAD = re.compile(
    rf'\{{\s*"{_META}"\s*:\s*\{{\s*"model_name"\s*:\s*"(?P<name>{_TEXT})"\s*,\s*'
    rf'"revision"\s*:\s*(?P<revision>"{_TEXT}"|null)'
)
"""How MTEB begins a file of predictions."""

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
            f"{option('mteb', 'TASK')}; or "
            "compare models task by task: tellapart leaderboard RESULTS",
        )
    if _META in whole:
        named, notes = _model_of(whole, path)
        _check_one_model(path)
        if settings.mteb is not None:
            if settings.qrels is not None:
                raise UsageError(
                    f"{option('mteb', 'TASK')} and {option('qrels', 'FILE')} both give right answers",
                    next_step="Leave one out",
                )
            of_task = _of_task(whole, settings.name or named, settings, path)
            return replace(of_task, notes=(*of_task.notes, *(() if settings.name else notes)))
        if settings.qrels is None:
            raise UsageError(
                "predictions of MTEB have no scores by themselves",
                where=path,
                next_step="Name the task, whose data hold the right answers: "
                f"{option('mteb', _task_of(path))}. Or, of rankings, give the judgments: "
                f"{option('qrels', 'FILE')}",
            )
        by_split = _splits(whole, path)
        rankings = rankings_of({q: row for ranked in by_split.values() for q, row in ranked.items()}, path)
        ranked_scores = score_rankings(rankings, settings.name or named, settings, path)
        if len(by_split) == 1:
            return ranked_scores
        split_of = {query: split for split, ranked in by_split.items() for query in ranked}
        splits = pl.col("item").replace_strict(split_of, default=None, return_dtype=pl.String)
        return replace(ranked_scores, frame=ranked_scores.frame.with_columns(split=splits))
    numbers = _numbers(whole, path)
    if settings.qrels is not None:
        return score_rankings(rankings_of(numbers, path), settings.name or path.stem, settings, path)
    if _is_by_model(numbers):
        rows = [(model, item, score) for model, row in numbers.items() for item, score in row.items()]
        by_model = pl.DataFrame(rows, schema=["model", "item", "score"], orient="row", strict=False)
        judgments = option("qrels", "FILE")
        note = f"{path.name}: read as {{model: {{item: score}}}}. Rankings need their judgments: {judgments}."
        by_models = scores_of_frame(by_model, ReadingSettings(), str(path))
        return replace(by_models, notes=(note, *by_models.notes))
    by_measure = _by_measure(numbers, path)
    measure, notes = choose_measure(by_measure, settings, path)
    return LogScores(scores_frame(settings.name or path.stem, by_measure[measure]), notes)


def _model_of(whole: dict[str, Any], path: Path) -> tuple[str, tuple[str, ...]]:
    """The model of predictions, and a note where it is only known by its folder."""
    named = str(as_object(whole[_META], f"{path}: {_META!r}").get("model_name") or path.stem)
    if not named.startswith(UNNAMED):
        return named, ()
    folder = path.resolve().parent.name
    return folder, (
        f"{path}: MTEB records no name for this model, so it is called {folder!r}, as its folder.",
    )


def _check_one_model(path: Path) -> None:
    """Refuse a folder into which MTEB wrote predictions of several models.

    It adds the predictions of a second model to the files of the first, which name the first alone; so what
    is in which of these files cannot be known.
    """
    named: dict[tuple[str, str], str] = {}
    for other in sorted(path.parent.glob(f"*{_PREDICTIONS}")) if path.name.endswith(_PREDICTIONS) else ():
        head = (head_text(other) or "").lstrip()
        if meta := _HEAD.match(head):
            named.setdefault((meta["name"], meta["revision"]), other.name)
    if len(named) < 2:
        return
    (first, first_file), (second, second_file) = list(named.items())[:2]
    shown = [
        " at revision ".join(identity) if first[0] == second[0] else identity[0]
        for identity in (first, second)
    ]
    raise InputError(
        f"predictions of two models are in this folder: {shown[0]} ({first_file}) and {shown[1]} "
        f"({second_file}). MTEB writes the second into the files of the first, under its name",
        where=path.parent,
        next_step="Evaluate each model again with a prediction_folder of its own; "
        "tellapart.integrations.mteb.prediction_folder(PARENT, model) names one",
    )


def _of_task(whole: dict[str, Any], model: str, settings: ReadingSettings, path: Path) -> LogScores:
    from tellapart.readers.mteb_task import load_task, score_predictions

    labels = load_task(settings.mteb or "")
    if path.name.endswith(_PREDICTIONS) and path.name != labels.file_name:
        raise OtherTask(
            f"these are predictions of the task {_task_of(path)!r}, not of {labels.name!r}",
            where=path,
            next_step=f"Give {option('mteb', _task_of(path))}",
        )
    predictions = {subset: of_subset for subset, of_subset in whole.items() if subset != _META}
    return score_predictions(predictions, model, labels, settings, path)


def _task_of(path: Path) -> str:
    return path.name.removesuffix(_PREDICTIONS) if path.name.endswith(_PREDICTIONS) else "TASK"


def _splits(whole: dict[str, Any], path: Path) -> dict[str, Any]:
    """Rankings by ``subset/split``; their queries are different ones."""
    splits = {
        f"{subset}/{split}": _numbers(of_split if isinstance(of_split, dict) else {}, path)
        for subset, by_split in whole.items()
        if subset != _META and isinstance(by_split, dict)
        for split, of_split in by_split.items()
    }
    if not splits:
        raise InputError("there are no predictions in this file", where=path)
    seen: dict[str, str] = {}
    for split, rankings in splits.items():
        both = min(rankings.keys() & seen.keys(), default=None)
        if both is not None:
            raise InputError(
                f"query {both!r} is in {seen[both]!r} and in {split!r}, and one file of judgments cannot "
                "tell them apart",
                where=path,
                next_step="Evaluate one subset and split at a time, each into a prediction folder of its own",
            )
        seen |= dict.fromkeys(rankings, split)
    return splits


def _numbers(whole: dict[str, Any], path: Path) -> Numbers:
    for outer, row in whole.items():
        rows = row if isinstance(row, dict) else {"": row}
        for inner, value in rows.items():
            if not isinstance(row, dict) or not (value is None or isinstance(value, int | float)):
                raise InputError(
                    f"expected numbers by query and measure, got {value!r:.60} under {outer!r}"
                    + (f", {inner!r}" if inner else ""),
                    where=path,
                )
    if not any(whole.values()):
        raise InputError("there are no scores by query in this file", where=path)
    return whole


def _is_by_model(numbers: Numbers) -> bool:
    """Whether these are scores by model and item: no measures, the same items in each, right or wrong.

    Of other numbers nobody can say whether they are scores of models or of ranked documents.
    """
    inner = set().union(*numbers.values())
    measures = any(map(looks_like_measure, (*numbers, *inner)))
    same = all(len(row) > 0.9 * len(inner) for row in numbers.values())
    values = {value for row in numbers.values() for value in row.values() if value is not None}
    return not measures and same and 1 < len(numbers) < len(inner) and values <= {0, 1}


def _by_measure(numbers: Numbers, path: Path) -> Numbers:
    outer, inner = set(numbers), {name for row in numbers.values() for name in row}
    if all(map(looks_like_measure, inner)):
        return {m: {q: row[m] for q, row in numbers.items() if m in row} for m in sorted(inner)}
    if all(map(looks_like_measure, outer)):
        return numbers
    raise InputError(
        f"neither {min(outer)!r} nor {min(inner)!r} is a known measure",
        where=path,
        next_step="If these are rankings, {query: {document: score}}, give their judgments: "
        f"{option('qrels', 'FILE')}. If "
        "they are scores, {model: {item: score}}, write them as rows with model, item and score",
    )
