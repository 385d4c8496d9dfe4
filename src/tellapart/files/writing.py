"""Files that are either whole or not there."""

from __future__ import annotations

import errno
import fcntl
import hashlib
import json
import os
import shutil
import stat
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from tellapart.errors import InputError, StorageError
from tellapart.files.disks import cannot_write, make_directory, storage, sync_directory

SQLITE = b"SQLite format 3\0"
"""How the files of SQLite begin."""

_BEGINNING, _ENDING = ".tellapart-", ".tmp"
"""Of the names of files that are being written."""


@contextmanager
def replacing(path: Path) -> Iterator[Path]:
    """Give a temporary path beside ``path`` that takes its name when the block ends without an error.

    The content is on the disk before the rename, and the rename when this returns, so that a crash leaves the
    old file or the new one. The new file has the permissions of the old one. A symbolic link stays, and the
    file to which it leads is replaced. A device or a pipe, such as ``/dev/null``, is written to.
    """
    if is_stream(path):
        with scratch_directory("tellapart-output-") as elsewhere, storage(path):
            yield elsewhere / "content"
            with (elsewhere / "content").open("rb") as content, path.open("ab") as device:
                shutil.copyfileobj(content, device)
        return
    with storage(path):
        target = replaced_file(path)
        make_directory(target.parent)
        mode = stat.S_IMODE(target.stat().st_mode) if target.exists() else None
        handle, name = tempfile.mkstemp(_ENDING, _BEGINNING, target.parent)
        temporary = Path(name)
        try:
            yield temporary
            os.fchmod(handle, _usual_mode() if mode is None else mode)
            os.fsync(handle)
            temporary.replace(target)
        finally:
            os.close(handle)
            temporary.unlink(missing_ok=True)
        sync_directory(target.parent)


def _usual_mode() -> int:
    """The permissions that a new file has."""
    mask = os.umask(0)
    os.umask(mask)
    return 0o666 & ~mask


def remove_temporaries(directory: Path) -> None:
    """Remove what killed writers left in a directory, and below it, that nobody else writes."""
    for left in directory.rglob(f"{_BEGINNING}*{_ENDING}"):
        left.unlink()


@contextmanager
def alone(path: Path) -> Iterator[None]:
    """Hold off other processes that do the same with a file, until the block ends; they wait."""
    with Path(f"{path}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


@contextmanager
def scratch_directory(prefix: str) -> Iterator[Path]:
    """Make a directory for temporary files that is gone at the end."""
    with tempfile.TemporaryDirectory(prefix=prefix, ignore_cleanup_errors=True) as directory:
        yield Path(directory)


def is_stream(path: Path) -> bool:
    """Whether a path is a device or a pipe."""
    return path.exists() and not path.is_file() and not path.is_dir()


def replaced_file(path: Path) -> Path:
    """Find the file that is written where ``path`` is named: that to which links lead."""
    if path.is_symlink():
        target = Path(os.path.realpath(path))
        if target.is_symlink():
            raise cannot_write(path, errno.ELOOP)
        if not target.exists():
            raise StorageError(
                f"cannot write: this is a link to {str(target)!r}, where nothing is",
                where=path,
                next_step="Remove the link, or name that path itself",
            )
    else:
        target = path
    if target.is_file() and _is_database(target):
        raise StorageError(
            "cannot write: this is a database, perhaps that of a run, and would be lost",
            where=path,
            next_step="Choose another place",
        )
    if target.is_dir():
        raise cannot_write(path, errno.EISDIR)
    if target.exists() and not os.access(target, os.W_OK):
        raise cannot_write(path, errno.EACCES)
    return target


def _is_database(path: Path) -> bool:
    try:
        with path.open("rb") as file:
            return file.read(len(SQLITE)) == SQLITE
    except OSError:
        return False


def write_bytes(path: Path, data: bytes) -> None:
    """Write ``data`` to ``path``, whole or not at all."""
    with replacing(path) as temporary:
        temporary.write_bytes(data)


def write_text(path: Path, text: str) -> None:
    """Write ``text`` as UTF-8 to ``path``, whole or not at all."""
    write_bytes(path, text.encode())


def write_json(path: Path, value: Any) -> None:
    """Write a value as indented JSON to ``path``, whole or not at all."""
    write_text(path, as_json(value))


def as_json(value: Any) -> str:
    """Write a value as indented JSON, as files have it."""
    return json.dumps(value, indent=2, allow_nan=False) + "\n"


def sha256_of(path: Path) -> str:
    """SHA-256 of a file's bytes, 64 hexadecimal digits, without reading it whole."""
    try:
        with path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except OSError as error:
        raise InputError(f"cannot read this file: {error.strerror}", where=path) from None
