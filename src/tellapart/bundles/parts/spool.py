"""The first pass over an eval: texts become numbers, and bundles go to files that are read one at a time."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path

import numpy as np
import polars as pl
from numpy.typing import NDArray

from tellapart.bundles.parts.folders import EvalFiles
from tellapart.bundles.reading import read_described
from tellapart.bundles.scoring import TextNumbers
from tellapart.bundles.slice_fields import BundleFields
from tellapart.bundles.tier_names import TIERS
from tellapart.core.arrays import I64
from tellapart.embed.lineups import Lineups
from tellapart.errors import quoted
from tellapart.files import RowFaults, sha256_of, storage

BUNDLES_A_PART = 131_072
"""Bundles whose ids, and later scores, are in one file."""

_BYTES_A_GROUP = 4 * 2**20
"""Of files of the eval; for each so many there is a group of anchors, up to ``_MOST_GROUPS``."""

_MOST_GROUPS = 64


@dataclass(frozen=True)
class SpooledEval:
    """An eval as numbers; its bundles are in files twice.

    Ids are in parts, in the order of the eval; lineups are in groups, all of an anchor in one.

    Attributes:
        sources: The files with the SHA-256 of their bytes.
        of_anchor: Shape (bundles,): number of the anchor.
        tiers: Of each bundle; null where none came with it.
        first_ids: Of each anchor, the id of its first bundle.
        metadata: Of each bundle what sorts it, structs; None where nothing does.
        kinds: Of each bundle the kinds of its negatives; None where there is one kind.
        no_strata: Of fields of the metadata that sort no bundles, why not.
        groups: How many there are.
    """

    work: Path
    sources: tuple[tuple[str, str], ...]
    anchors: TextNumbers
    options: TextNumbers
    of_anchor: NDArray[np.int32]
    tiers: pl.Series
    first_ids: pl.Series
    metadata: pl.Series | None
    kinds: pl.Series | None
    no_strata: dict[str, str]
    groups: int

    def __len__(self) -> int:
        return len(self.of_anchor)

    @property
    def parts(self) -> int:
        """How many files of ids there are."""
        return -(-len(self) // BUNDLES_A_PART)

    def part_of(self, rows: I64) -> I64:
        """The parts in which rows are."""
        return rows // BUNDLES_A_PART

    def part(self, number: int) -> pl.DataFrame:
        """A part: ``position``, which is the row, ``file``, ``line`` and ``bundle_id``."""
        return pl.read_ipc(self.work / f"ids-{number}")

    def bundles_at(self, rows: I64) -> pl.DataFrame:
        """Some rows of the parts."""
        numbers = np.unique(self.part_of(rows)).tolist()
        some = [self.part(number).filter(pl.col("position").is_in(rows.tolist())) for number in numbers]
        return pl.concat(some) if some else pl.DataFrame(schema=_ID_SCHEMA)

    def group(self, number: int) -> tuple[I64, Lineups]:
        """Rows of a group, and their lineups."""
        path = self.work / f"heads-{number}"
        if not path.exists():
            return np.empty(0, np.int64), Lineups(
                np.empty(0, np.int32), np.empty(0, np.int32), np.zeros(1, np.int64)
            )
        rows, anchors, sizes = np.fromfile(path, np.int64).reshape(-1, 3).T
        options = np.fromfile(self.work / f"options-{number}", np.int32)
        return rows, Lineups(anchors, options, np.concatenate([[0], np.cumsum(sizes)]))


_ID_SCHEMA = {"position": pl.Int64, "file": pl.Int64, "line": pl.Int64, "bundle_id": pl.String}


def write_spool(path: Path, frame: pl.DataFrame) -> None:
    """Write a table that only this run reads."""
    # Into memory first: Polars reports a full disk as a computation that failed.
    buffer = BytesIO()
    frame.write_ipc(buffer)
    path.write_bytes(buffer.getbuffer())


def spool_eval(files: EvalFiles, work: Path, problems: RowFaults) -> tuple[SpooledEval, I64]:
    """Read an eval; give it with the rows whose id an earlier one has, which are noted in ``problems``."""
    groups = min(_MOST_GROUPS, 1 + sum(entry.size_bytes for entry in files.files) // _BYTES_A_GROUP)
    anchors, options, fields = TextNumbers(), TextNumbers(), BundleFields()
    sources = []
    ids = _Ids(work)
    of_anchor, tiers, first_ids = [np.empty(0, np.int32)], [_TIERS], [_IDS]
    with storage(work):
        for number, entry in enumerate(files.files):
            faults = RowFaults(files.label(number))
            name = _ids(entry.name) if len(files.files) > 1 else pl.col("bundle_id")
            with files.folder.local(entry.name) as path:
                sources.append((entry.name, sha256_of(path)))
                for batch, rows in read_described(path, faults):
                    fields.add(batch, rows)
                    known, start = len(anchors), ids.bundles
                    named = batch.select("line", name, pl.col("tier").cast(pl.Enum(TIERS)))
                    ids.add(named, number)
                    of_anchor.append(anchors.number(batch["anchor"]))
                    tiers.append(named["tier"])
                    # New anchors have numbers in the order in which they come.
                    is_new = pl.DataFrame({"id": named["bundle_id"], "anchor": of_anchor[-1]}).filter(
                        (pl.col("anchor") >= known) & pl.col("anchor").is_first_distinct()
                    )
                    first_ids.append(is_new["id"])
                    listed = batch.select(pl.concat_list("positive", "negatives")).to_series()
                    offsets = np.concatenate([[0], np.cumsum(listed.list.len().to_numpy(), dtype=np.int64)])
                    lineups = Lineups(of_anchor[-1], options.number(listed.explode()), offsets)
                    _append(work, lineups, start, groups)
            problems.take(faults, number)
        suspects = ids.end()
    described = {column.name: column for column in fields.columns()}
    spooled = SpooledEval(
        work,
        tuple(sources),
        anchors,
        options,
        np.concatenate(of_anchor),
        pl.concat(tiers),
        pl.concat(first_ids),
        described.get("metadata"),
        described.get("kinds"),
        fields.left_out(),
        groups,
    )
    return spooled, _repeated(spooled.bundles_at(suspects), files, problems)


_TIERS = pl.Series(dtype=pl.Enum(TIERS))
_IDS = pl.Series("id", dtype=pl.String)


def _append(work: Path, lineups: Lineups, start: int, groups: int) -> None:
    """Put the lineups of a batch, whose first row is ``start``, into the files of their groups."""
    group = lineups.anchors % groups
    for number in np.unique(group).tolist():
        chosen = np.flatnonzero(group == number)
        some = lineups.take(chosen)
        heads = np.stack([start + chosen, some.anchors, np.diff(some.offsets)], axis=1).astype(np.int64)
        for name, values in (("heads", heads), ("options", some.options)):
            with (work / f"{name}-{number}").open("ab") as file:
                file.write(values.tobytes())


class _Ids:
    """Writes ids in parts, and sees which may be there twice: of each it keeps a hash."""

    def __init__(self, work: Path) -> None:
        self._work, self._parts, self._waiting = work, 0, pl.DataFrame(schema=_ID_SCHEMA)
        self._hashes = [np.empty(0, np.uint64)]
        self.bundles = 0

    def add(self, named: pl.DataFrame, file: int) -> None:
        rows = named.select(
            pl.int_range(self.bundles, self.bundles + pl.len(), dtype=pl.Int64).alias("position"),
            pl.lit(file, pl.Int64).alias("file"),
            "line",
            "bundle_id",
        )
        self.bundles += rows.height
        self._hashes.append(rows["bundle_id"].hash().to_numpy())
        self._waiting = self._waiting.vstack(rows)
        while self._waiting.height >= BUNDLES_A_PART:
            self._write(BUNDLES_A_PART)

    def _write(self, rows: int) -> None:
        write_spool(self._work / f"ids-{self._parts}", self._waiting.head(rows))
        self._waiting, self._parts = self._waiting.slice(rows), self._parts + 1

    def end(self) -> I64:
        """Write the last part; give the rows whose ids have a hash that another has."""
        if self._waiting.height:
            self._write(self._waiting.height)
        hashes = np.concatenate(self._hashes)
        ordered = np.sort(hashes)
        return np.flatnonzero(np.isin(hashes, ordered[1:][ordered[1:] == ordered[:-1]]))


def _ids(file: str) -> pl.Expr:
    """Ids of bundles; of several files, those that are no more than the number of a line name the file."""
    name, line = pl.col("bundle_id"), pl.col("line").cast(pl.String)
    is_of_line = (name == line) | name.str.starts_with(line + ".")
    return pl.when(is_of_line).then(pl.lit(f"{file}:") + name).otherwise(name).alias("bundle_id")


def _repeated(suspects: pl.DataFrame, files: EvalFiles, problems: RowFaults) -> I64:
    first_with: dict[str, tuple[int, int]] = {}
    repeated, faults = [], []
    for row, file, line, name in suspects.iter_rows():
        if name not in first_with:
            first_with[name] = file, line
            continue
        first_file, first_line = first_with[name]
        where = f"{files.label(first_file)}, " if file != first_file else ""
        repeated.append(row)
        faults.append(
            (file, line, "bundle_id", "duplicate id", f"{quoted(name)} is also in {where}line {first_line}")
        )
    note_faults(faults, files, problems)
    return np.array(repeated, dtype=np.int64)


def note_faults(
    faults: Iterable[tuple[int, int, str, str, str]], files: EvalFiles, problems: RowFaults
) -> None:
    """Note faults of several files: each with its file, line, field, cause and what else is to say."""
    by_file: dict[int, RowFaults] = {}
    for file, line, field, cause, detail in faults:
        by_file.setdefault(file, RowFaults(files.label(file))).add(line, field, cause, detail)
    for file, of_file in by_file.items():
        problems.take(of_file, file)
