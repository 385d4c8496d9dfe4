"""The first pass over an eval: texts become numbers, those of options in a file mapped into memory."""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path

import numpy as np
import polars as pl

from tellapart.bundles.parts.folders import EvalFiles
from tellapart.bundles.reading import read_described
from tellapart.bundles.scoring import EvalItems, TextNumbers, drop_faulty
from tellapart.bundles.slice_fields import BundleFields
from tellapart.bundles.tier_names import TIERS
from tellapart.core.arrays import I64
from tellapart.embed.lineups import Lineups
from tellapart.embed.similarity import Embedded
from tellapart.errors import quoted
from tellapart.files import RowFaults, sha256_of, storage


@dataclass(frozen=True)
class NumberedEval:
    """All bundles of an eval in the order of its files.

    Attributes:
        of_eval: The bundles and their texts. ``items`` has ``position`` in place of ``cluster``: the row.
        sources: The files with the SHA-256 of their bytes.
        starts: Row of the first bundle of each file, and how many there are in all.
        first: Shape (bundles,): row of the first bundle with the same anchor.
    """

    of_eval: EvalItems
    sources: tuple[tuple[str, str], ...]
    starts: tuple[int, ...]
    first: I64

    def __len__(self) -> int:
        return self.starts[-1]

    @property
    def has_tiers(self) -> bool:
        """Whether any bundle came with a tier."""
        return self.of_eval.items["tier"].null_count() < len(self)

    def file_of(self, row: int) -> int:
        """Position of the file in which a bundle is."""
        return int(np.searchsorted(self.starts, row, side="right")) - 1

    def take(self, rows: I64) -> EvalItems:
        """Some bundles, in any order, without a cluster."""
        items = self.of_eval.items[rows].with_columns(cluster=pl.lit(None, pl.String))
        return replace(self.of_eval, items=items, lineups=self.of_eval.lineups.take(rows))


def number_eval(files: EvalFiles, work: Path, problems: RowFaults) -> NumberedEval:
    """Read an eval batch by batch; numbers of options go to a file in ``work``."""
    anchors, options, fields = TextNumbers(), TextNumbers(), BundleFields()
    items: list[pl.DataFrame] = []
    anchor_numbers, sizes = [np.empty(0, np.int32)], [np.zeros(1, np.int64)]
    sources, starts = [], [0]
    with storage(work), (work / "options").open("wb") as spool:
        for number, entry in enumerate(files.files):
            faults = RowFaults(files.label(number))
            with files.folder.local(entry.name) as path:
                sources.append((entry.name, sha256_of(path)))
                for batch, rows in read_described(path, faults):
                    fields.add(batch, rows)
                    listed = batch.select(pl.concat_list("positive", "negatives").alias("options"))["options"]
                    spool.write(options.number(listed.explode()).tobytes())
                    anchor_numbers.append(anchors.number(batch["anchor"]))
                    sizes.append(listed.list.len().to_numpy().astype(np.int64))
                    name = _ids(entry.name) if len(files.files) > 1 else pl.col("bundle_id")
                    items.append(batch.select("line", name, pl.col("tier").cast(pl.Enum(TIERS))))
            problems.take(faults, number)
            starts.append(sum(batch.height for batch in items))
    schema = pl.Schema({"line": pl.Int64(), "bundle_id": pl.String(), "tier": pl.Enum(TIERS)})
    table = pl.concat([schema.to_frame(), *items], rechunk=True)
    table = table.select(pl.int_range(pl.len()).alias("position"), pl.all())
    of_anchor = np.concatenate(anchor_numbers)
    # A file without bytes cannot be mapped.
    mapped = np.memmap(work / "options", np.int32, "c") if table.height else of_anchor
    lineups = Lineups(of_anchor, np.asarray(mapped), np.cumsum(np.concatenate(sizes)))
    of_eval = EvalItems(
        table.with_columns(fields.columns()), lineups, anchors, options, no_strata=fields.left_out()
    )
    return NumberedEval(of_eval, tuple(sources), tuple(starts), _first_rows(of_anchor, len(anchors)))


def _ids(file: str) -> pl.Expr:
    """Ids of bundles; of several files, those that are no more than the number of a line name the file."""
    name, line = pl.col("bundle_id"), pl.col("line").cast(pl.String)
    is_of_line = (name == line) | name.str.starts_with(line + ".")
    return pl.when(is_of_line).then(pl.lit(f"{file}:") + name).otherwise(name).alias("bundle_id")


def _first_rows(of_anchor: np.ndarray[tuple[int], np.dtype[np.int32]], anchors: int) -> I64:
    rows = np.arange(len(of_anchor))
    first = np.empty(anchors, np.int64)
    first[of_anchor[::-1]] = rows[::-1]
    return first[of_anchor]


def repeated_ids(numbered: NumberedEval, files: EvalFiles, problems: RowFaults) -> I64:
    """Rows whose id an earlier one has; they are noted in ``problems``."""
    items = numbered.of_eval.items
    suspects = items.filter(pl.col("bundle_id").is_duplicated())
    lines = items["line"]
    first_with: dict[str, int] = {}
    repeated = []
    faults: dict[int, RowFaults] = {}
    for row, name in suspects.select("position", "bundle_id").iter_rows():
        first = first_with.setdefault(name, row)
        if first == row:
            continue
        repeated.append(row)
        file, first_file = numbered.file_of(row), numbered.file_of(first)
        where = (
            f"{files.label(first_file)}, line {lines[first]}"
            if file != first_file
            else f"line {lines[first]}"
        )
        of_file = faults.setdefault(file, RowFaults(files.label(file)))
        of_file.add(lines[row], "bundle_id", "duplicate id", f"{quoted(name)} is also in {where}")
    for file, of_file in faults.items():
        problems.take(of_file, file)
    return np.array(repeated, dtype=np.int64)


def faulty_texts(numbered: NumberedEval, embedded: Embedded, files: EvalFiles, problems: RowFaults) -> I64:
    """Rows of which a text cannot be compared; they are noted in ``problems``."""
    if not ((embedded.anchor_faults != "").any() or (embedded.option_faults != "").any()):
        return np.empty(0, np.int64)
    left = []
    for file, (start, stop) in enumerate(pairwise(numbered.starts)):
        faults = RowFaults(files.label(file))
        kept = drop_faulty(numbered.take(np.arange(start, stop)), embedded, faults)
        left.append(kept.items["position"].to_numpy())
        problems.take(faults, file)
    return np.setdiff1d(np.arange(len(numbered)), np.concatenate(left))
