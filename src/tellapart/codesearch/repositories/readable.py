"""Files as an agent is shown them: listed once, in text that cannot pass for somebody else's words."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass

from tellapart.codesearch.repositories import OutOfBounds, Repositories
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
    """What the tools work on.

    Attributes:
        repositories: Decide what may be read.
        files: All that are listed, as ``repo/path``, sorted.
    """

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
    """See that a pattern is neither empty nor too long.

    Raises:
        OutOfBounds: It is.
    """
    if not 0 < len(pattern) <= LONGEST_PATTERN:
        raise OutOfBounds(f"the pattern has {len(pattern):,} characters, expected 1 to {LONGEST_PATTERN}")


def text_lines(content: bytes) -> list[str] | None:
    """Lines without their ends, the last empty one left out; None for what is no text."""
    if b"\0" in content[:_BINARY]:
        return None
    lines = content.decode("utf-8", "replace").replace("\r\n", "\n").split("\n")
    return lines[:-1] if lines[-1] == "" else lines


def short(line: str) -> str:
    """A line as it is shown: cut, which is said, and with what cannot be seen named."""
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
