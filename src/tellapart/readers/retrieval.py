"""Retrieval: runs of TREC and MS MARCO, scores by query as programs print them, and both as JSON."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import polars as pl

from tellapart.errors import InputError, option
from tellapart.files import as_object, read_object
from tellapart.files.tables import head_text
from tellapart.readers.rankings import Rankings, is_number, rankings_of, read_fields, score_rankings
from tellapart.readers.reader import LogScores, NoItemScores
from tellapart.readers.row_form import Form, Log, Row, looks_like_measure
from tellapart.readers.settings import ReadingSettings


@dataclass(frozen=True)
class RankingForm:
    """A form that may hold rankings, which judgments turn into scores; see `Reader`."""

    NAME: str
    recognises: Callable[[Path], bool]
    read: Callable[[Path, ReadingSettings], LogScores]
    TAKES: tuple[str, ...] = ("metric", "qrels", "model", "trec_eval")


# Runs: what a system ranked, a line a document.

_FIELDS = {6: "query Q0 document rank score tag", 3: "query document rank"}


def _is_run(path: Path) -> bool:
    """Check whether a file begins like a run of TREC or of MS MARCO.

    TREC's first line has six fields, the second Q0, the fourth and fifth numbers. MS MARCO's lines have
    three, the third a rank: the first query has the ranks 1, 2 and so on, as no judgments or scores have.
    """
    text = (head_text(path) or "") if path.is_file() else ""
    # Unless it ends with a line, the last one may be cut off.
    lines = [line.split() for line in text[: text.rfind("\n") + 1 or None].split("\n")]
    lines = [fields for fields in lines if fields and not fields[0].startswith("#")]
    first = lines[0] if lines else []
    if len(first) == 6 and first[1].casefold() == "q0":
        return first[3].lstrip("-").isdecimal() and is_number(first[4])
    if len(first) != 3 or any(map(looks_like_measure, first[:2])):
        return False
    if any(len(fields) != 3 or not fields[2].isdecimal() for fields in lines):
        return False
    ranks = [rank for query, _, rank in lines if query == first[0]]
    return len(ranks) > 1 and ranks == [str(rank) for rank in range(1, len(ranks) + 1)]


def _run(path: Path, settings: ReadingSettings) -> LogScores:
    """Score a run; the model is ``settings.name``, or a TREC run's tag, or the name of the file."""
    rankings: Rankings = {}
    tags: dict[str, int] = {}
    ranks: set[tuple[str, float]] = set()
    lines = read_fields(path)
    size = len(lines[0][1])
    for number, fields in lines:
        value, where = fields[-1 if size == 3 else -2] if len(fields) == size else "", f"{path}:{number}"
        if not (value.isdecimal() if size == 3 else is_number(value)):
            form = _FIELDS.get(size, _FIELDS[6])
            raise InputError(f"expected {form!r}, got {' '.join(fields)[:60]!r}", where=where)
        query, document = fields[0], fields[size // 3]
        score = -float(value) if size == 3 else float(value)
        ranked = rankings.setdefault(query, {})
        if document in ranked:
            raise InputError(f"document {document!r} occurs twice for query {query!r}", where=where)
        if size == 3 and (score > -1 or (query, score) in ranks):
            raise InputError(
                f"rank {value} of query {query!r} " + ("is below 1" if score > -1 else "is there twice"),
                where=where,
                next_step="Write runs with ties as TREC does, with scores: query Q0 document rank score tag",
            )
        ranks.add((query, score))
        ranked[document] = score
        tags.setdefault(path.stem if size == 3 else fields[5], number)
    if len(tags) > 1 and settings.name is None:
        (first, _), (second, number) = list(tags.items())[:2]
        raise InputError(
            f"the tag is {second!r}, but {first!r} before",
            where=f"{path}:{number}",
            next_step=f"Put each system into a file of its own, or name it: {option('model', 'NAME')}",
        )
    return score_rankings(rankings, settings.name or next(iter(tags)), settings, path)


# Scores by query as ``trec_eval -q`` and ``ir_measures -q`` print them.

_ALL = "all"
"""Stands for the mean over the queries."""


def _is_printed(path: Path) -> bool:
    """Check whether the first line of a file is a measure, a query and a value, in either order."""
    line = next((line for line in (head_text(path) or "").split("\n") if line.strip()), "")
    fields = line.split()
    return len(fields) == 3 and (
        fields[:2] == ["runid", _ALL] or (is_number(fields[2]) and any(map(looks_like_measure, fields[:2])))
    )


def _printed(path: Path, settings: ReadingSettings) -> Log:
    """Read all measures but means; the model is the ``runid`` that trec_eval prints, or the file's name."""
    rows, model = [], path.stem
    for number, measure, query, value in _rows(path):
        if measure == "runid":
            model = value
        elif query != _ALL:
            where = f"{path}:{number}"
            if not is_number(value):
                raise InputError(f"expected a number, got {value!r}", where=where)
            rows.append(Row(query, {measure: float(value)}, where=where))
    if not rows:
        raise InputError(
            "there are only means over all queries", where=path, next_step="Print each query with -q"
        )
    return Log(rows, model=model, is_sparse=True, are_measures=True)


def _rows(path: Path) -> Iterable[tuple[int, str, str, str]]:
    """Number of the line, measure, query and value."""
    lines = []
    for number, fields in read_fields(path):
        if len(fields) != 3:
            raise InputError(
                f"expected a measure, a query and a value, got {' '.join(fields)[:60]!r}",
                where=f"{path}:{number}",
            )
        lines.append((number, fields[0], fields[1], fields[2]))
    # trec_eval prints the measure first, ir_measures the query.
    first, second = {line[1] for line in lines}, {line[2] for line in lines}
    if _ALL in first or (_ALL not in second and not any(map(looks_like_measure, first))):
        return [(number, measure, query, value) for number, query, measure, value in lines]
    return lines


# JSON: by query as pytrec_eval gives them, rankings as MTEB and BEIR save them.

_META = "mteb_model_meta"
_TEXT = r'"(?:[^"\\]|\\.)*"'
_NUMBERS_BY_TWO = re.compile(rf"\{{\s*{_TEXT}\s*:\s*\{{\s*{_TEXT}\s*:\s*(?:-?[0-9]|NaN|null)")
_HEAD = re.compile(
    rf'\{{\s*"{_META}"\s*:\s*\{{\s*"model_name"\s*:\s*({_TEXT})\s*,\s*"revision"\s*:\s*({_TEXT}|null)'
)
"""How MTEB begins a file of predictions."""


def _is_json(path: Path) -> bool:
    """Check whether a file is an object of objects of numbers, or records that MTEB wrote it."""
    text = (head_text(path) or "").lstrip() if path.is_file() else ""
    return text.startswith("{") and (
        f'"{_META}"' in text
        or ('"mteb_version"' in text and '"scores"' in text)
        or _NUMBERS_BY_TWO.match(text) is not None
    )


def _json(path: Path, settings: ReadingSettings) -> LogScores:
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
    model = path.resolve().parent.name if not name or str(name).startswith("no_model_name") else str(name)
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
            next_step="Evaluate each model again with a prediction_folder of its own",
        )


TREC = RankingForm("TREC or MS MARCO run", _is_run, _run)
PRINTED = Form("scores by query of trec_eval or ir_measures", _is_printed, _printed)
JSON = RankingForm("MTEB or BEIR JSON", _is_json, _json)

FORMS = (JSON, PRINTED, TREC)
