"""Other people's JSON: either spelling of a key, and loosely typed values."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any

from tellapart.errors import near_match, quoted


class Notes:
    """What could not be used, each kind once with the places where it is."""

    def __init__(self) -> None:
        """Begin with nothing."""
        self._places: dict[str, list[str]] = {}

    def add(self, what: str, where: str = "") -> None:
        """Take down one more."""
        self._places.setdefault(what, []).append(where)

    def sentences(self) -> tuple[str, ...]:
        """A sentence a kind, in the order in which they were met; up to three places are named."""
        return tuple(_sentence(what, places) for what, places in self._places.items())


def _sentence(what: str, places: list[str]) -> str:
    named = list(dict.fromkeys(where for where in places if where))
    if not named:
        return what
    more = f" and {len(named) - 3} more" if len(named) > 3 else ""
    return f"{', '.join(named[:3])}{more}: {what}"


@cache
def _spellings(name: str) -> tuple[str, str]:
    return name, "".join(f"_{c.lower()}" if c.isupper() else c for c in name)


class Fields:
    """An object whose keys are in camelCase or snake_case."""

    def __init__(self, data: Mapping[str, Any], where: str, notes: Notes) -> None:
        """Look at an object."""
        self._data, self._place, self._notes = data, where, notes

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
