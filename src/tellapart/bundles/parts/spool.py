"""The first pass over an eval: texts become numbers, and bundles go to files that are read one at a time."""

from __future__ import annotations

from dataclasses import dataclass
from io import BytesIO
from pathlib import Path

import numpy as np
import polars as pl
from numpy.typing import NDArray

from tellapart.bundles.parts.folders import EvalFiles
from tellapart.bundles.reading import read_described
from tellapart.bundles.scoring import EvalItems, TextNumbers
from tellapart.bundles.slice_fields import BundleFields
from tellapart.bundles.tier_names import TIERS
from tellapart.core.arrays import I64
from tellapart.embed.lineups import Lineups
from tellapart.errors import quoted
from tellapart.files import RowFaults, sha256_of, storage

BUNDLES_A_PART = 131_072
"""Bundles after which another file is begun."""


@dataclass(frozen=True)
class SpooledEval:
    """An eval as numbers; its bundles are in files, part by part, in the order of the eval.

    Attributes:
        sources: The files with the SHA-256 of their bytes.
        of_anchor: Shape (bundles,): number of the anchor.
        tiers: Of each bundle; null where none came with it.
        first_ids: Of each anchor, the id of its first bundle.
        metadata: Of each bundle what sorts it, structs; None where nothing does.
        parts: How many files of bundles there are.
    """

    work: Path
    sources: tuple[tuple[str, str], ...]
    anchors: TextNumbers
    options: TextNumbers
    of_anchor: NDArray[np.int32]
    tiers: pl.Series
    first_ids: pl.Series
    metadata: pl.Series | None
    parts: int

    def __len__(self) -> int:
        return len(self.of_anchor)

    def part(self, number: int) -> EvalItems:
        """The bundles of a part, each also with its ``position`` and the number of its file."""
        heads = pl.read_ipc(self.work / f"heads-{number}")
        rows = heads["position"]
        anchors = self.of_anchor[rows[0] : rows[-1] + 1]
        items = heads.with_columns(
            cluster=self.first_ids.gather(anchors), tier=self.tiers.gather(rows).cast(pl.String)
        )
        if self.metadata is not None:
            items = items.with_columns(self.metadata.gather(rows))
        options = np.fromfile(self.work / f"options-{number}", np.int32)
        offsets = np.concatenate([[0], np.cumsum(heads["options"].to_numpy())])
        return EvalItems(
            items.drop("options"), Lineups(anchors, options, offsets), self.anchors, self.options
        )


def write_spool(path: Path, frame: pl.DataFrame) -> None:
    """Write a table that only this run reads."""
    # Into memory first: Polars reports a full disk as a computation that failed.
    buffer = BytesIO()
    frame.write_ipc(buffer)
    path.write_bytes(buffer.getbuffer())


def spool_eval(
    files: EvalFiles, work: Path, problems: RowFaults, source_hash: str | None = None
) -> tuple[SpooledEval, I64]:
    """Read an eval; give it with the rows whose id an earlier one has, which are noted in ``problems``.

    ``source_hash`` is that of its one file, where it is known.
    """
    anchors, options, fields = TextNumbers(), TextNumbers(), BundleFields()
    sources, parts, bundles = [], _Parts(work), 0
    of_anchor = [np.empty(0, np.int32)]
    tiers, first_ids = [pl.Series(dtype=pl.Enum(TIERS))], [pl.Series("id", dtype=pl.String)]
    with storage(work):
        for number, entry in enumerate(files.files):
            faults = RowFaults(files.label(number))
            name = _ids(entry.name) if len(files.files) > 1 else pl.col("bundle_id")
            with files.folder.local(entry.name) as path:
                sources.append((entry.name, source_hash or sha256_of(path)))
                for batch, rows in read_described(path, faults):
                    fields.add(batch, rows)
                    known = len(anchors)
                    named = batch.select(name, pl.col("tier").cast(pl.Enum(TIERS)))
                    of_anchor.append(anchors.number(batch["anchor"]))
                    tiers.append(named["tier"])
                    # New anchors have numbers in the order in which they come.
                    is_new = pl.DataFrame({"id": named["bundle_id"], "anchor": of_anchor[-1]}).filter(
                        (pl.col("anchor") >= known) & pl.col("anchor").is_first_distinct()
                    )
                    first_ids.append(is_new["id"])
                    listed = batch.select(pl.concat_list("positive", "negatives")).to_series()
                    heads = batch.select(
                        pl.int_range(bundles, bundles + pl.len(), dtype=pl.Int64).alias("position"),
                        pl.lit(number, pl.Int64).alias("file"),
                        "line",
                        named["bundle_id"],
                        listed.list.len().cast(pl.Int64).alias("options"),
                    )
                    parts.add(heads, options.number(listed.explode()))
                    bundles += heads.height
            problems.take(faults, number)
        parts.write()
    spooled = SpooledEval(
        work,
        tuple(sources),
        anchors,
        options,
        np.concatenate(of_anchor),
        pl.concat(tiers),
        pl.concat(first_ids),
        fields.metadata(),
        parts.written,
    )
    return spooled, _repeated(parts, files, problems)


class _Parts:
    """Writes bundles in parts; of each id it keeps a hash."""

    def __init__(self, work: Path) -> None:
        self.work, self.written = work, 0
        self.hashes = [np.empty(0, np.uint64)]
        self._heads: list[pl.DataFrame] = []
        self._options: list[NDArray[np.int32]] = []

    def add(self, heads: pl.DataFrame, options: NDArray[np.int32]) -> None:
        self.hashes.append(heads["bundle_id"].hash().to_numpy())
        self._heads.append(heads)
        self._options.append(options)
        if sum(frame.height for frame in self._heads) >= BUNDLES_A_PART:
            self.write()

    def write(self) -> None:
        if self._heads:
            write_spool(self.work / f"heads-{self.written}", pl.concat(self._heads))
            np.concatenate(self._options).tofile(self.work / f"options-{self.written}")
            self.written, self._heads, self._options = self.written + 1, [], []


def _ids(file: str) -> pl.Expr:
    """Ids of bundles; of several files, those that are no more than the number of a line name the file."""
    name, line = pl.col("bundle_id"), pl.col("line").cast(pl.String)
    is_of_line = (name == line) | name.str.starts_with(line + ".")
    return pl.when(is_of_line).then(pl.lit(f"{file}:") + name).otherwise(name).alias("bundle_id")


def _repeated(parts: _Parts, files: EvalFiles, problems: RowFaults) -> I64:
    """Rows whose id an earlier row has; one file alone was checked when it was read."""
    hashes = np.concatenate(parts.hashes)
    ordered = np.sort(hashes)
    suspects = np.isin(hashes, ordered[1:][ordered[1:] == ordered[:-1]])
    first_with: dict[str, tuple[int, int]] = {}
    repeated, by_file = [], dict[int, RowFaults]()
    for number in range(parts.written if suspects.any() else 0):
        heads = pl.read_ipc(parts.work / f"heads-{number}")
        for row, file, line, name, _ in heads.filter(suspects[heads["position"]]).iter_rows():
            if name not in first_with:
                first_with[name] = file, line
                continue
            first_file, first_line = first_with[name]
            where = f"{files.label(first_file)}, " if file != first_file else ""
            repeated.append(row)
            detail = f"{quoted(name)} is also in {where}line {first_line}"
            faults = by_file.setdefault(file, RowFaults(files.label(file)))
            faults.add(line, "bundle_id", "duplicate id", detail)
    for file, of_file in by_file.items():
        problems.take(of_file, file)
    return np.array(repeated, dtype=np.int64)
