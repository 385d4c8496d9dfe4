"""Whether an eval file only adds to another: every earlier line present, byte-identical and in order."""

from __future__ import annotations

import json
from itertools import zip_longest
from pathlib import Path
from typing import Any

from tellapart.errors import InputError, Refused, UsageError

_QUOTED = 60
_ADD = "Frozen items stay as they are: put them back, and add new ones at the end"


def check_appended(old: Path, new: Path) -> int:
    """Hold the lines of two JSON Lines files against each other, in memory for one line of each.

    The last line of ``old`` may lack its line end; every other byte counts, those of blank lines too.

    Args:
        old: The earlier file.
        new: The later one.

    Returns:
        Lines that were added, at least 1.

    Raises:
        Refused: A line of ``old`` is missing or differs in ``new``: names the first one, its bundle and what
            changed.
        InputError: A file cannot be read or is Parquet.
        UsageError: Nothing was added.
    """
    added = 0
    try:
        with old.open("rb") as first, new.open("rb") as second:
            for number, (before, after) in enumerate(zip_longest(first, second), start=1):
                if number == 1:
                    _check_lines(old, before)
                    _check_lines(new, after)
                if before is None:
                    added += bool(after.strip())
                elif after is None or before.removesuffix(b"\n") != after.removesuffix(b"\n"):
                    _refuse(old, new, number, before, after)
    except OSError as error:
        raise InputError(f"cannot read this file: {error.strerror}", where=error.filename) from None
    if not added:
        raise UsageError(f"nothing was added to {old}", where=new)
    return added


def _check_lines(path: Path, start: bytes | None) -> None:
    if (start or b"").startswith(b"PAR1"):
        raise InputError(
            "this file is Parquet, of which nearly every byte changes when a row is added, so nobody can "
            "see that the earlier rows are the same",
            where=path,
            next_step="Keep evals that grow as JSON Lines: tellapart bundles convert",
        )


def _refuse(old: Path, new: Path, number: int, before: bytes, after: bytes | None) -> None:
    was, now = _row(before), _row(after)
    name = was.get("bundle_id")
    item = f"the item {name!r} of {old}:{number}" if name is not None else f"the item of {old}:{number}"
    if after is None:
        change = f"is missing: this file ends after line {number - 1}"
    elif now.get("bundle_id") != name:
        change = f"is not here: found {now.get('bundle_id')!r}"
    elif fields := [field for field in {**was, **now} if was.get(field) != now.get(field)]:
        changes = (f"{name!r} (was {_quoted(was.get(name))}, is {_quoted(now.get(name))})" for name in fields)
        change = f"changed in {', '.join(changes)}"
    else:
        change = "is written in other bytes"
    raise Refused(f"{item} {change}", where=f"{new}:{number}", next_step=_ADD)


def _row(line: bytes | None) -> dict[str, Any]:
    try:
        row = json.loads(line or b"")
    except ValueError:
        return {}
    return row if isinstance(row, dict) else {}


def _quoted(value: object) -> str:
    text = repr(value)
    return text if len(text) <= _QUOTED else f"{text[:_QUOTED]}…"
