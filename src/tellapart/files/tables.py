"""Plain tables as they are in files: Parquet, delimited text, JSON, workbooks and databases."""

from __future__ import annotations

import csv
import json
import re
import sqlite3
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing
from decimal import Decimal
from enum import StrEnum
from io import BytesIO
from pathlib import Path
from typing import Any, TypeVar

import polars as pl

from tellapart.errors import InputError, MissingExtra, near_match
from tellapart.files.json_text import decode
from tellapart.files.reading import as_object, is_whole_object, read_json, read_json_objects
from tellapart.files.writing import SQLITE


def column(name: str, values: Sequence[Any]) -> pl.Series:
    """Make a column of values of any types: numbers if all are, else text; lists and objects as JSON."""
    values = [float(value) if isinstance(value, Decimal) else value for value in values]
    types = {type(value) for value in values if value is not None}
    if types == {int}:
        return pl.Series(name, values, strict=False)
    if types and types <= {int, float, bool}:
        return pl.Series(name, [None if v is None else float(v) for v in values], pl.Float64)
    texts = [v if v is None or isinstance(v, str) else json.dumps(v, default=str) for v in values]
    return pl.Series(name, texts, pl.String)


SEPARATOR = "::"

_DUCKDB = b"DUCK"


def table_in(path: Path) -> tuple[Path, str | None]:
    """Split ``FILE::TABLE``, unless there is a file of that very name."""
    file, separator, name = str(path).rpartition(SEPARATOR)
    return (path, None) if not separator or path.exists() else (Path(file), name)


def holds_tables(path: Path) -> bool:
    """Whether a file is a workbook or a database, by its beginning."""
    return _reader(table_in(path)[0]) is not None


def read_table_in(path: Path) -> pl.DataFrame:
    """Read the table that a path names, or the only one that there is."""
    file, name = table_in(path)
    return (_reader(file) or _workbook)(file, name)


def _reader(file: Path) -> Callable[[Path, str | None], pl.DataFrame] | None:
    if not file.is_file():
        return None
    with file.open("rb") as opened:
        start = opened.read(16)
    if start.startswith(b"PK") and file.suffix.casefold() in (".xlsx", ".xlsm", ".ods"):
        return _workbook
    return _sqlite if start == SQLITE else _duckdb if start[8:12] == _DUCKDB else None


def _chosen(names: Sequence[str], name: str | None, file: Path, kind: str) -> str:
    if name is not None and name not in names:
        raise InputError(f"there is no {kind} {name!r}", where=file, next_step=near_match(name, names))
    if name is None and len(names) != 1:
        raise InputError(
            f"this file has {len(names)} {kind}s: {', '.join(names)}",
            where=file,
            next_step=f"Name one: '{file}{SEPARATOR}{names[0]}'" if names else None,
        )
    return name or names[0]


def _workbook(file: Path, name: str | None) -> pl.DataFrame:
    try:
        import fastexcel
    except ImportError:
        raise MissingExtra("reading workbooks", "excel") from None
    try:
        workbook = fastexcel.read_excel(file)
        sheet = _chosen(workbook.sheet_names, name, file, "sheet")
        return workbook.load_sheet(sheet, dtypes="string").to_polars()
    except fastexcel.FastExcelError as error:
        raise InputError(f"cannot read this workbook: {str(error).splitlines()[0]}", where=file) from None


def _sqlite(file: Path, name: str | None) -> pl.DataFrame:
    try:
        with closing(sqlite3.connect(f"{file.absolute().as_uri()}?mode=ro", uri=True)) as database:
            names = database.execute("SELECT name FROM sqlite_master WHERE type IN ('table', 'view')")
            table = _chosen(sorted(n for (n,) in names if not n.startswith("sqlite_")), name, file, "table")
            return _frame(database.execute(f"SELECT * FROM {_quoted(table)}"))
    except sqlite3.Error as error:
        raise InputError(f"cannot read this database: {error}", where=file) from None


def _duckdb(file: Path, name: str | None) -> pl.DataFrame:
    try:
        import duckdb
    except ImportError:
        raise MissingExtra("reading DuckDB", "duckdb") from None
    try:
        with duckdb.connect(str(file), read_only=True) as database:
            names = [row[2] for row in database.execute("SHOW ALL TABLES").fetchall()]
            table = _chosen(sorted(names), name, file, "table")
            return _frame(database.execute(f"SELECT * FROM {_quoted(table)}"))
    except duckdb.Error as error:
        raise InputError(f"cannot read this database: {error}", where=file) from None


def _quoted(name: str) -> str:
    escaped = name.replace('"', '""')
    return f'"{escaped}"'


def _frame(cursor: Any) -> pl.DataFrame:
    names = [name for name, *_ in cursor.description]
    columns = list(zip(*cursor.fetchall(), strict=True)) or [()] * len(names)
    return pl.DataFrame([column(name, values) for name, values in zip(names, columns, strict=True)])


T = TypeVar("T")

