"""Texts and JSON that people and their programs wrote: read one way, with faults that name their place.

- A byte order mark is dropped. The text is UTF-8; UTF-16 is named as such.
- ``NaN`` and ``Infinity`` are numbers, as many programs write them; who needs a number decides on them.
- Half a surrogate pair, which is left where a program cuts a text in two, becomes U+FFFD.
- A key that occurs twice in one object is a fault, since two programs would read it differently.
- More than ``DEEPEST`` levels of objects and lists are a fault, and so is a whole number of more than
  ``MOST_DIGITS``.
"""

from __future__ import annotations

import errno
import json
import re
import sys
from collections.abc import Callable, Iterator, Mapping
from enum import StrEnum
from functools import cache
from itertools import count
from math import isfinite
from pathlib import Path
from shlex import quote
from typing import Any, BinaryIO

from tellapart.errors import InputError, close_match, quoted

DEEPEST = 200
"""Objects and lists within one another."""

MOST_DIGITS = 308
"""Of a whole number: every such number is a finite float."""

_LONGEST_LINE_BYTES = 64 * 2**20
_HEAD_BYTES = 65_536
_LARGEST = 2**31 - 1
_STDIN = Path("-")
_BYTE_ORDER_MARK = b"\xef\xbb\xbf"
_FOREIGN = {
    b"\xff\xfe": (
        "UTF-16",
        "Save it as UTF-8; Windows PowerShell writes '>' that way: use '| Out-File -Encoding utf8'",
    ),
    b"\xfe\xff": ("UTF-16", "Save it as UTF-8"),
    b"\x1f\x8b": ("compressed with gzip", "Unpack it"),
    b"\x28\xb5\x2f\xfd": ("compressed with zstd", "Unpack it"),
    b"PK\x03\x04": ("a zip archive", "Unpack it; of a spreadsheet, save the sheet as CSV"),
    b"SQLite": ("an SQLite database", "Export what is in it"),
    b"PAR1": ("Parquet", "Is this the right file?"),
}
_HALF_PAIR = re.compile(r"[\ud800-\udfff]")
_ESCAPED_HALF = re.compile(r"\\u[dD][89a-fA-F]")


class Fault(StrEnum):
    """What is wrong with a text that should be JSON."""

    EMPTY = "empty"
    ENCODING = "encoding"
    CUT_OFF = "cut off"
    SECOND_OBJECT = "second object"
    SYNTAX = "syntax"


_NEXT_STEP = {
    Fault.EMPTY: "Was it copied whole?",
    Fault.CUT_OFF: "The file breaks off: copy it whole, or write it again",
    Fault.SECOND_OBJECT: "This looks like JSON Lines, expected one document",
    Fault.SYNTAX: "Repair it there, or write the file again",
}

_NO_JSON = "Is this the right file? Messages of a program belong on its standard error"


class JsonError(InputError):
    """A text that is not JSON, or that two programs would read differently; ``column`` counts from 1."""

    def __init__(
        self,
        what: str,
        fault: Fault,
        *,
        where: object,
        before: str | None = None,
        first_line: int | None = None,
        next_step: str | None = None,
    ) -> None:
        """Name the place by what stands before the fault, and by the line with which the text begins."""
        self.fault, self.column = fault, 0
        if before is not None:
            self.column = len(before) - before.rfind("\n")
            where = f"{where}:{before.count(chr(10)) + (first_line or 1)}:{self.column}"
        elif first_line is not None:
            where = f"{where}:{first_line}"
        super().__init__(what, where=where, next_step=next_step or _NEXT_STEP.get(fault))


