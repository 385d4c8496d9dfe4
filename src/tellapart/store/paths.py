"""Paths that a command is given: whether they are there or may be written, and how they are called."""

from __future__ import annotations

import errno
import os
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path

from tellapart.errors import InputError, UsageError
from tellapart.files import cannot_read, cannot_write, is_stream, replaced_file, storage
from tellapart.store.growing import partial_path

RESUME = "Run the same command again to resume it"


def require_there(path: Path, what: str | None = None, *, next_step: str | None = None) -> None:
    """Refuse a path at which there is nothing; ``-``, standard input, is always there."""
    if str(path) == "-" or path.exists():
        return
    if what is None:
        raise cannot_read(path, next_step=next_step)
    raise InputError(what, where=path, next_step=next_step)


def require_run(path: Path) -> None:
    """Refuse what is no directory of a complete run."""
    if path.is_dir():
        return
    if partial_path(path).is_dir():
        raise InputError("this run is not complete", where=path, next_step=RESUME)
    raise InputError(
        "there is no such run directory",
        where=path,
        next_step="See 'tellapart runs list' for those there are",
    )


ANOTHER = "Choose another place"


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
        _check_is_here(out)
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
            _check_above(replaced_file(out).parent, out)
    for directory in filter(None, directories):
        check_directory(directory)


def _is_part_of(out: Path, inputs: set[Path]) -> bool:
    """Whether a file is a table of a run that is read."""
    return out.suffix == ".parquet" and out.exists() and not inputs.isdisjoint(out.parents)


def _check_is_here(path: Path) -> None:
    """Refuse what was an address, such as ``s3://bucket/name``, before it became a path."""
    if re.match("[a-z][a-z0-9+.-]+:/", path.as_posix(), re.IGNORECASE):
        raise UsageError(
            "this is an address, expected a place here",
            where=path.as_posix().replace(":/", "://", 1),
            next_step="Write it here and copy it there; only 'bundles score --out' writes to an object store",
        )


def check_directory(path: Path) -> None:
    """Refuse a place at which no directory can be made or filled."""
    _check_is_here(path)
    with storage(path):
        if path.exists() and not path.is_dir():
            raise UsageError("this is a file, expected a directory", where=path, next_step=ANOTHER)
        _check_above(path, path)


def _check_above(directory: Path, out: Path) -> None:
    """See that a directory is there and may be written to, or may be made."""
    above = directory.absolute()
    while not os.path.lexists(above):
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


def path_names(paths: Sequence[Path]) -> tuple[str, ...]:
    """Give the shortest ends of paths that tell them apart, without the ending of a file."""
    parts = [_without_ending(path).parts for path in paths]
    names = []
    for own in parts:
        others = [part for part in parts if part != own]
        depths = (d for d in range(1, len(own)) if all(part[-d:] != own[-d:] for part in others))
        names.append(str(Path(*own[-next(depths, len(own)) :])))
    again = Counter(names)
    return tuple(
        f"{name} #{names[: i + 1].count(name)}" if again[name] > 1 else name for i, name in enumerate(names)
    )


def names_of_runs(models: Sequence[str], paths: Sequence[Path]) -> tuple[str, ...]:
    """Name what is compared: a model by its name, two runs of one model as ``model (file)``."""
    again = Counter(models)
    files = [f" ({name})" for name in path_names(paths)]
    return tuple(
        f"{model}{file}" if again[model] > 1 else model for model, file in zip(models, files, strict=True)
    )


def _without_ending(path: Path) -> Path:
    """Without ``.json``, and without the ``.scores.parquet`` that lies beside it."""
    if path.is_dir():
        return path
    stem = path.with_suffix("")
    return stem.with_suffix("") if stem.suffix == ".scores" else stem
