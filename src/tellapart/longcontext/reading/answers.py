"""A file of right answers: blocks that open with a step id, between rulers, lists and tables."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from tellapart.longcontext.case import AnswerKey, Entry, Expected
from tellapart.longcontext.reading.texts import read_text

_OPENS = re.compile(r"^([CV]\d+-\d+)\s*(?:\((.*)\))?\s*:\s*$")
_RULER = re.compile(r"^(?:===.*===|---.*---|DIFFICULTY:.*)$")
_KEY = re.compile(
    r"^\s+(Q|A|CORRECT A|CORRECT\s*[—–-]+\s*(?:EARLY|LATE) DATA|CORRECT|TEST|SCORE|EXPECTED FAILURE)"
    r"\s*:\s*(.*)$"
)
_ENTRY = re.compile(r"^\s*(Study \d+)\s*:\s*(.+?),\s*(\d{4}),\s*N\s*=\s*([\d,]+)\s*(.*)$")
_ROW = re.compile(r"^\|\s*([CV]\d+-\d+)\s*\|(.*)\|\s*$")
_CONTEXT = re.compile(r"~\s*([\d.]+)\s*K\b", re.I)


@dataclass
class _Block:
    id: str
    failure_mode: str | None
    line: int
    fields: dict[str, list[str]] = field(default_factory=dict)
    entries: list[Entry] = field(default_factory=list)


def read_answers(path: Path) -> AnswerKey:
    """Read the answers.

    Raises:
        InputError: The file cannot be read.
    """
    text = read_text(path)
    blocks = {block.id: block for block in _blocks(text)}
    intended = _intended(text)
    return AnswerKey(
        {id_: _expected(block, intended.get(id_)) for id_, block in blocks.items()}, (), str(path)
    )


def _blocks(text: str) -> Iterator[_Block]:
    block: _Block | None = None
    current = ""
    for number, line in enumerate(text.split("\n"), 1):
        if opens := _OPENS.match(line):
            if block:
                yield block
            block, current = _Block(opens[1], opens[2], number), ""
        elif _RULER.match(line.strip()):
            if block:
                yield block
            block = None
        elif block and (entry := _ENTRY.match(line)):
            block.entries.append(_entry(entry))
        elif block and (key := _KEY.match(line)):
            current = re.sub(r"\s*[—–-]+\s*", " ", key[1])
            block.fields.setdefault(current, []).append(key[2].strip())
        elif block and current and line.strip():
            block.fields[current].append(line.strip())
    if block:
        yield block


def _entry(match: re.Match[str]) -> Entry:
    return Entry(
        match[1], match[2], int(match[3]), int(match[4].replace(",", "")), match[5].strip().strip("()")
    )


def _expected(block: _Block, intended: int | None) -> Expected:
    def value(*names: str) -> str | None:
        parts = [part for name in names for part in block.fields.get(name, ()) if part]
        return "\n".join(parts) or None

    return Expected(
        block.id,
        value("A", "CORRECT A", "CORRECT"),
        block.failure_mode,
        value("Q"),
        value("TEST"),
        value("SCORE"),
        value("EXPECTED FAILURE"),
        value("CORRECT EARLY DATA"),
        value("CORRECT LATE DATA"),
        tuple(block.entries),
        intended_tokens=intended,
    )


def _intended(text: str) -> dict[str, int]:
    """The column of estimated contexts of whatever tables there are."""
    found = {}
    for line in text.split("\n"):
        if (row := _ROW.match(line)) and (tokens := _CONTEXT.search(row[2])):
            found[row[1]] = round(float(tokens[1]) * 1000)
    return found
