"""Tables and arrays between two steps; arrays are mapped into memory, not read."""

from __future__ import annotations

from io import BytesIO
from typing import Any

import numpy as np
import polars as pl

from tellapart.bundles.parts.folders import Folder


def write_table(work: Folder, name: str, table: pl.DataFrame) -> None:
    """Write a table."""
    buffer = BytesIO()
    table.rechunk().write_ipc(buffer)
    work.write(name, buffer.getvalue())


def read_table(work: Folder, name: str, columns: list[str] | None = None) -> pl.DataFrame:
    """Read a table, or some of its columns."""
    with work.local(name) as path:
        return pl.read_ipc(path, columns=columns)


def write_array(work: Folder, name: str, array: np.ndarray[Any, Any]) -> None:
    """Write an array."""
    buffer = BytesIO()
    np.save(buffer, array, allow_pickle=False)
    work.write(name, buffer.getvalue())


def open_array(work: Folder, name: str) -> np.ndarray[Any, Any]:
    """Map an array into memory; the copy of one in an object store goes with the mapping."""
    with work.local(name) as path:
        mapped = np.load(path, mmap_mode="c" if path.stat().st_size > 2**16 else None, allow_pickle=False)
    array: np.ndarray[Any, Any] = np.asarray(mapped)
    return array
