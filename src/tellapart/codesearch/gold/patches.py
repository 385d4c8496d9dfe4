"""The files that a patch changes, by their names before it."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass

_HUNK = re.compile(r"@@ -\d+(?:,(\d+))? \+\d+(?:,(\d+))? @@")
_HEADER = re.compile(r"diff --git (\"?)a/(.+?)\1 (\"?)b/(.+?)\3$")
_NOWHERE = "/dev/null"


@dataclass(frozen=True)
class PatchFiles:
    """The files of a patch.

    Attributes:
        changed: Those that were there before, changed, renamed or deleted, in order; a renamed one by its
            former name.
        added: Those that it adds.
    """

    changed: tuple[str, ...]
    added: tuple[str, ...]


def files_of_patch(patch: str) -> PatchFiles:
    """Read a unified diff as git or diff writes it; lines that are none of its own are passed over."""
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
    before: str | None = None
    header: tuple[str, str] | None = None
    new = False
    old_lines = new_lines = 0
    for line in patch.splitlines():
        if old_lines > 0 or new_lines > 0:  # Inside a hunk a removed line may look like a header.
            old_lines -= line[:1] in ("-", " ", "")
            new_lines -= line[:1] in ("+", " ", "")
            continue
        if hunk := _HUNK.match(line):
            old_lines, new_lines = int(hunk[1] or 1), int(hunk[2] or 1)
        elif line.startswith("diff --git "):
            if header:
                yield (None if new else header[0]), header[1]
            found = _HEADER.match(line)
            header = (_unquoted(found[1], found[2]), _unquoted(found[3], found[4])) if found else None
            new = False
        elif line.startswith("new file mode"):
            new = True
        elif line.startswith("--- "):
            before = _name(line[4:])
        elif line.startswith("+++ "):
            after = _name(line[4:])
            header = None
            yield before, after
            before = None
    if header:
        yield (None if new else header[0]), header[1]


def _name(given: str) -> str | None:
    name = given.split("\t")[0].rstrip()
    name = _unquoted('"', name[1:-1]) if name.startswith('"') and name.endswith('"') else name
    return None if name == _NOWHERE else re.sub(r"^[ab]/", "", name)


def _unquoted(quote: str, name: str) -> str:
    """What git quotes as C does, bytes above 127 in octal."""
    if not quote:
        return name
    try:
        return bytes(ast.literal_eval(f'b"{name}"')).decode("utf-8", "replace")
    except (SyntaxError, ValueError):
        return name
