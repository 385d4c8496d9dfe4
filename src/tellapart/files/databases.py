"""Tables inside of files: sheets of a workbook, tables of SQLite and DuckDB; ``FILE::TABLE`` names one."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

import polars as pl

from tellapart.errors import InputError, MissingExtra, near_match
from tellapart.files.columns import column
from tellapart.files.writing import SQLITE

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
