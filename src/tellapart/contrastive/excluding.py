"""Items that somebody leaves out after the scores are known, from a file of marks or ids."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from pathlib import Path

import polars as pl

from tellapart.contrastive.marks import read_exclusions
from tellapart.contrastive.results import ExcludedItems
from tellapart.core.fingerprint import sha256
from tellapart.errors import InputError, close_match
from tellapart.files import decode, parse_json, read_bytes
from tellapart.report import numbers as show


@dataclass(frozen=True)
class Exclusion:
    """Items that are left out.

    Attributes:
        path: Of the file that says which.
        items: Their ids.
        record: What JSON says of them.
    """

    path: Path
    items: frozenset[str]
    record: ExcludedItems

    def kept(self, rows: pl.DataFrame) -> pl.DataFrame:
        """Give the rows whose ``item`` is not left out."""
        return rows.filter(~pl.col("item").is_in(sorted(self.items)))

    def targets_without_items(self, sets: pl.DataFrame) -> list[str]:
        """Targets all of whose items are left out, in ascending order; ``sets`` has a row for each item."""
        return sorted(set(sets["target"]) - set(self.kept(sets)["target"]))


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


def read_exclusion(path: Path, sets: pl.DataFrame, units: Collection[str]) -> Exclusion:
    """Read which items to leave out."""
    data = read_bytes(path)
    text = decode(data, path).strip()
    items = _marked(path, sets, units) if text.startswith("{") else _listed(path, text, sets["item"])
    if len(items) in (0, sets.height):
        raise InputError(
            f"it leaves out {'all' if items else 'none'} of the {sets.height:,} items",
            where=path,
            next_step="Name some of the items, or give the report without --exclude",
        )
    record = ExcludedItems(sha256=sha256(data), items=len(items), of=sets.height)
    return Exclusion(path, frozenset(items), record)


def _marked(path: Path, sets: pl.DataFrame, units: Collection[str]) -> set[str]:
    marks = read_exclusions([path])
    _check_there(marks.units, units, "unit", path)
    return {
        item
        for item, target, distractors in sets.select("item", "target", "distractors").iter_rows()
        if target in marks.targets or any((target, one) in marks.pairs for one in distractors)
    }


def _listed(path: Path, text: str, there: pl.Series) -> set[str]:
    lines = filter(None, map(str.strip, text.splitlines()))
    items = list(parse_json(text, path) if text.startswith("[") else lines)
    if strange := [one for one in items if not isinstance(one, str)]:
        raise InputError(
            f"it holds {strange[0]!r}, expected a list of item ids",
            where=path,
            next_step=f"An id of this benchmark is {there[0]!r}",
        )
    _check_there(items, there, "item", path)
    return set(items)


def _check_there(named: Iterable[str], there: Iterable[str], what: str, path: Path) -> None:
    known, wanted = set(there), set(named)
    lost = sorted(wanted - known)
    if not lost:
        return
    close = close_match(lost[0], sorted(known))
    raise InputError(
        f"{len(lost):,} of the {len(wanted):,} {what}s that it names "
        f"{'is' if len(lost) == 1 else 'are'} not in this benchmark, such as {lost[0]!r}",
        where=path,
        next_step=f"Did you mean {close!r}?" if close else f"An id of this benchmark is {min(known)!r}",
    )
