"""Directories that grow under another name: resumable until they are complete and have their own."""

from __future__ import annotations

import fcntl
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tellapart.errors import Refused
from tellapart.store.atomic import storage

PARTIAL = ".partial"
"""Suffix of a directory that is not complete."""

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
    partial = path.with_name(path.name + PARTIAL)
    with storage(partial):
        partial.mkdir(parents=True, exist_ok=True)
    with locked(partial, what):
        yield partial
        with storage(path):
            partial.rename(path)
            (path / _LOCK).unlink()


@contextmanager
def locked(path: Path, what: str) -> Iterator[None]:
    """Keep other processes from writing a directory while the block lasts; one that was killed keeps nobody.

    Raises:
        Refused: Another process is writing it.
        StorageError: The disk is full or closed to us.
    """
    with storage(path):
        lock = (path / _LOCK).open("a")
    with lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise Refused(
                f"another process is writing this {what}",
                where=path,
                next_step="Wait for it, or stop it first",
            ) from None
        yield
