"""JSON Lines, a piece at a time."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from pydantic_core import from_json

from tellapart.bundles.bad_rows import Problems
from tellapart.errors import InputError

LONGEST_LINE_BYTES = 64 * 2**20
"""A longer line is a bad row: it would be held in memory whole."""

_PIECE_ROWS = 8_192
_PIECE_BYTES = 16 * 2**20
_BYTE_ORDER_MARK = b"\xef\xbb\xbf"


def read_json_lines(path: Path, problems: Problems) -> Iterator[list[tuple[int, Any]]]:
    """Parse a file.

    Args:
        path: UTF-8, with or without a byte order mark, lines ended by LF or CRLF; blank ones are passed over.
        problems: Gets the lines that are no JSON.

    Yields:
        Pieces of some thousand rows: number of the line, from 1, and what is in it.

    Raises:
        InputError: The file cannot be read.
    """
    piece: list[tuple[int, Any]] = []
    held_bytes = 0
    for number, line in _lines(path, problems):
        try:
            piece.append((number, from_json(line.decode(), allow_inf_nan=False)))
        except UnicodeDecodeError as error:
            problems.add(number, "row", "not UTF-8", f"byte {line[error.start]:#04x} at {error.start}")
        except ValueError as error:
            problems.add(number, "row", "not JSON", str(error).replace(" at line 1", " at"))
        held_bytes += len(line)
        if len(piece) == _PIECE_ROWS or held_bytes > _PIECE_BYTES:
            yield piece
            piece, held_bytes = [], 0
    yield piece


def _lines(path: Path, problems: Problems) -> Iterator[tuple[int, bytes]]:
    try:
        with path.open("rb") as file:
            number, whole = 0, True
            while line := file.readline(LONGEST_LINE_BYTES):
                number += whole
                begins, whole = whole, line.endswith(b"\n")
                if number == 1 and begins:
                    line = line.removeprefix(_BYTE_ORDER_MARK)
                if not begins:
                    continue
                if not whole and len(line) >= LONGEST_LINE_BYTES - len(_BYTE_ORDER_MARK):
                    problems.add(number, "row", "too long", f"more than {LONGEST_LINE_BYTES:,} bytes")
                elif line := line.strip():
                    yield number, line
    except OSError as error:
        raise InputError(f"cannot read this file: {error.strerror}", where=path) from None
