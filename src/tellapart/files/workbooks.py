"""How large a workbook becomes once it is read: archives of a few kilobytes may hold 17 billion cells."""

from __future__ import annotations

import zipfile
import zlib
from collections.abc import Mapping
from functools import cache
from math import prod
from pathlib import Path
from typing import IO
from xml.parsers import expat

from tellapart.errors import InputError
from tellapart.files.reading import cannot_read

_MOST_BYTES = 256 * 2**20
"""Of all parts unpacked: they are held in memory, and take several times as much."""
_MOST_CELLS = 2**24
"""Of a sheet, from its first cell to the last row and the last column with a value; each takes 32 bytes."""
_CSV = "Save it as CSV"
_DAMAGE = (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError, ValueError)


def check_size(file: Path) -> None:
    """Refuse a workbook that would not fit into memory, before it is read."""
    try:
        with zipfile.ZipFile(file) as archive:
            parts = archive.infolist()
            if (unpacked := sum(part.file_size for part in parts)) > _MOST_BYTES:
                what = f"this workbook has {unpacked:,} bytes unpacked, expected at most {_MOST_BYTES:,}"
                raise InputError(what, where=file, next_step=_CSV)
            for part in parts:
                if not part.filename.endswith(".xml") or not part.file_size:
                    continue
                with archive.open(part) as opened:
                    rows, columns = _extent(opened)
                if rows * columns > _MOST_CELLS:
                    what = f"a sheet of this workbook has {rows:,} rows and {columns:,} columns"
                    raise InputError(
                        f"{what}, expected at most {_MOST_CELLS:,} cells", where=file, next_step=_CSV
                    )
    except OSError as error:
        raise cannot_read(file, error) from None
    except (*_DAMAGE, expat.ExpatError) as error:
        raise InputError(f"cannot read this workbook: {error}", where=file, next_step=_CSV) from None


def _extent(part: IO[bytes]) -> tuple[int, int]:
    """The rows and columns up to the last value of the largest sheet, as Excel or OpenDocument has it."""
    row = column = 0
    ends = largest = (0, 0)

    def begin(name: str, given: Mapping[str, str]) -> None:
        # This is called for every cell and every value: what is most frequent comes first.
        nonlocal row, column, ends, largest
        kind = name.rpartition(":")[2]
        if kind == "c" and (place := given.get("r")):
            letters = place.rstrip("0123456789")
            row, column = int(place[len(letters) :]), _number(letters)
        elif kind in ("c", "table-cell", "covered-table-cell"):
            column += int(given.get("table:number-columns-repeated", 1))
        elif kind in ("row", "table-row"):
            row = int(given.get("r") or row + int(given.get("table:number-rows-repeated", 1)))
            column = 0
        elif kind == "table":
            row, ends = 0, (0, 0)
        is_filled = kind in ("v", "is") or "office:value-type" in given
        if is_filled and (row > ends[0] or column > ends[1]):
            ends = (max(row, ends[0]), max(column, ends[1]))
            largest = max(ends, largest, key=prod)

    parser = expat.ParserCreate()
    parser.StartElementHandler = begin
    parser.ParseFile(part)
    return largest


@cache
def _number(letters: str) -> int:
    """Which column has these letters: A is 1, AA is 27."""
    number = 0
    for letter in letters.upper():
        number = 26 * number + ord(letter) - ord("A") + 1
    return number
