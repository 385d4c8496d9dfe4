"""Items that somebody leaves out after the scores are known, and a run read without them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path

import polars as pl

from tellapart.contrastive.aggregate import report_results
from tellapart.contrastive.benchmark import read_benchmark
from tellapart.contrastive.cautions import with_cautions
from tellapart.contrastive.item_table import ITEM_SCHEMA, SWAP_SCHEMA
from tellapart.contrastive.kept_benchmark import KEPT
from tellapart.contrastive.results import ExcludedItems, Report
from tellapart.core.fingerprint import sha256
from tellapart.core.scores import ScoreTable
from tellapart.errors import InputError, close_match
from tellapart.files import decode, read_bytes
from tellapart.report import numbers as show
from tellapart.store import RunDirectory


@dataclass(frozen=True)
class Exclusion:
    """Items that are left out.

    Attributes:
        path: Of the file that names them.
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


def read_exclusion(path: Path, sets: pl.DataFrame) -> Exclusion:
    """Read which items to leave out, an id a line."""
    data = read_bytes(path)
    items = frozenset(filter(None, map(str.strip, decode(data, path).splitlines())))
    known = set(sets["item"])
    if lost := sorted(items - known):
        close = close_match(lost[0], sorted(known))
        raise InputError(
            f"{len(lost):,} of the {len(items):,} items that it names {'is' if len(lost) == 1 else 'are'} "
            f"not in this benchmark, such as {lost[0]!r}",
            where=path,
            next_step=f"Did you mean {close!r}?" if close else f"An id of this benchmark is {min(known)!r}",
        )
    if len(items) in (0, sets.height):
        raise InputError(
            f"it leaves out {'all' if items else 'none'} of the {sets.height:,} items",
            where=path,
            next_step="Name some of the items, or give the report without --exclude",
        )
    return Exclusion(path, items, ExcludedItems(sha256=sha256(data), items=len(items), of=sets.height))


@dataclass(frozen=True)
class RunWithout(RunDirectory):
    """A run of models that picked code, read without some items: nothing that is made of it knows them.

    Attributes:
        exclusion: What is left out.
    """

    exclusion: Exclusion

    def frame(self, name: str, schema: pl.Schema | None = None) -> pl.DataFrame:
        """Read a Parquet file of the run, without rows of items that are left out."""
        frame = super().frame(name, schema)
        return self.exclusion.kept(frame) if "item" in frame.columns else frame

    def scores(self, name: str = "scores.parquet") -> ScoreTable:
        """The scores of the other items; a comparison of them makes no headline."""
        return self._scores if name == "scores.parquet" else super().scores(name)

    @cached_property
    def _scores(self) -> ScoreTable:
        table = super().scores()
        notes = table.notes.model_copy(update={"excluded": self.exclusion.record.items})
        return with_cautions(replace(table, notes=notes), self.report, self._items)

    @cached_property
    def _items(self) -> pl.DataFrame:
        return self.frame("items.parquet", ITEM_SCHEMA)

    @cached_property
    def report(self) -> Report:
        """All results, from the other items; swaps of a target without any other item are left out too."""
        benchmark = read_benchmark(self.path / KEPT)
        sets = self.frame(f"{KEPT}/sets.parquet")
        swaps = self.frame("artifacts/swaps.parquet", SWAP_SCHEMA)
        swaps = swaps.filter(pl.col("target").is_in(sets["target"].unique().sort().to_list()))
        return report_results(replace(benchmark, sets=sets), self._items, swaps)


def without(run: RunDirectory, path: Path) -> RunWithout:
    """Read a run of models that picked code without the items that a file names."""
    sets = run.frame(f"{KEPT}/sets.parquet")
    return RunWithout(run.path, run.record, read_exclusion(path, sets))
