"""The digests of a finished run's files, by which damage is noticed."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from pathlib import Path
from shlex import quote

from tellapart.errors import FingerprintError, InputError
from tellapart.files.writing import sha256_of, write_text

SUMS = "SHA256SUMS"
"""File of a finished run with a line for each of its others, as ``sha256sum --check SHA256SUMS`` reads it."""

UNFINISHED = ".partial"
"""Ending of the directory of a run or benchmark that will be gone on with; its steps have their digests."""

_LINE = re.compile(r"([0-9a-f]{64})  (.+)")
_RECORD = "run.json"
_DEEPEST = 4
_LOGS = ".eval"
"""Logs of Inspect, which are large, and which nothing is computed from."""


def write_sums(directory: Path, *, but: tuple[str, ...] = ()) -> None:
    """Write the digests of all files in a directory and below it, those of logs aside."""
    names = sorted(_names(directory, {SUMS, *but}))
    write_text(directory / SUMS, "".join(f"{sha256_of(directory / name)}  {name}\n" for name in names))


def _names(directory: Path, but: set[str]) -> Iterator[str]:
    for folder, below, files in os.walk(directory):
        inside = Path(folder).relative_to(directory)
        below[:] = [name for name in below if (inside / name).as_posix() not in but]
        for file in files:
            name = (inside / file).as_posix()
            # A line of this form cannot say a name with a line break.
            if name not in but and not name.endswith(_LOGS) and "\n" not in name:
                yield name


def check_sums(directory: Path) -> None:
    """Hold the files of a finished run against their digests; files that were added later are not checked."""
    for number, digest, name in _lines(directory / SUMS):
        _check(directory / name, digest, number)


def check_sum(file: Path) -> None:
    """Hold one file against its digest if it lies in a finished run; see `check_sums`."""
    whole = file.absolute()
    for directory in whole.parents[:_DEEPEST]:
        if directory.name.endswith(UNFINISHED):
            return
        # Other people have lists of digests too.
        if (directory / SUMS).is_file() and (directory / _RECORD).is_file():
            inside = whole.relative_to(directory).as_posix()
            for number, digest, name in _lines(directory / SUMS):
                if name == inside:
                    _check(file, digest, number)
            return


def _check(file: Path, digest: str, number: int) -> None:
    now = sha256_of(file) if file.is_file() else None
    if now == digest:
        return
    run = next(above for above in [*file.parents, *file.absolute().parents] if (above / SUMS).is_file())
    difference = f"its SHA-256 is {now[:16]}…" if now else "it is not there"
    raise FingerprintError(
        f"this is not what the run wrote: {difference}, expected {digest[:16]}…",
        where=file,
        next_step="Restore it from a copy, or do the run again once it is deleted: tellapart runs delete "
        f"{quote(str(run))}. If the change was meant, remove line {number} of {SUMS}",
    )


def _lines(sums: Path) -> Iterator[tuple[int, str, str]]:
    """Number, digest and name of each line; none where there is no such file."""
    if not sums.is_file():
        return
    for number, line in enumerate(_read(sums).splitlines(), 1):
        named = _LINE.fullmatch(line)
        if named is None:
            raise InputError(
                f"this line is {line[:80]!r}, expected a SHA-256 and the name of a file",
                where=f"{sums}:{number}",
                next_step="Restore it from a copy",
            )
        yield number, named[1], named[2]


def _read(sums: Path) -> str:
    try:
        return sums.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError):
        raise InputError(
            "this list of digests cannot be read",
            where=sums,
            next_step=f"Restore it from a copy; without it nothing is checked: rm {quote(str(sums))}",
        ) from None
