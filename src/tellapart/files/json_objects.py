"""Objects in the JSON of other programs, and the beginning of files, by which they are recognised."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from tellapart.errors import InputError, quoted
from tellapart.files.json_text import BYTE_ORDER_MARK, Fault, JsonError, parse_json
from tellapart.files.reading import as_object, read_json_lines

_SNIFFED_BYTES = 65_536
_LARGEST = 2**31 - 1


def head(path: Path) -> bytes:
    """Read the beginning of a file, without a byte order mark; nothing of one that cannot be read."""
    try:
        with path.open("rb") as file:
            return file.read(_SNIFFED_BYTES).removeprefix(BYTE_ORDER_MARK).lstrip()
    except OSError:
        return b""


def first_row(path: Path) -> dict[str, Any]:
    """Parse the first line of a file if it is a JSON object; an empty one of any other file."""
    try:
        line = next(read_json_lines(path), None)
    except InputError:
        return {}
    return line.value if line is not None and isinstance(line.value, dict) else {}


def is_whole_object(text: str) -> bool:
    """Check whether a text is one JSON object, though it may have a key twice or too many levels."""
    try:
        return isinstance(parse_json(text, ""), dict)
    except JsonError as error:
        return error.fault in (Fault.TWICE, Fault.TOO_DEEP)


def read_json_objects(path: Path) -> Iterator[tuple[int, dict[str, Any]]]:
    """Parse a file of one JSON object a line; blank lines are passed over."""
    for line in read_json_lines(path):
        yield line.number, as_object(line.value, f"{path}:{line.number}")


def part(value: Mapping[str, Any], key: str) -> Mapping[str, Any]:
    """Give the JSON object under a key; an empty one where there is none."""
    inner = value.get(key)
    return inner if isinstance(inner, Mapping) else {}


def texts_of(value: object, where: object) -> list[str]:
    """Give a list of texts back; null is an empty one."""
    if value is None:
        return []
    if not isinstance(value, list) or not all(isinstance(entry, str) for entry in value):
        raise InputError(f"found {quoted(value)}, expected a list of texts", where=where)
    return value


def whole_number(value: object, where: object, *, least: int = 0) -> int:
    """Give a whole number back, such as that of a repeat; a float without a fraction is one."""
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    if not isinstance(value, int) or isinstance(value, bool) or not least <= value <= _LARGEST:
        raise InputError(
            f"found {quoted(value)}, expected a whole number from {least} to {_LARGEST}", where=where
        )
    return value


def as_objects(value: object, where: object) -> list[dict[str, Any]]:
    """Give a list of JSON objects back; null is an empty one."""
    if value is None:
        return []
    if not isinstance(value, list):
        raise InputError(f"found {quoted(value)}, expected a list", where=where)
    return [as_object(entry, where) for entry in value]
