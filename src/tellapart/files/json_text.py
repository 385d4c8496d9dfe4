"""JSON that people and their programs wrote: one way to read it, with faults that name their place.

- A byte order mark is dropped. The text is UTF-8; UTF-16 is named as such.
- ``NaN`` and ``Infinity`` are numbers, as many programs write them; who needs a number decides on them.
- Half a surrogate pair, which is left where a program cuts a text in two, becomes U+FFFD.
- A key that occurs twice in one object is a fault, since two programs would read it differently.
- More than ``DEEPEST`` levels of objects and lists are a fault, and so is a whole number of more than
  ``MOST_DIGITS``.
"""

from __future__ import annotations

import json
import re
from enum import StrEnum
from functools import cache
from math import isfinite
from typing import Any, NoReturn

from tellapart.errors import InputError

DEEPEST = 200
"""Objects and lists within one another."""

MOST_DIGITS = 308
"""Of a whole number: every such number is a finite float."""

BYTE_ORDER_MARK = b"\xef\xbb\xbf"
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
_TO_ZEROS = bytes.maketrans(b"123456789", b"000000000")
_MANY_DIGITS = b"0" * (MOST_DIGITS + 1)
_ESCAPED_HALF = re.compile(r"\\u[dD][89a-fA-F]")


class Fault(StrEnum):
    """What is wrong with a text that should be JSON."""

    EMPTY = "empty"
    ENCODING = "encoding"
    SYNTAX = "syntax"
    CUT_OFF = "cut off"
    NO_JSON = "no JSON"
    GOES_ON = "goes on"
    SECOND_OBJECT = "second object"
    TWICE = "key twice"
    TOO_DEEP = "too deep"
    TOO_LONG = "too long"


_NEXT_STEP = {
    Fault.EMPTY: "Was it copied whole?",
    Fault.SYNTAX: "Repair it there, or write the file again",
    Fault.CUT_OFF: "The file breaks off: copy it whole, or write it again",
    Fault.NO_JSON: "Is this the right file? Messages of a program belong on its standard error",
    Fault.GOES_ON: "Messages of a program belong on its standard error",
    Fault.SECOND_OBJECT: "This looks like JSON Lines, expected one document",
    Fault.TWICE: "Keep one of them",
    Fault.TOO_DEEP: "Is this the right file?",
}


class JsonError(InputError):
    """A text that is not JSON, or that two programs would read differently.

    Attributes:
        position: Characters before the fault, without a byte order mark; 0 where it has no place.
        column: Of its line, from 1; 0 where it has no place.
    """

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
        """Keep the parts."""
        self.fault, self.position, self.column = fault, len(before or ""), 0
        if before is not None:
            self.column = len(before) - before.rfind("\n")
            where = f"{where}:{before.count(chr(10)) + (first_line or 1)}:{self.column}"
        elif first_line is not None:
            where = f"{where}:{first_line}"
        super().__init__(what, where=where, next_step=next_step or _NEXT_STEP.get(fault))


class _StructureError(ValueError):
    """Text that the parser takes and we do not: what, the fault and the next step, without a place."""


def parse_json(
    text: str | bytes, where: object, *, first_line: int | None = None, finite: bool = False
) -> Any:
    """Parse one JSON document; of one that is not its file's first, with its line there.

    With ``finite``, numbers that are not finite are None.
    """
    text = _mended(text.removeprefix("\ufeff")) if isinstance(text, str) else decode(text, where, first_line)
    if not text.strip():
        raise JsonError("is empty", Fault.EMPTY, where=where, first_line=first_line)
    try:
        # Mostly such digits are quoted or behind a point; a parser that looks takes twice the time.
        value = _decoder(finite, _MANY_DIGITS in text.encode().translate(_TO_ZEROS)).decode(text)
        if text.count("[") + text.count("{") > DEEPEST and _is_too_deep(value):
            raise RecursionError
    except json.JSONDecodeError as error:
        _refuse_syntax(text, error, where, first_line)
    except RecursionError:
        what = f"has more than {DEEPEST} levels of objects and lists"
        raise JsonError(what, Fault.TOO_DEEP, where=where, first_line=first_line) from None
    except _StructureError as error:
        what, fault, step = error.args
        raise JsonError(what, fault, where=where, first_line=first_line, next_step=step) from None
    return _mended(value) if _ESCAPED_HALF.search(text) else value


def decode(
    data: bytes, where: object, first_line: int | None = None, next_step: str = "Save it as UTF-8"
) -> str:
    """Read bytes as UTF-8, without a byte order mark."""
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        refuse_foreign(data, where)
        before = error.object[: error.start].decode()
        raise JsonError(
            f"is not UTF-8: byte {error.object[error.start]:#04x}",
            Fault.ENCODING,
            where=where,
            before=before,
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
def _decoder(finite: bool, counts_digits: bool) -> json.JSONDecoder:
    number = _finite if finite else None
    whole = _whole_number if counts_digits else None
    return json.JSONDecoder(
        object_pairs_hook=_object, parse_float=number, parse_constant=number, parse_int=whole
    )


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    fields = dict(pairs)
    if len(fields) < len(pairs):
        key = next(key for i, (key, _) in enumerate(pairs) if any(key == before for before, _ in pairs[:i]))
        raise _StructureError(f"the key {key!r} occurs twice in one object", Fault.TWICE, None)
    return fields


def _whole_number(digits: str) -> int:
    if (count := len(digits.removeprefix("-"))) > MOST_DIGITS:
        what = f"a number of {count:,} digits, expected at most {MOST_DIGITS:,}"
        raise _StructureError(what, Fault.SYNTAX, "Put quotes around it if it is a text")
    return int(digits)


def _finite(number: str) -> float | None:
    value = float(number)
    return value if isfinite(value) else None


def _is_too_deep(value: Any) -> bool:
    level = [value] if isinstance(value, dict | list) else []
    for _ in range(DEEPEST):
        children = [inner.values() if isinstance(inner, dict) else inner for inner in level]
        level = [inner for values in children for inner in values if isinstance(inner, dict | list)]
        if not level:
            return False
    return True


def _mended(value: Any) -> Any:
    """Give the value with U+FFFD for each half of a surrogate pair in it."""
    if isinstance(value, str):
        return _HALF_PAIR.sub("\N{REPLACEMENT CHARACTER}", value)
    if isinstance(value, list):
        return [_mended(inner) for inner in value]
    if isinstance(value, dict):
        return {_mended(key): _mended(inner) for key, inner in value.items()}
    return value


def _refuse_syntax(text: str, error: json.JSONDecodeError, where: object, first_line: int | None) -> NoReturn:
    before, rest = text[: error.pos], text[error.pos :].strip()
    what, fault = f"this is not JSON: {error.msg}" + (f", found {rest[:20]!r}" if rest else ""), Fault.SYNTAX
    if error.msg.startswith("Invalid control character"):
        what = f"this is not JSON: a string holds {text[error.pos]!r} itself, which must be escaped"
    elif error.msg == "Extra data":
        what, fault = f"goes on after the end of the JSON, with {rest[:40]!r}", Fault.GOES_ON
        if rest[0] == text.lstrip()[0] and rest[0] in "{[":
            what, fault = "a second document begins here", Fault.SECOND_OBJECT
    elif not before.strip() and rest[0] not in '{["':
        what, fault = f"this is not JSON, it begins with {rest[:40]!r}", Fault.NO_JSON
    elif not rest or error.msg.startswith("Unterminated string"):
        fault = Fault.CUT_OFF
    raise JsonError(what, fault, where=where, before=before, first_line=first_line)
