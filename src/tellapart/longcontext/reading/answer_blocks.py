"""The blocks of an answers file, line by line."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from difflib import get_close_matches

from tellapart.longcontext.case import Entry, Expected
from tellapart.longcontext.probes import rule_of
from tellapart.longcontext.reading.entries import entry_of

KEYS = ("Q", "A", "CORRECT A", "CORRECT", "TEST", "SCORE", "EXPECTED FAILURE", "BANNED")
"""What the lines of a block may begin with, beside the two of recency."""

_RECENCY = ("CORRECT EARLY DATA", "CORRECT LATE DATA")
_KNOWN = (*KEYS, *_RECENCY)
_INSTEAD = {
    "ANSWER": "A",
    "CORRECT ANSWER": "CORRECT A",
    "QUESTION": "Q",
    "EXPECTED ANSWER": "A",
    "BANNED WORD": "BANNED",
}
_OF_BLOCKS_ALONE = ("Q", "A", "CORRECT A", "TEST", "EXPECTED FAILURE", *_RECENCY)
_OPENS = re.compile(r"^([CV]\d+-\w+)[ \t]*(?:\((.*)\))?[ \t]*(:?)[ \t]*(.*)$", re.I)
_RULER = re.compile(r"^(?:===.*===|---.*---|DIFFICULTY:.*)$", re.I)
_KEY = re.compile(r"^(\s*)([A-Z]+(?:[ _—–-]+[A-Z]+)*)\s*:\s*(.*)$", re.I)
_NUMBERED = re.compile(r"^\s*[^\W\d]\w* \d+\s*:")

_Notes = list[tuple[int, str]]


@dataclass
class Block:
    """What stands below a step id.

    Attributes:
        id: In capitals.
        failure_mode: In the brackets behind it; None where there are none.
        line: Where it begins, from 1.
        fields: Lines of each key, in order.
        entries: Of an enumeration.
        indent: How far its keys are moved in; None before the first.
    """

    id: str
    failure_mode: str | None
    line: int
    fields: dict[str, list[str]] = field(default_factory=dict)
    entries: list[Entry] = field(default_factory=list)
    indent: int | None = None

    def value(self, *names: str) -> str | None:
        """The lines of these keys, joined; None where there are none, or only empty ones."""
        parts = [part for name in names for part in self.fields.get(name, ()) if part]
        return "\n".join(parts) or None

    @property
    def known(self) -> Expected:
        """What its lines say so far that decides how it is graded."""
        return Expected(
            self.id, self.value("A", "CORRECT A", "CORRECT"), self.failure_mode, entries=tuple(self.entries)
        )

    @property
    def is_enumeration(self) -> bool:
        """Whether lines with numbers are entries."""
        return rule_of(self.id, self.failure_mode, self.known) == "enumeration"


def blocks_of(text: str, notes: _Notes) -> Iterator[Block]:
    """Take a file apart.

    Args:
        text: The file.
        notes: Takes lines and what is wrong in them.

    Yields:
        Blocks in order, also those with the same id.
    """
    block: Block | None = None
    current: str | None = None
    for number, line in enumerate(text.split("\n"), 1):
        if opened := _opened(line, number, notes):
            if block:
                yield block
            block, current = opened, "A"
        elif _RULER.match(line.strip()):
            if block:
                yield block
            block, current = None, None
        elif line.strip() and not line.lstrip().startswith("|"):
            current = _take(block, current, line, number, notes)
    if block:
        yield block


def _opened(line: str, number: int, notes: _Notes) -> Block | None:
    """The block that a line opens: with its ``:`` as documented, with the answer behind it, or without."""
    match = _OPENS.match(line)
    if match is None or not (match[3] or not match[4]):
        return None
    block = Block(match[1].upper(), (match[2] or "").strip() or None, number)
    if not match[3]:
        notes.append((number, f"{block.id} has no ':' behind it; read as the beginning of its block"))
    if match[4]:
        block.fields["A"] = [match[4].strip()]
    return block


def _take(block: Block | None, current: str | None, line: str, number: int, notes: _Notes) -> str | None:
    """Put a line where it belongs; returns the key that the next lines go on with, None for nowhere."""
    key = _KEY.match(line)
    name = re.sub(r"[\s_—–-]+", " ", key[2]).upper() if key else ""
    if block is None:
        if name in _OF_BLOCKS_ALONE:
            notes.append((number, f"{name + ':'!r} is in no block; a block begins with a line like 'V2-1:'"))
        return None
    if entry := entry_of(line):
        block.entries.append(entry)
        return current
    at_keys = key is not None and (block.indent is None or len(key[1]) <= block.indent)
    if key and name in _KNOWN and (at_keys or key[2].isupper()):
        block.indent = len(key[1]) if block.indent is None else block.indent
        block.fields.setdefault(name, []).append(key[3].strip())
        return name
    close = get_close_matches(name, (*_KNOWN, *_INSTEAD), n=1, cutoff=0.75) if at_keys else []
    if key and at_keys and (close or key[2].isupper()):
        meant = [_INSTEAD.get(one, one) for one in close]
        hint = f"did you mean {meant[0] + ':'!r}?" if meant else f"known are {', '.join(KEYS)}"
        notes.append(
            (number, f"the key {key[2] + ':'!r} of {block.id} is not known and was left out; {hint}")
        )
        return None
    if block.is_enumeration and _NUMBERED.match(line):
        notes.append((number, f"{line.strip()!r} is no entry, expected such as 'Study 5: Name, 2019, N=423'"))
        return current
    if block.indent and not line[0].isspace():
        # Beside the block, not below it.
        return None
    if current is not None:
        block.fields.setdefault(current, []).append(line.strip())
    return current
