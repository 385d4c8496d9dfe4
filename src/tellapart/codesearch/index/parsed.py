"""BM25 over one part of source files: the names that they define, or their documentation.

A file is parsed again only when its content changes.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from importlib.metadata import distributions
from pathlib import Path, PurePosixPath

import tree_sitter

from tellapart.codesearch.index.cache import Kept
from tellapart.codesearch.index.snapshot import Snapshot, SnapshotFile
from tellapart.codesearch.index.terms import PATH_WEIGHT, TermIndex, index_terms
from tellapart.codesearch.repositories import Repositories
from tellapart.core.fingerprint import canonical_json, sha256
from tellapart.extraction.defined_names import defined_names
from tellapart.extraction.languages import Language, all_languages, language_of
from tellapart.extraction.reading import Unusable, usable_source

REVISION = 4
"""Raise it whenever a file would be read differently, for other reasons than its query."""

_COMMENTS = ("comment", "line_comment", "block_comment")


def open_names(snapshot: Snapshot, repositories: Repositories, directory: Path) -> TermIndex:
    """Index the names that files define, and the words of their paths."""
    return _open("names", defined_names, PATH_WEIGHT, snapshot, repositories, directory)


def open_docstrings(snapshot: Snapshot, repositories: Repositories, directory: Path) -> TermIndex:
    """Index comments and docstrings; paths do not count."""
    return _open("docstrings", docstrings, 0, snapshot, repositories, directory)


def docstrings(path: str, data: bytes) -> tuple[str, ...]:
    """Read the comments and docstrings of a file; empty for a file of no known language, or unparsable."""
    language = language_of(path, data)
    if language is None:
        return ()
    try:
        source = usable_source(data, language)
    except Unusable:
        return ()
    root = language.parser.parse(source).root_node
    nodes = tree_sitter.QueryCursor(_prose(language)).captures(root).get("prose", [])
    return tuple(source[node.start_byte : node.end_byte].decode() for node in nodes)


@cache
def _prose(language: Language) -> tree_sitter.Query:
    """Comments, as grammars call them, and strings that stand alone, as docstrings of Python do."""
    grammar = language.loaded
    patterns = [f"({kind}) @prose" for kind in _COMMENTS if grammar.id_for_node_kind(kind, True) is not None]
    if language.name == "python":
        patterns.append("(expression_statement (string) @prose)")
    return tree_sitter.Query(grammar, "\n".join(patterns))


def _open(
    part: str,
    read: Callable[[str, bytes], Sequence[str]],
    path_weight: int,
    snapshot: Snapshot,
    repositories: Repositories,
    directory: Path,
) -> TermIndex:
    """Index a part of the files, with what is kept of it in ``directory``."""
    kept = Kept(directory, part, revision=revision(), of=repositories)
    wanted = {_key(file): file for file in snapshot.files}
    stored = kept.records()
    records = {
        key: stored[key] if key in stored else list(read(file.path, file.data()))
        for key, file in wanted.items()
    }
    if records.keys() != stored.keys():
        kept.keep(records)
    contents = (" ".join(records[_key(file)]) for file in snapshot.files)
    return index_terms([file.path for file in snapshot.files], contents, path_weight=path_weight)


def _key(file: SnapshotFile) -> str:
    """Name what decides what is read in a file: its content, and the ending that says its language."""
    return f"{file.digest} {PurePosixPath(file.path).suffix.lower()}"


def revision() -> str:
    """Name all that decides what is found in a file."""
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