def parse_json(
    text: str | bytes, where: object, *, first_line: int | None = None, finite: bool = False
) -> Any:
    """Parse one JSON document, of a file's further one with its line; ``finite`` makes NaN and such None."""
    text = _mended(text.removeprefix("\ufeff")) if isinstance(text, str) else decode(text, where, first_line)
    if not text.strip():
        raise JsonError("is empty", Fault.EMPTY, where=where, first_line=first_line)
    try:
        value = _decoder(finite).decode(text)
        if text.count("[") + text.count("{") > DEEPEST and _is_too_deep(value):
            raise RecursionError
    except json.JSONDecodeError as error:
        what, fault = _syntax(text, error)
        before = text[: error.pos]
        is_no_json = fault is Fault.SYNTAX and not before.strip()
        step = _NO_JSON if is_no_json else None
        raise JsonError(
            what, fault, where=where, before=before, first_line=first_line, next_step=step
        ) from None
    except RecursionError:
        what = f"has more than {DEEPEST} levels of objects and lists"
        raise JsonError(what, Fault.SYNTAX, where=where, first_line=first_line) from None
    except ValueError as error:
        raise JsonError(str(error), Fault.SYNTAX, where=where, first_line=first_line) from None
    return _mended(value) if _ESCAPED_HALF.search(text) else value


def decode(
    data: bytes, where: object, first_line: int | None = None, next_step: str = "Save it as UTF-8"
) -> str:
    """Read bytes as UTF-8, without a byte order mark."""
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        refuse_foreign(data, where)
        raise JsonError(
            f"is not UTF-8: byte {error.object[error.start]:#04x}",
            Fault.ENCODING,
            where=where,
            before=error.object[: error.start].decode(),
            first_line=first_line,
            next_step=next_step,
        ) from None


def refuse_foreign(data: bytes, where: object, expected: str = "UTF-8") -> None:
    """Refuse what its first bytes show to be no text."""
    for start, (what, next_step) in _FOREIGN.items():
        if data.startswith(start):
            raise JsonError(
                f"is {what}, expected {expected}", Fault.ENCODING, where=where, next_step=next_step
            )


@cache
def _decoder(finite: bool) -> json.JSONDecoder:
    number = _finite if finite else None
    return json.JSONDecoder(
        object_pairs_hook=_object, parse_float=number, parse_constant=number, parse_int=_whole
    )


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    fields = dict(pairs)
    if len(fields) < len(pairs):
        keys = [key for key, _ in pairs]
        key = next(key for i, key in enumerate(keys) if key in keys[:i])
        raise ValueError(f"the key {key!r} occurs twice in one object")
    return fields


def _whole(digits: str) -> int:
    if len(digits) > MOST_DIGITS:
        raise ValueError(f"a number of {len(digits):,} digits, expected at most {MOST_DIGITS:,}")
    return int(digits)


def _finite(number: str) -> float | None:
    value = float(number)
    return value if isfinite(value) else None


def _is_too_deep(value: Any) -> bool:
    level = [value] if isinstance(value, dict | list) else []
    for _ in range(DEEPEST):
        children = [inner.values() if isinstance(inner, dict) else inner for inner in level]
        level = [inner for values in children for inner in values if isinstance(inner, dict | list)]
    return bool(level)


def _mended(value: Any) -> Any:
    """Give the value with U+FFFD for each half of a surrogate pair in it."""
    if isinstance(value, str):
        return _HALF_PAIR.sub("\N{REPLACEMENT CHARACTER}", value)
    if isinstance(value, list):
        return [_mended(inner) for inner in value]
    if isinstance(value, dict):
        return {_mended(key): _mended(inner) for key, inner in value.items()}
    return value


def _syntax(text: str, error: json.JSONDecodeError) -> tuple[str, Fault]:
    rest = text[error.pos :].strip()
    if error.msg == "Extra data":
        if rest[0] in "{[":
            return "a second document begins here", Fault.SECOND_OBJECT
        return f"goes on after the end of the JSON, with {rest[:40]!r}", Fault.SYNTAX
    what = f"this is not JSON: {error.msg}" + (f", found {rest[:20]!r}" if rest else "")
    is_cut_off = not rest or error.msg.startswith("Unterminated string")
    return what, Fault.CUT_OFF if is_cut_off else Fault.SYNTAX


def cannot_read(
    path: Path, error: OSError | None = None, what: str = "this file", *, next_step: str | None = None
) -> InputError:
    """Make the error that says why a file cannot be read: by default that it is not there."""
    if error is None or isinstance(error, FileNotFoundError):
        reason, next_step = "there is no such file", next_step or _beside(path)
    else:
        reason, next_step = (
            (error.strerror or str(error)).lower(),
            next_step or _READING.get(error.errno or 0),
        )
    return InputError(f"cannot read {what}: {reason}", where=path, next_step=next_step)


