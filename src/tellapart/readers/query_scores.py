"""Scores by query as ``trec_eval -q`` and ``ir_measures -q`` print them."""

from __future__ import annotations

from pathlib import Path

import polars as pl

from tellapart.errors import InputError
from tellapart.files import first_row, read_json_objects
from tellapart.files.tables import head_text
from tellapart.readers.metric_choice import choose_measure, looks_like_measure
from tellapart.readers.rankings import finite, is_number, read_fields
from tellapart.readers.reader import LogScores
from tellapart.readers.settings import ReadingSettings

NAME = "scores by query of trec_eval or ir_measures"

TAKES = ("metric", "model")

_ALL = "all"
"""Stands for the mean over the queries."""


def recognises(path: Path) -> bool:
    """Check whether the first line of a file is a measure, a query and a value, in either order, or JSON."""
    lines = (head_text(path) or "").split("\n") if path.is_file() else []
    line = next((line for line in lines if line.strip()), "")
    if line.startswith("{"):
        return _is_score(first_row(path))
    fields = line.split()
    return len(fields) == 3 and (
        fields[:2] == ["runid", _ALL] or (is_number(fields[2]) and any(map(looks_like_measure, fields[:2])))
    )


def read(path: Path, settings: ReadingSettings) -> LogScores:
    """Read one measure.

    The model is ``settings.name``, or the ``runid`` that trec_eval prints, or the name of the file. Means
    over all queries are left out.
    """
    rows = _json_rows(path) if (head_text(path) or "").lstrip().startswith("{") else _rows(path)
    tags = [value for _, measure, _, value in rows if measure == "runid"]
    rows = [row for row in rows if row[2] != _ALL and row[1] != "runid"]
    if not rows:
        raise InputError(
            "there are only means over all queries", where=path, next_step="Print each query with -q"
        )
    measure, notes = choose_measure({row[1] for row in rows}, settings, path)
    kept = [(query, _value(value, path, number)) for number, name, query, value in rows if name == measure]
    model = settings.name or (tags or [path.stem])[0]
    frame = pl.DataFrame(
        {"model": [model] * len(kept), "item": [q for q, _ in kept], "score": [v for _, v in kept]}
    )
    return LogScores(frame, notes)


def _is_score(row: object) -> bool:
    return isinstance(row, dict) and row.keys() == {"query_id", "measure", "value"}


def _rows(path: Path) -> list[tuple[int, str, str, str]]:
    """Number of the line, measure, query and value."""
    lines = read_fields(path)
    for number, fields in lines:
        if len(fields) != 3:
            raise InputError(
                f"expected a measure, a query and a value, got {' '.join(fields)[:60]!r}",
                where=f"{path}:{number}",
            )
    # trec_eval prints the measure first, ir_measures the query.
    first, second = ({fields[i] for _, fields in lines} for i in (0, 1))
    if _ALL in first or (_ALL not in second and not any(map(looks_like_measure, first))):
        lines = [(number, [fields[1], fields[0], fields[2]]) for number, fields in lines]
    return [(number, fields[0], fields[1], fields[2]) for number, fields in lines]


def _json_rows(path: Path) -> list[tuple[int, str, str, str]]:
    rows = []
    for number, row in read_json_objects(path):
        if not _is_score(row):
            raise InputError(
                f"expected query_id, measure and value, got {str(row)[:60]}", where=f"{path}:{number}"
            )
        rows.append((number, str(row["measure"]), str(row["query_id"]), str(row["value"])))
    return rows


def _value(text: str, path: Path, number: int) -> float:
    try:
        return finite(text)
    except ValueError:
        raise InputError(f"expected a number, got {text!r}", where=f"{path}:{number}") from None
