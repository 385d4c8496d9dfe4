"""Every call to a model, one JSON object a line: what resuming, replaying and grading anew read."""

from __future__ import annotations

import json
import os
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from tellapart.core.fingerprint import canonical_json
from tellapart.store import storage


class CallJournal:
    """An append-only JSON Lines file of calls by key; only the keys are held in memory.

    A last line that a crash cut off is dropped. A line is with the operating system when ``append``
    returns, so that no kill of the process loses it.
    """

    def __init__(self, path: Path) -> None:
        """Open or begin a journal."""
        self.path = path
        with storage(path):
            path.parent.mkdir(parents=True, exist_ok=True)
            self._file = path.open("a+b", buffering=0)
        self._places: dict[str, tuple[int, int]] = {}
        self._end = 0
        self._index()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Close the file."""
        self._file.close()

    def get(self, key: str) -> dict[str, Any] | None:
        """The last call with this key, or None."""
        place = self._places.get(key)
        if place is None:
            return None
        found: dict[str, Any] = json.loads(os.pread(self._file.fileno(), place[1], place[0]))
        return found

    def append(self, key: str, call: dict[str, Any]) -> None:
        """Add a call.

        Raises:
            StorageError: The disk is full or closed to us; the journal keeps what it had.
        """
        line = canonical_json({"key": key, **call}) + b"\n"
        with storage(self.path):
            self._file.write(line)
        self._places[key] = (self._end, len(line))
        self._end += len(line)

    def _index(self) -> None:
        self._file.seek(0)
        with self.path.open("rb") as lines:
            for line in lines:
                if not line.endswith(b"\n"):
                    break
                self._places[json.loads(line)["key"]] = (self._end, len(line))
                self._end += len(line)
        self._file.truncate(self._end)
