"""JSON of other programs: read whole or by the line, with faults that name their place."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from pydantic_core import from_json

from tellapart.errors import InputError

_SNIFFED_BYTES = 65_536
_BYTE_ORDER_MARK = b"\xef\xbb\xbf"
_PLACE = re.compile(r" at line (\d+) column (\d+)")


def head(path: Path) -> bytes:
    """Read the beginning of a file, without a byte order mark; nothing of one that cannot be read."""
    try:
        with path.open("rb") as file:
            return file.read(_SNIFFED_BYTES).removeprefix(_BYTE_ORDER_MARK).lstrip()
    except OSError:
        return b""


def first_row(path: Path) -> dict[str, Any]:
    """Parse the first line of a file if it is a JSON object; an empty one of any other file.

    A line longer than 64 MiB is not parsed.
    """
    try:
        with path.open("rb") as file:
            line = b"\n"
            while line and not line.strip(_BYTE_ORDER_MARK + b" \t\r\n"):
                line = file.readline(64 * 2**20)
        row = from_json(line.removeprefix(_BYTE_ORDER_MARK))
    except (OSError, ValueError):
        return {}
    return row if isinstance(row, dict) else {}


def read_json(path: Path) -> Any:
    """Parse a file; ``NaN`` and ``Infinity`` are numbers, as most programs write them.

    Raises:
        InputError: The file cannot be read, is empty, or is not JSON; names the line.
    """
    return parse(_contents(path), path)


def read_json_objects(path: Path) -> Iterator[tuple[int, dict[str, Any]]]:
    """Parse a file of one JSON object a line; blank lines are passed over.

    Yields:
        Number of the line, from 1, and the object.

    Raises:
        InputError: The file cannot be read, or a line is not a JSON object; names the line.
    """
    try:
        with path.open("rb") as file:
            for number, line in enumerate(file, start=1):
                line = line.removeprefix(_BYTE_ORDER_MARK) if number == 1 else line
                if line.strip():
                    yield number, as_object(parse(line, path, number), f"{path}:{number}")
    except OSError as error:
        raise InputError(f"cannot read this file: {error.strerror}", where=path) from None


def parse(text: bytes, where: Path | str, first_line: int = 1) -> Any:
    """Parse JSON.

    Args:
        text: UTF-8.
        where: The file, for the message.
        first_line: Number of the line that the text begins with.

    Raises:
        InputError: The text is empty or not JSON; names the line.
    """
    try:
        return from_json(text)
    except ValueError as error:
        if not text.strip():
            raise InputError("is empty", where=where, next_step="Was it copied whole?") from None
        place = _PLACE.search(str(error))
        line = first_line + (int(place[1]) - 1 if place else 0)
        fault = _PLACE.sub("", str(error)) + (f", column {place[2]}" if place else "")
        raise InputError(
            f"this is not JSON: {fault}",
            where=f"{where}:{line}",
            next_step="If the file was cut off, copy it again",
        ) from None


def as_object(value: object, where: object) -> dict[str, Any]:
    """Give a JSON object back.

    Raises:
        InputError: It is something else.
    """
    if not isinstance(value, dict):
        raise InputError(f"found {str(value)[:60]!r}, expected an object", where=where)
    return value


def part(value: Mapping[str, Any], key: str) -> Mapping[str, Any]:
    """Give the JSON object under a key; an empty one where there is none."""
    inner = value.get(key)
    return inner if isinstance(inner, Mapping) else {}


def as_objects(value: object, where: object) -> list[dict[str, Any]]:
    """Give a list of JSON objects back; null is an empty one.

    Raises:
        InputError: It is something else.
    """
    if value is None:
        return []
    if not isinstance(value, list):
        raise InputError(f"found {str(value)[:60]!r}, expected a list", where=where)
    return [as_object(entry, where) for entry in value]


def _contents(path: Path) -> bytes:
    try:
        return path.read_bytes().removeprefix(_BYTE_ORDER_MARK)
    except OSError as error:
        raise InputError(f"cannot read this file: {error.strerror}", where=path) from None
