"""Retrieval scores as JSON: by query as pytrec_eval gives them, rankings as MTEB and BEIR save them."""

from __future__ import annotations

import re
from dataclasses import replace
from math import isfinite
from pathlib import Path
from typing import Any

import polars as pl

from tellapart.audit.reading.metric_choice import choose_measure, looks_like_measure
from tellapart.audit.reading.rankings import Rankings, score_rankings
from tellapart.audit.reading.reader import Choices, LogScores, NoItemScores
from tellapart.errors import InputError, quoted
from tellapart.files import as_object, read_object
from tellapart.files.tables import head_text

NAME = "MTEB or BEIR JSON"

TAKES = ("metric", "measure", "qrels", "model", "complete")

_META = "mteb_model_meta"
_NUMBERS_BY_TWO = re.compile(
    r'\{\s*"(?:[^"\\]|\\.)*"\s*:\s*\{\s*"(?:[^"\\]|\\.)*"\s*:\s*(?:-?[0-9]|NaN|null)'
)

Numbers = dict[str, dict[str, float | None]]


def recognises(path: Path) -> bool:
    """Check whether a file is an object of objects of numbers, or records that MTEB wrote it."""
    text = (head_text(path) or "").lstrip() if path.is_file() else ""
    return text.startswith("{") and (
        f'"{_META}"' in text
        or ('"mteb_version"' in text and '"scores"' in text)
        or _NUMBERS_BY_TWO.match(text) is not None
    )


def read(path: Path, choices: Choices) -> LogScores:
    """Read scores by query, or rankings where ``choices.qrels`` gives their judgments.

    The forms are ``{query: {measure: score}}`` and ``{measure: {query: score}}``, recognised by the names of
    measures; MTEB's predictions of a retrieval task, and BEIR's ``{query: {document: score}}``. The model is
    ``choices.model``, or what MTEB names, or the name of the file.

    Raises:
        InputError: It is damaged, or has neither; or splits have the same queries, so that one file of
            judgments cannot tell them apart; MTEB's results hold means only.
        UsageError: Rankings without judgments.
    """
    whole = read_object(path)
    if "mteb_version" in whole and "scores" in whole:
        raise NoItemScores(
            "MTEB's results hold means over queries, nothing by query",
            where=path,
            next_step="Evaluate with prediction_folder=… and give the predictions with --qrels FILE",
        )
    if _META in whole:
        named = str(as_object(whole[_META], f"{path}: {_META!r}").get("model_name") or path.stem)
        by_split = _splits(whole, path)
        rankings = _rankings({q: row for ranked in by_split.values() for q, row in ranked.items()}, path)
        ranked_scores = score_rankings(rankings, choices.model or named, choices, path)
        if len(by_split) == 1:
            return ranked_scores
        split_of = {query: split for split, ranked in by_split.items() for query in ranked}
        splits = pl.col("item").replace_strict(split_of, default=None, return_dtype=pl.String)
        return replace(ranked_scores, frame=ranked_scores.frame.with_columns(split=splits))
    numbers = _numbers(whole, path)
    if choices.qrels is not None:
        return score_rankings(_rankings(numbers, path), choices.model or path.stem, choices, path)
    by_measure = _by_measure(numbers, path)
    measure, notes = choose_measure(by_measure, choices, path)
    scores = by_measure[measure]
    frame = pl.DataFrame(
        {
            "model": [choices.model or path.stem] * len(scores),
            "item": list(scores),
            "score": [None if score is None else float(score) for score in scores.values()],
        },
        schema={"model": pl.String, "item": pl.String, "score": pl.Float64},
    )
    return LogScores(frame, notes)


def _rankings(numbers: Numbers, path: Path) -> Rankings:
    """Scores by query and document, all of them finite."""
    for query, row in numbers.items():
        for document, score in row.items():
            if score is None or not isfinite(score):
                raise InputError(
                    f"the score of document {document!r} for query {query!r} is {quoted(score)}, expected a "
                    "finite number",
                    where=path,
                )
    return {query: {d: float(s or 0) for d, s in row.items()} for query, row in numbers.items()}


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


def _by_measure(numbers: Numbers, path: Path) -> Numbers:
    outer, inner = set(numbers), {name for row in numbers.values() for name in row}
    if all(map(looks_like_measure, inner)):
        return {m: {q: row[m] for q, row in numbers.items() if m in row} for m in sorted(inner)}
    if all(map(looks_like_measure, outer)):
        return numbers
    raise InputError(
        f"neither {min(outer)!r} nor {min(inner)!r} is a known measure",
        where=path,
        next_step="If these are rankings, {query: {document: score}}, give their judgments: --qrels FILE",
    )
