"""Eval files in the forms in which people have them."""

from tellapart.bundles.reading.batches import BATCH_SCHEMA, read_batches, read_bundles
from tellapart.bundles.reading.problems import Problems

__all__ = ["BATCH_SCHEMA", "Problems", "read_batches", "read_bundles"]
