"""Other people's JSON: either spelling of a key, loosely typed values, and files that break off."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

from tellapart.errors import near_match, quoted
from tellapart.files import Fault, JsonError, parse_json


class Notes:
    """What could not be used, each kind once with the places where it is."""

    def __init__(self) -> None:
        """Begin with nothing."""
        self._places: dict[str, list[str]] = {}

    def add(self, what: str, place: str = "") -> None:
        """Take down one more."""
        self._places.setdefault(what, []).append(place)

    def sentences(self) -> tuple[str, ...]:
        """A sentence a kind, in the order in which they were met; up to three places are named."""
        return tuple(_sentence(what, places) for what, places in self._places.items())


def _sentence(what: str, places: list[str]) -> str:
    named = list(dict.fromkeys(place for place in places if place))
    if not named:
        return what
    more = f" and {len(named) - 3} more" if len(named) > 3 else ""
    return f"{', '.join(named[:3])}{more}: {what}"


@cache
def _spellings(name: str) -> tuple[str, str]:
    return name, "".join(f"_{c.lower()}" if c.isupper() else c for c in name)


class Fields:
    """An object whose keys are in camelCase or snake_case."""

    def __init__(self, data: Mapping[str, Any], place: str, notes: Notes) -> None:
        """Look at an object."""
        self._data, self._place, self._notes = data, place, notes

    @staticmethod
    def has(data: Mapping[str, Any], name: str) -> bool:
        """Whether it is there, in either spelling."""
        camel, snake = _spellings(name)
        return camel in data or snake in data

    @staticmethod
    def get(data: Mapping[str, Any], name: str) -> Any:
        """The value under ``name`` in camelCase, else in snake_case; None where there is none."""
        camel, snake = _spellings(name)
        value = data.get(camel)
        return data.get(snake) if value is None else value

    def text(self, name: str) -> str | None:
        """A string as it is, a number as one; None where there is none, or something else."""
        value = self.get(self._data, name)
        if value is None or isinstance(value, str):
            return value
        if isinstance(value, int | float) and not isinstance(value, bool):
            return str(value)
        self._wrong(name, value, "a string")
        return None

    def number(self, name: str) -> int | None:
        """A whole number from 0, which may be a string; None where there is none, or something else."""
        value = self.get(self._data, name)
        if value is None or (type(value) is int and value >= 0):
            return value
        number = _whole(value)
        if number is None:
            self._wrong(name, value, "a whole number from 0")
        return number

    def flag(self, name: str) -> bool:
        """Whether it is true; a string may say so."""
        value = self.get(self._data, name)
        if value is None or isinstance(value, bool):
            return bool(value)
        if str(value).lower() in ("true", "false"):
            return str(value).lower() == "true"
        self._wrong(name, value, "true or false")
        return False

    def one_of(self, name: str, words: tuple[str, ...]) -> str | None:
        """One of the known words, in any case; None where there is none, or another one."""
        value = self.get(self._data, name)
        if value is None:
            return None
        if isinstance(value, str) and value.strip().lower() in words:
            return value.strip().lower()
        self._notes.add(
            f"the {name} {quoted(value)} is not known. {near_match(str(value), words)}".rstrip("."),
            self._place,
        )
        return None

    def _wrong(self, name: str, value: Any, expected: str) -> None:
        self._notes.add(f"{name!r} is {quoted(value)}, expected {expected}, and was left out", self._place)


def _whole(value: Any) -> int | None:
    if isinstance(value, bool) or not isinstance(value, str | float):
        return None
    try:
        number = float(value.strip().replace(",", "")) if isinstance(value, str) else value
    except ValueError:
        return None
    return int(number) if 0 <= number < 2**63 and number == int(number) else None


_TOKEN = re.compile(r'"(?:[^"\\]|\\.|\\\Z)*(?:"|\Z)|[\[\]{}]', re.S)
_CLOSING = {"{": "}", "[": "]"}
_STEPS_GO_ON = "]}]"
# An error this close to the end is the cut; an error further inside is a broken file.
_NEAR_THE_END = 8
"""Characters that half a word or number at the end of a file may have."""


@dataclass(frozen=True)
class WholePart:
    """What stands before the place where a file breaks off.

    Attributes:
        data: The JSON of the whole steps.
        line: Where the file breaks off, from 1.
        n_steps: In ``data``.
        last_case: Name of the last case in it; empty without steps.
        last_step: Id of its last step.
        left_out: What is lost, in words.
    """

    data: Any
    line: int
    n_steps: int
    last_case: str
    last_step: str
    left_out: str


def whole_part(text: str, error: JsonError) -> WholePart | None:
    """Read a file of results that breaks off, as far as its steps are whole."""
    is_near_the_end = len(text.rstrip()) - error.position <= _NEAR_THE_END
    breaks_off = error.fault is Fault.CUT_OFF or (error.fault is Fault.SYNTAX and is_near_the_end)
    if text.lstrip()[:1] not in _CLOSING or not breaks_off:
        return None
    line = text.rstrip().count("\n") + 1
    cut = _cut(text)
    if cut is None:
        return WholePart([], line, 0, "", "", "")
    try:
        data = parse_json(text[: cut[0]] + cut[1], "")
    except JsonError:
        return None
    cases = Fields.get(data, "cases") if isinstance(data, Mapping) else data
    left_out = _without_doubtful(cases) if _STEPS_GO_ON in cut[1] else "the cases behind it are lost"
    steps = [(case, step) for case in _objects(cases) for step in _objects(Fields.get(case, "steps"))]
    if not steps:
        return WholePart([], line, 0, "", "", "")
    case, step = (Fields.get(*one) for one in ((steps[-1][0], "caseName"), (steps[-1][1], "stepId")))
    return WholePart(data, line, len(steps), str(case), str(step), left_out)


def _objects(value: Any) -> list[Mapping[str, Any]]:
    return [one for one in value if isinstance(one, Mapping)] if isinstance(value, list) else []


def _cut(text: str) -> tuple[int, str] | None:
    """Where the last whole step or case ends, and what closes the file behind it; None before the first."""
    open_, cut = list[str](), None
    for token in _TOKEN.finditer(text):
        kind = token[0]
        if kind in _CLOSING:
            open_.append(kind)
        elif kind in ("]", "}") and open_:
            open_.pop()
            # Of cases: {[, and of steps: {[{[; each without the { of a file that is a list.
            if kind == "}" and "".join(open_).lstrip("{") in ("[", "[{["):
                cut = token.end(), "".join(_CLOSING[one] for one in reversed(open_))
    return cut


def _without_doubtful(cases: Any) -> str:
    """Take the case that breaks off out again where its model or epoch is lost but others have theirs."""
    *others, last = _objects(cases)
    for name in ("model", "epoch"):
        if any(Fields.has(case, name) for case in others) and not Fields.has(last, name):
            del cases[-1]
            return f"the {name} of {Fields.get(last, 'caseName')!r} is lost, so this case is left out"
    return "what follows is lost"
