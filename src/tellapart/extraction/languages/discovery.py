"""Which languages there are, and which one a file is written in."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from pathlib import PurePosixPath

from tellapart.core.discovery import described_in
from tellapart.extraction.languages.language import Language


@cache
def all_languages() -> tuple[Language, ...]:
    """Return every language described in this package, by module name; a new module is all it takes."""
    by_module: list[Sequence[Language]] = described_in(__name__.rpartition(".")[0], "LANGUAGES")
    return tuple(language for languages in by_module for language in languages)


@cache
def _by_extension() -> dict[str, tuple[Language, ...]]:
    table: dict[str, tuple[Language, ...]] = {}
    for language in sorted(all_languages(), key=lambda language: language.claim is None):
        for extension in language.extensions:
            table[extension] = (*table.get(extension, ()), language)
    return table


def candidates(path: str) -> tuple[Language, ...]:
    """Return the languages that use the file's extension (any case), those with a claim to prove first."""
    return _by_extension().get(PurePosixPath(path).suffix.lower(), ())


def language_of(path: str, data: bytes = b"") -> Language | None:
    """Say which language a file is written in."""
    for language in candidates(path):
        if language.claim is None or language.claim.search(data):
            return language
    return None
