"""A file of right answers: blocks that open with a step id, between rulers, lists and tables."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from tellapart.errors import InputError
from tellapart.files import read_text
from tellapart.longcontext.case import AnswerKey, Entry, Expected
from tellapart.longcontext.probes import kind_of
from tellapart.longcontext.reading.answer_forms import checked_regex, checked_tolerance, checked_unit
from tellapart.longcontext.reading.texts import check_file_kind, documented_id, entry_of
from tellapart.longcontext.token_ranges import Length

KEYS = (
    *("Q", "A", "CORRECT A", "CORRECT", "TEST", "SCORE", "EXPECTED FAILURE", "BANNED"),
    *("ACCEPT", "REQUIRED", "EXACT", "REGEX", "UNIT", "TOLERANCE"),
)
"""What the lines of a block may begin with, beside the two of recency."""

_RECENCY = ("CORRECT EARLY DATA", "CORRECT LATE DATA")
_KNOWN = (*KEYS, *_RECENCY)
_OF_BLOCKS_ALONE = ("Q", "A", "CORRECT A", "TEST", "EXPECTED FAILURE", *_RECENCY)
_OPENS = re.compile(r"^([CV]\d+-\w+)[ \t]*(?:\((.*)\))?[ \t]*(:?)[ \t]*(.*)$", re.I)
# An id of another form has its failure mode behind it, or a digit or a mark in it, unlike "Careful:".
_OPENS_OTHER = re.compile(
    r"^(?=\w[\w.-]*[ \t]*\(|\w*[\d_.-])(\w[\w.-]*)[ \t]*(?:\((.*)\))?[ \t]*(:)[ \t]*()$"
)
_RULER = re.compile(r"^(?:===.*===|---.*---|DIFFICULTY:.*)$", re.I)
_KEY = re.compile(r"^(\s*)([A-Z]+(?:[ _—–-]+[A-Z]+)*)\s*:\s*(.*)$", re.I)
_NUMBERED = re.compile(r"^\s*[^\W\d]\w* \d+\s*:")

_Notes = list[tuple[int, str]]


@dataclass
class Block:
    """What stands below a step id.

    Attributes:
        failure_mode: In the brackets behind it; None where there are none.
        line: Where it begins, from 1.
        fields: Lines of each key, in order.
        indent: How far its keys are moved in; None before the first.
    """

    id: str
    failure_mode: str | None
    line: int
    fields: dict[str, list[str]] = field(default_factory=dict)
    entries: list[Entry] = field(default_factory=list)
    indent: int | None = None

    def lines(self, *names: str) -> tuple[str, ...]:
        """The lines of these keys, without empty ones."""
        return tuple(part for name in names for part in self.fields.get(name, ()) if part)

    def value(self, *names: str) -> str | None:
        """The same, joined; None where there are none."""
        return "\n".join(self.lines(*names)) or None

    @property
    def is_enumeration(self) -> bool:
        """Whether lines with numbers are entries, as far as it was read."""
        answer = self.value("A", "CORRECT A", "CORRECT")
        expected = Expected(self.id, answer, self.failure_mode, entries=tuple(self.entries))
        return kind_of(self, expected).has_entries


def blocks_of(text: str, notes: _Notes) -> Iterator[Block]:
    """Take a file apart."""
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
    match = _OPENS.match(line) or _OPENS_OTHER.match(line)
    if match is None or not (match[3] or not match[4]) or match[1].upper() in _KNOWN:
        return None
    block = Block(documented_id(match[1]), (match[2] or "").strip() or None, number)
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
    if key and at_keys and key[2].isupper():
        what = f"the key {key[2] + ':'!r} of {block.id} is not known and was left out"
        notes.append((number, f"{what}; known are {', '.join(KEYS)}"))
        return None
    if block.is_enumeration and _NUMBERED.match(line):
        notes.append(
            (number, f"{line.strip()!r} is not an entry, expected such as 'Study 5: Name, 2019, N=423'")
        )
        return current
    if block.indent and not line[0].isspace():
        # Beside the block, not below it.
        return None
    if current is not None:
        block.fields.setdefault(current, []).append(line.strip())
    return current


_AMOUNT = r"(?<!\d)(?P<low>\d++(?:\.\d++)?)\s*+(?P<unit>K?)\s*+(?:[-–—]\s*+(?P<high>\d++(?:\.\d++)?)\s*+)?K\b"
_ABOUT = re.compile(rf"~\s*{_AMOUNT}", re.I)
_AT = re.compile(rf"(?:~\s*|\bat\s+){_AMOUNT}", re.I)
_ANY = re.compile(_AMOUNT, re.I)
_ROW = re.compile(r"^\|\s*(\w[\w.-]*)\s*\|(.*)\|\s*$")
_CASE = re.compile(r"^===.*?\bCASE\s+(\d+)\b.*===$", re.I)
_DIFFICULTY = re.compile(r"^DIFFICULTY\s*:(.*)$", re.I)


def intended_in_tables(text: str) -> dict[str, Length]:
    """Tokens by step id in small letters, from tables whose rows begin with one."""
    rows = filter(None, (_ROW.match(line.strip()) for line in text.split("\n")))
    tokens = ((row[1].casefold(), _tokens(_ABOUT, row[2])) for row in rows)
    return {id_: length for id_, length in tokens if length}


def case_intended(text: str) -> dict[str, Length]:
    """Tokens by the number of the case, from the ``DIFFICULTY:`` at its end; ``128K+`` is 128,000."""
    tokens_by_case = {}
    case: str | None = None
    for line in text.split("\n"):
        if line.startswith("==="):
            header = _CASE.match(line.strip())
            case = header[1] if header else None
        elif case and (words := _DIFFICULTY.match(line.strip())) and (tokens := _tokens(_ANY, words[1])):
            tokens_by_case[case] = tokens
    return tokens_by_case


def _tokens(pattern: re.Pattern[str], text: str) -> Length | None:
    """The first amount of tokens in a text; of a range both ends."""
    match = pattern.search(text)
    if match is None:
        return None
    least, most = (round(1000 * float(match[end] or match["low"])) for end in ("low", "high"))
    return (least, most) if 0 < least < most else least


def read_answers(path: Path) -> AnswerKey:
    """Read the answers.

    What is broken is left out and reported in ``notes``, each with its line: a line of an answer in no
    block, a key that is not known, a line of an enumeration that cannot be read, a second block of the same
    step (the first counts), and a block that has no answer.
    """
    text = read_text(path)
    check_file_kind("answers", text, path)
    notes: list[tuple[int, str]] = []
    blocks: dict[str, Block] = {}
    by_fold: dict[str, Block] = {}
    for block in blocks_of(text, notes):
        first = by_fold.setdefault(block.id.casefold(), block)
        blocks.setdefault(first.id, first)
        if first is not block:
            notes.append((block.line, f"{block.id} occurs twice; the first, in line {first.line}, counts"))
    if not blocks:
        raise InputError(
            "there is no answer in this file",
            where=path,
            next_step="A block begins with a line such as 'V2-1 (Confabulation):', and below it 'A: …'",
        )
    tables = intended_in_tables(text)
    by_id = {id_: _expected(block, tables.get(id_.casefold()), notes) for id_, block in blocks.items()}
    notes += [
        (blocks[id_].line, f"{id_} has no answer: a block needs 'A:' or 'CORRECT A:'")
        for id_, expected in by_id.items()
        if not kind_of(expected, expected).can_grade(expected)
    ]
    sentences = tuple(f"line {line}: {what}" for line, what in sorted(notes))
    return AnswerKey(by_id, sentences, str(path), cases=case_intended(text))


def _expected(block: Block, intended: Length | None, notes: _Notes) -> Expected:
    test = block.value("TEST")
    return Expected(
        block.id,
        block.value("A", "CORRECT A", "CORRECT"),
        block.failure_mode,
        question=block.value("Q"),
        test=test,
        scoring=block.value("SCORE"),
        expected_failure=block.value("EXPECTED FAILURE"),
        early=block.value("CORRECT EARLY DATA"),
        late=block.value("CORRECT LATE DATA"),
        entries=tuple(block.entries),
        banned=_word(block.value("BANNED")),
        accept=block.lines("ACCEPT"),
        required=block.lines("REQUIRED"),
        exact=(block.value("EXACT") or "").lower() in ("yes", "true"),
        regex=_checked(block, "REGEX", checked_regex, notes),
        unit=_checked(block, "UNIT", checked_unit, notes),
        tolerance=_checked(block, "TOLERANCE", checked_tolerance, notes),
        intended_tokens=intended or _tokens(_AT, test or ""),
    )


def _checked(block: Block, name: str, check: Callable[[str], str], notes: _Notes) -> str | None:
    """The value of a key; None, and a note, where it is none that can be used."""
    value = block.value(name)
    if value is None:
        return None
    try:
        return check(value)
    except ValueError as error:
        notes.append((block.line, f"{name + ':'!r} of {block.id} was left out, as {value!r} {error}"))
        return None


def _word(text: str | None) -> str | None:
    """A word, without the quotes around it; None where there is none."""
    return (text or "").split("\n")[0].strip().strip("\"'“”‘’«»`").strip() or None
