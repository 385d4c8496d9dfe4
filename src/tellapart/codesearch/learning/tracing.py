"""Which search terms a file was found by, as well as that can be told."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal

from tellapart.codesearch.case import Case

Trace = Literal["system", "contents", "path"]
"""Who says which terms led to a file: the system itself, the file's text, or nothing but its path."""


def traced(case: Case) -> tuple[Trace, Mapping[str, tuple[str, ...]]]:
    """Trace each of our files to search terms.

    Returns:
        Who says so, and by file the terms; empty for a file that no term explains.
    """
    if case.result.terms_by_file:
        return "system", _of_ours(case, case.result.terms_by_file)
    if case.terms_in_files:
        return "contents", _of_ours(case, case.terms_in_files)
    # What reads repositories is slow to import, and mostly not needed.
    from tellapart.codesearch.occurrences import terms_in

    return "path", {file: terms_in(file, case.result.terms) for file in case.result.files}


def weakest(cases: Sequence[Case]) -> Trace | None:
    """The least that any conversation with search terms goes by; None where none has any."""
    order: tuple[Trace, ...] = ("path", "contents", "system")
    found = {traced(case)[0] for case in cases if case.result.terms and case.result.files}
    return next((trace for trace in order if trace in found), None)


def _of_ours(case: Case, by_file: Mapping[str, tuple[str, ...]]) -> dict[str, tuple[str, ...]]:
    return {file: tuple(by_file.get(file, ())) for file in case.result.files}
