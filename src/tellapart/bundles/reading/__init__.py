"""Eval files in the forms in which people have them."""

from tellapart.bundles.reading.batches import BATCH_SCHEMA, read_batches, read_bundles
from tellapart.bundles.reading.jsonl import read_json_lines
from tellapart.bundles.reading.problems import Problems, quoted
from tellapart.bundles.reading.rows import cause_of

__all__ = [
    "BATCH_SCHEMA",
    "Problems",
    "cause_of",
    "quoted",
    "read_batches",
    "read_bundles",
    "read_json_lines",
]
