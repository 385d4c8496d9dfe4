"""BM25 over the names that files define; a file is parsed again only when its content changes."""

from __future__ import annotations

from functools import cache
from importlib.metadata import distributions
from pathlib import Path, PurePosixPath

from tellapart.codesearch.index.cache import Kept
from tellapart.codesearch.index.snapshot import Snapshot, SnapshotFile, take_snapshot
from tellapart.codesearch.index.terms import TermIndex, WordCounter, index_terms
from tellapart.codesearch.repositories import Repositories
from tellapart.core.fingerprint import canonical_json, sha256
from tellapart.extraction.defined_names import defined_names
from tellapart.extraction.languages import all_languages

REVISION = 3
"""Raise it whenever a file's names would be read differently, for other reasons than its query."""


def open_names(repositories: Repositories, directory: Path, snapshot: Snapshot | None = None) -> TermIndex:
    """Index the names that files define, with what is kept of them in ``directory``."""
    snapshot = snapshot or take_snapshot(repositories)
    kept = Kept(directory, "names", revision=names_revision(), of=repositories)
    wanted = {_key(file): file for file in snapshot.files}
    stored = kept.records()
    records = {
        key: stored[key] if key in stored else list(defined_names(file.path, file.data()))
        for key, file in wanted.items()
    }
    if records.keys() != stored.keys():
        kept.keep_records(records)
    counts = WordCounter().rows(" ".join(records[_key(file)]) for file in snapshot.files)
    return index_terms([file.path for file in snapshot.files], counts)


def _key(file: SnapshotFile) -> str:
    """Name what decides a file's names: its content, and the ending that says its language."""
    return f"{file.digest} {PurePosixPath(file.path).suffix.lower()}"


def names_revision() -> str:
    """Name all that decides which names are found in a file."""
    queries = [
        (language.name, language.extensions, language.query, language.names) for language in all_languages()
    ]
    return sha256(canonical_json([REVISION, _grammars(), queries]))


@cache
def _grammars() -> list[str]:
    return sorted(
        f"{package.name} {package.version}"
        for package in distributions()
        if package.name.startswith("tree-sitter")
    )
