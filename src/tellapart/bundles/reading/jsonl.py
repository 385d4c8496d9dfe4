"""JSON Lines, a piece at a time."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tellapart.files import Fault, JsonError, RowFaults, read_json_lines

_PIECE_ROWS = 8_192
_PIECE_BYTES = 16 * 2**20
_CAUSES = {Fault.ENCODING: "not UTF-8", Fault.TOO_LONG: "line too long"}


def read_rows(path: Path, problems: RowFaults) -> Iterator[list[tuple[int, Any]]]:
    """Parse a file of JSON Lines.

    Args:
        path: See `read_json_lines`.
        problems: Gets the lines that are not JSON.

    Yields:
        Pieces of some thousand rows: number of the line, from 1, and what is in it.

    Raises:
        InputError: The file cannot be read.
    """

    def take_down(line: int, error: JsonError) -> None:
        # "this is not JSON: …", where the cause says that already.
        detail = error.what.partition(": ")[2] or error.what
        place = f", column {error.column}" if error.column else ""
        problems.add(line, "row", _CAUSES.get(error.fault, "not JSON"), detail + place)

    piece: list[tuple[int, Any]] = []
    held_bytes = 0
    for line in read_json_lines(path, take_down, finite=True):
        piece.append((line.number, line.value))
        held_bytes += line.n_bytes
        if len(piece) == _PIECE_ROWS or held_bytes > _PIECE_BYTES:
            yield piece
            piece, held_bytes = [], 0
    yield piece
