"""Eval files in the forms in which people have them."""

from tellapart.bundles.reading.batches import BATCH_SCHEMA, read_batches, read_bundles, read_described
from tellapart.bundles.reading.forms import cause_of
from tellapart.bundles.reading.jsonl import read_rows

__all__ = [
    "BATCH_SCHEMA",
    "cause_of",
    "read_batches",
    "read_bundles",
    "read_described",
    "read_rows",
]
