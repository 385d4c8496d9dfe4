"""What an agent may do with the repositories: list, glob, grep and read; every answer is a short text.

Answers are the same whenever the files are, and say what they leave out. Nothing is searched that is not
listed, unless by its path; what is not listed may be read by its path too, where ``Repositories`` lets it.
Text from files cannot pass for the tool's own words: each line of it follows its path or its number, and what
cannot be seen is named.
"""

from __future__ import annotations

import re
import time
from bisect import bisect_left
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import polars as pl

from tellapart.codesearch.repositories import NotThere, OutOfBounds, Repositories
from tellapart.llm.quoting import visible

LONGEST_LINE = 400  # Characters of a line that are shown
MOST_CHARACTERS = 30_000  # Maximum characters of one answer, about 10,000 tokens
LONGEST_PATTERN = 200  # Maximum characters of a pattern
MOST_ENTRIES = 300  # Maximum number of paths in one answer
MOST_LINES = 400  # Maximum number of lines of one reading
MOST_MATCHES = 100  # Maximum number of lines that one search shows
MATCHES_A_FILE = 10  # Maximum number of lines of one file that a search of several shows
MOST_SECONDS = 10.0  # Maximum time of one search
_BINARY = 8000
_GLOB = re.compile(rf"\*\*/|\*\*|\[[!^]?\]?[^\]/]{{0,{LONGEST_PATTERN}}}\]|.", re.DOTALL)
_GLOB_WORDS = {"**/": "(?:[^/]+/)*", "**": ".*", "*": "[^/]*", "?": "[^/]", "{": "(?:", ",": "|", "}": ")"}


@dataclass(frozen=True)
class Readable:
    """What the tools work on."""

    repositories: Repositories
    files: tuple[str, ...]

    @classmethod
    def of(cls, repositories: Repositories) -> Readable:
        """List the files once."""
        return cls(repositories, tuple(sorted(repositories.files())))

    def below(self, directory: str) -> Sequence[str]:
        """Files that are listed below a directory, at whatever depth; all of them below the empty one."""
        if not directory:
            return self.files
        # What follows a slash is a zero.
        start, end = bisect_left(self.files, f"{directory}/"), bisect_left(self.files, f"{directory}0")
        return self.files[start:end]


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
    if not below:
        return "No file is listed here: what is vendored, generated or ignored is left out."
    directories = Counter(name for name, slash, _ in below if slash)
    counted = [f"{prefix}{name}/ ({_many(count, 'file')})" for name, count in sorted(directories.items())]
    files = [f"{prefix}{name}" for name, slash, _ in below if not slash]
    return _listed([*counted, *files], "entry", "entries")


def find_paths(readable: Readable, pattern: str) -> str:
    """Find files by their paths."""
    _check_pattern(pattern)
    words = (_GLOB_WORDS.get(word) or _glob_class(word) for word in _GLOB.findall(pattern.strip("/")))
    try:
        matching = _matching(readable.files, f"(?:^|/){''.join(words)}$")
    except pl.exceptions.ComputeError:
        raise OutOfBounds(
            f"{pattern!r} is not a glob", next_step="See that its brackets are closed"
        ) from None
    paths = [readable.files[at] for at in matching]
    return _listed(paths, "file", "files") if paths else "No path matches."


def read_lines(readable: Readable, path: str, first_line: int = 1, lines: int = MOST_LINES) -> str:
    """Read a piece of a file, with line numbers."""
    there = _text_lines(readable.repositories.read_bytes(path))
    if there is None:
        raise OutOfBounds(f"{path!r} is not shown: it is not text", next_step="Go on without it")
    if not there:
        return f"{path} is empty."
    if not 1 <= first_line <= len(there):
        raise OutOfBounds(f"{path!r} has the lines 1 to {len(there):,}, and {first_line:,} is none of them")
    piece = there[first_line - 1 :][: max(1, min(lines, MOST_LINES))]
    shown = _fitting([f"{number}| {_short(line)}" for number, line in enumerate(piece, first_line)])
    last = first_line + len(shown) - 1
    more = (
        f"\n{len(there) - last:,} more lines; go on with first_line={last + 1}" if last < len(there) else ""
    )
    return f"{path}, lines {first_line:,} to {last:,} of {len(there):,}:\n" + "\n".join(shown) + more


