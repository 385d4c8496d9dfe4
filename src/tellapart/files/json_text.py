"""JSON that people and their programs wrote: one way to read it, with faults that name their place.

- A byte order mark is dropped. The text is UTF-8; UTF-16 is named as such.
- ``NaN`` and ``Infinity`` are numbers, as many programs write them; who needs a number decides on them.
- Half a surrogate pair, which is left where a program cuts a text in two, becomes U+FFFD.
- A key that occurs twice in one object is a fault, since two programs would read it differently.
- More than ``DEEPEST`` levels of objects and lists are a fault, and so is a whole number of more than
  ``MOST_DIGITS``: whoever reckons with it would have to think of numbers that no float can hold.
"""

from __future__ import annotations

import json
import re
from enum import StrEnum
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
_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*+"?|[{}\[\],:]|[^\s{}\[\],:"]+', re.DOTALL)
_HALF_PAIR = re.compile(r"[\ud800-\udfff]")
_ESCAPED_QUOTE = rb"\u0022"
_TO_ZEROS = bytes.maketrans(b"123456789", b"000000000")
_TOO_MANY_DIGITS = b"0" * (MOST_DIGITS + 1)


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
        fault: What is wrong.
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
        first_line: int = 1,
        next_step: str | None = None,
    ) -> None:
        """Keep the parts."""
        self.fault, self.position, self.column = fault, len(before or ""), 0
        if before is not None:
            self.column = len(before) - before.rfind("\n")
            where = f"{where}:{before.count(chr(10)) + first_line}:{self.column}"
        super().__init__(what, where=where, next_step=next_step or _NEXT_STEP.get(fault))


class _TwiceError(ValueError):
    """An object has a key twice; the parser does not say where."""


def parse_json(text: str | bytes, where: object, *, first_line: int = 1, finite: bool = False) -> Any:
    """Parse one JSON document."""
    # Here, since whoever only reads bytes needs no parser, such as every command when it starts.
    from pydantic_core import from_json, to_json

    data = _mended(text).encode() if isinstance(text, str) else text
    data = data.removeprefix(BYTE_ORDER_MARK)
    try:
        value = from_json(data, allow_inf_nan=not finite)
    except ValueError:
        value, is_certain = None, False
    else:
        # Mostly these are quoted or behind a point; the careful parser sees which.
        may_be_long = len(data) > MOST_DIGITS and _TOO_MANY_DIGITS in data.translate(_TO_ZEROS)
        # Of two equal keys the parser keeps the last without a word. Written down again, the text then has
        # fewer quotes; only an escaped quote could make up for them. A parser that looks takes twice as long.
        written = to_json(value)
        has_escaped_quote = b"\\" in data and _ESCAPED_QUOTE in data  # One character is found much sooner.
        is_certain = not has_escaped_quote and not may_be_long and data.count(b'"') == written.count(b'"')
        # Infinity by that name was refused above, but not a number as large as 1e999.
        if is_certain and not (finite and b"Infinity" in written):
            return value
    if not is_certain:
        value = _parse_carefully(data, where, first_line)
    return _finite(value) if finite else value


def decode(data: bytes, where: object, *, first_line: int = 1, next_step: str = "Save it as UTF-8") -> str:
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


def _parse_carefully(data: bytes, where: object, first_line: int) -> Any:
    """Parse what the fast parser refuses or may have read wrongly, or say what is wrong with it."""
    text = decode(data, where, first_line=first_line)
    if not text.strip():
        raise JsonError("is empty", Fault.EMPTY, where=where)
    try:
        value = json.loads(text, object_pairs_hook=_object, parse_int=_whole_number)
    except json.JSONDecodeError as error:
        _refuse_syntax(text, error, where, first_line)
    except (_TwiceError, RecursionError):
        _refuse_structure(text, where, first_line)
    except ValueError:
        _refuse_digits(text, where, first_line)
    if _is_too_deep(value):
        _refuse_structure(text, where, first_line)
    return _mended(value)


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    fields = dict(pairs)
    if len(fields) < len(pairs):
        raise _TwiceError
    return fields


def _whole_number(digits: str) -> int:
    if len(digits.removeprefix("-")) > MOST_DIGITS:
        raise ValueError
    return int(digits)


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


def _finite(value: Any) -> Any:
    if isinstance(value, float):
        return value if isfinite(value) else None
    if isinstance(value, list):
        return [_finite(inner) for inner in value]
    if isinstance(value, dict):
        return {key: _finite(inner) for key, inner in value.items()}
    return value


def _refuse_syntax(text: str, error: json.JSONDecodeError, where: object, first_line: int) -> NoReturn:
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


def _refuse_digits(text: str, where: object, first_line: int) -> NoReturn:
    """Walk to the first whole number that is too long: the parser does not name it."""
    for token in _TOKEN.finditer(text):
        digits = token[0].removeprefix("-")
        if digits.isdigit() and len(digits) > MOST_DIGITS:
            raise JsonError(
                f"a number of {len(digits):,} digits, expected at most {MOST_DIGITS:,}",
                Fault.SYNTAX,
                where=where,
                before=text[: token.start()],
                first_line=first_line,
                next_step="Put quotes around it if it is a text",
            )
    raise JsonError("holds a number that cannot be read", Fault.SYNTAX, where=where)


def _refuse_structure(text: str, where: object, first_line: int) -> NoReturn:
    """Walk to the first key that occurs twice or the first level too many: the parser does not name them."""
    keys: list[set[str]] = []
    last: re.Match[str] | None = None
    for token in _TOKEN.finditer(text):
        sign = token[0]
        if sign in ("{", "["):
            keys.append(set())
        elif sign in ("}", "]"):
            keys.pop()
        elif sign == ":" and last is not None:
            key = json.loads(last[0])
            if key in keys[-1]:
                what, before = f"the key {key!r} occurs twice in one object", text[: last.start()]
                raise JsonError(what, Fault.TWICE, where=where, before=before, first_line=first_line)
            keys[-1].add(key)
        if len(keys) > DEEPEST:
            what, before = f"has more than {DEEPEST} levels of objects and lists", text[: token.start()]
            raise JsonError(what, Fault.TOO_DEEP, where=where, before=before, first_line=first_line)
        last = token
    raise JsonError("this JSON cannot be read", Fault.SYNTAX, where=where)
