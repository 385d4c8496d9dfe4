"""What a search by names and references needs to know of the files; worked out once for a snapshot."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from tellapart.codesearch.index.kept import Arrays, Kept
from tellapart.codesearch.index.links import link_arrays
from tellapart.codesearch.index.naming import name_arrays
from tellapart.codesearch.index.snapshot import Snapshot
from tellapart.codesearch.index.symbols import kept_symbols, read_symbols, symbols_revision
from tellapart.codesearch.repositories import Repositories
from tellapart.extraction.references import References

REVISION = 1
"""Raise it whenever the same references would give other arrays."""


def search_arrays(paths: Sequence[str], symbols: Sequence[References | None]) -> Arrays:
    """Find out what ``Naming`` and ``Links`` need to know.

    Args:
        paths: ``repo/path`` each, once, sorted.
        symbols: What is known of each.
    """
    return {**name_arrays(paths, symbols), **link_arrays(paths, symbols)}


def open_search(
    snapshot: Snapshot, directory: Path, repositories: Repositories
) -> tuple[tuple[str, ...], Arrays]:
    """Return the paths of a snapshot, sorted, and what is known of the files.

    What was worked out for just this snapshot is taken as it is; where a file differs, all is worked out
    again from what is kept of each file.

    Args:
        snapshot: The files.
        directory: Where things are kept.
        repositories: Those of the snapshot.
    """
    revision = f"{REVISION} {symbols_revision()} {snapshot.fingerprint}"
    kept = Kept(directory, "names", revision=revision, of=repositories)
    paths = tuple(sorted(file.path for file in snapshot.files))
    arrays = kept.arrays()
    if not arrays:
        symbols = read_symbols(snapshot, kept_symbols(directory, repositories))
        found = {file.path: own for file, own in zip(snapshot.files, symbols, strict=True)}
        arrays = search_arrays(paths, [found[path] for path in paths])
        kept.keep(arrays)
    return paths, arrays
