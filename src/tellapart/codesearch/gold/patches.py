"""The files that a patch changes, by their names before it."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass, field

_HUNK = re.compile(r"@@ -\d+(?:,(\d+))? \+\d+(?:,(\d+))? @@")
_FURTHER = re.compile(r"(new file mode|rename from|rename to|copy to) (.+)")
_QUOTED = re.compile(r"(\"(?:[^\"\\]|\\.)*\"|[^\"]+) (\"(?:[^\"\\]|\\.)*\"|[^\"]+)")
_NOWHERE = "/dev/null"


@dataclass(frozen=True)
class PatchFiles:
    """The files of a patch.

    Attributes:
        changed: Those that were there before, changed, renamed or deleted, in order; a renamed one by its
            former name.
        added: Those that it adds, and copies.
    """

    changed: tuple[str, ...]
    added: tuple[str, ...]


def files_of_patch(patch: str) -> PatchFiles:
    """Read a unified diff as git or diff writes it; lines that are none of its own are passed over.

    A copy is added, and its source unchanged. In front of names stands ``a/`` and ``b/``, or nothing.
    """
    changed: dict[str, None] = {}
    added: dict[str, None] = {}
    for before, after in _pairs(patch):
        if before is None and after is not None:
            added[after] = None
        elif before is not None:
            changed[before] = None
    return PatchFiles(tuple(changed), tuple(added))


def _pairs(patch: str) -> Iterator[tuple[str | None, str | None]]:
    """Names before and after, of each file; None for one that is not there."""
    part = _Part()
    before = ""
    old_lines = new_lines = 0
    for line in patch.splitlines():
        if old_lines > 0 or new_lines > 0:  # Inside a hunk a removed line may look like a header.
            old_lines -= line[:1] in ("-", " ", "")
            new_lines -= line[:1] in ("+", " ", "")
            continue
        if hunk := _HUNK.match(line):
            old_lines, new_lines = int(hunk[1] or 1), int(hunk[2] or 1)
        elif line.startswith("diff --git "):
            if part.is_open:
                yield part.without_hunks()
            part = _Part.of_header(line.removeprefix("diff --git "))
        elif part.is_open and (further := _FURTHER.match(line)):
            part.facts[further[1]] = _name(further[2])
        elif line.startswith("--- "):
            before = _name(line[4:])
        elif line.startswith("+++ "):
            yield part.with_hunks(before, _name(line[4:]))
            part, before = _Part(), ""
    if part.is_open:
        yield part.without_hunks()


@dataclass(frozen=True)
class _Part:
    """What git says of one file in front of its hunks; nothing where diff alone wrote them."""

    is_open: bool = False
    name: str | None = None
    facts: dict[str, str] = field(default_factory=dict)

    @classmethod
    def of_header(cls, header: str) -> _Part:
        """Read the two names, which are one but for what stands in front of them, unless it is renamed."""
        for before, after in _splits(header):
            if _bare(before) == _bare(after):
                return cls(True, _bare(before))
        return cls(True)

    def without_hunks(self) -> tuple[str | None, str | None]:
        """Names of what has no changed line: renamed, copied, empty, binary, or of another mode."""
        before, after = self.facts.get("rename from"), self.facts.get("rename to", self.facts.get("copy to"))
        if after is not None:
            return before, after
        return (None if "new file mode" in self.facts else self.name), self.name

    def with_hunks(self, before: str, after: str) -> tuple[str | None, str | None]:
        """Names of what has changed lines, whose names are as ``---`` and ``+++`` have them."""
        if "rename from" in self.facts or "copy to" in self.facts:
            return self.without_hunks()
        there = [None if name == _NOWHERE else _bare(name) or None for name in (before, after)]
        return there[0], there[1]


def _splits(header: str) -> Iterator[tuple[str, str]]:
    """The ways to cut ``before after`` into two names, in which there may be spaces."""
    if '"' in header:
        if quoted := _QUOTED.fullmatch(header):
            yield _name(quoted[1]), _name(quoted[2])
        return
    for space in re.finditer(" ", header):
        yield header[: space.start()], header[space.end() :]


def _bare(name: str) -> str:
    """A name without what git puts in front of it."""
    return name[2:] if name.startswith(("a/", "b/")) else name


def _name(given: str) -> str:
    """A name; git quotes one as C does, bytes above 127 in octal."""
    name = given.split("\t")[0].rstrip()
    if len(name) < 2 or not name[0] == name[-1] == '"':
        return name
    try:
        return bytes(ast.literal_eval(f"b{name}")).decode("utf-8", "replace")
    except (SyntaxError, ValueError):
        return name[1:-1]
