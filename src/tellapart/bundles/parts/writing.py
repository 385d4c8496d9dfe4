"""Stage five: files of scores in the order of the eval, and what they come to."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

import numpy as np
import polars as pl

from tellapart.bundles.parts.scoring import ROWS_A_RESULT
from tellapart.bundles.parts.texts import BucketTask, read_table
from tellapart.bundles.scoring import SCORE_SCHEMA
from tellapart.bundles.tier_names import TIERS
from tellapart.core.fingerprint import sha256
from tellapart.engine import Folder, Receipt, read_segments
from tellapart.store.frames import frame_bytes, read_frame


@dataclass(frozen=True)
class WriteStage:
    """Writes ``part-NUMBER-DIGEST.parquet``: names say what is in files, so that no result is mixed of two.

    Attributes:
        out: Where the files go.
        cutoffs: Highest danger in the first tier and in the second; None where tiers came with the eval.
        has_labels: Whether there are ``labels/NUMBER``: what sorts the bundles of a file by their metadata.
    """

    work: Folder
    out: Folder
    cutoffs: tuple[float, float] | None
    has_labels: bool
    counts: ClassVar[str] = "rows"
    name: str = "writing scores"

    def open(self) -> None:
        """Nothing is needed."""

    def do(self, _: None, task: BucketTask) -> Receipt:
        """Write a file of ``ROWS_A_RESULT`` rows, fewer where bundles were left out."""
        rows = pl.concat(read_segments(self.work, task.segments)).sort("position")
        if self.cutoffs is not None:
            low, high = self.cutoffs
            danger = -pl.col("margin")
            number = (danger > low).cast(pl.Int8) + (danger > high).cast(pl.Int8)
            rows = rows.with_columns(tier=number.replace_strict({0: TIERS[0], 1: TIERS[1], 2: TIERS[2]}))
        columns = [pl.col(name).cast(kind) for name, kind in SCORE_SCHEMA.items()]
        if self.has_labels:
            labels = read_table(self.work, labels_name(task.bucket))["metadata"]
            columns.append(pl.lit(labels.gather(rows["position"] - task.bucket * ROWS_A_RESULT)))
        if "kinds" in rows.columns:
            columns.append(pl.col("kinds"))
        data = frame_bytes(rows.select(columns))
        digest = sha256(data)
        name = f"part-{task.bucket:05d}-{digest[:8]}.parquet"
        self.out.write(name, data)
        self.work.write(f"clusters/{task.bucket:06d}", rows["cluster_position"].to_numpy().tobytes())
        return {"name": name, "rows": rows.height, "sha256": digest}

    def describe(self, task: BucketTask) -> str:
        """Name the rows."""
        return f"scores of bundles {task.bucket * ROWS_A_RESULT + 1} and following"


def labels_name(number: int) -> str:
    """Where the labels of the bundles of a file of results are."""
    return f"labels/{number:06d}"


class ScoreColumns:
    """All scores, a column at a time: of millions of bundles not all fit into memory."""

    def __init__(self, paths: Sequence[Path], clusters: Sequence[bytes]) -> None:
        """Read files of scores."""
        self._paths = paths
        firsts = np.concatenate(
            [np.empty(0, dtype=np.int64), *(np.frombuffer(buffer, np.int64) for buffer in clusters)]
        )
        self.height = len(firsts)
        # The first of each that is left, as ``cluster_numbers`` counts.
        first_row = np.full(int(firsts.max(initial=-1)) + 1, -1, dtype=np.int64)
        first_row[firsts[::-1]] = np.arange(self.height)[::-1]
        self.clusters = first_row[firsts].astype(np.uint32)
        self._tiers = pl.concat(read_frame(path, ["tier"])["tier"].cast(pl.Enum(TIERS)) for path in paths)

    def get_column(self, name: str) -> pl.Series:
        """One column of ``SCORE_SCHEMA``."""
        if name == "tier":
            return self._tiers
        return pl.concat(read_frame(path, [name])[name] for path in self._paths)

    def some(self, model: str) -> pl.DataFrame:
        """The columns by which cautions go, with numbers for clusters."""
        return pl.DataFrame(
            {
                "model": pl.repeat(model, self.height, dtype=pl.Enum([model]), eager=True),
                "tier": self._tiers,
                "cluster": self.clusters,
                "margin": self.get_column("margin"),
                "ties": self.get_column("ties"),
            }
        )


def open_scores(work: Folder, out: Folder, receipts: Sequence[Receipt], stack: ExitStack) -> ScoreColumns:
    """Open what ``WriteStage`` wrote; the files of an object store are copied here first."""
    paths = [stack.enter_context(out.local(receipt["name"])) for receipt in receipts]
    return ScoreColumns(paths, [work.read(f"clusters/{number:06d}") for number in range(len(receipts))])
