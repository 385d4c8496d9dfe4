"""What a folder holds: runs, finished or growing, and tables and logs of scores."""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from tellapart.core.fingerprint import sha256
from tellapart.errors import InputError
from tellapart.store import RunRecord, read_record
from tellapart.store.runs import DATABASE, SCORES

Kind = Literal["run", "scores"]

_PARTS = (DATABASE, "scores.parquet", "items.parquet", "artifacts")
_NO_DATA = re.compile(
    r"\.(md|rst|html|htm|css|js|py|ipynb|sh|toml|yaml|yml|cfg|png|jpg|jpeg|svg|pdf|log|out|err|lock|partial)$",
    re.IGNORECASE,
)
"""How the names of prose, code, pictures and logs end."""
OF_SCORES = ".scores.parquet"
"""How the scores beside a scoreboard end."""
NOTES = ".notes.jsonl"
SHEET = ".labels.csv"
"""How sheets end that are drawn on the page."""


@dataclass(frozen=True)
class Entry:
    """Something with scores, or that will have some.

    Attributes:
        id: For addresses; says nothing of the path.
        path: From the folder, with slashes.
        record: Of a run; None for scores, and where it cannot be read.
        changed: Differs whenever the contents may.
        error: Why a run cannot be read; empty where it can.
    """

    id: str
    path: str
    location: Path
    kind: Kind
    record: RunRecord | None
    changed: tuple[int, ...]
    error: str = ""

    @property
    def has_scores(self) -> bool:
        """Whether there is something to compare or to look at."""
        if self.kind == "scores":
            return True
        return not self.error and not self.is_growing and (self.location / SCORES).is_file()

    @property
    def is_growing(self) -> bool:
        """Whether it is a run that is not complete."""
        return self.kind == "run" and self.record is not None and self.record.status != "complete"


def entries(root: Path) -> list[Entry]:
    """Find all that there is, at any depth, by path; symbolic links are not followed.

    All files are listed but what by its ending is prose, code or a picture, so one may turn out to hold no
    scores.
    """
    listed = [entry_at(root, location, kind) for location, kind in _places(root)]
    return sorted((entry for entry in listed if entry is not None), key=lambda entry: entry.path)


def _places(root: Path) -> Iterator[tuple[Path, Kind]]:
    waiting = [root]
    while waiting:
        directory = waiting.pop()
        if (directory / DATABASE).is_file():
            yield directory, "run"
            continue
        inside = _inside(directory)
        names = {entry.name for entry in inside}
        for entry in inside:
            location = Path(entry.path)
            if entry.is_dir():
                waiting.append(location)
            elif entry.is_file() and _may_be_scores(entry.name, names):
                yield location, "scores"


def _inside(directory: Path) -> list[os.DirEntry[str]]:
    """What may hold scores; a benchmark has questions, and no answers."""
    try:
        with os.scandir(directory) as listing:
            inside = [entry for entry in listing if not entry.name.startswith(".") and not entry.is_symlink()]
    except OSError:
        return []
    return [] if any(entry.name == "benchmark.json" for entry in inside) else inside


def _may_be_scores(name: str, names: set[str]) -> bool:
    # A scoreboard is shown by the scores beside it, which are what it sums up.
    is_board = name.endswith(".json") and f"{name.removesuffix('.json')}{OF_SCORES}" in names
    return not _NO_DATA.search(name) and not name.endswith((NOTES, SHEET)) and not is_board


def entry_at(root: Path, location: Path, kind: Kind) -> Entry | None:
    """An entry as it is now; None where it is gone."""
    path = location.relative_to(root).as_posix()
    path = root.resolve().name if path == "." else path
    record, error = None, ""
    try:
        changed = _changed(location, kind)
        odd = next((name for name in _PARTS if kind == "run" and _is_odd(location / name)), None)
        if odd is not None:
            error = f"{odd} is no regular file, and links are not followed"
        elif kind == "run":
            record = read_record(location)
    except FileNotFoundError:
        # It went, or took another name, since the folder was listed.
        return None
    except InputError as damage:
        error = damage.what
    except OSError as damage:
        changed, error = (), str(damage.strerror)
    return Entry(
        sha256(path.encode("utf-8", "surrogateescape"))[:12], path, location, kind, record, changed, error
    )


def _is_odd(path: Path) -> bool:
    """Whether a path is a link, a pipe or a device, which may lead anywhere or never end."""
    try:
        mode = path.lstat().st_mode
    except FileNotFoundError:
        return False
    return not (stat.S_ISREG(mode) or stat.S_ISDIR(mode))


def _changed(location: Path, kind: Kind) -> tuple[int, ...]:
    if kind == "scores":
        return _state(location)
    return tuple(
        number
        for name in (DATABASE, f"{DATABASE}-wal", *_PARTS[1:-1])
        for number in (_state(location / name) if name == DATABASE or (location / name).exists() else (0, 0))
    )


def _state(file: Path) -> tuple[int, int]:
    status = file.stat()
    return status.st_mtime_ns, status.st_size
