"""Plain tables as they are in files: Parquet, delimited text, JSON Lines, a JSON list of objects."""

from __future__ import annotations

import csv
import json
from collections.abc import Sequence
from enum import StrEnum
from pathlib import Path
from typing import Any

import polars as pl

from tellapart.errors import InputError

_HEAD_BYTES = 1 << 16
_SEPARATORS = {",": "csv", "\t": "tsv", ";": "csv with semicolons"}


class Kind(StrEnum):
    """How a table is written down."""

    PARQUET = "parquet"
    JSON_LINES = "jsonl"
    JSON = "json"
    COMMAS = ","
    TABS = "\t"
    SEMICOLONS = ";"


def head_text(path: Path) -> str | None:
    """Give the beginning of a file as text, without a byte order mark; None where it is none.

    Args:
        path: A file that can be read.
    """
    with path.open("rb") as file:
        first = file.read(_HEAD_BYTES)
    if b"\0" in first:
        return None
    # Only the last character may be cut; an older encoding is still text, and is refused with its line.
    return first.decode("utf-8-sig", errors="replace")


def kind_of(path: Path) -> Kind | None:
    """Recognise a table by its content; None where it is none."""
    with path.open("rb") as file:
        if file.read(4) == b"PAR1":
            return Kind.PARQUET
    text = head_text(path)
    if text is None:
        return None
    text = text.lstrip()
    line = text.split("\n", 1)[0]
    if text.startswith("["):
        return Kind.JSON
    if text.startswith("{"):
        is_whole = len(line) == len(text) or _is_object(line)
        return Kind.JSON_LINES if is_whole or path.suffix in (".jsonl", ".ndjson") else None
    separator = max((Kind.COMMAS, Kind.TABS, Kind.SEMICOLONS), key=line.count)
    return separator if separator in line else None


def read_table(path: Path, kind: Kind, named: Sequence[str] = ()) -> pl.DataFrame:
    """Read a table.

    Args:
        path: The file.
        kind: Of `kind_of`.
        named: Columns that the user names; the other columns may then have the same name, and of those the
            first is read.

    Returns:
        Delimited text as strings, the others with their types. Cells without text, and blank lines, are null
        and not there.

    Raises:
        InputError: It is damaged or not of this kind, the line is named where there is one; or two of its
            columns have the same name.
    """
    if kind in _SEPARATORS:
        _check_names(path, kind, named)
    try:
        frame = _scan(path, kind).collect()
    except pl.exceptions.PolarsError as error:
        frame = _read_slowly(path, kind, str(error).splitlines()[0])
    frame = frame.with_columns(pl.col(pl.String).replace("", None))
    if kind in _SEPARATORS and frame.width and frame.select(pl.first().has_nulls()).item():
        frame = frame.filter(~pl.all_horizontal(pl.all().is_null()))
    return frame


def _check_names(path: Path, kind: Kind, named: Sequence[str]) -> None:
    """Refuse two columns of one name, of which only one could be read."""
    with path.open(encoding="utf-8-sig", errors="replace", newline="") as file:
        try:
            first = next((row for row in csv.reader(file, delimiter=kind.value) if row), [])
        except csv.Error as error:
            raise InputError(f"the first line cannot be read: {error}", where=path) from None
    names = [name.strip() for name in first]
    twice = [name for i, name in enumerate(names) if name and name in names[:i]]
    taken = [name for name in twice if not named or name in named]
    if taken:
        raise InputError(
            f"there are two columns {taken[0]!r}", where=path, next_step="Rename one, or leave it out"
        )


def _scan(path: Path, kind: Kind) -> pl.LazyFrame:
    if kind is Kind.PARQUET:
        return pl.scan_parquet(path)
    if kind is Kind.JSON_LINES:
        return pl.read_ndjson(path, infer_schema_length=None).lazy()
    if kind is Kind.JSON:
        return pl.read_json(path, infer_schema_length=None).lazy()
    rows = pl.scan_csv(path, separator=kind.value, infer_schema=False)
    return rows.rename(str.strip)


def _is_object(line: str) -> bool:
    try:
        return isinstance(json.loads(line), dict)
    except ValueError:
        return False


def _read_slowly(path: Path, kind: Kind, reason: str) -> pl.DataFrame:
    """Read what Polars cannot, such as NaN in JSON, or say where the fault is."""
    if kind is Kind.PARQUET:
        raise InputError(f"damaged or cut off: not a whole Parquet file ({reason})", where=path)
    _check_encoding(path)
    if kind is Kind.JSON_LINES:
        return _from_rows(_json_lines(path))
    if kind is Kind.JSON:
        return _from_rows(_json_list(path))
    with path.open(encoding="utf-8-sig", newline="") as file:
        rows = csv.reader(file, delimiter=kind.value)
        width = len(next(rows, []))
        for row in rows:
            if len(row) > width:
                raise InputError(
                    f"this row has {len(row)} fields, the first line {width}; write quotes around text that "
                    f"holds {kind.value!r}",
                    where=f"{path}:{rows.line_num}",
                )
    raise InputError(f"cannot read this as {_SEPARATORS[kind.value]}: {reason}", where=path)


def _check_encoding(path: Path) -> None:
    with path.open("rb") as file:
        for number, line in enumerate(file, start=1):
            try:
                line.decode()
            except UnicodeDecodeError as error:
                raise InputError(
                    f"this is not UTF-8: byte {line[error.start]:#04x} at {error.start}",
                    where=f"{path}:{number}",
                    next_step="Save it as UTF-8",
                ) from None


def _json_lines(path: Path) -> list[dict[str, Any]]:
    rows = []
    with path.open(encoding="utf-8-sig") as file:
        for number, line in enumerate(file, start=1):
            if line.strip():
                rows.append(_object(line, f"{path}:{number}"))
    return rows


def _json_list(path: Path) -> list[dict[str, Any]]:
    try:
        rows = json.loads(path.read_text(encoding="utf-8-sig"))
    except (ValueError, RecursionError) as error:
        raise InputError(f"this is not JSON: {error}", where=path) from None
    for number, row in enumerate(rows, start=1):
        if not isinstance(row, dict):
            raise InputError(f"expected an object, got {_short(row)}", where=f"{path}, row {number}")
    return list(rows)


def _object(line: str, where: str) -> dict[str, Any]:
    try:
        row = json.loads(line)
    except (ValueError, RecursionError) as error:
        reason = getattr(error, "msg", error)
        raise InputError(f"this line is not JSON: {reason}", where=where) from None
    if not isinstance(row, dict):
        raise InputError(f"expected an object, got {_short(row)}", where=where)
    return row


def _short(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 40 else f"{text[:40]}…"


def _from_rows(rows: list[dict[str, Any]]) -> pl.DataFrame:
    """Make a frame of rows whose columns may hold several types; those become strings."""
    names = dict.fromkeys(name for row in rows for name in row)
    columns = []
    for name in names:
        values = [row.get(name) for row in rows]
        types = {type(value) for value in values if value is not None}
        if types == {int}:
            columns.append(pl.Series(name, values, strict=False))
        elif types <= {int, float, bool}:
            columns.append(pl.Series(name, [None if v is None else float(v) for v in values], pl.Float64))
        elif types == {str}:
            columns.append(pl.Series(name, values, pl.String))
        else:
            columns.append(pl.Series(name, [None if v is None else _text(v) for v in values], pl.String))
    return pl.DataFrame(columns)


def _text(value: object) -> str:
    return value if isinstance(value, str) else json.dumps(value)
