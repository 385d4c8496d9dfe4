"""Where a run that is being written keeps the rows of each model, until all are there."""

from __future__ import annotations

from tellapart.core.fingerprint import sha256
from tellapart.store.runs import PARTS


def part_name(model: str, kind: str) -> str:
    """Name the file of one model's rows of one kind, ``items`` or ``swaps``, inside a run directory."""
    return f"{PARTS}/{sha256(model.encode())[:12]}-{kind}.parquet"


SUSPECTS = "artifacts/suspects.json"
"""Where a finished run keeps which items hold a suspect of label noise."""
