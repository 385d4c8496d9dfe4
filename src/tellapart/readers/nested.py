"""Values inside other values: ``scores.Factuality`` of a row, ``results.0.score`` of a list in it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import polars as pl

from tellapart.files import JsonError, parse_json
from tellapart.files.columns import column

_LOOKED_AT = 50
"""Rows whose JSON is looked into for the paths that exist."""

_DEEPEST = 4


def value_at(frame: pl.DataFrame, path: str) -> pl.Series | None:
    """Give a column, or what is inside one."""
    if path in frame.columns:
        return frame[path]
    keys = path.split(".")
    for n in range(len(keys) - 1, 0, -1):
        name = ".".join(keys[:n])
        if name in frame.columns:
            values = [_inside(value, keys[n:]) for value in frame[name].to_list()]
            if any(value is not None for value in values):
                return column(path, values)
    return None


def paths_in(frame: pl.DataFrame) -> list[str]:
    """List the columns, and for those that hold more the paths to the values inside."""
    paths: dict[str, None] = {}
    for name in frame.columns:
        inner = [path for value in frame[name].head(_LOOKED_AT).to_list() for path in _leaves(value, name, 0)]
        paths |= dict.fromkeys(inner or [name])
    return list(paths)


def _inside(value: Any, keys: list[str]) -> Any:
    for i, key in enumerate(keys):
        value = _parsed(value)
        if isinstance(value, dict):
            rest = ".".join(keys[i:])
            if rest in value:
                return value[rest]
            value = value.get(key)
        elif isinstance(value, list) and key.isdecimal() and int(key) < len(value):
            value = value[int(key)]
        else:
            return None
    return value


def _leaves(value: Any, path: str, depth: int) -> Iterator[str]:
    value = _parsed(value) if depth == 0 else value
    inner = value if isinstance(value, dict) else {}
    if isinstance(value, list) and value and isinstance(first := _parsed(value[0]), dict):
        inner = {"0": first}
    if inner and depth < _DEEPEST:
        for key, part in inner.items():
            yield from _leaves(part, f"{path}.{key}", depth + 1)
    elif value is not None:
        yield path


def _parsed(value: Any) -> Any:
    if isinstance(value, str) and value[:1] in ("{", "["):
        try:
            return parse_json(value, "")
        except JsonError:
            return value
    return value
