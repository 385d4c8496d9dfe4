"""Finding lines in many files: never for longer than allowed, and with what was left out said.

A regular expression may take for ever: in Python's engine by backtracking, and in engines without it through
large counts (Rust's took minutes for a megabyte with ``((a{1,30}){1,30}){1,10}``). So another process
matches, which is stopped when the time is over. It is handed the text, and opens no file.
"""

from __future__ import annotations

import json
import subprocess
import sys
import threading
import time
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

from tellapart.codesearch.explorers import line_matcher
from tellapart.codesearch.repositories import NotThere, OutOfBounds, Repositories
from tellapart.environment.programs import child_environment
from tellapart.llm.quoting import visible

LONGEST_LINE = 400
"""Characters of a line that are shown."""

MOST_CHARACTERS = 30_000
"""Characters of one answer, about 10,000 tokens."""

LONGEST_PATTERN = 200
"""Characters of a pattern."""

_BINARY = 8000


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
        prefix = f"{directory}/"
        # What follows a slash is a zero.
        return self.files[bisect_left(self.files, prefix) : bisect_left(self.files, f"{directory}0")]


def check_length(pattern: str) -> None:
    """See that a pattern is neither empty nor too long."""
    if not 0 < len(pattern) <= LONGEST_PATTERN:
        raise OutOfBounds(f"the pattern has {len(pattern):,} characters, expected 1 to {LONGEST_PATTERN}")


def text_lines(content: bytes) -> list[str] | None:
    """Lines without their ends, the last empty one left out; None for what is no text."""
    if b"\0" in content[:_BINARY]:
        return None
    lines = content.decode("utf-8", "replace").replace("\r\n", "\n").split("\n")
    return lines[:-1] if lines[-1] == "" else lines


def short(line: str) -> str:
    """A line as it is shown: cut, with a mark where it is, and with invisible characters named."""
    more = len(line) - LONGEST_LINE
    return visible(line[:LONGEST_LINE].replace("\r", " ")) + (
        f"… ({more:,} more characters)" if more > 0 else ""
    )


def fitting(lines: Sequence[str]) -> list[str]:
    """The first lines, as many as fit into an answer."""
    fitting: list[str] = []
    room = MOST_CHARACTERS
    for line in lines:
        room -= len(line) + 1
        if room < 0:
            break
        fitting.append(line)
    return fitting


def plural(count: int, word: str) -> str:
    """Say how many, with the word in its number."""
    return f"{count:,} {word if count == 1 else f'{word}s'}"


MOST_MATCHES = 100
"""Lines that one search shows."""

MATCHES_A_FILE = 10
"""Lines of one file that a search of several shows."""

MOST_SECONDS = 10.0
"""For one search."""

_BATCH_BYTES = 1_000_000

Batch = list[tuple[str, list[str]]]


class _Stopped(Exception):
    """The matcher is no longer there."""


def search_lines(
    readable: Readable,
    pattern: str,
    path: str = "",
    *,
    ignore_case: bool = False,
    seconds: float = MOST_SECONDS,
) -> str:
    """Find lines that match a regular expression, sorted by path."""
    check_length(pattern)
    files = _searched(readable, path.removesuffix("/"))
    search = _Search(readable.repositories, MOST_MATCHES if len(files) == 1 else MATCHES_A_FILE)
    until = time.monotonic() + seconds
    try:
        with _matcher(seconds) as matcher:
            wrong = _ask(matcher, f"(?i){pattern}" if ignore_case else pattern)
            if wrong is not None:
                raise OutOfBounds(
                    f"the pattern {pattern!r} is not a regular expression: {wrong}",
                    next_step="Put a backslash before what is meant literally",
                )
            for batch in search.batches(files):
                if time.monotonic() > until:
                    raise _Stopped
                search.take(batch, _ask(matcher, [lines for _, lines in batch]))
    except _Stopped:
        how_far = f"{search.done:,} of {plural(len(files), 'file')} searched"
        search.stopped = f"Stopped after {seconds:g} seconds, {how_far}: what the others hold is not known."
    return search.answer()


@contextmanager
def _matcher(seconds: float) -> Iterator[subprocess.Popen[str]]:
    """The other process, which is gone when the block ends or the time is over."""
    # Isolated, so that no module of the directory that it runs in is taken for one of Python's.
    command = [sys.executable, "-I", "-S", "-X", "utf8", str(Path(line_matcher.__file__))]
    pipe, nowhere = subprocess.PIPE, subprocess.DEVNULL
    with subprocess.Popen(
        command, stdin=pipe, stdout=pipe, stderr=nowhere, text=True, env=child_environment()
    ) as matcher:
        alarm = threading.Timer(max(seconds, 0.0), matcher.kill)
        alarm.start()
        try:
            yield matcher
        finally:
            alarm.cancel()
            matcher.kill()
            with suppress(BrokenPipeError):
                _input(matcher).close()


def _ask(matcher: subprocess.Popen[str], what: object) -> Any:
    try:
        _input(matcher).write(json.dumps(what) + "\n")
        _input(matcher).flush()
    except BrokenPipeError:
        raise _Stopped from None
    assert matcher.stdout is not None
    answer = matcher.stdout.readline()
    if not answer.endswith("\n"):
        raise _Stopped
    return json.loads(answer)


def _input(matcher: subprocess.Popen[str]) -> IO[str]:
    assert matcher.stdin is not None
    return matcher.stdin


class _Search:
    """What a search has found so far."""

    def __init__(self, repositories: Repositories, a_file: int) -> None:
        self.done = 0
        self.stopped = ""
        self._repositories, self._a_file = repositories, a_file
        self._unread = self._lines = self._files = 0
        self._shown: list[str] = []

    def batches(self, files: Sequence[str]) -> Iterator[Batch]:
        """Read files, some at a time."""
        batch: Batch = []
        size = 0
        for file in files:
            try:
                content = self._repositories.read_bytes(file)
            except OutOfBounds:
                content = b"\0"
            lines = text_lines(content)
            if lines is None:
                self._unread += 1
                self.done += 1
                continue
            batch.append((file, lines))
            size += len(content)
            if size >= _BATCH_BYTES:
                yield batch
                batch, size = [], 0
        if batch:
            yield batch

    def take(self, batch: Batch, hits_by_file: Sequence[Sequence[int]]) -> None:
        """Keep what was found in some files."""
        self.done += len(batch)
        for (file, lines), hits in zip(batch, hits_by_file, strict=True):
            self._files += bool(hits)
            self._lines += len(hits)
            self._shown += [f"{file}:{hit + 1}: {short(lines[hit])}" for hit in hits[: self._a_file]]

    def answer(self) -> str:
        """Say what was found, and what not."""
        shown = fitting(self._shown[:MOST_MATCHES])
        lines, files = plural(self._lines, "line"), plural(self._files, "file")
        notes = [f"{lines} in {files}." if self._lines else "No line matches."]
        if len(shown) < self._lines:
            most = f"at most {self._a_file} a file"
            notes.append(f"Shown are {len(shown):,}, {most}; narrow the pattern or the path.")
        if self.stopped:
            notes.append(self.stopped)
        if self._unread:
            notes.append(f"Not searched: {plural(self._unread, 'file')}, too large or no text.")
        return "\n".join([" ".join(notes), *shown])


def _searched(readable: Readable, path: str) -> Sequence[str]:
    if path:
        target = readable.repositories.locate(path)
        if target.is_file():
            return (path,)
        if not target.is_dir():
            raise NotThere(f"there is no {path!r}", next_step="List the directory above it")
    return readable.below(path)
