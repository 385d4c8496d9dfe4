"""Probes that ask for a whole list: how many of its entries a response gets right."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from tellapart.longcontext.case import Entry, Expected
from tellapart.longcontext.facts.entries import references
from tellapart.longcontext.facts.number import Numeral, numerals
from tellapart.longcontext.grades import Grade
from tellapart.longcontext.probes.kind import ProbeKind, answer_of, lists_entries
from tellapart.longcontext.probes.needs import Needs, part_of_entry
from tellapart.longcontext.rules.by_facts import grade_facts
from tellapart.longcontext.rules.claims import readable
from tellapart.longcontext.rules.manner import hedges, refuses
from tellapart.longcontext.rules.passages import authors_in

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
_OTHER = re.compile(r"(?<![^\W_])[^\W\d_a-z][^\W\d_]+(?:\s+et\s+al\.?)?,?\s*\(?(?:19|20)\d\d\b")


class _Enumeration(ProbeKind):
    name = "enumeration"
    precedence = 30
    failure_mode = "enumeration"
    documented_ids = ("V3-3",)
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
        return grade_facts(question, readable(response), expected, material)


KIND = _Enumeration()


@dataclass(frozen=True)
class Line:
    """What a response says of one author.

    Attributes:
        author: As the key spells it.
        years: Years beside it.
        size: The number that it gives as N; None where it gives none.
    """

    author: str
    years: frozenset[str]
    size: str | None


def grade_enumeration(response: str, entries: Sequence[Entry]) -> Grade:
    """Count the entries with the right author and the right N; what is said first of an author counts.

    CORRECT if all are right, PARTIAL if some; HALLUCINATED if none is but entries are given, REFUSED if none
    is given. Years are not counted; they tell entries of the same author apart.
    """
    text = re.sub(r"[^\S\n]{2,}", " ", re.sub(r"\S{100,}", "…", response[:LONGEST]))
    lines = lines_of(text, tuple(entry.author for entry in entries))
    right = [entry for entry in entries if _is_right(entry, entries, lines)]
    n, of = len(right), len(entries)
    reason = f"{n}/{of} correct"
    if n == of:
        return Grade("CORRECT", reason, reason, correct=n, of=of)
    wrong = next((entry for entry in entries if entry not in right), entries[0])
    detail = f"{wrong.label}: {wrong.author}" + (f", N={wrong.size}" if wrong.size is not None else "")
    if n:
        return Grade("PARTIAL", reason, detail, correct=n, of=of)
    given = any(line.size is not None for line in lines) or _gives_entries(text)
    if given or not (refuses(text) or hedges(text) or not text.strip()):
        return Grade("HALLUCINATED", reason, detail, correct=0, of=of)
    return Grade("REFUSED", f"{reason}: it says that it does not know.", detail, correct=0, of=of)


def lines_of(text: str, authors: Sequence[str]) -> list[Line]:
    """What a response says of each author it names, in order; one line of prose may tell of several."""
    lines = []
    marks = authors_in(text, authors)
    ends = [at for at, _ in marks[1:]] + [len(text)]
    for (at, author), after in zip(marks, ends, strict=False):
        newline = text.find("\n", at)
        end = min(after, newline if newline >= 0 else len(text))
        begin = at + len(author)
        if other := _OTHER.search(text, begin, end):
            end = other.start()
        years = frozenset(re.findall(r"(?<!\d)(?:19|20)\d\d(?!\d)", text[begin:end]))
        lines.append(Line(author, years, _size(text[begin:end])))
    return lines


def _is_right(entry: Entry, entries: Sequence[Entry], lines: Sequence[Line]) -> bool:
    mine = [line for line in lines if line.author == entry.author]
    if sum(other.author == entry.author for other in entries) > 1 and entry.year is not None:
        mine = [line for line in mine if str(entry.year) in line.years]
    if entry.size is None:
        return bool(mine)
    first = next((line for line in mine if line.size is not None), None)
    return first is not None and first.size == str(entry.size)


def _size(part: str) -> str | None:
    """The number that is given as N in what follows an author.

    One that is said to be N, or of people, comes first; else the first that is neither a year, nor has
    a unit, nor is an entry's number. Of ``312 of 445`` it is the whole, unless the first is said to be N.
    """
    cut = min((at for _, at in references(part)), default=len(part))
    numbers = [number for number in numerals(part) if not number.unit and (number.start < cut or cut == 0)]
    for number in numbers:
        if _LABEL.search(part[: number.start]):
            return number.value
    plain = [number for number in numbers if not _is_year(number, part)]
    for number, after in zip(plain, plain[1:], strict=False):
        between = part[number.end : after.start]
        if between.strip() == "+":
            return number.value
        if _OF.fullmatch(between):
            return after.value
    for number in plain:
        if _PEOPLE.match(part, number.end):
            return number.value
    return plain[0].value if plain else None


def _is_year(number: Numeral, part: str) -> bool:
    return re.fullmatch(r"(?:19|20)\d\d", part[number.start : number.end]) is not None


def _gives_entries(text: str) -> bool:
    """Whether there are at least two lines or clauses with a name and a number that is no year."""
    return (
        len(re.findall(r"[^\W\d_a-z][^\W\d_]+[^\n;]{0,40}?\bN\s?=\s?\d", text)) > 1
        or len(_OTHER.findall(text)) > 1
    )
