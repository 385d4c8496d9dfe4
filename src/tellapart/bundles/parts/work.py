"""What steps leave for each other in a folder: tables, mapped arrays, and receipts of finished parts."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from io import BytesIO
from typing import Any, ClassVar, Protocol

import numpy as np
import polars as pl

from tellapart.bundles.parts.folders import Folder
from tellapart.core.jobs import Job, Spread
from tellapart.core.progress import Progress, Rate
from tellapart.errors import InputError

Array = np.ndarray[Any, Any]

_LEAST_MAPPED_BYTES = 2**16

Receipt = dict[str, Any]
"""What a part leaves besides its files: JSON, kept with the work."""


def write_table(work: Folder, name: str, table: pl.DataFrame) -> None:
    """Write a table."""
    buffer = BytesIO()
    table.rechunk().write_ipc(buffer)
    work.write(name, buffer.getvalue())


def read_table(work: Folder, name: str, columns: list[str] | None = None) -> pl.DataFrame:
    """Read a table, or some of its columns."""
    with work.local(name) as path:
        return pl.read_ipc(path, columns=columns)


def write_array(work: Folder, name: str, array: Array) -> None:
    """Write an array."""
    buffer = BytesIO()
    np.save(buffer, array, allow_pickle=False)
    work.write(name, buffer.getvalue())


@contextmanager
def new_array(work: Folder, name: str, shape: tuple[int, ...], dtype: type) -> Iterator[Array]:
    """Give an array to be filled that lies on the disk, and is there when the block ends without an error."""
    with work.writing(name) as path:
        array = np.lib.format.open_memmap(path, mode="w+", dtype=dtype, shape=shape)
        yield array
        array.flush()


def open_array(work: Folder, name: str) -> Array:
    """Map an array into memory; the copy of one in an object store goes with the mapping."""
    with work.local(name) as path:
        is_large = path.stat().st_size > _LEAST_MAPPED_BYTES
        array: Array = np.asarray(np.load(path, mmap_mode="c" if is_large else None, allow_pickle=False))
    return array


class Stage(Job, Protocol):
    """A job that writes files, and gives a receipt for each task.

    All that a task writes has a name that follows from its number, so a task may be done twice.

    Attributes:
        counts: What rates are of, such as ``texts``; a receipt says under this name how many there were.
    """

    counts: ClassVar[str]


def run_stage(
    spread: Spread, work: Folder, stage: Stage, tasks: Sequence[Any], progress: Progress
) -> list[Receipt]:
    """Do all tasks of a stage that no earlier run has done."""
    folder = f"receipts/{stage.name}"
    receipts = _earlier(work.child(folder))
    missing = [number for number in range(len(tasks)) if number not in receipts]
    with progress.step(stage.name, len(tasks), unit="parts", done=len(tasks) - len(missing)) as step:
        rate = Rate(stage.counts, time.monotonic)
        for number, receipt in spread(stage, [tasks[number] for number in missing]):
            receipts[missing[number]] = receipt
            work.write(f"{folder}/{missing[number]:06d}.json", json.dumps(receipt).encode())
            step.update(len(receipts), note=rate.after(receipt.get(stage.counts, 0)))
    return [receipts[number] for number in range(len(tasks))]


def _earlier(folder: Folder) -> dict[int, Receipt]:
    """Receipts of an earlier run of the same work, by number of the task."""
    receipts = {}
    for entry in folder.files():
        # A damaged receipt is none: the task is done again.
        with suppress(InputError, ValueError):
            receipt = json.loads(folder.read(entry.name))
            if isinstance(receipt, dict):
                receipts[int(entry.name.removesuffix(".json"))] = receipt
    return receipts
