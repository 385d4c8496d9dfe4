"""Files that are either whole or not there."""

from __future__ import annotations

import errno
import hashlib
import json
import os
import shutil
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from tellapart.errors import InputError, StorageError
from tellapart.files.disks import cannot_write, make_directory, storage, sync_directory
from tellapart.files.temporaries import beside, scratch_directory

_MOST_LINKS = 40
_NEW = 0o666


@contextmanager
def replacing(path: Path) -> Iterator[Path]:
    """Give a temporary path beside ``path`` that takes its name when the block ends without an error.

    The content is on the disk before the rename, and the rename when this returns, so that a crash leaves the
    old file or the new one. The new file has the permissions of the old one, and its owner and group where
    they may be given; one that was not there has those that the umask leaves. A symbolic link stays, and the
    file to which it leads is replaced; further hard links to the old file keep the old content. A device or a
    pipe, such as ``/dev/null``, is written to instead of replaced.
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
        old = target.stat() if target.exists() else None
        # Until it has the permissions of the old one, nobody else may read it.
        with beside(target, _NEW if old is None else stat.S_IRUSR | stat.S_IWUSR) as temporary:
            yield temporary
            if old is not None:
                _take_over(temporary, old)
            with temporary.open("rb") as written:
                os.fsync(written.fileno())
            temporary.replace(target)
            sync_directory(target.parent)


def is_stream(path: Path) -> bool:
    """Whether a path is a device, a pipe, or what the process has open, such as ``/dev/stdout``."""
    with suppress(OSError):
        for _ in range(_MOST_LINKS):
            # A name of what is open says nothing of the file behind it, which others write as well.
            if Path(os.path.realpath(path.parent)).is_relative_to("/proc"):
                return path.exists()
            if not path.is_symlink():
                break
            path = path.parent / path.readlink()
        return path.exists() and not path.is_file() and not path.is_dir()
    return False


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


def _take_over(temporary: Path, old: os.stat_result) -> None:
    """Give a file the owner, as far as one may, and the permissions of another."""
    new = temporary.stat()
    if (new.st_uid, new.st_gid) != (old.st_uid, old.st_gid):
        try:
            os.chown(temporary, old.st_uid, old.st_gid)
        except PermissionError:
            with suppress(PermissionError):
                os.chown(temporary, -1, old.st_gid)
    temporary.chmod(stat.S_IMODE(old.st_mode))


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
