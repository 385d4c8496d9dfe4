"""Files and directories that are there for a while, and what killed processes left of theirs.

Whoever uses one holds a lock on it, which goes with the process however that ends. So one that is not locked
belongs to nobody, and the next process that writes the same file, or needs such a directory, removes it.
"""

from __future__ import annotations

import fcntl
import os
import re
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from itertools import count
from pathlib import Path

from tellapart.core.fingerprint import sha256

_LONGEST = 230
"""Bytes of a file's name that its temporary one repeats; file systems take 255."""

_TEMPORARY = re.compile(r"\..+\.\d+\.tmp", re.DOTALL)


@contextmanager
def beside(path: Path, mode: int) -> Iterator[Path]:
    """Make an empty file beside a file that is to be written, and remove it at the end if it is still there.

    Its name follows from that of the file: ``.NAME.0.tmp``, or a higher number where other processes are
    writing the same. What killed ones left of these is removed.
    """
    number, handle = 0, None
    while handle is None:
        temporary = _place(path, number)
        handle = _claim(temporary, mode)
        number += 1
    try:
        _remove_dead(path, number)
        yield temporary
    finally:
        # The name may be another process's by now, where ours was renamed.
        if _is_at(handle, temporary):
            temporary.unlink()
        os.close(handle)


def _place(path: Path, number: int) -> Path:
    name = path.name
    if len(os.fsencode(name)) > _LONGEST:
        digest = sha256(os.fsencode(name))[:8]
        name = os.fsencode(name)[: _LONGEST - 9].decode(errors="ignore") + f"-{digest}"
    return path.with_name(f".{name}.{number}.tmp")


def _claim(path: Path, mode: int) -> int | None:
    """Make a file and lock it; None where another process has one of this name."""
    while True:
        try:
            handle = os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, mode)
        except FileExistsError:
            if not _remove_if_dead(path):
                return None
            continue
        if _lock(handle, where_unknown=True) and _is_at(handle, path):
            return handle
        os.close(handle)


def _remove_dead(path: Path, first: int) -> None:
    for number in count(first):
        temporary = _place(path, number)
        if not temporary.exists() or not _remove_if_dead(temporary):
            return


def _remove_if_dead(path: Path) -> bool:
    """Remove a file that nobody holds; False where somebody does, or it is not ours to open."""
    try:
        handle = os.open(path, os.O_RDWR | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK)
    except FileNotFoundError:
        return True
    except OSError:
        return False
    try:
        if not _lock(handle):
            return False
        # Between opening and locking, its owner may have given it the name for which it was meant.
        if _is_at(handle, path):
            path.unlink(missing_ok=True)
        return True
    finally:
        os.close(handle)


def _lock(handle: int, *, where_unknown: bool = False) -> bool:
    """Lock a file, unless somebody else has; ``where_unknown`` is for file systems without locks."""
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:
        return where_unknown
    return True


def _is_at(handle: int, path: Path) -> bool:
    try:
        there, held = path.lstat(), os.fstat(handle)
    except OSError:
        return False
    return (there.st_dev, there.st_ino) == (held.st_dev, held.st_ino)


@contextmanager
def alone(path: Path) -> Iterator[None]:
    """Hold off other processes that read a file and write it again, until the block ends; they wait."""
    lock = path.with_name(f".{path.name}.lock")
    while True:
        handle = os.open(lock, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o666)
        fcntl.flock(handle, fcntl.LOCK_EX)
        if _is_at(handle, lock):
            break
        os.close(handle)
    try:
        yield
    finally:
        lock.unlink(missing_ok=True)
        os.close(handle)


def remove_temporaries(directory: Path) -> None:
    """Remove the temporary files in a directory, and below it, that no process holds."""
    for folder, _, names in os.walk(directory):
        for name in names:
            if _TEMPORARY.fullmatch(name):
                _remove_if_dead(Path(folder, name))


@contextmanager
def scratch_directory(prefix: str) -> Iterator[Path]:
    """Make a directory for temporary files that is gone at the end, or when the next one is made."""
    remove_abandoned(prefix)
    while True:
        directory = Path(tempfile.mkdtemp(prefix=prefix))
        with suppress(FileNotFoundError):
            handle = os.open(directory, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
            # Where directories take no lock, nobody removes them either.
            if _lock(handle, where_unknown=True) and _is_at(handle, directory):
                break
            os.close(handle)
    try:
        yield directory
    finally:
        shutil.rmtree(directory, ignore_errors=True)
        os.close(handle)


def remove_abandoned(prefix: str) -> None:
    """Remove directories for temporary files that killed processes of this user left."""
    for left in Path(tempfile.gettempdir()).glob(f"{prefix}*"):
        with suppress(OSError):
            if left.lstat().st_uid != os.getuid():
                continue
            handle = os.open(left, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC | os.O_NOFOLLOW)
            try:
                if _lock(handle):
                    shutil.rmtree(left, ignore_errors=True)
            finally:
                os.close(handle)
