"""Folders of scores and patterns: which files are read."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from glob import glob
from pathlib import Path

import polars as pl

from tellapart.errors import InputError
from tellapart.files.tables import kind_of, read_table
from tellapart.readers import table
from tellapart.readers.forms import form_names, readers, recognised_by
from tellapart.readers.reader import Source, Together
from tellapart.readers.settings import ReadingSettings
from tellapart.store import read_frame

_TABLES = (".csv", ".tsv", ".jsonl", ".ndjson", ".parquet", ".json", ".xlsx")
_SHOWN = 8


def files_of(path: Path, settings: ReadingSettings) -> list[Path]:
    """Give the files that a path stands for."""
    if not path.is_dir() or recognised_by(path) is not None:
        return [path]
    entries = list(_entries(path))
    recognised = [] if settings.are_of_a_table else _recognised(entries, settings)
    if recognised:
        return recognised
    tables = [entry for entry in entries if _is_table(entry) and entry != settings.qrels]
    _check_alike(path, [entry for entry in tables if not table.is_averages(entry)])
    if not tables:
        raise InputError(
            "this is not a run directory, and no file in it is recognised as scores; "
            + (f"there are: {_listed(path, entries)}" if entries else "it is empty"),
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
        if entry.is_file() or recognised_by(entry) is not None:
            yield entry
        elif entry.is_dir():
            yield from _entries(entry)


def _recognised(entries: list[Path], settings: ReadingSettings) -> list[Path]:
    of_logs = [reader for reader in readers() if reader is not table]
    return [
        entry
        for entry in entries
        if entry != settings.qrels and any(reader.recognises(entry) for reader in of_logs)
    ]


def _is_table(path: Path) -> bool:
    return path.suffix.casefold() in _TABLES and table.recognises(path)


def _check_alike(folder: Path, tables: list[Path]) -> None:
    """Refuse tables with different columns: one may be scores and another anything."""
    columns = {path: tuple(sorted(_columns(path))) for path in tables}
    kinds = Counter(columns.values())
    if len(kinds) > 1:
        first = {kind: next(path for path in tables if columns[path] == kind) for kind in kinds}
        shown = [f"{path.relative_to(folder)} has {', '.join(kind)[:60]}" for kind, path in first.items()]
        raise InputError(
            f"the tables in this folder have different columns: {'; '.join(shown[:3])}",
            where=folder,
            next_step=f"Name the files that are scores, such as {tables[0]}",
        )


def _columns(path: Path) -> list[str]:
    if path.is_dir():
        return read_frame(path).columns
    kind = kind_of(path)
    frame = pl.DataFrame() if kind is None else read_table(path, kind)
    return frame.columns


def _listed(folder: Path, entries: list[Path]) -> str:
    names = [str(entry.relative_to(folder)) for entry in entries]
    more = f" and {len(names) - _SHOWN} more" if len(names) > _SHOWN else ""
    return ", ".join(names[:_SHOWN]) + more
