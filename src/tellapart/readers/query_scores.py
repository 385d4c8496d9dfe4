"""Scores by query as ``trec_eval -q`` and ``ir_measures -q`` print them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

from tellapart.errors import InputError
from tellapart.files import first_row, read_json_objects
from tellapart.files.tables import head_text
from tellapart.readers.rankings import is_number, read_fields
from tellapart.readers.row_form import Form, Log, Row, looks_like_measure
from tellapart.readers.settings import ReadingSettings

_ALL = "all"
"""Stands for the mean over the queries."""
_KEYS = {"query_id", "measure", "value"}


def _is_printed(path: Path) -> bool:
    """Check whether the first line of a file is a measure, a query and a value, in either order, or JSON."""
    line = next((line for line in (head_text(path) or "").split("\n") if line.strip()), "")
    if line.startswith("{"):
        return first_row(path).keys() == _KEYS
    fields = line.split()
    return len(fields) == 3 and (
        fields[:2] == ["runid", _ALL] or (is_number(fields[2]) and any(map(looks_like_measure, fields[:2])))
    )


def _log(path: Path, settings: ReadingSettings) -> Log:
    """Read all measures but means; the model is the ``runid`` that trec_eval prints, or the file's name."""
    is_json = (head_text(path) or "").lstrip().startswith("{")
    rows, model = [], path.stem
    for number, measure, query, value in _json_rows(path) if is_json else _rows(path):
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


def _json_rows(path: Path) -> Iterator[tuple[int, str, str, str]]:
    for number, row in read_json_objects(path):
        if row.keys() != _KEYS:
            raise InputError(
                f"expected query_id, measure and value, got {str(row)[:60]}", where=f"{path}:{number}"
            )
        yield number, str(row["measure"]), str(row["query_id"]), str(row["value"])


FORMS = (Form("scores by query of trec_eval or ir_measures", _is_printed, _log),)
