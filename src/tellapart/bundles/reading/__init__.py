"""Eval files in the forms in which people have them."""

from tellapart.bundles.reading.batches import (
    BATCH_SCHEMA,
    UncheckedRows,
    keep_lines,
    read_batches,
    read_bundles,
    read_described,
    read_unchecked,
)
from tellapart.bundles.reading.files import read_file_rows, read_rows

__all__ = [
    "BATCH_SCHEMA",
    "UncheckedRows",
    "keep_lines",
    "read_batches",
    "read_bundles",
    "read_described",
    "read_file_rows",
    "read_rows",
    "read_unchecked",
]
