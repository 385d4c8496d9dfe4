"""Which search terms led to a file: as the system reports it, or by the terms that occur in the file."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Literal

from tellapart.codesearch.model import Case
from tellapart.embed.identifiers import split_identifiers

if TYPE_CHECKING:
    from tellapart.codesearch.repositories import Repositories


def terms_in(text: str, terms: Sequence[str]) -> tuple[str, ...]:
    """Say which terms occur in a text.

    A term occurs where all its word pieces do, in any order: ``postImage`` in a file with ``image_post``. A
    term without letter and digit never does.
    """
    there = set(split_identifiers(text))
    pieces = {term: set(split_identifiers(term)) for term in terms}
    return tuple(term for term, wanted in pieces.items() if wanted and wanted <= there)


def terms_in_files(
    repositories: Repositories, files: Iterable[str], terms: Sequence[str]
) -> Mapping[str, tuple[str, ...]]:
    """Look for terms in the paths and contents of files."""
    if not terms:
        return {}
    return {file: terms_in(f"{file}\n{_content(repositories, file)}", terms) for file in files}


def _content(repositories: Repositories, file: str) -> str:
    # Learning traces terms too, reads no repository, and need not wait for what does.
    from tellapart.codesearch.repositories import OutOfBounds

    try:
        return repositories.read_bytes(file).decode("utf-8", "replace")
    except OutOfBounds:
        return ""


Trace = Literal["system", "contents", "path"]
"""Who says which terms led to a file: the system itself, the file's text, or nothing but its path."""


def traced(case: Case) -> tuple[Trace, Mapping[str, tuple[str, ...]]]:
    """Trace each of our files to search terms."""
    if case.terms_by_file:
        return "system", _of_ours(case, case.terms_by_file)
    if case.terms_in_files:
        return "contents", _of_ours(case, case.terms_in_files)
    return "path", {file: terms_in(file, case.terms) for file in case.files}


def weakest_trace(cases: Sequence[Case]) -> Trace | None:
    """The least that any conversation with search terms goes by; None where none has any."""
    order: tuple[Trace, ...] = ("path", "contents", "system")
    traces = {traced(case)[0] for case in cases if case.terms and case.files}
    return next((trace for trace in order if trace in traces), None)


def _of_ours(case: Case, by_file: Mapping[str, tuple[str, ...]]) -> dict[str, tuple[str, ...]]:
    return {file: tuple(by_file.get(file, ())) for file in case.files}
