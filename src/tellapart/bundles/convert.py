"""Converting an eval from one form to another."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from itertools import chain
from pathlib import Path

from tellapart.bundles.outputs import check_outs
from tellapart.bundles.reading import read_bundles
from tellapart.bundles.row_export import (
    PARQUET,
    ROW_TARGETS,
    as_table,
    beside_texts,
    check_suffix,
    write_json_lines,
)
from tellapart.core.bundle import Bundle
from tellapart.core.record import Record
from tellapart.errors import InputError, UsageError, near_match
from tellapart.files import RowFaults, replacing

_ALL = "bundles"


class Converted(Record):
    """What was written.

    Attributes:
        left_out: What the form cannot hold, with the number of bundles that had it.
        dropped: Bad rows that were left out, by cause.
    """

    bundles: int
    left_out: dict[str, int]
    dropped: dict[str, int]
    files: tuple[Path, ...]


def parse_rename(text: str) -> tuple[str, str]:
    """Read ``--rename NAME=FIELD``: what the file calls NAME is FIELD of a form."""
    name, _, field = text.partition("=")
    if not name or not field:
        raise UsageError(
            f"--rename is {text!r}, expected NAME=FIELD",
            next_step="Write such as --rename question_text=anchor",
        )
    return name, field


def convert(
    source: Path,
    out: Path,
    to: str,
    *,
    skip_invalid: bool = False,
    rename: Mapping[str, str] | None = None,
) -> Converted:
    """Convert an eval; ``rename`` gives fields of the file the names that a form has."""
    if to not in ROW_TARGETS:
        raise UsageError(f"unknown form {to!r}", next_step=near_match(to, ROW_TARGETS))
    check_outs([out], [source])
    check_suffix(out)
    problems, has = RowFaults(source), Counter[str]()
    settle = (lambda: None) if skip_invalid else problems.refuse
    _to_rows(_counted(read_bundles(source, problems, rename), has), source, out, to, settle)
    holds = {*ROW_TARGETS[to].holds, _ALL}
    left_out = {name: count for name, count in sorted(has.items()) if name not in holds}
    return Converted(bundles=has[_ALL], left_out=left_out, dropped=dict(problems.counts), files=(out,))


def _to_rows(bundles: Iterator[Bundle], source: Path, out: Path, to: str, settle: Callable[[], None]) -> None:
    with replacing(out) as temporary:
        rows = ROW_TARGETS[to].rows(bundles)
        first = next(rows, None)
        if first is None:
            settle()
            raise InputError("no bundle is left to be written", where=source)
        rows = chain([first], rows)
        if out.suffix.lower() == PARQUET:
            as_table([*rows]).write_parquet(temporary)
        else:
            write_json_lines(temporary, rows)
        settle()


def _counted(bundles: Iterator[Bundle], has: Counter[str]) -> Iterator[Bundle]:
    for bundle in bundles:
        has.update(beside_texts(bundle))
        has[_ALL] += 1
        yield bundle
