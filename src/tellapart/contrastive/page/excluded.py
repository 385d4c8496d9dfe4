"""A run read without items that somebody left out after the scores were known."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path

import polars as pl

from tellapart.contrastive.aggregate import report_results
from tellapart.contrastive.benchmark import read_benchmark
from tellapart.contrastive.cautions import with_cautions
from tellapart.contrastive.excluding import Exclusion, read_exclusion
from tellapart.contrastive.item_table import ITEM_SCHEMA, SWAP_SCHEMA
from tellapart.contrastive.kept_benchmark import KEPT
from tellapart.contrastive.results import Report
from tellapart.core.scores import ScoreTable
from tellapart.store import RunDirectory


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
