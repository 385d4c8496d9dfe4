"""Files of text, JSON and JSON Lines, whole or a line at a time, and objects in them."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from tellapart.errors import InputError, quoted
from tellapart.files.json_text import BYTE_ORDER_MARK, Fault, JsonError, decode, parse_json

LONGEST_LINE_BYTES = 64 * 2**20
"""A longer line is a fault: it would be held in memory whole."""

_STDIN = Path("-")


def read_bytes(path: Path, what: str = "this file", *, next_step: str | None = None) -> bytes:
    """Read a file whole; ``-`` is standard input."""
    try:
        if path == _STDIN:
            return sys.stdin.buffer.read()
        data = path.read_bytes()
    except OSError as error:
        raise InputError(f"cannot read {what}: {error.strerror}", where=path, next_step=next_step) from None
    return data


def read_text(path: Path) -> str:
    """Read a text whole: UTF-8 with any line ends, which become LF; see `read_bytes`."""
    return decode(read_bytes(path), path).replace("\r\n", "\n").replace("\r", "\n")


def read_json(
    path: Path, what: str = "this file", *, finite: bool = False, next_step: str | None = None
) -> Any:
    """Parse a file of one JSON document; see `read_bytes` and `parse_json`."""
    try:
        return parse_json(read_bytes(path, what, next_step=next_step), path, finite=finite)
    except JsonError as error:
        if next_step is None:
            raise
        steps = [step for step in (error.next_step, next_step) if step]
        raise JsonError(error.what, error.fault, where=error.where, next_step=". ".join(steps)) from None


def read_object(path: Path, what: str = "this file", *, next_step: str | None = None) -> dict[str, Any]:
    """Parse a file of one JSON object; see `read_json`."""
    return as_object(read_json(path, what, next_step=next_step), path)


def as_object(value: object, where: object) -> dict[str, Any]:
    """Give a JSON object back."""
    if not isinstance(value, dict):
        raise InputError(f"found {quoted(value)}, expected an object", where=where)
    return value


class JsonLine(NamedTuple):
    """A line of a file.

    Attributes:
        number: From 1.
    """

    number: int
    value: Any
    n_bytes: int


def read_json_lines(
    path: Path, on_fault: Callable[[int, JsonError], None] | None = None, *, finite: bool = False
) -> Iterator[JsonLine]:
    """Parse a file of one JSON document a line, without holding more than a line."""
    for number, line in _lines(path):
        try:
            if line is None:
                raise JsonError(
                    f"this line is too long: more than {LONGEST_LINE_BYTES:,} bytes",
                    Fault.TOO_LONG,
                    where=f"{path}:{number}",
                )
            row = parse_json(line, path, first_line=number, finite=finite)
        except JsonError as error:
            if on_fault is None:
                raise
            on_fault(number, error)
        else:
            yield JsonLine(number, row, len(line))


def _lines(path: Path) -> Iterator[tuple[int, bytes | None]]:
    """Number and bytes of every line that is not blank; None for one that is too long."""
    try:
        with path.open("rb") as file:
            number, is_whole = 0, True
            while line := file.readline(LONGEST_LINE_BYTES):
                number += is_whole
                begins, is_whole = is_whole, line.endswith(b"\n")
                if not begins:
                    continue
                if number == 1:
                    line = line.removeprefix(BYTE_ORDER_MARK)
                if not is_whole and len(line) >= LONGEST_LINE_BYTES - len(BYTE_ORDER_MARK):
                    yield number, None
                elif line := line.strip():
                    yield number, line
    except OSError as error:
        raise InputError(f"cannot read this file: {error.strerror}", where=path) from None


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
