"""What each file defines, uses and imports; a file is parsed again only when its content changes."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence
from functools import cache
from importlib.metadata import distributions
from pathlib import Path, PurePosixPath
from typing import Any

from tellapart.codesearch.index.kept import Kept
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
    """Find what the files of a snapshot define, use and import.

    Args:
        snapshot: The files.
        kept: Of ``kept_symbols``; only files that it does not know are parsed, and then it is brought up to
            date. None parses every file.

    Returns:
        For each file in order; None for one in no known language.

    Raises:
        InputError: A file changed since the snapshot was taken.
    """
    wanted = {_key(file): file for file in snapshot.files}
    stored = kept.records() if kept else {}
    records = {key: stored[key] if key in stored else _record(file) for key, file in wanted.items()}
    if kept and records.keys() != stored.keys():
        kept.keep_records(records)
    found = {key: _references(record) for key, record in records.items()}
    return tuple(found[_key(file)] for file in snapshot.files)


def _key(file: SnapshotFile) -> str:
    """Name what decides a file's references: its content, and the ending that says its language."""
    return f"{file.digest} {PurePosixPath(file.path).suffix.lower()}"


def _record(file: SnapshotFile) -> list[Any] | None:
    found = references(file.path, file.data())
    if found is None:
        return None
    imports = [[one.module, list(one.names), one.beside] for one in found.imports]
    return [found.language, list(found.definitions), list(found.identifiers), imports, found.unusable]


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
        f"{found.name} {found.version}" for found in distributions() if found.name.startswith("tree-sitter")
    )
