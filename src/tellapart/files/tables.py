"""Plain tables as they are in files: Parquet, delimited text, JSON, workbooks and databases."""

from __future__ import annotations

import csv
import json
import os
import re
import sqlite3
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack, closing, contextmanager, suppress
from decimal import Decimal
from enum import StrEnum
from io import BytesIO
from pathlib import Path
from typing import Any, BinaryIO, TypeVar

import polars as pl

from tellapart.errors import InputError, MissingExtra, near_match
from tellapart.files.reading import (
    JsonError,
    as_object,
    cannot_read,
    decode,
    parse_json,
    read_json,
    read_json_objects,
)
from tellapart.files.workbooks import check_size
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


_SEPARATOR = "::"


def _table_in(path: Path) -> tuple[Path, str | None]:
    """Split ``FILE::TABLE``, unless there is a file of that very name."""
    file, separator, name = str(path).rpartition(_SEPARATOR)
    return (path, None) if not separator or path.exists() else (Path(file), name)


def holds_tables(path: Path) -> bool:
    """Whether a file is a workbook or a database, by its beginning."""
    return _reader(_table_in(path)[0]) is not None


def _reader(file: Path) -> Callable[[Path, str | None], pl.DataFrame] | None:
    if not file.is_file():
        return None
    with file.open("rb") as opened:
        start = opened.read(16)
    if start.startswith(b"PK") and file.suffix.casefold() in (".xlsx", ".xlsm", ".ods"):
        return _workbook
    return _sqlite if start == SQLITE else _duckdb if start[8:12] == b"DUCK" else None


def _chosen(names: Sequence[str], name: str | None, file: Path, kind: str = "table") -> str:
    if name is not None and name not in names:
        raise InputError(f"there is no {kind} {name!r}", where=file, next_step=near_match(name, names))
    if name is None and len(names) != 1:
        raise InputError(
            f"this file has {len(names)} {kind}s: {', '.join(names)}",
            where=file,
            next_step=f"Name one: '{file}{_SEPARATOR}{names[0]}'" if names else None,
        )
    return name or names[0]


def _workbook(file: Path, name: str | None) -> pl.DataFrame:
    try:
        import fastexcel
    except ImportError:
        raise MissingExtra("reading workbooks", "excel") from None
    check_size(file)
    try:
        with _panics_unseen():
            workbook = fastexcel.read_excel(file)
            sheet = _chosen(workbook.sheet_names, name, file, "sheet")
            return workbook.load_sheet(sheet, dtypes="string").to_polars()
    except (OSError, fastexcel.FastExcelError) as error:
        raise InputError(f"cannot read this workbook: {str(error).splitlines()[0]}", where=file) from None


def _sqlite(file: Path, name: str | None) -> pl.DataFrame:
    try:
        with closing(sqlite3.connect(f"{file.absolute().as_uri()}?mode=ro", uri=True)) as database:
            rows = database.execute("SELECT name FROM sqlite_master WHERE type IN ('table', 'view')")
            names = sorted(name for (name,) in rows if not name.startswith("sqlite_"))
            return _selected(database, _chosen(names, name, file))
    except sqlite3.Error as error:
        raise InputError(f"cannot read this database: {error}", where=file) from None


def _duckdb(file: Path, name: str | None) -> pl.DataFrame:
    try:
        import duckdb
    except ImportError:
        raise MissingExtra("reading DuckDB", "duckdb") from None
    try:
        with duckdb.connect(str(file), read_only=True) as database:
            names = sorted(row[2] for row in database.execute("SHOW ALL TABLES").fetchall())
            return _selected(database, _chosen(names, name, file))
    except duckdb.Error as error:
        raise InputError(f"cannot read this database: {error}", where=file) from None


def _selected(database: Any, table: str) -> pl.DataFrame:
    escaped = table.replace('"', '""')
    cursor = database.execute(f'SELECT * FROM "{escaped}"')
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
        return head_of(file)


def head_of(file: BinaryIO) -> str | None:
    """Give the beginning of an open file as text, and go back to it; see `head_text`."""
    first = file.read(_HEAD_BYTES)
    file.seek(0)
    if b"\0" in first:
        return None
    # Only the last character may be cut; an older encoding is still text, and is refused with its line.
    return first.decode(errors="replace").lstrip("\ufeff")


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
    return None if text is None else kind_of_text(text, path)


def kind_of_text(text: str, path: Path) -> Kind | None:
    """Recognise a table by the beginning of its text; None where it is none."""
    text = text.lstrip()
    line = text.split("\n", 1)[0]
    if named := _NAMED_SEPARATOR.match(line.encode()):
        return Kind(named[1].decode())
    if text.startswith("["):
        return Kind.JSON
    if text.startswith("{"):
        is_lines = path.suffix in (".jsonl", ".ndjson") or len(line) == len(text) or _is_json(line)
        return Kind.JSON_LINES if is_lines else None
    separator = max((Kind.COMMAS, Kind.TABS, Kind.SEMICOLONS), key=line.count)
    return separator if separator in line else None


def _is_json(text: str) -> bool:
    try:
        parse_json(text, "")
    except JsonError:
        return False
    return True


