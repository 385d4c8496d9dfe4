"""Directories that grow under another name: resumable until they are complete and have their own."""

from __future__ import annotations

import fcntl
import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

from tellapart.core.fingerprint import canonical_json
from tellapart.errors import Refused
from tellapart.files import storage


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


PARTIAL = ".partial"
"""Suffix of a directory that is not complete."""


def partial_path(path: Path) -> Path:
    """Where a directory grows that is to have the name ``path``."""
    return path.with_name(path.name + PARTIAL)


_LOCK = "lock"


@contextmanager
def growing(path: Path, what: str) -> Iterator[Path]:
    """Fill a directory, or go on with one that was interrupted.

    Inside the block it lives under its name with ``.partial``; it takes its name when the block ends without
    an error, and stays as it is otherwise.

    Args:
        path: Where nothing is yet.
        what: What it is, for messages.

    Yields:
        The directory to fill.

    Raises:
        Refused: Another process is writing it.
        StorageError: The disk is full or closed to us.
    """
    partial = partial_path(path)
    with storage(partial):
        partial.mkdir(parents=True, exist_ok=True)
    with locked(partial, what):
        yield partial
        with storage(path):
            partial.rename(path)
            (path / _LOCK).unlink()


@contextmanager
def locked(path: Path, what: str) -> Iterator[IO[str]]:
    """Keep other processes from writing a directory while the block lasts; one that was killed keeps nobody.

    Yields:
        The lock, for a child process to inherit: then the directory is locked until that has ended too.

    Raises:
        Refused: Another process is writing it.
        StorageError: The disk is full or closed to us.
    """
    with storage(path):
        lock = (path / _LOCK).open("a+", encoding="ascii")
    with lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            lock.seek(0)
            holder = lock.read().strip()
            raise Refused(
                f"{f'process {holder}' if holder else 'another process'} is writing this {what}",
                where=path,
                next_step="Wait for it, or stop it first",
            ) from None
        lock.truncate(0)
        yield lock


def write_holder(lock: IO[str], process: int) -> None:
    """Write into a lock which process inherits it, for the message to others."""
    lock.truncate(0)
    lock.write(f"{process}\n")
    lock.flush()
