"""The files that a path stands for: of a pattern, of a folder, of a pipe."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from glob import glob
from pathlib import Path

from tellapart.errors import InputError
from tellapart.files.tables import holds_tables, kind_of, read_table
from tellapart.files.writing import scratch_directory
from tellapart.readers.forms import TABLE, form_names, recognised
from tellapart.readers.reader import Source, Together
from tellapart.readers.settings import ReadingSettings
from tellapart.readers.table import is_table
from tellapart.report.numbers import listed
from tellapart.store import RunDirectory, read_frame
from tellapart.store.growing import partial_path

STDIN = Path("-")

_TABLES = (".csv", ".tsv", ".jsonl", ".ndjson", ".parquet", ".json", ".xlsx")
_SHOWN = 8


def files_of(path: Path, settings: ReadingSettings) -> list[Path]:
    """Give the files that a path stands for."""
    if not path.is_dir() or recognised(path) is not None:
        return [path]
    entries = list(_entries(path))
    scores = [entry for entry in entries if entry != settings.qrels]
    forms = {entry: recognised(entry) for entry in scores}
    logs = [entry for entry, form in forms.items() if form not in (None, TABLE)]
    if logs and not settings.are_of_a_table:
        return logs
    tables = [e for e in scores if e.suffix.casefold() in _TABLES and (forms[e] is TABLE or is_table(e))]
    _check_alike(path, tables)
    if not tables:
        names = listed([str(entry.relative_to(path)) for entry in entries], most=_SHOWN)
        raise InputError(
            "this is not a run directory, and no file in it is recognised as scores; "
            + (f"there are: {names}" if entries else "it is empty"),
            where=path,
            next_step=f"Expected files of one of these forms: {form_names()}",
        )
    return tables


def with_patterns(given: Sequence[Path]) -> list[Source]:
    """Look up the files that patterns name, where a shell did not: ``'logs/*.eval'`` in quotes."""
    sources: list[Source] = []
    for path in given:
        is_pattern = not path.exists() and any(sign in str(path) for sign in "*?[")
        matches = sorted(glob(str(path), recursive=True)) if is_pattern else []  # noqa: PTH207
        sources.append(Together(str(path), tuple(map(Path, matches))) if matches else path)
    return sources


def matching_paths(given: Sequence[Path]) -> list[Path]:
    """Give the paths with the files of patterns in their place; see `with_patterns`."""
    paths: list[Path] = []
    for source in with_patterns(given):
        several = source.parts if isinstance(source, Together) else (source,)
        paths += [part for part in several if isinstance(part, Path)]
    return paths


def _entries(folder: Path) -> Iterator[Path]:
    """Files and run directories below a folder; what lies in a run directory is its own."""
    for entry in sorted(folder.iterdir()):
        if entry.name.startswith("."):
            continue
        if entry.is_file() or recognised(entry) is not None:
            yield entry
        elif entry.is_dir():
            yield from _entries(entry)


def _check_alike(folder: Path, tables: list[Path]) -> None:
    """Refuse tables with different columns: one may be scores and another anything."""
    first: dict[tuple[str, ...], Path] = {}
    for path in tables:
        frame = (
            read_frame(path) if path.is_dir() else read_table(path, kind) if (kind := kind_of(path)) else None
        )
        first.setdefault(() if frame is None else tuple(sorted(frame.columns)), path)
    if len(first) > 1:
        shown = [f"{path.relative_to(folder)} has {', '.join(names)[:60]}" for names, path in first.items()]
        raise InputError(
            f"the tables in this folder have different columns: {'; '.join(shown[:3])}",
            where=folder,
            next_step=f"Name the files that are scores, such as {tables[0]}",
        )


@contextmanager
def on_disk(path: Path, name: str) -> Iterator[Path]:
    """Give a path that can be read more than once: pipes and standard input are copied."""
    try:
        is_stream = path == STDIN or (path.exists() and not path.is_file() and not path.is_dir())
        if partial_path(path).is_dir() and not path.exists():
            RunDirectory.open(path)
        if not is_stream and not path.exists() and not holds_tables(path):
            raise InputError("there is no such file or directory", where=path)
        if path.is_file():
            with path.open("rb") as file:
                if not file.read(1):
                    raise InputError("this file is empty", where=path)
    except OSError as error:
        raise InputError(f"cannot read this file: {error.strerror}", where=path) from None
    if not is_stream:
        yield path
        return
    with scratch_directory("tellapart-scores-") as directory:
        copy = directory / "scores"
        with copy.open("wb") as file:
            if path == STDIN:
                shutil.copyfileobj(sys.stdin.buffer, file)
            else:
                file.write(path.read_bytes())
        if not copy.stat().st_size:
            raise InputError("there is nothing to read", where=name)
        yield copy
