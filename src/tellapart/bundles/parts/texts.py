"""Stage two: each distinct text once, sorted by key; and ids that come twice."""

from __future__ import annotations

from dataclasses import dataclass
from io import BytesIO
from typing import ClassVar, NamedTuple

import numpy as np
import polars as pl

from tellapart.bundles.parts.keys import same_key
from tellapart.bundles.parts.layout import ANCHOR, OPTION
from tellapart.engine import Folder, Receipt, Segment, read_segments
from tellapart.errors import quoted
from tellapart.files import RowFaults

_LINES = 2**40
"""More than any file has."""


class BucketTask(NamedTuple):
    """A bucket, and where its rows are."""

    bucket: int
    segments: tuple[Segment, ...]


@dataclass(frozen=True)
class TextStage:
    """Writes ``distinct/BUCKET``: ``key``, ``text``, ``side``, ``file`` and ``line`` by ascending key.

    File and line are those where the text was first seen, for messages.
    """

    work: Folder
    counts: ClassVar[str] = "texts"
    name: str = "sorting texts"

    def open(self) -> None:
        """Nothing is needed."""

    def do(self, _: None, task: BucketTask) -> Receipt:
        """Bring together what all parts have of a bucket."""
        seen = pl.concat([TEXTS, *read_segments(self.work, task.segments)])
        # As one number: the least of structs is null within groups.
        order = pl.col("file").cast(pl.Int64) * _LINES + pl.col("line")
        distinct = (
            seen.group_by("key", "text")
            .agg(side=pl.col("side").bitwise_or(), place=order.min())
            .with_columns(file=(pl.col("place") // _LINES).cast(pl.Int32), line=pl.col("place") % _LINES)
            .sort("key")
        )
        if distinct["key"].is_duplicated().any():
            raise same_key()
        write_table(self.work, f"distinct/{task.bucket:06d}", distinct.select(TEXTS.columns))
        sides = distinct["side"].to_numpy()
        return {
            "texts": distinct.height,
            "anchors": int(np.count_nonzero(sides & ANCHOR)),
            "options": int(np.count_nonzero(sides & OPTION)),
            "bytes": int(distinct["text"].str.len_bytes().sum()),
        }

    def describe(self, task: BucketTask) -> str:
        """Name the bucket."""
        return f"texts of bucket {task.bucket}"


TEXTS = pl.DataFrame(
    schema={"key": pl.UInt64, "text": pl.String, "side": pl.UInt8, "file": pl.Int32, "line": pl.Int64}
)
"""No texts."""


@dataclass(frozen=True)
class IdStage:
    """Finds the bundles whose id another one has already, wherever that is."""

    labels: tuple[str, ...]
    work: Folder
    counts: ClassVar[str] = "bundles"
    name: str = "checking ids"

    def open(self) -> None:
        """Nothing is needed."""

    def do(self, _: None, task: BucketTask) -> Receipt:
        """Check a bucket: the receipt has the numbers of such bundles, and faults by file."""
        ids = pl.concat([IDS, *read_segments(self.work, task.segments)]).sort("order")
        first = pl.col("file", "line").first().over("bundle_id").name.prefix("first_")
        again = ids.with_columns(first).filter(~pl.col("bundle_id").is_first_distinct())
        faults: dict[int, RowFaults] = {}
        for name, _, file, line, first_file, first_line in again.drop("key").iter_rows():
            where = (
                f"line {first_line}"
                if file == first_file
                else f"{self.labels[first_file]}, line {first_line}"
            )
            problems = faults.setdefault(file, RowFaults(self.labels[file]))
            problems.add(line, "bundle_id", "duplicate id", f"{quoted(name)} is also in {where}")
        return {
            "bundles": ids.height,
            "dropped": again["order"].to_list(),
            "faults": [[file, problems.record()] for file, problems in faults.items()],
        }

    def describe(self, task: BucketTask) -> str:
        """Name the bucket."""
        return f"ids of bucket {task.bucket}"


IDS = pl.DataFrame(
    schema={
        "bundle_id": pl.String,
        "order": pl.Int64,
        "file": pl.Int32,
        "line": pl.Int64,
        "key": pl.UInt64,
    }
)
"""No ids."""


def write_table(work: Folder, name: str, table: pl.DataFrame) -> None:
    """Write a table for later stages."""
    buffer = BytesIO()
    table.rechunk().write_ipc(buffer, compression="lz4")
    work.write(name, buffer.getvalue())


def read_table(work: Folder, name: str) -> pl.DataFrame:
    """Read what ``write_table`` wrote."""
    return pl.read_ipc(BytesIO(work.read(name)))
