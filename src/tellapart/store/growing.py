"""Directories that are filled under another name: `growing` ones go on, `filling` ones begin anew."""

from __future__ import annotations

import fcntl
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from tellapart.errors import InUse
from tellapart.files import make_directory, storage, sync_directory
from tellapart.files.writing import remove_temporaries

PARTIAL = ".partial"
"""Suffix of a directory that is not complete."""


def partial_path(path: Path) -> Path:
    """Where a directory grows that is to have the name ``path``."""
    return path.with_name(path.name + PARTIAL)


LOCK = "lock"
"""File of a directory that somebody is writing."""


@contextmanager
def growing(path: Path, what: str) -> Iterator[Path]:
    """Fill a directory, or go on with an interrupted one, ``.partial`` until the block ends without error."""
    with _filled(path, partial_path(path), what) as partial:
        yield partial


@contextmanager
def filling(path: Path, what: str) -> Iterator[Path]:
    """Fill a directory from the beginning, as ``.NAME.new``; what an interrupted process left is removed."""
    new = path.with_name(f".{path.name}.new")
    with _filled(path, new, what) as directory:
        with storage(directory):
            for left in directory.iterdir():
                if left.is_dir() and not left.is_symlink():
                    shutil.rmtree(left)
                elif left.name != LOCK:
                    left.unlink()
        try:
            with storage(directory):
                yield directory
        except BaseException:
            shutil.rmtree(directory, ignore_errors=True)
            raise


@contextmanager
def _filled(path: Path, directory: Path, what: str) -> Iterator[Path]:
    with storage(directory):
        make_directory(directory)
    with locked(directory, what):
        with storage(directory):
            remove_temporaries(directory)
        yield directory
        with storage(path):
            remove_temporaries(directory)
            # Files are on the disk already: whatever writes them brings them there.
            for folder, _, _ in os.walk(directory):
                sync_directory(Path(folder))
            directory.rename(path)
            sync_directory(path.parent)
            (path / LOCK).unlink()
            sync_directory(path)


def another_writes(what: str, path: Path) -> InUse:
    """Make the error of whoever would be the second to write."""
    return InUse(
        f"another process is writing this {what}", where=path, next_step="Wait for it, or stop it first"
    )


@contextmanager
def locked(path: Path, what: str) -> Iterator[None]:
    """Keep other processes from writing a directory while the block lasts; a killed one holds nobody off."""
    with storage(path):
        lock = (path / LOCK).open("a", encoding="ascii")
    with lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise another_writes(what, path) from None
        if not _is_there(lock, path / LOCK):
            raise InUse(
                f"another process has just finished this {what}",
                where=path,
                next_step="Run the same command again",
            )
        yield


def _is_there(lock: IO[str], path: Path) -> bool:
    """Whether a lock is still the one of its directory, which has another name once it is complete."""
    try:
        return os.path.samestat(os.fstat(lock.fileno()), path.stat())
    except FileNotFoundError:
        return False
