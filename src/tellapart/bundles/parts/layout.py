"""Into how many buckets the rows and texts of an eval are sorted, and how they are numbered."""

from __future__ import annotations

from dataclasses import dataclass

import polars as pl

from tellapart.bundles.parts.inputs import ROWS_A_PART, EvalFiles, ReadTask
from tellapart.core.arrays import I64, U64

_BYTES_A_ROW = 1_000
"""Of an eval as text, about; of files whose rows nobody has counted."""

_MOST_BITS = 10

KEY_BITS = 64

ORDER_BITS = 32
"""Of the number of a bundle in its task, in the number that orders all bundles."""

ANCHOR, OPTION = 1, 2
"""The sides on which a text may stand, as bits."""


@dataclass(frozen=True)
class Layout:
    """How work is cut; it follows from the input alone, so that a run can be resumed with other workers.

    Attributes:
        bits: Bits of a key that name its bucket.
    """

    bits: int

    @property
    def buckets(self) -> int:
        """How many there are."""
        return 1 << self.bits

    def bucket_of(self, key: str) -> pl.Expr:
        """The bucket of a column of keys."""
        if not self.bits:
            return pl.lit(0, dtype=pl.Int64)
        return (pl.col(key) // (1 << (KEY_BITS - self.bits))).cast(pl.Int64)


def layout_of(files: EvalFiles, tasks: list[ReadTask]) -> Layout:
    """Choose buckets of about as many bundles as a part of the input has."""
    counted = sum(ROWS_A_PART for task in tasks if task.rows is not None)
    uncounted = {task.file for task in tasks if task.rows is None}
    rows = counted + sum(files.files[file].size_bytes for file in uncounted) // _BYTES_A_ROW
    return Layout(min(max(rows // ROWS_A_PART, 1).bit_length() - 1, _MOST_BITS))


def slots(keys: U64, wanted: U64) -> I64:
    """Where wanted keys are among ascending ones, all of which are there."""
    return keys.searchsorted(wanted).astype("int64")
