"""What an agent may do with the repositories: list, glob, grep and read; every answer is a short text.

Answers are the same whenever the files are, and say what they leave out. Nothing is searched that is not
listed, unless by its path; what is not listed may be read by its path too, where ``Repositories`` lets it.
Text from files cannot pass for the tool's own words: each line of it follows its path or its number, and what
cannot be seen is named.
"""

from __future__ import annotations

import re
from collections import Counter

import polars as pl

from tellapart.codesearch.explorers.line_search import (
    LONGEST_PATTERN,
    MOST_CHARACTERS,
    Readable,
    check_length,
    fitting,
    plural,
    search_lines,
    short,
    text_lines,
)
from tellapart.codesearch.repositories import NotThere, OutOfBounds

__all__ = ["Readable", "find_paths", "list_directory", "read_lines", "search_lines"]

MOST_ENTRIES = 300
"""Paths in one answer."""

MOST_LINES = 400
"""Lines that one reading shows."""

_GLOB = re.compile(rf"\*\*/|\*\*|\*|\?|\[[!^]?\]?[^\]/]{{0,{LONGEST_PATTERN}}}\]|[{{}},]|.", re.DOTALL)
_GLOB_WORDS = {"**/": "(?:[^/]+/)*", "**": ".*", "*": "[^/]*", "?": "[^/]", "{": "(?:", ",": "|", "}": ")"}


def list_directory(readable: Readable, path: str = "") -> str:
    """List a directory: directories with the number of files below them, then files."""
    path = path.removesuffix("/") if len(path) > 1 else path
    if path:
        directory = readable.repositories.locate(path)
        if directory.is_file():
            raise NotThere(f"{path!r} is a file", next_step="Read it")
        if not directory.is_dir():
            raise NotThere(f"there is no directory {path!r}", next_step="List the one above it")
    prefix = f"{path}/" if path else ""
    below = [file.removeprefix(prefix).partition("/") for file in readable.below(path)]
    directories = Counter(name for name, slash, _ in below if slash)
    counted = [f"{prefix}{name}/ ({plural(count, 'file')})" for name, count in sorted(directories.items())]
    files = [f"{prefix}{name}" for name, slash, _ in below if not slash]
    if not below:
        return "No file is listed here: what is vendored, generated or ignored is left out."
    return _paths([*counted, *files], "entry", "entries")


def find_paths(readable: Readable, pattern: str) -> str:
    """Find files by their paths."""
    check_length(pattern)
    words = (_GLOB_WORDS.get(word) or _glob_class(word) for word in _GLOB.findall(pattern.strip("/")))
    try:
        # Where nothing is counted, this engine takes a time in proportion to the text.
        matching = pl.Series(readable.files, dtype=pl.String).str.contains(f"(?:^|/){''.join(words)}$")
    except pl.exceptions.ComputeError:
        raise OutOfBounds(
            f"{pattern!r} is not a glob", next_step="See that its brackets are closed"
        ) from None
    paths = [readable.files[i] for i in matching.arg_true()]
    return _paths(paths, "file", "files") if paths else "No path matches."


def read_lines(readable: Readable, path: str, first_line: int = 1, lines: int = MOST_LINES) -> str:
    """Read a piece of a file, with line numbers."""
    there = text_lines(readable.repositories.read_bytes(path))
    if there is None:
        raise OutOfBounds(f"{path!r} is not shown: it is not text", next_step="Go on without it")
    if not there:
        return f"{path} is empty."
    if not 1 <= first_line <= len(there):
        raise OutOfBounds(f"{path!r} has the lines 1 to {len(there):,}, and {first_line:,} is none of them")
    shown: list[str] = []
    room = MOST_CHARACTERS
    for number, line in enumerate(there[first_line - 1 :][: max(1, min(lines, MOST_LINES))], first_line):
        text = f"{number}| {short(line)}"
        room -= len(text) + 1
        if room < 0:
            break
        shown.append(text)
    last = first_line + len(shown) - 1
    more = (
        f"\n{len(there) - last:,} more lines; go on with first_line={last + 1}" if last < len(there) else ""
    )
    return f"{path}, lines {first_line:,} to {last:,} of {len(there):,}:\n" + "\n".join(shown) + more


def _glob_class(word: str) -> str:
    """A character by itself, or a class of some, in the words of a regular expression."""
    if len(word) < 2:
        return re.escape(word)
    body = word[1:-1]
    negated = body[0] in "!^"
    escaped = re.sub(r"([^-0-9A-Za-z])", r"\\\1", body[negated:])
    return f"[^/{escaped}]" if negated else f"[{escaped}]"


def _paths(paths: list[str], singular_form: str, plural_form: str) -> str:
    shown = fitting(paths[:MOST_ENTRIES])
    count = f"{len(paths):,} {singular_form if len(paths) == 1 else plural_form}"
    cut = (
        f"; shown are the first {len(shown):,}, narrow the path or the pattern"
        if len(shown) < len(paths)
        else ""
    )
    return "\n".join([f"{count}{cut}.", *shown])
