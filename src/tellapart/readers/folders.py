"""What a path stands for: the files of a pattern or a folder, a pipe; and what their items ask."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from glob import glob
from pathlib import Path
from typing import Any

import polars as pl

from tellapart.errors import InputError
from tellapart.files import cannot_read
from tellapart.files.tables import holds_tables, kind_of, read_table
from tellapart.files.writing import scratch_directory
from tellapart.readers.forms import form_names, form_of, recognised
from tellapart.readers.reader import NoItemScores, Source, Together
from tellapart.readers.settings import ReadingSettings
from tellapart.readers.table import is_table
from tellapart.readers.texts import RowTexts
from tellapart.report.numbers import listed
from tellapart.store import ItemText, RunDirectory, read_frame
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
    logs = [] if settings.are_of_a_table else [e for e in scores if recognised(e, tables=False) is not None]
    if logs:
        return logs
    tables = [entry for entry in scores if entry.suffix.casefold() in _TABLES and is_table(entry)]
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
        kind = None if path.is_dir() else kind_of(path)
        frame = read_frame(path) if path.is_dir() else read_table(path, kind) if kind else pl.DataFrame()
        first.setdefault(tuple(sorted(frame.columns)), path)
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
            raise cannot_read(path)
        if path.is_file():
            with path.open("rb") as file:
                if not file.read(1):
                    raise InputError("this file is empty", where=path)
    except OSError as error:
        raise cannot_read(path, error) from None
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


def item_texts(
    sources: Sequence[Source],
    settings: ReadingSettings | None = None,
    models: Mapping[str, Sequence[str]] | None = None,
) -> ItemTexts:
    """Find the texts of all items of files, runs, and folders of these; each is read when it is looked up."""
    files: list[tuple[RowTexts[Any], Sequence[str]]] = []
    for source, of_this in zip(sources, (settings or ReadingSettings()).of_paths(sources), strict=True):
        members = source.parts if isinstance(source, Together) else (source,)
        paths = [path for path in members if isinstance(path, Path) and path.exists()]
        for file in (file for path in paths for file in files_of(path, of_this)):
            try:
                texts = form_of(file, of_this).texts(file, of_this)
            except NoItemScores:
                continue
            if texts is not None and (models is None or str(file) in models):
                files.append((texts, () if models is None else models[str(file)]))
    return ItemTexts(files)


class ItemTexts(Mapping[str, tuple[ItemText, ...]]):
    """Texts of the items of several files, for pages; an item without any is not in it."""

    def __init__(self, files: Iterable[tuple[RowTexts[Any], Sequence[str]]]) -> None:
        """Take the texts of each file, and the models that came from it as they are called now."""
        self._files = tuple(files)

    def __getitem__(self, item: str) -> tuple[ItemText, ...]:
        """The question, the expected answer and the first answer of each model."""
        texts: dict[ItemText, None] = {}
        answers: dict[str, ItemText] = {}
        for file, models in self._files:
            for answered in file.of(item):
                texts |= dict.fromkeys(answered.item_texts)
                name = f"Answer of {called(answered.model, models)}"
                if answered.answer:
                    answers.setdefault(name, ItemText(name, answered.answer))
        if not texts and not answers:
            raise KeyError(item)
        return (*texts, *answers.values())

    def __iter__(self) -> Iterator[str]:
        """Ids of the items, in the order of the files."""
        ids = dict.fromkeys(item for file, _ in self._files for item in file.items)
        return (item for item in ids if item in self)

    def __len__(self) -> int:
        """Count the items that have a text."""
        return sum(1 for _ in self)


def called(model: str, models: Sequence[str]) -> str:
    """The name of a model among those of its file, which may have the file behind it."""
    renamed = (name for name in models if name.rpartition(" (")[0] == model)
    return model if model in models else next(renamed, model)
