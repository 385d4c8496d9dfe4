"""All forms of scores: which of them a file has, the files of a folder or pattern, and texts of items."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from glob import glob
from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules

from tellapart import readers as package
from tellapart.errors import InputError
from tellapart.files import head, read_json, refuse_foreign
from tellapart.files.tables import kind_of, read_table
from tellapart.readers import table
from tellapart.readers.reader import NoItemScores, Reader, Source, Together
from tellapart.readers.settings import ReadingSettings
from tellapart.readers.texts import TextReader, Texts
from tellapart.report.numbers import listed
from tellapart.store import ItemText, read_frame

_LIKE_JSON = re.compile(rb'\{\s*"|\[\s*[\[{"]')
_TABLES = (".csv", ".tsv", ".jsonl", ".ndjson", ".parquet", ".json", ".xlsx")
_SHOWN = 8


@cache
def readers() -> tuple[Reader, ...]:
    """Give the reader of each form, in the order in which they are tried; tables take what is left."""
    names = sorted(module.name for module in iter_modules(package.__path__))
    # Marks of simple harnesses are keys, which whole logs of others may have, too.
    names.sort(key=lambda name: name == "harnesses")
    modules = [import_module(f"{package.__name__}.{name}") for name in names]
    forms = [form for module in modules for form in getattr(module, "FORMS", (module,))]
    return (*(form for form in forms if isinstance(form, Reader) and form is not table), table)


def reader_of(path: Path, settings: ReadingSettings) -> Reader:
    """Give the reader of a file or directory."""
    if settings.are_of_a_table and path.is_file():
        return table
    if (recognised := recognised_by(path)) is not None:
        return recognised
    start = head(path)
    refuse_foreign(start, path, "scores")
    if path.suffix.casefold() == ".json" or _LIKE_JSON.match(start):
        # Says where what looks like JSON is none.
        read_json(path)
    lines = start.decode(errors="replace").splitlines()
    if len(lines) > 2 and any(0 < lines[1].count(sign) == lines[2].count(sign) for sign in ",;\t"):
        raise InputError(
            f"the first line, {lines[0][:60]!r}, names no columns, so it may be a title",
            where=path,
            next_step="Delete what is above the row of names",
        )
    raise InputError(
        "the form of these scores is not recognised",
        where=path,
        next_step=f"Expected one of: {form_names()}",
    )


def recognised_by(path: Path) -> Reader | None:
    """Give the reader that recognises a file or directory; None where no form fits."""
    return next((reader for reader in readers() if reader.recognises(path)), None)


def form_names() -> str:
    """List the forms for a message."""
    return ", ".join(dict.fromkeys(reader.NAME for reader in readers()))


# The files of folders and patterns.


def files_of(path: Path, settings: ReadingSettings) -> list[Path]:
    """Give the files that a path stands for."""
    if not path.is_dir() or recognised_by(path) is not None:
        return [path]
    entries = list(_entries(path))
    scores = [entry for entry in entries if entry != settings.qrels]
    of_logs = [] if settings.are_of_a_table else [reader for reader in readers() if reader is not table]
    recognised = [entry for entry in scores if any(reader.recognises(entry) for reader in of_logs)]
    if recognised:
        return recognised
    tables = [e for e in scores if e.suffix.casefold() in _TABLES and table.recognises(e)]
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
        if entry.is_file() or recognised_by(entry) is not None:
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


# Texts of items, by the files that scores were read from.


def texts_of(path: Path, settings: ReadingSettings) -> Texts | None:
    """Find the texts of one file or run; None where its form holds scores alone."""
    reader = reader_of(path, settings)
    return reader.texts(path, settings) if isinstance(reader, TextReader) else None


def item_texts(
    sources: Sequence[Source],
    settings: ReadingSettings | None = None,
    models: Mapping[str, Sequence[str]] | None = None,
) -> ItemTexts:
    """Find the texts of all items of files, runs, and folders of these; each is read when it is looked up."""
    files: list[tuple[Texts, Sequence[str]]] = []
    for source, of_this in zip(sources, (settings or ReadingSettings()).of_paths(sources), strict=True):
        members = source.parts if isinstance(source, Together) else (source,)
        paths = [path for path in members if isinstance(path, Path) and path.exists()]
        for file in (file for path in paths for file in files_of(path, of_this)):
            try:
                texts = texts_of(file, of_this)
            except NoItemScores:
                continue
            if texts is not None and (models is None or str(file) in models):
                files.append((texts, () if models is None else models[str(file)]))
    return ItemTexts(files)


class ItemTexts(Mapping[str, tuple[ItemText, ...]]):
    """Texts of the items of several files, for pages; an item without any is not in it."""

    def __init__(self, files: Iterable[tuple[Texts, Sequence[str]]]) -> None:
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
