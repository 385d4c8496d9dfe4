"""Files that are either whole or not there."""

from __future__ import annotations

import errno
import hashlib
import json
import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from tellapart.errors import InputError, StorageError

_REASONS = {
    errno.ENOSPC: "the disk is full",
    errno.EDQUOT: "the disk quota is used up",
    errno.EROFS: "the file system is read-only",
    errno.EACCES: "permission is denied",
    errno.EPERM: "permission is denied",
    errno.EISDIR: "this is a directory",
    errno.ENOTDIR: "part of the path is a file",
    errno.EEXIST: "part of the path is a file",
    errno.ENAMETOOLONG: "the name is too long",
}


@contextmanager
def storage(path: Path) -> Iterator[None]:
    """Turn what the operating system says about a disk into a ``StorageError`` that names ``path``."""
    try:
        yield
    except OSError as error:
        reason = _REASONS.get(error.errno or 0)
        if reason is None and "No space left" in str(error):
            reason = _REASONS[errno.ENOSPC]
        if reason is None:
            raise
        raise StorageError(
            f"cannot write: {reason}",
            where=path,
            next_step="What was complete is kept; make room and run the same command again",
        ) from None


@contextmanager
def replacing(path: Path) -> Iterator[Path]:
    """Give a temporary path beside ``path`` that takes its name when the block ends without an error.

    The content is on the disk before the rename, so that a crash leaves the old file or the new one. A device
    or a pipe, such as ``/dev/null``, is written to instead of replaced.

    Raises:
        StorageError: The disk is full, read-only or closed to us; the old file is untouched.
    """
    if path.exists() and not path.is_file() and not path.is_dir():
        with tempfile.TemporaryDirectory() as elsewhere, storage(path):
            yield Path(elsewhere) / "content"
            with (Path(elsewhere) / "content").open("rb") as content, path.open("wb") as device:
                shutil.copyfileobj(content, device)
        return
    with storage(path):
        path.parent.mkdir(parents=True, exist_ok=True)
        handle, name = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
        os.close(handle)
        temporary = Path(name)
        try:
            yield temporary
            with temporary.open("rb") as written:
                os.fsync(written.fileno())
            temporary.chmod(0o644)
            temporary.replace(path)
        finally:
            temporary.unlink(missing_ok=True)


def write_bytes(path: Path, data: bytes) -> None:
    """Write ``data`` to ``path``, whole or not at all."""
    with replacing(path) as temporary:
        temporary.write_bytes(data)


def write_text(path: Path, text: str) -> None:
    """Write ``text`` as UTF-8 to ``path``, whole or not at all."""
    write_bytes(path, text.encode())


def write_json(path: Path, value: Any) -> None:
    """Write a value as indented JSON to ``path``, whole or not at all.

    Raises:
        ValueError: A number is NaN or infinite, which JSON cannot say.
    """
    write_text(path, json.dumps(value, indent=2, allow_nan=False) + "\n")


def sha256_of(path: Path) -> str:
    """SHA-256 of a file's bytes, 64 hexadecimal digits, without reading it whole.

    Raises:
        InputError: It cannot be read.
    """
    try:
        with path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except OSError as error:
        raise InputError(f"cannot read this file: {error.strerror}", where=path) from None
