"""A file of right answers: blocks that open with a step id, between rulers, lists and tables."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from tellapart.errors import InputError, quoted
from tellapart.files import read_text
from tellapart.longcontext.case import LONGEST_ID, AnswerKey, Entry, Expected, Length
from tellapart.longcontext.probes import kind_of

FileKind = Literal["a case", "answers", "results"]

_CASE_HEADER = re.compile(r"^[ \t]*=== *(?:SYSTEM PROMPT|MESSAGE\b.*?) *===", re.M | re.I)
_YAML_CASE = re.compile(r"^steps:", re.M)
_ANSWERS = re.compile(r"^[ \t]*[CV]\d+-\d+\s*(?:\(.*\))?\s*:\s*$", re.M | re.I)
_HINTS: dict[FileKind, str] = {
    "a case": "A case is played by 'tellapart longcontext run CASE', and given to the others with --cases",
    "answers": "Answers are given with --answers",
    "results": "Results are given to 'tellapart longcontext grade RESULTS' and 'lint … --results RESULTS'",
}


def check_file_kind(expected: FileKind, text: str, path: Path) -> None:
    """See that it is the right file."""
    if not text.strip():
        raise InputError(f"this file is empty, expected {expected}", where=path)
    kind = file_kind(text)
    if kind is not None and kind != expected:
        this = "this is" if kind == "a case" else "these are"
        raise InputError(f"{this} {kind}, expected {expected}", where=path, next_step=_HINTS[kind])


def file_kind(text: str) -> FileKind | None:
    """Which file of an experiment it looks like; None where it looks like none."""
    if text.lstrip()[:1] in ("{", "["):
        return "results"
    if _CASE_HEADER.search(text) or _YAML_CASE.search(text):
        return "a case"
    return "answers" if _ANSWERS.search(text) else None


def documented_id(written: str) -> str:
    """An id of the form ``V2-1`` in capitals, as the documented experiment has it; others as they are."""
    return written.upper() if re.fullmatch(r"[CV]\d+-\w+", written, re.I) else written


_ENTRY = re.compile(
    r"^\s*(?P<label>[^\W\d][\w .'-]*?\s\d+)\s*:\s*(?P<author>[^\s,][^,]*?)\s*"
    r"(?:,\s*(?P<year>\d{4})\s*)?,\s*N\s*=\s*(?P<size>\d{1,3}(?:,\d{3})+|\d+)(?!,?\d)\s*(?P<note>.*?)\s*$"
)


def entry_of(line: str) -> Entry | None:
    """Read a line such as ``Study 5:  Al-Hassan, 2019, N=423 (completers=312)``."""
    parts = _ENTRY.match(line)
    if parts is None:
        return None
    note = parts["note"]
    if note.startswith("(") and note.endswith(")"):
        note = note[1:-1]
    year = int(parts["year"]) if parts["year"] else None
    return Entry(parts["label"], parts["author"], year, int(parts["size"].replace(",", "")), note)


_ANSWER = ("A", "CORRECT A", "CORRECT")
_KEYS = ("Q", *_ANSWER, "TEST", "SCORE", "EXPECTED FAILURE")
"""What the lines of a block may begin with, beside the two of recency."""

_EARLY, _LATE = "CORRECT EARLY DATA", "CORRECT LATE DATA"
# A digit tells an id from a word such as "Careful:".
_OPENS = re.compile(r"^([CV](?=[\w.-]*\d)[\w.-]*)[ \t]*(?:\((.*)\))?[ \t]*(:?)[ \t]*(.*)$", re.I)
_RULER = re.compile(r"^(?:===.*===|---.*---|DIFFICULTY:.*)$", re.I)
_KEY = re.compile(r"^(\s*)([A-Z]+(?:[ _—–-]+[A-Z]+)*)\s*:\s*(.*)$")
_NUMBERED = re.compile(r"^\s*[^\W\d]\w* \d+\s*:")

Notes = list[tuple[int, str]]
"""What could not be used: its line, and what it is."""


@dataclass(frozen=True)
class _Block:
    """What stands below a step id, each line with its number."""

    id: str
    failure_mode: str | None
    line: int
    rows: list[tuple[int, str]] = field(default_factory=list)


def read_answers(path: Path) -> AnswerKey:
    """Read the answers."""
    text = read_text(path)
    check_file_kind("answers", text, path)
    notes: Notes = []
    blocks: dict[str, _Block] = {}
    by_id: dict[str, Expected] = {}
    of_steps, of_cases = _intended(text)
    for block in _blocks(text, notes):
        expected = _expected(block, of_steps.get(block.id.casefold()), notes)
        first = blocks.setdefault(block.id.casefold(), block)
        if first is not block:
            notes.append((block.line, f"{block.id} occurs twice; the first, in line {first.line}, counts"))
            continue
        by_id[block.id] = expected
        if not kind_of(block.failure_mode, expected).has_key(expected):
            notes.append((block.line, f"{block.id} has no answer: a block needs 'A:' or 'CORRECT A:'"))
    if not blocks:
        raise InputError(
            "there is no answer in this file",
            where=path,
            next_step="A block begins with a line such as 'V2-1 (Confabulation):', and below it 'A: …'",
        )
    sentences = tuple(f"line {line}: {what}" for line, what in sorted(notes))
    return AnswerKey(by_id, sentences, str(path), cases=of_cases)


def _blocks(text: str, notes: Notes) -> list[_Block]:
    """Take a file apart; a block ends at the next one or at a ruler, and rows of tables are not of it."""
    blocks: list[_Block] = []
    inside = False
    for number, line in enumerate(text.split("\n"), 1):
        opened = _OPENS.match(line)
        if opened and len(opened[1]) > LONGEST_ID:
            what = f"{quoted(opened[1])} is no id: it has more than {LONGEST_ID} characters"
            notes.append((number, what))
            inside = False
        elif opened and (opened[3] or not opened[4]):
            mode = (opened[2] or "").strip() or None
            blocks.append(_Block(documented_id(opened[1]), mode, number))
            inside = True
            if not opened[3]:
                what = f"{blocks[-1].id} has no ':' behind it; read as the beginning of its block"
                notes.append((number, what))
            if opened[4]:
                blocks[-1].rows.append((number, opened[4]))
        elif _RULER.match(line.strip()):
            inside = False
        elif inside and line.strip() and not line.lstrip().startswith("|"):
            blocks[-1].rows.append((number, line))
    return blocks


def _expected(block: _Block, intended: Length | None, notes: Notes) -> Expected:
    """Read a block: lines by the key that they stand below, those before the first key as the answer."""
    entries = tuple(entry for _, line in block.rows if (entry := entry_of(line)))
    known = Expected(block.id, None, block.failure_mode, entries=entries)
    has_entries = kind_of(block.failure_mode, known).has_entries
    values: dict[str, list[str]] = {}
    key: str | None = "A"
    indent: int | None = None
    for number, line in block.rows:
        match = _KEY.match(line)
        name = re.sub(r"[\s_—–-]+", " ", match[2]) if match else ""
        if entry_of(line):
            continue
        if match and name in (*_KEYS, _EARLY, _LATE):
            indent = len(match[1]) if indent is None else indent
            values.setdefault(name, []).append(match[3].strip())
            key = name
        elif match and (indent is None or len(match[1]) <= indent):
            what = f"the key {quoted(name + ':')} of {block.id} is not known and was left out"
            notes.append((number, f"{what}; known are {', '.join(_KEYS)}"))
            key = None
        elif _NUMBERED.match(line) and has_entries:
            what = "is not an entry, expected such as 'Study 5: Name, 2019, N=423'"
            notes.append((number, f"{quoted(line.strip())} {what}"))
        elif indent and not line[0].isspace():
            # Beside the block, not below it.
            key = None
        elif key is not None:
            values.setdefault(key, []).append(line.strip())

    def value(*names: str) -> str | None:
        return "\n".join(part for name in names for part in values.get(name, ()) if part) or None

    test = value("TEST")
    return Expected(
        block.id,
        value(*_ANSWER),
        block.failure_mode,
        test=test,
        early=value(_EARLY),
        late=value(_LATE),
        entries=entries,
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