_READING = {
    errno.EACCES: "Give this user the permission to read it",
    errno.EISDIR: "Name one of its files",
    errno.ENOTDIR: "Part of the path is a file; name the file itself",
    errno.EIO: "The disk reports an error: copy the file from elsewhere",
}
"""By error number, what can be done where a file cannot be read."""
_MOST_NAMES = 5


def _beside(path: Path) -> str:
    """Say which file was probably meant, or which there are."""
    folder = path.parent
    if not folder.is_dir():
        return f"There is no directory {folder} either; paths are read from {Path.cwd()}"
    try:
        names = sorted(entry.name for entry in folder.iterdir() if not entry.name.startswith("."))
    except OSError:
        return "Its directory cannot be read either"
    if close := close_match(path.name, names, cutoff=0.75):
        return f"Did you mean {quote(str(folder / close))}?"
    of = "this directory" if folder == Path() else str(folder)
    if not names:
        return f"Nothing is in {of}"
    more = f" and {len(names) - _MOST_NAMES:,} more" if len(names) > _MOST_NAMES else ""
    return f"In {of} there are: {', '.join(names[:_MOST_NAMES])}{more}"


def read_bytes(path: Path, what: str = "this file", *, next_step: str | None = None) -> bytes:
    """Read a file whole; ``-`` is standard input."""
    try:
        return sys.stdin.buffer.read() if path == _STDIN else path.read_bytes()
    except OSError as error:
        raise cannot_read(path, error, what, next_step=next_step) from None


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
        steps = ". ".join(filter(None, [error.next_step, next_step]))
        raise JsonError(error.what, error.fault, where=error.where, next_step=steps) from None


def read_object(path: Path, what: str = "this file", *, next_step: str | None = None) -> dict[str, Any]:
    """Parse a file of one JSON object; see `read_json`."""
    return as_object(read_json(path, what, next_step=next_step), path)


def json_lines(
    file: BinaryIO, path: Path, on_fault: Callable[[int, JsonError], None] | None = None, *, finite: bool
) -> Iterator[tuple[int, Any, int]]:
    """Parse one JSON document a line: its number, from 1, value, and bytes; blank lines are left out."""
    for number in count(1):
        if not (line := file.readline(_LONGEST_LINE_BYTES)):
            return
        if len(line) == _LONGEST_LINE_BYTES:
            what = f"this line is too long: more than {_LONGEST_LINE_BYTES:,} bytes"
            raise InputError(what, where=f"{path}:{number}")
        line = line.removeprefix(_BYTE_ORDER_MARK).strip()
        if not line:
            continue
        try:
            value = parse_json(line, path, first_line=number, finite=finite)
        except JsonError as error:
            if on_fault is None:
                raise
            on_fault(number, error)
        else:
            yield number, value, len(line)


def read_json_objects(path: Path) -> Iterator[tuple[int, dict[str, Any]]]:
    """Parse a file of one JSON object a line; see `json_lines`."""
    try:
        with path.open("rb") as file:
            for number, value, _ in json_lines(file, path, finite=False):
                yield number, as_object(value, f"{path}:{number}")
    except OSError as error:
        raise cannot_read(path, error) from None


def head(path: Path) -> bytes:
    """Read the beginning of a file, without a byte order mark; nothing of one that cannot be read."""
    try:
        with path.open("rb") as file:
            return file.read(_HEAD_BYTES).removeprefix(_BYTE_ORDER_MARK).lstrip()
    except OSError:
        return b""


def first_row(path: Path) -> dict[str, Any]:
    """Parse the first line of a file if it is a JSON object; an empty one of any other file."""
    try:
        return next(read_json_objects(path), (0, dict[str, Any]()))[1]
    except InputError:
        return {}


def as_object(value: object, where: object) -> dict[str, Any]:
    """Give a JSON object back."""
    if not isinstance(value, dict):
        raise InputError(f"found {quoted(value)}, expected an object", where=where)
    return value


def as_objects(value: object, where: object) -> list[dict[str, Any]]:
    """Give a list of JSON objects back; null is an empty one."""
    if value is None:
        return []
    if not isinstance(value, list):
        raise InputError(f"found {quoted(value)}, expected a list", where=where)
    return [as_object(entry, where) for entry in value]


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
