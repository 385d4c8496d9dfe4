"""What was left out of a benchmark, file by file and unit by unit, with the cause."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from itertools import groupby
from pathlib import Path

from tellapart.core.record import Record
from tellapart.extraction.sources import LeftOut
from tellapart.files import write_text

FILE = "left_out.jsonl"
"""Beside ``benchmark.json``. No question depends on it, so the fingerprint does not either."""

EXAMPLES = 2


class LeftOutUnit(Record):
    """A unit by its qualified name, and the line on which it starts, from 1."""

    name: str
    line: int


class LeftOutPath(Record):
    """Units of one file that were left out for one cause; without units, the whole file or directory."""

    path: str
    cause: str
    units: list[LeftOutUnit]


def by_path(things: Iterable[LeftOut]) -> list[LeftOutPath]:
    """Group what was left out by path and cause, in that order."""
    ordered = sorted(things, key=lambda thing: (thing.path, thing.cause, thing.line, thing.name))
    return [
        LeftOutPath(
            path=path,
            cause=cause,
            units=[LeftOutUnit(name=thing.name, line=thing.line) for thing in group if thing.line],
        )
        for (path, cause), group in groupby(ordered, key=lambda thing: (thing.path, thing.cause))
    ]


def examples(paths: Sequence[LeftOutPath]) -> list[str]:
    """Write a line for each cause, with how many things it left out and the first few of them."""
    named: dict[str, list[str]] = {}
    for row in paths:
        units = [f"{row.path}:{unit.line} {unit.name}" for unit in row.units]
        named.setdefault(row.cause, []).extend(units or [row.path])
    return [
        f"  {cause} ({len(names):,}): {', '.join(names[:EXAMPLES])}{', …' if len(names) > EXAMPLES else ''}"
        for cause, names in sorted(named.items())
    ]


def write_left_out(directory: Path, paths: Iterable[LeftOutPath]) -> None:
    """Write one JSON object per line."""
    lines = (json.dumps(row.to_json(), ensure_ascii=False) for row in paths)
    write_text(directory / FILE, "".join(f"{line}\n" for line in lines))
