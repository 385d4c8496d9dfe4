"""What a run has already done, one JSON object a line, appended and never rewritten."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

from tellapart.core.fingerprint import canonical_json
from tellapart.store.atomic import storage


class Journal:
    """An append-only JSON Lines file; a last line that was cut off by a crash is ignored and overwritten."""

    def __init__(self, path: Path) -> None:
        """Read what is there; a file that does not exist is an empty journal."""
        self._path = path
        data = path.read_bytes() if path.exists() else b""
        self._whole = data.rfind(b"\n") + 1
        self.entries: list[dict[str, Any]] = [json.loads(line) for line in data[: self._whole].splitlines()]

    def append(self, entry: dict[str, Any]) -> None:
        """Add an entry; it is on the disk when this returns.

        Raises:
            StorageError: The disk is full or closed to us; the journal keeps what it had.
        """
        line = canonical_json(entry) + b"\n"
        with storage(self._path), self._path.open("r+b" if self._path.exists() else "wb") as file:
            file.seek(self._whole)
            file.truncate()
            file.write(line)
            file.flush()
            os.fsync(file.fileno())
        self._whole += len(line)
        self.entries.append(entry)
