"""What the operating system says about a disk, for people; and directories that a power cut does not take."""

from __future__ import annotations

import errno
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tellapart.errors import StorageError

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
    errno.ESTALE: ("the directory is gone from its server", _KEPT.format("mount it")),
    errno.EROFS: ("the file system is read-only", _ELSEWHERE),
    errno.EACCES: _PERMISSION,
    errno.EPERM: _PERMISSION,
    errno.EISDIR: ("this is a directory", _ELSEWHERE),
    errno.ENOTDIR: ("part of the path is a file", _ELSEWHERE),
    errno.EEXIST: ("part of the path is a file", _ELSEWHERE),
    errno.ENOENT: ("its directory is not there, or has gone", _ELSEWHERE),
    errno.ELOOP: ("links lead in a circle", "Mend the links, or choose another place"),
    errno.ENAMETOOLONG: ("the name is too long", "Choose a shorter name"),
    errno.EINVAL: ("the file system does not take this name or file", "Choose another name or place"),
    errno.ENXIO: ("nobody reads this pipe or device", _ELSEWHERE),
    errno.ENODEV: ("there is no such device", _ELSEWHERE),
    errno.EBUSY: ("it is in use", _KEPT.format("free it")),
    errno.ENOTEMPTY: ("there is another directory of this name", _ELSEWHERE),
    errno.EMFILE: ("too many files are open", _KEPT.format("raise 'ulimit -n'")),
    errno.ENFILE: ("too many files are open on this machine", _KEPT.format("close some")),
}
"""By error number, what it means of a file that is to be written, and what can be done."""


def cannot_write(path: Path, number: int) -> StorageError:
    """Make the error that says why a file cannot be written."""
    reason, advice = _REASONS[number]
    return StorageError(f"cannot write: {reason}", where=path, next_step=advice)


@contextmanager
def storage(path: Path) -> Iterator[None]:
    """Turn what the operating system says about a disk into a ``StorageError`` that names ``path``.

    What it says about a file that lies neither at ``path`` nor beside or below it passes through.
    """
    try:
        yield
    except OSError as error:
        number = error.errno or 0
        if not number and "No space left" in str(error):
            number = errno.ENOSPC
        # Where a copy fails there are two names, and the second is that of the file that is written.
        if number not in _REASONS or not _is_about(error.filename2 or error.filename, path):
            raise
        raise cannot_write(path, number) from None


def _is_about(file: object, path: Path) -> bool:
    if not isinstance(file, (str, bytes, os.PathLike)):
        return True
    named, ours = Path(os.fsdecode(file)).absolute(), path.absolute()
    real = Path(os.path.realpath(ours))
    return any(
        here == named or here in named.parents or named in here.parents or here.parent == named.parent
        for here in (ours, real)
    )


def make_directory(path: Path) -> None:
    """Make a directory and those above it, on the disk when this returns; one that is there stays."""
    missing = []
    above = path
    while not above.exists():
        missing.append(above)
        above = above.parent
    for directory in reversed(missing):
        directory.mkdir(exist_ok=True)
        sync_directory(directory.parent)
    if not path.is_dir():
        raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), str(path))


_NO_SYNC = {errno.EINVAL, errno.ENOTSUP, errno.EACCES, errno.EBADF}
"""Of file systems that sync no directory, and of directories that may be written to but not read."""


def sync_directory(path: Path) -> None:
    """Bring to the disk what a directory holds by name: what was made, renamed and removed in it."""
    try:
        handle = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    except PermissionError:
        return
    try:
        os.fsync(handle)
    except OSError as error:
        if error.errno not in _NO_SYNC:
            raise
    finally:
        os.close(handle)