def read_table(path: Path, kind: Kind, named: Sequence[str] = ()) -> pl.DataFrame:
    """Read a table."""
    if kind in (Kind.JSON, Kind.JSON_LINES):
        return _without_empty(_from_rows(list(_objects(path, kind))))
    if kind is Kind.PARQUET:
        return _without_empty(from_parquet(path, pl.read_parquet))
    if kind is Kind.INSIDE:
        file, name = _table_in(path)
        frame = _without_empty((_reader(file) or _workbook)(file, name))
    else:
        frame = _without_empty(_read_text(path, kind, _names(path, kind, named)))
    if not frame.width:
        return frame
    if frame.select(pl.first().has_nulls()).item():
        frame = frame.filter(~pl.all_horizontal(pl.all().is_null()))
    frame = frame.drop(name for name in frame.columns if _is_empty(name, frame[name]))
    has_commas = kind in (Kind.TABS, Kind.SEMICOLONS)
    return frame.with_columns(map(_with_points, frame.get_columns())) if has_commas else frame


def _without_empty(frame: pl.DataFrame) -> pl.DataFrame:
    return frame.with_columns(pl.col(pl.String).replace("", None))


def _read_text(path: Path, kind: Kind, names: Sequence[str]) -> pl.DataFrame:
    try:
        return (
            pl.scan_csv(
                polars_source(path),
                separator=kind.value,
                infer_schema=False,
                skip_lines=int(_names_separator(path)),
            )
            .rename(_clean)
            .collect()
        )
    except pl.exceptions.PolarsError as error:
        reason = str(error).splitlines()[0]

    def refuse(line: int, what: str) -> None:
        step = f"Write quotes around text that holds {kind.value!r}"
        raise InputError(what, where=f"{path}:{line}", next_step=step)

    # Polars takes no rows that are too short, and does not say where a fault is.
    if rows := [row for _, row in read_delimited(path, kind, refuse, names)]:
        return pl.DataFrame(rows, schema=dict.fromkeys(filter(None, names), pl.String))
    raise InputError(f"cannot read this as {_SEPARATORS[kind.value]}: {reason}", where=path)


def _clean(name: str) -> str:
    """A column's name without white space and byte order marks, of which a file may have several."""
    return name.lstrip("\ufeff").strip()


def _names_separator(path: Path) -> bool:
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


def _names(path: Path, kind: Kind, named: Sequence[str] = ()) -> list[str]:
    """Names of the columns; two of one name are refused, of which only one could be read."""
    with path.open("rb") as file:
        _, first = next(delimited_rows(_decoded(file, path), kind.value, path), (0, list[str]()))
    return _checked_names(first, path, named)


def _checked_names(first: Sequence[str], path: Path, named: Sequence[str] = ()) -> list[str]:
    names = [_clean(name) for name in first]
    twice = [name for i, name in enumerate(names) if name and name in names[:i]]
    taken = [name for name in twice if not named or name in named]
    if taken:
        raise InputError(
            f"there are two columns {taken[0]!r}", where=path, next_step="Rename one, or leave it out"
        )
    return names


def polars_source(path: Path) -> Path | BytesIO:
    """A file's path, or its content where Polars takes it for a pattern, or as no UTF-8."""
    is_plain = re.search("[*?[\ud800-\udfff]", str(path)) is None
    return path if is_plain else BytesIO(path.read_bytes())


_ONE_AT_A_TIME = threading.RLock()


@contextmanager
def _panics_unseen() -> Iterator[None]:
    """Make a panic of Polars or of the reader of workbooks an OSError, and keep it off the screen."""
    with _ONE_AT_A_TIME, ExitStack() as ends:
        with suppress(OSError):  # There may be no screen.
            screen = os.dup(2)
            ends.callback(os.close, screen)
            nowhere = ends.enter_context(Path(os.devnull).open("wb"))
            os.dup2(nowhere.fileno(), 2)
            ends.callback(os.dup2, screen, 2)
        try:
            yield
        except BaseException as error:
            # Each library of Rust has a class of its own for it.
            if type(error).__name__ != "PanicException":
                raise
            raise OSError("what it says of itself does not hold") from None


def from_parquet(path: Path, read: Callable[[Any], T], file: BinaryIO | None = None) -> T:
    """Read from a Parquet file, or read of it; ``file`` is it where it is open."""
    try:
        with _panics_unseen():
            return read(polars_source(path) if file is None else file)
    except pl.exceptions.ColumnNotFoundError as error:
        # What follows the name differs between versions of Polars.
        name = re.search('"([^"]*)"', str(error))
        what = f"there is no column {name[1]!r}" if name else str(error).splitlines()[0]
        raise InputError(what, where=path) from None
    except FileNotFoundError:
        raise cannot_read(path) from None
    except (OSError, pl.exceptions.PolarsError) as error:
        raise InputError(
            f"damaged or cut off: not a whole Parquet file ({str(error).splitlines()[0]})",
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
    path: Path, kind: Kind, on_fault: Callable[[int, str], None], names: Sequence[str] | None = None
) -> Iterator[tuple[int, dict[str, str]]]:
    """Read delimited text a row at a time, cells as they are written; empty ones are left out."""
    with path.open("rb") as file:
        yield from delimited(file, path, kind, on_fault, names)


def delimited(
    file: BinaryIO,
    path: Path,
    kind: Kind,
    on_fault: Callable[[int, str], None],
    names: Sequence[str] | None = None,
) -> Iterator[tuple[int, dict[str, str]]]:
    """Read delimited text from an open file; see `read_delimited`."""
    rows = delimited_rows(_decoded(file, path), kind.value, path)
    _, first = next(rows, (0, list[str]()))
    names = _checked_names(first, path) if names is None else names
    for line, row in rows:
        if any(cell.strip() for cell in row[len(names) :]):
            on_fault(line, f"{len(row)} fields, the first line has {len(names)}")
        else:
            yield line, {name: cell for name, cell in zip(names, row, strict=False) if cell and name}


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
