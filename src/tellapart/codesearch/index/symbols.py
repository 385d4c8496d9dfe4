"""What each file defines, uses and imports; a file is parsed again only when its content changes."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence
from functools import cache
from importlib.metadata import distributions
from pathlib import Path, PurePosixPath
from typing import Any

from tellapart.codesearch.index.cache import Arrays, Kept
from tellapart.codesearch.index.links import link_arrays
from tellapart.codesearch.index.naming import name_arrays
from tellapart.codesearch.index.snapshot import Snapshot, SnapshotFile
from tellapart.codesearch.repositories import Repositories
from tellapart.core.fingerprint import canonical_json, sha256
from tellapart.extraction.imports import Import
from tellapart.extraction.languages import all_languages
from tellapart.extraction.references import References, references

REVISION = 2
"""Raise it whenever a file's references would be read differently, for other reasons than its query."""


def kept_symbols(directory: Path, repositories: Repositories) -> Kept:
    """Name the place where files' references are kept; other grammars or queries make them anew."""
    return Kept(directory, "symbols", revision=symbols_revision(), of=repositories)


def read_symbols(snapshot: Snapshot, kept: Kept | None = None) -> tuple[References | None, ...]:
    """Find what the files of a snapshot define, use and import."""
    wanted = {_key(file): file for file in snapshot.files}
    stored = kept.records() if kept else {}
    records = {key: stored[key] if key in stored else _record(file) for key, file in wanted.items()}
    if kept and records.keys() != stored.keys():
        kept.keep_records(records)
    by_key = {key: _references(record) for key, record in records.items()}
    return tuple(by_key[_key(file)] for file in snapshot.files)


def _key(file: SnapshotFile) -> str:
    """Name what decides a file's references: its content, and the ending that says its language."""
    return f"{file.digest} {PurePosixPath(file.path).suffix.lower()}"


def _record(file: SnapshotFile) -> list[Any] | None:
    extracted = references(file.path, file.data())
    if extracted is None:
        return None
    imports = [[one.module, list(one.names), one.beside] for one in extracted.imports]
    return [
        extracted.language,
        list(extracted.definitions),
        list(extracted.identifiers),
        imports,
        extracted.unusable,
    ]


def _references(record: Sequence[Any] | None) -> References | None:
    if record is None:
        return None
    language, definitions, identifiers, imports, unusable = record
    return References(
        language,
        _interned(definitions),
        _interned(identifiers),
        tuple(Import(module, tuple(names), beside) for module, names, beside in imports),
        unusable,
    )


def _interned(names: Iterable[str]) -> tuple[str, ...]:
    """Keep one copy of a name, however many files use it."""
    return tuple(map(sys.intern, names))


def symbols_revision() -> str:
    """Name all that decides what is found in a file."""
    queries = [
        (one.name, one.extensions, one.query, one.references.identifiers, one.references.names)
        + (one.references.imports,)
        for one in all_languages()
    ]
    return sha256(canonical_json([REVISION, _grammars(), queries]))


@cache
def _grammars() -> list[str]:
    return sorted(
        f"{package.name} {package.version}"
        for package in distributions()
        if package.name.startswith("tree-sitter")
    )


SEARCH_REVISION = 1
"""Raise it whenever the same references would give other arrays."""


def search_arrays(paths: Sequence[str], symbols: Sequence[References | None]) -> Arrays:
    """Find out what ``Naming`` and ``Links`` need to know."""
    return {**name_arrays(paths, symbols), **link_arrays(paths, symbols)}


def open_search(
    snapshot: Snapshot, directory: Path, repositories: Repositories
) -> tuple[tuple[str, ...], Arrays]:
    """Return the paths of a snapshot, sorted, and what is known of the files.

    What was worked out for just this snapshot is taken as it is; where a file differs, all is worked out
    again from what is kept of each file.
    """
    revision = f"{SEARCH_REVISION} {symbols_revision()} {snapshot.fingerprint}"
    kept = Kept(directory, "names", revision=revision, of=repositories)
    paths = tuple(sorted(file.path for file in snapshot.files))
    arrays = kept.arrays()
    if not arrays:
        symbols = read_symbols(snapshot, kept_symbols(directory, repositories))
        by_path = {file.path: own for file, own in zip(snapshot.files, symbols, strict=True)}
        arrays = search_arrays(paths, [by_path[path] for path in paths])
        kept.keep(arrays)
    return paths, arrays
