"""Steps of many parts, each of which is done once: what is finished has a receipt beside the work."""

from __future__ import annotations

import json
import time
from collections.abc import Sequence
from contextlib import suppress
from typing import Any, ClassVar, Protocol

from tellapart.bundles.parts.folders import Folder
from tellapart.core.jobs import Job, Spread
from tellapart.core.progress import Progress, Rate
from tellapart.errors import InputError

Receipt = dict[str, Any]
"""What a part leaves besides its files: JSON, kept with the work."""


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
        for done, (number, receipt) in enumerate(
            spread(stage, [tasks[number] for number in missing]), start=1
        ):
            receipts[missing[number]] = receipt
            work.write(f"{folder}/{missing[number]:06d}.json", json.dumps(receipt).encode())
            step.update(len(tasks) - len(missing) + done, note=rate.after(receipt.get(stage.counts, 0)))
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
