"""How large a workbook becomes once it is read: an archive of a kilobyte may hold 17 billion cells."""

from __future__ import annotations

import zipfile
import zlib
from collections.abc import Mapping
from functools import cache, reduce
from pathlib import Path
from typing import IO
from xml.parsers import expat

from tellapart.errors import InputError
from tellapart.files.reading import cannot_read

_MOST_BYTES = 256 * 2**20
"""Of all parts unpacked: they are held in memory, and take several times as much."""
_MOST_CELLS = 2**24
"""Of a sheet of Excel's, up to its last row and column with a value; each takes 32 bytes."""
_DAMAGE = (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError, ValueError)


def check_size(file: Path) -> None:
    """Refuse a workbook that would not fit into memory, before it is read."""
    try:
        with zipfile.ZipFile(file) as archive:
            fault = _too_large(archive)
    except OSError as error:
        raise cannot_read(file, error) from None
    except (*_DAMAGE, expat.ExpatError) as error:
        fault = f"cannot read this workbook: {error}"
    if fault:
        raise InputError(fault, where=file, next_step="Save it as CSV")


def _too_large(archive: zipfile.ZipFile) -> str:
    parts = archive.infolist()
    if (unpacked := sum(part.file_size for part in parts)) > _MOST_BYTES:
        return f"this workbook has {unpacked:,} bytes unpacked, expected at most {_MOST_BYTES:,}"
    for part in parts:
        if part.filename.endswith(".xml") and part.file_size:
            with archive.open(part) as opened:
                rows, columns = _extent(opened)
            if rows * columns > _MOST_CELLS:
                what = f"a sheet of this workbook has {rows:,} rows and {columns:,} columns"
                return f"{what}, expected at most {_MOST_CELLS:,} cells"
    return ""


def _extent(part: IO[bytes]) -> tuple[int, int]:
    """The last row and the last column in which a cell has a value."""
    row = column = rows = columns = 0

    def begin(name: str, given: Mapping[str, str]) -> None:
        # This is called for every cell and every value: what is most frequent comes first.
        nonlocal row, column, rows, columns
        kind = name.rpartition(":")[2]
        if kind == "c":
            place = given.get("r", "")
            letters = place.rstrip("0123456789")
            row, column = (int(place[len(letters) :]), _number(letters)) if place else (row, column + 1)
        elif kind in ("v", "is"):
            rows, columns = max(rows, row), max(columns, column)
        elif kind == "row":
            row, column = int(given.get("r", row + 1)), 0

    parser = expat.ParserCreate()
    parser.StartElementHandler = begin
    parser.ParseFile(part)
    return rows, columns


@cache
def _number(letters: str) -> int:
    """Which column has these letters: A is 1, AA is 27."""
    return reduce(lambda number, letter: 26 * number + ord(letter) - ord("A") + 1, letters.upper(), 0)