_HEAD_BYTES = 1 << 16
_NAMED_SEPARATOR = re.compile(rb"(?:\xef\xbb\xbf)?sep=([,;\t])\r?\n?$")
"""The first line by which Excel is told how cells are separated."""
_SEPARATORS = {",": "csv", "\t": "tsv", ";": "csv with semicolons"}


class Kind(StrEnum):
    """How a table is written down."""

    PARQUET = "parquet"
    JSON_LINES = "jsonl"
    JSON = "json"
    COMMAS = ","
    TABS = "\t"
    SEMICOLONS = ";"
    INSIDE = "workbook or database"


def head_text(path: Path) -> str | None:
    """Give the beginning of a file as text, without a byte order mark; None where it is none."""
    with path.open("rb") as file:
        first = file.read(_HEAD_BYTES)
    if b"\0" in first:
        return None
    # Only the last character may be cut; an older encoding is still text, and is refused with its line.
    return first.decode("utf-8-sig", errors="replace")


def is_parquet(path: Path) -> bool:
    """Whether a file begins as Parquet does."""
    with path.open("rb") as file:
        return file.read(4) == b"PAR1"


def kind_of(path: Path) -> Kind | None:
    """Recognise a table by its content; None where it is none."""
    if holds_tables(path):
        return Kind.INSIDE
    if is_parquet(path):
        return Kind.PARQUET
    text = head_text(path)
    if text is None:
        return None
    text = text.lstrip()
    line = text.split("\n", 1)[0]
    if named := _NAMED_SEPARATOR.match(line.encode()):
        return Kind(named[1].decode())
    if text.startswith("["):
        return Kind.JSON
    if text.startswith("{"):
        is_whole = len(line) == len(text) or is_whole_object(line)
        return Kind.JSON_LINES if is_whole or path.suffix in (".jsonl", ".ndjson") else None
    separator = max((Kind.COMMAS, Kind.TABS, Kind.SEMICOLONS), key=line.count)
    return separator if separator in line else None


def read_table(path: Path, kind: Kind, named: Sequence[str] = ()) -> pl.DataFrame:
    """Read a table."""
    if kind in _SEPARATORS:
        _check_names(path, kind, named)
    if kind in (Kind.JSON, Kind.JSON_LINES):
        frame = _from_rows(list(_objects(path, kind)))
    elif kind is Kind.INSIDE:
        frame = read_table_in(path)
    elif kind is Kind.PARQUET:
        frame = from_parquet(path, pl.read_parquet)
    else:
        try:
            first = int(names_separator(path))
            rows = pl.scan_csv(
                polars_source(path), separator=kind.value, infer_schema=False, skip_lines=first
            )
            frame = rows.rename(str.strip).collect()
        except pl.exceptions.PolarsError as error:
            frame = _read_slowly(path, kind, str(error).splitlines()[0])
    frame = frame.with_columns(pl.col(pl.String).replace("", None))
    if (kind not in _SEPARATORS and kind is not Kind.INSIDE) or not frame.width:
        return frame
    if frame.select(pl.first().has_nulls()).item():
        frame = frame.filter(~pl.all_horizontal(pl.all().is_null()))
    frame = frame.drop(name for name in frame.columns if _is_empty(name, frame[name]))
    return (
        frame
        if kind in (Kind.COMMAS, Kind.INSIDE)
        else frame.with_columns(map(_with_points, frame.get_columns()))
    )


def names_separator(path: Path) -> bool:
    """Whether the first line of a file says how its cells are separated."""
    with path.open("rb") as file:
        return _NAMED_SEPARATOR.match(file.readline(16)) is not None


def _is_empty(name: str, values: pl.Series) -> bool:
    """Whether a column has neither name nor content, as separators at the end of lines leave it."""
    return not name.removeprefix("_duplicated_").strip("0123456789") and values.null_count() == len(values)


def _with_points(values: pl.Series) -> pl.Series:
    """Write decimal commas, as spreadsheets of many countries do, as points; other text stays as it is."""
    texts = values.str.strip_chars()
    commas = texts.str.contains(",", literal=True).fill_null(False)
    if not commas.any():
        return values
    points = texts.str.replace(",", ".", literal=True)
    # A percent sign stays, for whoever reads the number.
    numbers = points.filter(commas).str.replace(r"\s*%$", "").cast(pl.Float64, strict=False)
    return points if numbers.null_count() == 0 else values


def _check_names(path: Path, kind: Kind, named: Sequence[str]) -> None:
    """Refuse two columns of one name, of which only one could be read."""
    with path.open("rb") as file:
        _, first = next(delimited_rows(_decoded(file, path), kind.value, path), (0, list[str]()))
    names = [name.strip() for name in first]
    twice = [name for i, name in enumerate(names) if name and name in names[:i]]
    taken = [name for name in twice if not named or name in named]
    if taken:
        raise InputError(
            f"there are two columns {taken[0]!r}", where=path, next_step="Rename one, or leave it out"
        )


