"""Items that somebody leaves out after the scores are known."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import polars as pl

from tellapart.core.fingerprint import sha256
from tellapart.core.record import Record
from tellapart.errors import InputError, close_match
from tellapart.files import decode, read_bytes
from tellapart.report import numbers as show


class ExcludedItems(Record):
    """Items that somebody left out after the scores were known, and the SHA-256 of the file that says so."""

    sha256: str
    items: int
    of: int


@dataclass(frozen=True)
class Exclusion:
    """Items that are left out, and the file that names them."""

    path: Path
    items: frozenset[str]
    record: ExcludedItems

    def kept(self, rows: pl.DataFrame) -> pl.DataFrame:
        """Give the rows whose ``item`` is not left out."""
        return rows.filter(~pl.col("item").is_in(sorted(self.items)))


def excluded_lines(exclusion: Exclusion | None) -> list[str]:
    """Say how many items were left out, and by which file."""
    if exclusion is None:
        return []
    record = exclusion.record
    share = show.percent(record.items / record.of)
    return [
        f"Left out after the scores were known: {show.count(record.items)} of {show.count(record.of)} items "
        f"({share}), by {exclusion.path.name} (SHA-256 {record.sha256[:12]})."
    ]


def read_exclusion(path: Path, sets: pl.DataFrame) -> Exclusion:
    """Read which items to leave out, an id a line."""
    data = read_bytes(path)
    items = frozenset(filter(None, map(str.strip, decode(data, path).splitlines())))
    ids = set(sets["item"])
    if lost := sorted(items - ids):
        close = close_match(lost[0], sorted(ids))
        raise InputError(
            f"{len(lost):,} of the {len(items):,} items that it names {'is' if len(lost) == 1 else 'are'} "
            f"not in this benchmark, such as {lost[0]!r}",
            where=path,
            next_step=f"Did you mean {close!r}?" if close else f"An id of this benchmark is {min(ids)!r}",
        )
    if len(items) in (0, sets.height):
        raise InputError(
            f"it leaves out {'all' if items else 'none'} of the {sets.height:,} items",
            where=path,
            next_step="Name some of the items, or give the report without --exclude",
        )
    return Exclusion(path, items, ExcludedItems(sha256=sha256(data), items=len(items), of=sets.height))
