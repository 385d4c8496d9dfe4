"""JSON from bytes, strictly: what two programs would read differently is a fault, and has its place."""

from __future__ import annotations

import json
import math
import re
from typing import Any, NoReturn

from tellapart.errors import InputError

DEEPEST = 100
"""Objects and lists within one another; records of this kind have about ten."""

_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"|[{}\[\],:]|[^\s{}\[\],:"]+', re.DOTALL)
_NO_NUMBER = re.compile(r"NaN|-?Infinity")
_NUMBER = re.compile(r"-?\d+(\.\d+)?([eE][+-]?\d+)?")
_CUT_OFF = "It breaks off: let the step before come to its end, or copy the file whole"


class _Ambiguous(ValueError):
    """Valid for a parser, and yet no value that every program reads alike."""


def parse(text: str | bytes, where: str) -> Any:
    """Parse one JSON document.

    Args:
        text: Characters, or bytes in UTF-8; with or without a byte order mark.
        where: A file or a stream, for messages.

    Raises:
        InputError: It is empty, no UTF-8, no JSON or several documents; it has a key twice in one object,
            NaN, Infinity, a number that is too large, or more than ``DEEPEST`` levels. Names line and column.
    """
    characters = _decoded(text, where).removeprefix("\ufeff")
    if not characters.strip():
        raise InputError(
            "is empty",
            where=where,
            next_step="Pipe a file in, 'tellapart codesearch … < FILE', or name one with --in FILE",
        )
    try:
        data = json.loads(
            characters, object_pairs_hook=_object, parse_constant=_constant, parse_float=_finite
        )
    except json.JSONDecodeError as error:
        _refuse_syntax(characters, error, where)
    except (ValueError, RecursionError):
        _refuse_ambiguous(characters, where)
    if _depth_exceeds(data, DEEPEST):
        _refuse_ambiguous(characters, where)
    return data


def _decoded(text: str | bytes, where: str) -> str:
    if isinstance(text, str):
        return text
    try:
        return text.decode()
    except UnicodeDecodeError as error:
        if text[:2] in (b"\xff\xfe", b"\xfe\xff"):
            raise InputError(
                "is UTF-16, expected UTF-8",
                where=where,
                next_step="Windows PowerShell writes '>' that way: use '| Out-File -Encoding utf8'",
            ) from None
        raise InputError(
            f"is not UTF-8: byte {text[error.start]:#04x}",
            where=_place(text[: error.start].decode(), error.start, where),
            next_step="Save it as UTF-8",
        ) from None


def _place(text: str, position: int, where: str) -> str:
    before = text[:position]
    return f"{where}:{before.count(chr(10)) + 1}:{len(before) - before.rfind(chr(10))}"


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    fields = dict(pairs)
    if len(fields) < len(pairs):
        raise _Ambiguous
    return fields


def _constant(_: str) -> float:
    raise _Ambiguous


def _finite(digits: str) -> float:
    number = float(digits)
    if not math.isfinite(number):
        raise _Ambiguous
    return number


def _depth_exceeds(data: Any, most: int) -> bool:
    level = [data] if isinstance(data, dict | list) else []
    for _ in range(most):
        children = [value.values() if isinstance(value, dict) else value for value in level]
        level = [inner for values in children for inner in values if isinstance(inner, dict | list)]
        if not level:
            return False
    return True


def _refuse_syntax(text: str, error: json.JSONDecodeError, where: str) -> NoReturn:
    rest = text[error.pos :].strip()
    place = _place(text, error.pos, where)
    if error.msg == "Extra data":
        if _begins_an_object(rest) and _begins_an_object(text.strip()):
            raise InputError(
                "begins a second object: this looks like JSON Lines, expected one object",
                where=place,
                next_step="Put them together with: jq -s '{conversations: .}' FILE",
            )
        raise InputError(
            f"goes on after the end of the JSON, with {rest[:40]!r}",
            where=place,
            next_step="Messages of a program belong on its standard error",
        )
    if not text[: error.pos].strip() and rest[0] not in '{["':
        raise InputError(
            f"this is not JSON, it begins with {rest[:40]!r}",
            where=place,
            next_step="Messages of a program belong on its standard error",
        )
    cut_off = not rest or error.msg.startswith("Unterminated string")
    raise InputError(
        f"this is not JSON: {error.msg}" + (f", found {rest[:20]!r}" if rest else ""),
        where=place,
        next_step=_CUT_OFF if cut_off else None,
    )


def _begins_an_object(text: str) -> bool:
    return text.startswith("{")


def _refuse_ambiguous(text: str, where: str) -> NoReturn:
    """Walk through the tokens to the first that is at fault, since the parser does not say where it was."""
    keys: list[set[str]] = []
    last: re.Match[str] | None = None
    for token in _TOKEN.finditer(text):
        first = token[0]
        if first in ("{", "["):
            keys.append(set())
        elif first in ("}", "]"):
            keys.pop()
        elif first == ":" and last is not None:
            _note_key(keys[-1], last, text, where)
        elif first not in (",", ":") and first[0] != '"':
            _see_number(first, _place(text, token.start(), where))
        if len(keys) > DEEPEST:
            raise InputError(
                f"has more than {DEEPEST} levels of objects and lists",
                where=_place(text, token.start(), where),
                next_step="Is this the right file?",
            )
        last = token
    raise InputError("this JSON cannot be read", where=where)


def _note_key(seen: set[str], token: re.Match[str], text: str, where: str) -> None:
    key = json.loads(token[0])
    if key in seen:
        raise InputError(
            f"the key {key!r} occurs twice in one object",
            where=_place(text, token.start(), where),
            next_step="Keep one of them",
        )
    seen.add(key)


def _see_number(token: str, place: str) -> None:
    constant, number = _NO_NUMBER.match(token), _NUMBER.match(token)
    if constant:
        raise InputError(f"found {constant[0]}, which is not JSON, expected a number or null", where=place)
    if number and not math.isfinite(float(number[0])):
        raise InputError(f"the number {number[0][:20]!r} is too large", where=place)
