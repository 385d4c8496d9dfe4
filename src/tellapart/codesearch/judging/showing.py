"""What the judge sees of a file: its path and the beginning of its contents."""

from __future__ import annotations

from dataclasses import dataclass

from tellapart.codesearch.failed import Failed
from tellapart.codesearch.repositories import NotThere, OutOfBounds, Repositories

LONGEST_FILE = 8_000
"""Characters of a file that are shown, 2,700 tokens; 55 % of the modules of CPython's library fit whole."""

UNREADABLE = "unreadable"
"""Kind of a failure: there is nothing that could be shown to the judge."""

NOT_THERE = "not_there"
"""Kind of a failure: there is no such file, so that the search made it up."""

MOST_BYTES = 10_000_000
"""Of a file whose beginning is shown; explorers read smaller ones, but what we found has to be judged."""

_BYTES_A_CHARACTER = 4


@dataclass(frozen=True)
class Shown:
    """A file as the judge sees it.

    Attributes:
        path: ``repo/path``.
        extent: How much of it is shown, in our words alone.
        text: The contents, as far as they are shown.
    """

    path: str
    extent: str
    text: str


def show(repositories: Repositories, path: str, longest: int = LONGEST_FILE) -> Shown | Failed:
    """Read the beginning of a file.

    Args:
        repositories: What may be read.
        path: ``repo/path``.
        longest: Characters, code points, that are shown; a cut is at the end of a line where there is one.

    Returns:
        What is shown; or why nothing is, with the cause ``infeasible``: the file is not there, is no text, is
        larger than ``MOST_BYTES``, or may not be read. Bytes that are no UTF-8 are shown as U+FFFD.
    """
    try:
        data = repositories.read_bytes(path, MOST_BYTES)
    except NotThere as error:
        return Failed("infeasible", NOT_THERE, error.what)
    except OutOfBounds as error:
        return _unreadable(error.what)
    if b"\0" in data:
        return _unreadable("the file is no text")
    # Most of a large file is never shown; a character may be cut in two after those that are.
    text = data[: _BYTES_A_CHARACTER * (longest + 1)].decode("utf-8", "replace")
    if not text:
        return Shown(path, "its contents, which are empty", "")
    if len(text) <= longest:
        return Shown(path, "its contents", text.rstrip("\n"))
    beginning = head(text, longest)
    return Shown(
        path, f"the first {len(beginning):,} characters of its contents of {len(data):,} bytes", beginning
    )


def head(text: str, longest: int) -> str:
    """The whole lines within the first ``longest`` characters; a first line too long alone is cut within."""
    if len(text) <= longest:
        return text
    end = text.rfind("\n", 0, longest + 1)
    return text[: end if end > 0 else longest]


def _unreadable(why: str) -> Failed:
    return Failed("infeasible", UNREADABLE, why)
