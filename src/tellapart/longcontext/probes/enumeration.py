"""Probes that ask for a whole list: how many of its entries a response gets right."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from tellapart.longcontext.case import Entry, Expected
from tellapart.longcontext.grades import Grade, not_graded
from tellapart.longcontext.probes.kind import ProbeKind, answer_of, lists_entries
from tellapart.longcontext.probes.needs import Needs, part_of_entry
from tellapart.longcontext.probes.passages import authors_in
from tellapart.longcontext.rules.refusals import refuses
from tellapart.longcontext.values.entries import references
from tellapart.longcontext.values.numerals import Numeral, numerals

LONGEST = 60_000
"""Characters of a response that are read."""

# Matched against what stands before a number: "N=", "sample size of", "total:".
_LABEL = re.compile(
    r"(?:\b[Nn]|\bsample(?:\s+size)?|\btotal(?:\s+of)?)\s?(?:[=:≈]|of|was|is)?\s?[*_`\"]{0,3}$"
)
_PEOPLE = re.compile(
    r"[*_`]{0,3}\s(?:\w+\s){0,2}?(?:participants|adults|patients|subjects|people|children|individuals)\b",
    re.I,
)
_OF = re.compile(r"\s?(?:of|/|out of)\s?")
# "12 centers", unlike "342, and" and "342 in".
_OF_SOMETHING = re.compile(
    r"[*_`]{0,3}[ -](?!(?:and|in|of|at|from|for|with|were|was|total|but|or|as|on|by|who|had|plus)\b)[a-z]{3,}"
)
# What stands before an author: "23. ", "| 23 | ", "- **Study 23:** ", "; 23) ".
_NUMBER = re.compile(
    r"(?:(?:^|;)[^\w\n]{0,12}|#|\b(?:study|trial|article|paper|report|entry|document|experiment|record|item|no)"
    r"\.?\s{0,2}#?)(\d{1,4})[^\w\n]{1,8}(?:by\s)?$",
    re.M | re.I,
)
_OTHER = re.compile(r"(?<![^\W_])[^\W\d_a-z][^\W\d_]+(?:\s+et\s+al\.?)?,?\s*\(?(?:19|20)\d\d\b")


class _Enumeration(ProbeKind):
    name = "enumeration"
    precedence = 30
    failure_mode = "enumeration"
    has_entries = True

    def is_given(self, expected: Expected, failure_mode: str) -> bool:
        return lists_entries(expected)

    def can_grade(self, expected: Expected | None) -> bool:
        return bool(answer_of(expected) or (expected and expected.entries))

    def needs_judge(self, expected: Expected) -> bool:
        return not expected.entries

    def needs(self, question: str, expected: Expected) -> Needs:
        return Needs(tuple(map(part_of_entry, expected.entries)))

    def grade(self, question: str, response: str, expected: Expected, material: Sequence[str]) -> Grade:
        if expected.entries:
            return grade_enumeration(response, expected.entries)
        return not_graded("the key has no entries to count")


KIND = _Enumeration()


@dataclass(frozen=True)
class Line:
    """What a response says of one author in one place.

    Attributes:
        author: As the key spells it.
        number: Of the entry that the response gives it, as in ``23. Chen`` and ``Study 23 (Chen``; None where
            it gives none.
        size: The number that it gives as N; None where it gives none.
        plainness: How plainly it does: 2 of what is said to be N or of people, 1 of a bare number, 0 of a
            number of something else, such as ``12 centers``.
    """

    author: str
    number: int | None
    years: frozenset[str]
    size: str | None
    plainness: int = 0


def grade_enumeration(response: str, entries: Sequence[Entry]) -> Grade:
    """Count the entries with the right author and the right N.

    Each entry is held against one line of its author, and each line counts for one entry, see ``matched``.
    What is listed besides counts neither for nor against. CORRECT if all entries are
    right, PARTIAL if some; HALLUCINATED if none is but entries are given, REFUSED if none is given. Years are
    not counted.
    """
    text = re.sub(r"[^\S\n]{2,}", " ", re.sub(r"\S{100,}", "…", response[:LONGEST]))
    lines = lines_of(text, tuple(entry.author for entry in entries))
    of_entry = matched(entries, lines)
    right = [entry for entry, line in zip(entries, of_entry, strict=True) if line and _is_right(entry, line)]
    n, of = len(right), len(entries)
    reason = f"{n}/{of} correct"
    if n == of:
        return Grade("CORRECT", reason, reason, correct=n, of=of)
    wrong = next((entry for entry in entries if entry not in right), entries[0])
    detail = f"{wrong.label}: {wrong.author}" + (f", N={wrong.size}" if wrong.size is not None else "")
    if n:
        return Grade("PARTIAL", reason, detail, correct=n, of=of)
    given = any(line.size is not None for line in lines) or _gives_entries(text)
    if given or not (refuses(text) or not text.strip()):
        return Grade("HALLUCINATED", reason, detail, correct=0, of=of)
    return Grade("REFUSED", f"{reason}: it says that it does not know.", detail, correct=0, of=of)


def lines_of(text: str, authors: Sequence[str]) -> list[Line]:
    """What a response says of each author it names, in order; one line of prose may tell of several."""
    lines = []
    marks = authors_in(text, authors)
    ends = [at for at, _ in marks[1:]] + [len(text)]
    before = 0
    for (at, author), after in zip(marks, ends, strict=False):
        newline = text.find("\n", at)
        end = min(after, newline if newline >= 0 else len(text))
        begin = at + len(author)
        if other := _OTHER.search(text, begin, end):
            end = other.start()
        years = frozenset(re.findall(r"(?<!\d)(?:19|20)\d\d(?!\d)", text[begin:end]))
        number = _NUMBER.search(text, max(before, text.rfind("\n", 0, at) + 1, at - 60), at)
        size, plainness = _size(text[begin:end])
        lines.append(Line(author, int(number[1]) if number else None, years, size, plainness))
        before = begin
    return lines


def matched(entries: Sequence[Entry], lines: Sequence[Line]) -> list[Line | None]:
    """The line that each entry is held against; None where there is none.

    A line of the entry's author with its number comes first, unless it has another year; then one with its
    year; then one with its number and another year. Of several of these the one that gives N most plainly,
    then the first. An entry without any has the first other line of its author with the right N, if the line
    tells of something new: of lines with the same number and years only as many count as the key has entries
    of the author. Each line serves one entry.
    """
    of_entry: list[Line | None] = [None] * len(entries)
    left = dict(enumerate(lines))
    pairs = sorted(
        (-_rank(entry, line), -line.plainness, at, index)
        for at, line in enumerate(lines)
        for index, entry in enumerate(entries)
        if entry.author == line.author and _rank(entry, line) and (line.size or entry.size is None)
    )
    for _, _, at, index in pairs:
        if of_entry[index] is None and at in left:
            of_entry[index] = left.pop(at)
    authors = Counter(entry.author for entry in entries)
    used: Counter[tuple[str, int | None, frozenset[str]]] = Counter()
    new = []
    for at, line in sorted(enumerate(lines), key=lambda numbered: -numbered[1].plainness):
        same = line.author, line.number, line.years
        used[same] += 1
        if at in left and used[same] <= authors[line.author]:
            new.append(at)
    for index, entry in enumerate(entries):
        if of_entry[index] is None:
            at = next((at for at in new if at in left and _is_right(entry, left[at])), -1)
            of_entry[index] = left.pop(at, None)
    return of_entry


def _rank(entry: Entry, line: Line) -> int:
    """How surely a line of an entry's author means the entry; 0 where nothing but the author says so."""
    entry_number = re.search(r"\d+", entry.label)
    numbered = entry_number is not None and line.number == int(entry_number[0])
    dated = entry.year is not None and str(entry.year) in line.years
    if numbered and (dated or not line.years or entry.year is None):
        return 3
    return 2 if dated else int(numbered)


def _is_right(entry: Entry, line: Line) -> bool:
    return line.author == entry.author and (entry.size is None or line.size == str(entry.size))


def _size(part: str) -> tuple[str | None, int]:
    """The number that is given as N in what follows an author, and how plainly it is, as ``Line`` says.

    One that is said to be N, or of people, comes first; else the first that is neither a year, nor has
    a unit, nor is an entry's number. Of ``312 of 445`` it is the whole, unless the first is said to be N.
    """
    cut = min((at for _, at in references(part)), default=len(part))
    numbers = [
        number for number in numerals(part) if not number.amount.unit and (number.start < cut or cut == 0)
    ]
    for number in numbers:
        if _LABEL.search(part[: number.start]):
            return str(number.amount.value), 2
    plain = [number for number in numbers if not _is_year(number, part)]
    for number, after in zip(plain, plain[1:], strict=False):
        between = part[number.end : after.start]
        if between.strip() == "+":
            return str(number.amount.value), 2
        if _OF.fullmatch(between):
            return str(after.amount.value), 1
    for number in plain:
        if _PEOPLE.match(part, number.end):
            return str(number.amount.value), 2
    if not plain:
        return None, 0
    return str(plain[0].amount.value), 0 if _OF_SOMETHING.match(part, plain[0].end) else 1


def _is_year(number: Numeral, part: str) -> bool:
    return re.fullmatch(r"(?:19|20)\d\d", part[number.start : number.end]) is not None


def _gives_entries(text: str) -> bool:
    """Whether there are at least two lines or clauses with a name and a number that is no year."""
    return (
        len(re.findall(r"(?<![^\W\d_])[a-z]*+[^\W\d_a-z][^\W\d_]++[^\n;]{0,40}?\bN\s?=\s?\d", text)) > 1
        or len(_OTHER.findall(text)) > 1
    )
