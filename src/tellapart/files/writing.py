"""Files that are either whole or not there."""

from __future__ import annotations

import errno
import hashlib
import json
import os
import shutil
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from tellapart.errors import InputError, StorageError
from tellapart.files.disks import cannot_write, make_directory, storage, sync_directory
from tellapart.files.temporaries import beside, scratch_directory


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
        # Until it has the permissions of the old one, nobody else may read it.
        with beside(target, 0o666 if mode is None else 0o600) as temporary:
            yield temporary
            if mode is not None:
                temporary.chmod(mode)
            with temporary.open("rb") as written:
                os.fsync(written.fileno())
            temporary.replace(target)
            sync_directory(target.parent)


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
    if target.is_dir():
        raise cannot_write(path, errno.EISDIR)
    if target.exists() and not os.access(target, os.W_OK):
        raise cannot_write(path, errno.EACCES)
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
        raise InputError(f"cannot read this file: {error.strerror}", where=path) from None
