"""Tables inside of files: sheets of a workbook, tables of SQLite and DuckDB; ``FILE::TABLE`` names one."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

import polars as pl

from tellapart.errors import InputError, MissingExtra, near_match
from tellapart.files.columns import column

SEPARATOR = "::"

_SQLITE = b"SQLite format 3\0"
_DUCKDB = b"DUCK"


def table_in(path: Path) -> tuple[Path, str | None]:
    """Split ``FILE::TABLE``, unless there is a file of that very name."""
    file, separator, name = str(path).rpartition(SEPARATOR)
    return (path, None) if not separator or path.exists() else (Path(file), name)


def holds_tables(path: Path) -> bool:
    """Whether a file is a workbook or a database, by its beginning."""
    file, _ = table_in(path)
    if not file.is_file():
        return False
    with file.open("rb") as opened:
        start = opened.read(16)
    is_workbook = start.startswith(b"PK") and file.suffix.casefold() in (".xlsx", ".xlsm", ".ods")
    return is_workbook or start == _SQLITE or start[8:12] == _DUCKDB


def read_table_in(path: Path) -> pl.DataFrame:
    """Read the table that a path names, or the only one that there is."""
    file, name = table_in(path)
    with file.open("rb") as opened:
        start = opened.read(16)
    if start == _SQLITE:
        return _sqlite(file, name)
    return _duckdb(file, name) if start[8:12] == _DUCKDB else _workbook(file, name)


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
            rows = database.execute(f"SELECT * FROM {_quoted(table)}")
            return _frame([column[0] for column in rows.description], rows)
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
            rows = database.execute(f"SELECT * FROM {_quoted(table)}")
            return _frame([column[0] for column in rows.description], rows.fetchall())
    except duckdb.Error as error:
        raise InputError(f"cannot read this database: {error}", where=file) from None


def _quoted(name: str) -> str:
    escaped = name.replace('"', '""')
    return f'"{escaped}"'


def _frame(names: Sequence[str], rows: Iterable[Sequence[Any]]) -> pl.DataFrame:
    columns = list(zip(*rows, strict=True)) or [()] * len(names)
    return pl.DataFrame([column(name, values) for name, values in zip(names, columns, strict=True)])
