"""A file of right answers: blocks that open with a step id, between rulers, lists and tables."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from tellapart.errors import InputError
from tellapart.files import read_text
from tellapart.longcontext.case import AnswerKey, Entry, Expected
from tellapart.longcontext.probes import kind_of
from tellapart.longcontext.reading.texts import check_file_kind, documented_id, entry_of
from tellapart.longcontext.token_ranges import Length

_ANSWER = ("A", "CORRECT A", "CORRECT")
_KEYS = ("Q", *_ANSWER, "TEST", "SCORE", "EXPECTED FAILURE")
"""What the lines of a block may begin with, beside the two of recency."""

_EARLY, _LATE = "CORRECT EARLY DATA", "CORRECT LATE DATA"
# A digit tells an id from a word such as "Careful:".
_OPENS = re.compile(r"^([CV](?=[\w.-]*\d)[\w.-]*)[ \t]*(?:\((.*)\))?[ \t]*(:?)[ \t]*(.*)$", re.I)
_RULER = re.compile(r"^(?:===.*===|---.*---|DIFFICULTY:.*)$", re.I)
_KEY = re.compile(r"^(\s*)([A-Z]+(?:[ _—–-]+[A-Z]+)*)\s*:\s*(.*)$")
_NUMBERED = re.compile(r"^\s*[^\W\d]\w* \d+\s*:")

_Notes = list[tuple[int, str]]


@dataclass
class _Block:
    """What stands below a step id: lines by key, and how far keys are moved in; None before the first."""

    id: str
    failure_mode: str | None
    line: int
    fields: dict[str, list[str]] = field(default_factory=dict)
    entries: list[Entry] = field(default_factory=list)
    indent: int | None = None
    current: str | None = "A"

    def value(self, *names: str) -> str | None:
        """The lines of these keys, without empty ones; None where there are none."""
        return "\n".join(part for name in names for part in self.fields.get(name, ()) if part) or None

    def take(self, line: str, number: int, notes: _Notes) -> None:
        """Put a line where it belongs."""
        key = _KEY.match(line)
        name = re.sub(r"[\s_—–-]+", " ", key[2]) if key else ""
        if entry := entry_of(line):
            self.entries.append(entry)
        elif key and name in (*_KEYS, _EARLY, _LATE):
            self.indent = len(key[1]) if self.indent is None else self.indent
            self.fields.setdefault(name, []).append(key[3].strip())
            self.current = name
        elif key and (self.indent is None or len(key[1]) <= self.indent):
            what = f"the key {name + ':'!r} of {self.id} is not known and was left out"
            notes.append((number, f"{what}; known are {', '.join(_KEYS)}"))
            self.current = None
        elif _NUMBERED.match(line) and self._is_enumeration:
            what = "is not an entry, expected such as 'Study 5: Name, 2019, N=423'"
            notes.append((number, f"{line.strip()!r} {what}"))
        elif self.indent and not line[0].isspace():
            # Beside the block, not below it.
            self.current = None
        elif self.current is not None:
            self.fields.setdefault(self.current, []).append(line.strip())

    @property
    def _is_enumeration(self) -> bool:
        """Whether lines with numbers are entries, as far as it was read."""
        expected = Expected(self.id, self.value(*_ANSWER), self.failure_mode, entries=tuple(self.entries))
        return kind_of(self.failure_mode, expected).has_entries


def read_answers(path: Path) -> AnswerKey:
    """Read the answers.

    What is broken is left out and reported in ``notes``, each with its line: a key that is not known, a line
    of an enumeration that cannot be read, a second block of the same step (the first counts), and a block
    that has no answer.
    """
    text = read_text(path)
    check_file_kind("answers", text, path)
    notes: _Notes = []
    blocks: dict[str, _Block] = {}
    for block in list(_blocks(text, notes)):
        first = blocks.setdefault(block.id.casefold(), block)
        if first is not block:
            notes.append((block.line, f"{block.id} occurs twice; the first, in line {first.line}, counts"))
    if not blocks:
        raise InputError(
            "there is no answer in this file",
            where=path,
            next_step="A block begins with a line such as 'V2-1 (Confabulation):', and below it 'A: …'",
        )
    of_steps, of_cases = _intended(text)
    by_id = {block.id: _expected(block, of_steps.get(id_)) for id_, block in blocks.items()}
    notes += [
        (block.line, f"{block.id} has no answer: a block needs 'A:' or 'CORRECT A:'")
        for block in blocks.values()
        if not kind_of(block.failure_mode, by_id[block.id]).can_grade(by_id[block.id])
    ]
    sentences = tuple(f"line {line}: {what}" for line, what in sorted(notes))
    return AnswerKey(by_id, sentences, str(path), cases=of_cases)


def _blocks(text: str, notes: _Notes) -> Iterator[_Block]:
    """Take a file apart; a block is filled after it is given."""
    block: _Block | None = None
    for number, line in enumerate(text.split("\n"), 1):
        if opened := _opened(line, number, notes):
            block = opened
            yield block
        elif _RULER.match(line.strip()):
            block = None
        elif block and line.strip() and not line.lstrip().startswith("|"):
            block.take(line, number, notes)


def _opened(line: str, number: int, notes: _Notes) -> _Block | None:
    """The block that a line opens: with its ``:`` as documented, with the answer behind it, or without."""
    match = _OPENS.match(line)
    if match is None or not (match[3] or not match[4]):
        return None
    block = _Block(documented_id(match[1]), (match[2] or "").strip() or None, number)
    if not match[3]:
        notes.append((number, f"{block.id} has no ':' behind it; read as the beginning of its block"))
    if match[4]:
        block.fields["A"] = [match[4].strip()]
    return block


def _expected(block: _Block, intended: Length | None) -> Expected:
    test = block.value("TEST")
    return Expected(
        block.id,
        block.value(*_ANSWER),
        block.failure_mode,
        test=test,
        early=block.value(_EARLY),
        late=block.value(_LATE),
        entries=tuple(block.entries),
        intended_tokens=intended or _tokens(_AT, test or ""),
    )


_AMOUNT = r"(?<!\d)(?P<low>\d++(?:\.\d++)?)\s*+(?P<unit>K?)\s*+(?:[-–—]\s*+(?P<high>\d++(?:\.\d++)?)\s*+)?K\b"
_ABOUT = re.compile(rf"~\s*{_AMOUNT}", re.I)
_AT = re.compile(rf"(?:~\s*|\bat\s+){_AMOUNT}", re.I)
_ANY = re.compile(_AMOUNT, re.I)
_ROW = re.compile(r"^\|\s*(\w[\w.-]*)\s*\|(.*)\|$")
_CASE = re.compile(r"^===.*?\bCASE\s+(\d+)\b.*===$", re.I)
_DIFFICULTY = re.compile(r"^DIFFICULTY\s*:(.*)$", re.I)


def _intended(text: str) -> tuple[dict[str, Length], dict[str, Length]]:
    """Tokens by step id in small letters, from tables, and by the number of a case, from its difficulty."""
    of_steps, of_cases = dict[str, Length](), dict[str, Length]()
    case: str | None = None
    for line in map(str.strip, text.split("\n")):
        if line.startswith("==="):
            header = _CASE.match(line)
            case = header[1] if header else None
        elif (row := _ROW.match(line)) and (tokens := _tokens(_ABOUT, row[2])):
            of_steps[row[1].casefold()] = tokens
        elif case and (words := _DIFFICULTY.match(line)) and (tokens := _tokens(_ANY, words[1])):
            of_cases[case] = tokens
    return of_steps, of_cases


def _tokens(pattern: re.Pattern[str], text: str) -> Length | None:
    """The first amount of tokens in a text; of a range both ends."""
    match = pattern.search(text)
    if match is None:
        return None
    least, most = (round(1000 * float(match[end] or match["low"])) for end in ("low", "high"))
    return (least, most) if 0 < least < most else least
