"""Scores by query as ``trec_eval -q`` and ``ir_measures -q`` print them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from tellapart.errors import InputError
from tellapart.files import first_row, read_json_objects
from tellapart.files.tables import head_text
from tellapart.readers.metric_choice import choose_measure, looks_like_measure
from tellapart.readers.rankings import is_number, read_fields, scores_frame
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
    is_json = (head_text(path) or "").lstrip().startswith("{")
    rows = list(_json_rows(path)) if is_json else _rows(path)
    tags = [value for measure, _, value in rows if measure == "runid"]
    rows = [row for row in rows if row[1] != _ALL and row[0] != "runid"]
    if not rows:
        raise InputError(
            "there are only means over all queries", where=path, next_step="Print each query with -q"
        )
    measure, notes = choose_measure({row[0] for row in rows}, settings, path)
    scores: dict[str, float | None] = {}
    for name, query, value in rows:
        if name == measure:
            if not is_number(value) or query in scores:
                fault = "there twice" if query in scores else f"{value!r}, expected a number"
                raise InputError(f"{measure!r} of the query {query!r} is {fault}", where=path)
            scores[query] = float(value)
    return LogScores(scores_frame(settings.name or (tags or [path.stem])[0], scores), notes)


def _is_score(row: object) -> bool:
    return isinstance(row, dict) and row.keys() == {"query_id", "measure", "value"}


def _rows(path: Path) -> list[tuple[str, str, str]]:
    """Measure, query and value."""
    lines = []
    for number, fields in read_fields(path):
        if len(fields) != 3:
            raise InputError(
                f"expected a measure, a query and a value, got {' '.join(fields)[:60]!r}",
                where=f"{path}:{number}",
            )
        lines.append((fields[0], fields[1], fields[2]))
    # trec_eval prints the measure first, ir_measures the query.
    first, second = ({line[i] for line in lines} for i in (0, 1))
    if _ALL in first or (_ALL not in second and not any(map(looks_like_measure, first))):
        return [(measure, query, value) for query, measure, value in lines]
    return lines


def _json_rows(path: Path) -> Iterator[tuple[str, str, str]]:
    for number, row in read_json_objects(path):
        if not _is_score(row):
            raise InputError(
                f"expected query_id, measure and value, got {str(row)[:60]}", where=f"{path}:{number}"
            )
        yield str(row["measure"]), str(row["query_id"]), str(row["value"])
