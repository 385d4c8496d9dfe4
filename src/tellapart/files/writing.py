"""Files that are either whole or not there, and what the operating system says of disks."""

from __future__ import annotations

import errno
import fcntl
import hashlib
import json
import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from secrets import token_hex
from typing import Any

from tellapart.errors import StorageError
from tellapart.files.reading import cannot_read

_ELSEWHERE = "Choose another place"
_PERMISSION = "permission is denied", "Choose a place that you may write to, or have its permissions changed"
_KEPT = "What was complete is kept; {} and run the same command again"

_REASONS = {
    errno.ENOSPC: ("the disk is full", _KEPT.format("make room")),
    errno.EDQUOT: ("the disk quota is used up", _KEPT.format("make room")),
    errno.EFBIG: (
        "it would be larger than a file may be here",
        _KEPT.format("see 'ulimit -f' and the limits of the file system,"),
    ),
    errno.EIO: ("the disk reports an error", _KEPT.format("see to the disk")),
    errno.EROFS: ("the file system is read-only", _ELSEWHERE),
    errno.EACCES: _PERMISSION,
    errno.EPERM: _PERMISSION,
    errno.EISDIR: ("this is a directory", _ELSEWHERE),
    errno.ENOTDIR: ("part of the path is a file", _ELSEWHERE),
    errno.EEXIST: ("part of the path is a file", _ELSEWHERE),
    errno.ENOENT: ("its directory is not there, or has gone", _ELSEWHERE),
    errno.ELOOP: ("links lead in a circle", "Mend the links, or choose another place"),
}
"""By error number, what it means of a file that is to be written, and what can be done."""


def cannot_write(path: Path, number: int) -> StorageError:
    """Make the error that says why a file cannot be written."""
    reason, advice = _REASONS.get(number, (os.strerror(number).lower(), _ELSEWHERE))
    return StorageError(f"cannot write: {reason}", where=path, next_step=advice)


@contextmanager
def storage(path: Path) -> Iterator[None]:
    """Turn what the operating system says about a disk into a ``StorageError`` that names ``path``.

    What it says about a file that is neither at ``path`` nor beside or below it passes through.
    """
    try:
        yield
    except OSError as error:
        # Polars gives no number.
        number = errno.ENOSPC if "No space left" in str(error) else error.errno or 0
        # Where a copy fails there are two names, and the second is that of the file that is written.
        file = error.filename2 or error.filename
        if isinstance(file, (str, bytes, os.PathLike)):
            is_ours = number > 0 and _is_about(file, path)
        else:
            is_ours = number in _REASONS
        if not is_ours:
            raise
        raise cannot_write(path, number) from None


def _is_about(file: str | bytes | os.PathLike[str], path: Path) -> bool:
    named, ours = Path(os.fsdecode(file)).absolute(), path.absolute()
    real = Path(os.path.realpath(ours))
    return any(
        here == named or here in named.parents or named in here.parents or here.parent == named.parent
        for here in (ours, real)
    )


def make_directory(path: Path) -> None:
    """Make a directory and those above it; one that is there stays."""
    path.mkdir(parents=True, exist_ok=True)


def sync_directory(path: Path) -> None:
    """Bring to the disk what a directory holds by name, where its file system can do that."""
    with suppress(OSError):
        handle = os.open(path, os.O_RDONLY | os.O_DIRECTORY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


SQLITE = b"SQLite format 3\0"
"""How the files of SQLite begin."""

_BEGINNING, _ENDING = ".tellapart-", ".tmp"
"""Of the names of files that are being written."""


@contextmanager
def replacing(path: Path) -> Iterator[Path]:
    """Give a temporary path beside ``path`` that takes its name when the block ends without an error.

    The content is on the disk before the rename, so that a crash leaves the old file or the new one. The new
    file has the permissions of the old one. A symbolic link stays, and the file to which it leads is
    replaced. A device or a pipe, such as ``/dev/null``, is written to.
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
        temporary = target.with_name(f"{_BEGINNING}{token_hex(8)}{_ENDING}")
        try:
            temporary.touch(exist_ok=False)
            if target.exists():
                shutil.copymode(target, temporary)
            yield temporary
            with temporary.open("r+b") as written:
                os.fsync(written)
            temporary.replace(target)
        finally:
            temporary.unlink(missing_ok=True)
        sync_directory(target.parent)


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
    target = Path(os.path.realpath(path))
    if target.is_dir():
        raise cannot_write(path, errno.EISDIR)
    if target.exists() and not os.access(target, os.W_OK):
        raise cannot_write(path, errno.EACCES)
    if target.is_file() and os.access(target, os.R_OK):
        with target.open("rb") as file:
            if file.read(len(SQLITE)) == SQLITE:
                what = "cannot write: this is a database, perhaps that of a run, and would be lost"
                raise StorageError(what, where=path, next_step="Choose another place")
    return target


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
        raise cannot_read(path, error) from None
