"""Where a command may write: looked at before any work, so that nothing is destroyed and no work is lost."""

from __future__ import annotations

import errno
import os
from collections.abc import Iterable, Sequence
from pathlib import Path

from tellapart.errors import StorageError, UsageError
from tellapart.files import cannot_write, is_stream, replaced_file, storage

ANOTHER = "Choose another place"

_LONGEST = 255
"""Bytes of a name where the file system does not say how many it takes."""


def check_outs(
    outs: Sequence[Path | None],
    inputs: Iterable[Path | None] = (),
    *,
    directories: Sequence[Path | None] = (),
) -> None:
    """Refuse places that must not or cannot be written."""
    read = {Path(os.path.realpath(path)) for path in inputs if path is not None}
    taken: set[Path] = set()
    for out in filter(None, outs):
        if is_stream(out):
            _check_permission(out, out)
            continue
        resolved = Path(os.path.realpath(out))
        if resolved.is_dir():
            raise UsageError("this is a directory, expected a file", where=out, next_step=ANOTHER)
        if resolved in taken:
            raise UsageError("two outputs would go to this file", where=out, next_step=ANOTHER)
        if resolved in read or _is_part_of(resolved, read):
            raise UsageError("this file is an input and would be lost", where=out, next_step=ANOTHER)
        taken.add(resolved)
        with storage(out):
            target = replaced_file(out)
            _check_above(target.parent, out)
            _check_name(target)
    for directory in filter(None, directories):
        check_directory(directory)


def _is_part_of(out: Path, inputs: set[Path]) -> bool:
    """Whether a file is a table of a run that is read."""
    return out.suffix == ".parquet" and out.exists() and not inputs.isdisjoint(out.parents)


def check_directory(path: Path) -> None:
    """Refuse a place at which no directory can be made or filled."""
    with storage(path):
        if path.is_symlink() and not path.exists():
            raise StorageError(
                f"cannot write: this is a link to {os.path.realpath(path)!r}, where nothing is",
                where=path,
                next_step="Remove the link, or name that path itself",
            )
        if path.exists() and not path.is_dir():
            raise UsageError("this is a file, expected a directory", where=path, next_step=ANOTHER)
        _check_above(path, path)
        _check_name(path)


def _check_above(directory: Path, out: Path) -> None:
    """See that a directory is there and may be written to, or may be made."""
    above = directory.absolute()
    while not os.path.lexists(above):
        _check_name(above)
        above = above.parent
    if not above.is_dir():
        raise cannot_write(out, errno.ENOTDIR)
    _check_permission(above, out)


def _check_permission(path: Path, out: Path) -> None:
    needed = os.W_OK | os.X_OK if path.is_dir() else os.W_OK
    if os.access(path, needed, effective_ids=os.access in os.supports_effective_ids):
        return
    read_only = hasattr(os, "statvfs") and os.statvfs(path).f_flag & os.ST_RDONLY
    raise cannot_write(out, errno.EROFS if read_only else errno.EACCES)


def _check_name(path: Path) -> None:
    there = path.parent
    while not there.is_dir():
        there = there.parent
    try:
        longest = os.pathconf(there, "PC_NAME_MAX")
    except (OSError, ValueError):
        longest = _LONGEST
    if len(os.fsencode(path.name)) > longest:
        raise cannot_write(path, errno.ENAMETOOLONG)