def search_lines(
    readable: Readable,
    pattern: str,
    path: str = "",
    *,
    ignore_case: bool = False,
    seconds: float = MOST_SECONDS,
) -> str:
    """Find lines that match a regular expression, sorted by path."""
    _check_pattern(pattern)
    files = _searched(readable, path.removesuffix("/"))
    a_file = MOST_MATCHES if len(files) == 1 else MATCHES_A_FILE
    until = time.monotonic() + seconds
    unread = lines = files_with = 0
    found: list[str] = []
    stopped = ""
    for place, file in enumerate(files):
        if time.monotonic() > until:
            stopped = (
                f"Stopped after {seconds:g} seconds, {place:,} of {_many(len(files), 'file')} searched: "
                "what the others hold is not known."
            )
            break
        text = _lines_of(readable.repositories, file)
        unread += text is None
        hits = _matching_lines(text, f"(?i){pattern}" if ignore_case else pattern) if text else []
        files_with += bool(hits)
        lines += len(hits)
        found += [f"{file}:{hit + 1}: {_short(text[hit])}" for hit in hits[:a_file] if text]
    shown = _fitting(found[:MOST_MATCHES])
    notes = [f"{_many(lines, 'line')} in {_many(files_with, 'file')}." if lines else "No line matches."]
    if len(shown) < lines:
        notes.append(f"Shown are {len(shown):,}, at most {a_file} a file; narrow the pattern or the path.")
    if stopped:
        notes.append(stopped)
    if unread:
        notes.append(f"Not searched: {_many(unread, 'file')}, too large or no text.")
    return "\n".join([" ".join(notes), *shown])


def _searched(readable: Readable, path: str) -> Sequence[str]:
    if not path:
        return readable.files
    target = readable.repositories.locate(path)
    if target.is_file():
        return (path,)
    if not target.is_dir():
        raise NotThere(f"there is no {path!r}", next_step="List the directory above it")
    return readable.below(path)


def _lines_of(repositories: Repositories, file: str) -> list[str] | None:
    """The lines of a file; None for what is too large, withheld or no text."""
    try:
        return _text_lines(repositories.read_bytes(file))
    except OutOfBounds:
        return None


def _matching(texts: Sequence[str], pattern: str) -> list[int]:
    """Positions of the texts that match; this engine takes a time in proportion to text and pattern."""
    return pl.Series(texts, dtype=pl.String).str.contains(pattern).arg_true().to_list()


def _matching_lines(lines: Sequence[str], pattern: str) -> list[int]:
    try:
        return _matching(lines, pattern)
    except pl.exceptions.ComputeError as error:
        wrong = " ".join(str(error).split("error:")[-1].split())
        raise OutOfBounds(
            f"the pattern {pattern!r} is not a regular expression that can be searched for: {wrong}",
            next_step="Put a backslash before what is meant literally; there is no look-around",
        ) from None


def _check_pattern(pattern: str) -> None:
    """Refuse an empty pattern, and one that is too long."""
    if not 0 < len(pattern) <= LONGEST_PATTERN:
        raise OutOfBounds(f"the pattern has {len(pattern):,} characters, expected 1 to {LONGEST_PATTERN}")


def _glob_class(word: str) -> str:
    """A character by itself, or a class of some, in the words of a regular expression."""
    if len(word) == 1:
        return re.escape(word)
    negated = word[1] in "!^"
    body = re.sub(r"([^-0-9A-Za-z])", r"\\\1", word[1 + negated : -1])
    return f"[^/{body}]" if negated else f"[{body}]"


def _text_lines(content: bytes) -> list[str] | None:
    """Lines without their ends, the last empty one left out; None for what is no text."""
    if b"\0" in content[:_BINARY]:
        return None
    lines = content.decode("utf-8", "replace").replace("\r\n", "\n").split("\n")
    return lines[:-1] if lines[-1] == "" else lines


def _short(line: str) -> str:
    """A line as it is shown: cut, with a mark where it is, and with invisible characters named."""
    more = len(line) - LONGEST_LINE
    cut = f"… ({more:,} more characters)" if more > 0 else ""
    return visible(line[:LONGEST_LINE].replace("\r", " ")) + cut


def _fitting(lines: Sequence[str]) -> list[str]:
    """The first lines, as many as fit into an answer."""
    fitting: list[str] = []
    room = MOST_CHARACTERS
    for line in lines:
        room -= len(line) + 1
        if room < 0:
            break
        fitting.append(line)
    return fitting


def _listed(paths: list[str], singular: str, plural: str) -> str:
    shown = _fitting(paths[:MOST_ENTRIES])
    cut = f"; shown are the first {len(shown):,}, narrow the path or the pattern"
    count = f"{len(paths):,} {singular if len(paths) == 1 else plural}"
    return "\n".join([f"{count}{cut if len(shown) < len(paths) else ''}.", *shown])


def _many(count: int, word: str) -> str:
    return f"{count:,} {word if count == 1 else f'{word}s'}"