def polars_source(path: Path) -> Path | BytesIO:
    """What Polars reads a file by: its path, or its content where Polars cannot take the path as it is.

    Polars takes ``runs[1]`` for a pattern, and no name that is not UTF-8.
    """
    is_plain = re.search("[*?[\ud800-\udfff]", str(path)) is None
    return path if is_plain else BytesIO(path.read_bytes())


def from_parquet(path: Path, read: Callable[[Path | BytesIO], T]) -> T:
    """Read from a Parquet file, or read of it."""
    try:
        return read(polars_source(path))
    except pl.exceptions.ColumnNotFoundError as error:
        # What follows the name differs between versions of Polars.
        name = re.search('"([^"]*)"', str(error))
        what = f"there is no column {name[1]!r}" if name else str(error).splitlines()[0]
        raise InputError(what, where=path) from None
    except FileNotFoundError:
        raise InputError("cannot read this file: No such file or directory", where=path) from None
    except (OSError, pl.exceptions.PolarsError, pl.exceptions.PanicException) as error:
        is_panic = isinstance(error, pl.exceptions.PanicException)
        reason = "what it says of itself does not hold" if is_panic else str(error).splitlines()[0]
        raise InputError(
            f"damaged or cut off: not a whole Parquet file ({reason})",
            where=path,
            next_step="Write or copy it again",
        ) from None


def delimited_rows(lines: Iterable[str], separator: str, where: object) -> Iterator[tuple[int, list[str]]]:
    """Cut delimited text into cells; blank lines are left out."""
    rows, begins = csv.reader(lines, delimiter=separator, strict=True), 1
    try:
        for row in rows:
            begins = rows.line_num + 1
            if any(cell.strip() for cell in row):
                yield rows.line_num, row
    except csv.Error as error:
        if "unexpected end of data" in str(error):
            raise InputError(
                "this row cannot be read: a quote in it is never closed, so it holds the rest of the file",
                where=f"{where}:{begins}",
                next_step="Close it; a quote inside a quoted text is written twice",
            ) from None
        if "new-line character" in str(error):
            raise InputError(
                "its lines end with CR alone", where=where, next_step="Save it with LF or CRLF"
            ) from None
        raise InputError(f"this row cannot be read: {error}", where=f"{where}:{rows.line_num}") from None


def read_delimited(
    path: Path, kind: Kind, on_fault: Callable[[int, str], None]
) -> Iterator[tuple[int, dict[str, str]]]:
    """Read delimited text a row at a time, cells as they are written."""
    _check_names(path, kind, ())
    with path.open("rb") as file:
        rows = delimited_rows(_decoded(file, path), kind.value, path)
        _, heads = next(rows, (0, list[str]()))
        names = [head.strip() for head in heads]
        for line, row in rows:
            if any(cell.strip() for cell in row[len(names) :]):
                on_fault(line, f"{len(row)} fields, the first line has {len(names)}")
                continue
            yield line, {name: cell for name, cell in zip(names, row, strict=False) if cell and name}


def _read_slowly(path: Path, kind: Kind, reason: str) -> pl.DataFrame:
    """Read what Polars cannot, such as rows that are too short, or say where the fault is."""
    with path.open("rb") as file:
        rows = delimited_rows(_decoded(file, path), kind.value, path)
        _, names = next(rows, (0, list[str]()))
        width, cut = len(names), []
        for line, row in rows:
            cut.append([cell or None for cell in row[:width]] + [None] * (width - len(row)))
            if any(cell.strip() for cell in row[width:]):
                raise InputError(
                    f"this row has {len(row)} fields, the first line {width}; write quotes around text that "
                    f"holds {kind.value!r}",
                    where=f"{path}:{line}",
                )
    if cut:
        columns = [name.strip() or f"_duplicated_{number}" for number, name in enumerate(names)]
        return pl.DataFrame(cut, schema=dict.fromkeys(columns, pl.String), orient="row")
    raise InputError(f"cannot read this as {_SEPARATORS[kind.value]}: {reason}", where=path)


def _decoded(lines: Iterable[bytes], path: Path) -> Iterator[str]:
    step = "Save it as UTF-8; in Excel the file type is 'CSV UTF-8'"
    for number, line in enumerate(lines, start=1):
        if number == 1 and _NAMED_SEPARATOR.match(line):
            yield "\n"
            continue
        yield decode(line, path, first_line=number, next_step=step)


def _objects(path: Path, kind: Kind) -> Iterator[dict[str, Any]]:
    if kind is Kind.JSON_LINES:
        yield from (row for _, row in read_json_objects(path))
        return
    for number, row in enumerate(read_json(path), start=1):
        yield as_object(row, f"{path}, row {number}")


def _from_rows(rows: list[dict[str, Any]]) -> pl.DataFrame:
    try:
        return pl.from_dicts(rows, infer_schema_length=None)
    except (pl.exceptions.PolarsError, TypeError, OverflowError):
        # Values of several types under one name.
        pass
    names = dict.fromkeys(name for row in rows for name in row)
    return pl.DataFrame([column(name, [row.get(name) for row in rows]) for name in names])
