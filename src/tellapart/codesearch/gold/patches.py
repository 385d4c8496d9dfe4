"""The files that a patch changes, by their names before it, and the lines that it changes."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from tellapart.codesearch.model import Span

_HUNK = re.compile(r"@@ -(\d+)(?:,(\d+))? \+\d+(?:,(\d+))? @@")
_FACT = re.compile(r"(diff --git|---|\+\+\+|new file mode|rename from|copy to) (.+)")
_QUOTED = re.compile(r"(\"(?:[^\"\\]|\\.)*\"|[^\"]+) (\"(?:[^\"\\]|\\.)*\"|[^\"]+)")
_NOWHERE = "/dev/null"


@dataclass(frozen=True)
class PatchFiles:
    """The files that were there before, to the lines that change, and those that are added."""

    changed: dict[str, tuple[Span, ...]]
    added: tuple[str, ...] = ()


def files_of_patch(patch: str) -> PatchFiles:
    """Read a unified diff as git or diff writes it; lines that are none of its own are passed over."""
    changed: dict[str, tuple[Span, ...]] = {}
    added: dict[str, None] = {}
    for part in _parts(patch):
        before, after = part.names()
        if before:
            changed[before] = changed.get(before, ()) + tuple(part.changes)
        elif after:
            added[after] = None
    return PatchFiles(changed, tuple(added))


@dataclass
class _Part:
    """What a patch says of one file: the lines in front of its hunks, and the lines that these change."""

    facts: dict[str, str] = field(default_factory=dict)
    changes: list[Span] = field(default_factory=list)

    def read_hunk(self, start: int, body: Iterable[str]) -> None:
        """Note the changes of a hunk whose first line had the number ``start`` before."""
        line, first, inserts = start, start, False
        for mark in (*(text[:1] or " " for text in body), " "):
            if mark == "-":
                line += 1
            elif mark == "+":
                inserts = True
            elif mark == " ":
                if first < line:
                    self.changes.append((first, line - 1))
                elif inserts:
                    self.changes.append((max(1, line - 1), line))
                line += 1
                first, inserts = line, False

    def names(self) -> tuple[str | None, str | None]:
        """The file's names before and after; None for one that is not there."""
        facts = self.facts
        if "rename from" in facts:
            return _name(facts["rename from"]), None
        if "copy to" in facts:
            return None, _name(facts["copy to"])
        if "+++" in facts:
            names = (_name(facts.get("---", _NOWHERE)), _name(facts["+++"]))
            before, after = (None if name == _NOWHERE else _bare(name) or None for name in names)
            return before, after
        # Nothing but its header names what is empty, binary, or of another mode.
        name = next((_bare(a) for a, b in _splits(facts.get("diff --git", "")) if _bare(a) == _bare(b)), None)
        return (None if "new file mode" in facts else name), name


def _parts(patch: str) -> Iterator[_Part]:
    part, lines = _Part(), iter(patch.splitlines())
    for line in lines:
        if hunk := _HUNK.match(line):
            old, new = int(hunk[2] or 1), int(hunk[3] or 1)
            # A hunk without a line of before begins behind the line that it names.
            part.read_hunk(int(hunk[1]) + (old == 0), _hunk_lines(lines, old, new))
        elif fact := _FACT.match(line):
            kind = fact[1]
            if kind == "diff --git" or (kind == "---" and "---" in part.facts):
                yield part
                part = _Part()
            part.facts[kind] = fact[2]
    yield part


def _hunk_lines(lines: Iterator[str], old: int, new: int) -> Iterator[str]:
    """The lines of a hunk, of which one that is removed may look like a header."""
    while (old > 0 or new > 0) and (line := next(lines, None)) is not None:
        old -= line[:1] in ("-", " ", "")
        new -= line[:1] in ("+", " ", "")
        yield line


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
