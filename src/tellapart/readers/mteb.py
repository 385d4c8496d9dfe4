"""Retrieval scores as JSON: by query as pytrec_eval gives them, rankings as MTEB and BEIR save them."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import polars as pl

from tellapart.embed.mteb_library import UNNAMED
from tellapart.errors import InputError, option
from tellapart.files import as_object, read_object
from tellapart.files.tables import head_text
from tellapart.readers.rankings import rankings_of, score_rankings
from tellapart.readers.reader import LogScores, NoItemScores
from tellapart.readers.row_form import Log, Row, looks_like_measure
from tellapart.readers.settings import ReadingSettings

NAME = "MTEB or BEIR JSON"

TAKES = ("metric", "qrels", "model", "trec_eval")

_META = "mteb_model_meta"
_TEXT = r'"(?:[^"\\]|\\.)*"'
_NUMBERS_BY_TWO = re.compile(rf"\{{\s*{_TEXT}\s*:\s*\{{\s*{_TEXT}\s*:\s*(?:-?[0-9]|NaN|null)")
_HEAD = re.compile(
    rf'\{{\s*"{_META}"\s*:\s*\{{\s*"model_name"\s*:\s*({_TEXT})\s*,\s*"revision"\s*:\s*({_TEXT}|null)'
)
"""How MTEB begins a file of predictions."""


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
            next_step="Compare models task by task: tellapart leaderboard RESULTS; or evaluate with "
            f"prediction_folder=… and give the predictions with their judgments: {option('qrels', 'FILE')}",
        )
    if _META in whole:
        return _of_predictions(whole, settings, path)
    for outer, row in whole.items():
        for inner, value in row.items() if isinstance(row, dict) else [("", row)]:
            if not isinstance(row, dict) or not (value is None or isinstance(value, int | float)):
                under = f"{outer!r}, {inner!r}" if inner else repr(outer)
                raise InputError(
                    f"expected numbers by query and measure, got {value!r:.60} under {under}", where=path
                )
    if not any(whole.values()):
        raise InputError("there are no scores by query in this file", where=path)
    if settings.qrels is not None:
        return score_rankings(rankings_of(whole, path), settings.name or path.stem, settings, path)
    return _of_numbers(whole, path).scores(path, settings)


def _of_numbers(numbers: dict[str, dict[str, float | None]], path: Path) -> Log:
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
    """Score the predictions of one model on all subsets and splits, whose queries must be different ones."""
    _check_one_model(path)
    name = settings.name or as_object(whole[_META], f"{path}: {_META!r}").get("model_name")
    model = path.resolve().parent.name if not name or str(name).startswith(UNNAMED) else str(name)
    rankings: dict[str, Any] = {}
    part_of: dict[str, str] = {}
    for subset, by_split in whole.items():
        for split, ranked in by_split.items() if subset != _META and isinstance(by_split, dict) else ():
            if both := ranked.keys() & part_of.keys():
                raise InputError(
                    f"query {min(both)!r} is in {part_of[min(both)]!r} and in '{subset}/{split}', and one "
                    "file of judgments cannot tell them apart",
                    where=path,
                    next_step="Evaluate one subset and split at a time, each into a folder of its own",
                )
            part_of |= dict.fromkeys(ranked, f"{subset}/{split}")
            rankings |= ranked
    if not rankings:
        raise InputError("there are no predictions in this file", where=path)
    scores = score_rankings(rankings_of(rankings, path), model, settings, path)
    if len(set(part_of.values())) == 1:
        return scores
    split_of = pl.col("item").replace_strict(part_of, default=None, return_dtype=pl.String)
    return replace(scores, frame=scores.frame.with_columns(split=split_of))


def _check_one_model(path: Path) -> None:
    """Refuse a folder of predictions of several models.

    MTEB adds the predictions of a second model to the files of the first, which name the first alone; so what
    is in which of these files cannot be known.
    """
    named: dict[tuple[str, ...], str] = {}
    for other in sorted(path.parent.glob("*_predictions.json")):
        if meta := _HEAD.match((head_text(other) or "").lstrip()):
            named.setdefault(tuple(text.strip('"') for text in meta.groups()), other.name)
    if len(named) > 1:
        shown = " and ".join(f"{' at revision '.join(of)} ({file})" for of, file in named.items())
        raise InputError(
            f"predictions of several models are in this folder: {shown}. MTEB writes the second into "
            "the files of the first, under its name",
            where=path.parent,
            next_step="Evaluate each model again with a prediction_folder of its own; "
            "tellapart.integrations.mteb.prediction_folder(PARENT, model) names one",
        )
