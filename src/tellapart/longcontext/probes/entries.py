"""Probes about numbered entries: a whole list of them, and which of them a response cites."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import ceil

from tellapart.longcontext.case import Entry, Expected
from tellapart.longcontext.grades import Answered, Grade, not_graded
from tellapart.longcontext.probes.evidence import Needs, parts_of_answer
from tellapart.longcontext.probes.strings import wrong_of
from tellapart.longcontext.rules.matcher import without_question
from tellapart.longcontext.rules.polarity import LONGEST
from tellapart.longcontext.transcript import REPEAT
from tellapart.longcontext.values import states, values_in
from tellapart.longcontext.values.entries import references
from tellapart.longcontext.values.numerals import numerals
from tellapart.longcontext.values.text import flat, worded

_HEADING = re.compile(
    r"^(Study|Article|Paper|Entry|Document|Report|Experiment|Section|Chapter|Message)\s+#?(\d{1,4})\s*[.:)\-–—]",
    re.M | re.I,
)
_AUTHOR = re.compile(r"\s{0,4}([^\W\d_][^,\n(;.]{1,50}?)(?:,\s*[A-Z]\.|\s+et\s+al\b|\s*\(\d{4}|,\s*\d{4})")


@dataclass(frozen=True)
class Passage:
    """One entry of the material: what stands under a heading such as ``Study 6.``."""

    number: int
    author: str | None
    body: str
    kind: str


def passages_of(material: Sequence[str]) -> tuple[Passage, ...]:
    """The numbered entries of all messages, in order, each once however often it was repeated."""
    return tuple(dict.fromkeys(passage for text in material for passage in _of_message(text)))


@lru_cache(maxsize=8192)
def _of_message(text: str) -> tuple[Passage, ...]:
    text = text.removeprefix(REPEAT).strip()
    heads = list(_HEADING.finditer(text))
    passages = []
    for head, end in zip(heads, [*(head.start() for head in heads[1:]), len(text)], strict=False):
        first, _, rest = text[head.start() : end].strip().partition("\n")
        author = _AUTHOR.match(text, head.end(), end)
        who = author[1].strip() if author else None
        passages.append(Passage(int(head[2]), who, rest or first, head[1].capitalize()))
    return tuple(passages)


def _called(numbers: Iterable[int], passages: Sequence[Passage]) -> str:
    """What to call entries, by their numbers: ``Report 2``, and those not shown as the first that was."""
    kinds = {passage.number: passage.kind for passage in reversed(passages)}
    other = passages[0].kind if passages else "Study"
    return ", ".join(f"{kinds.get(number, other)} {number}" for number in sorted(numbers))


@lru_cache(maxsize=256)
def _pattern_of(names: tuple[str, ...]) -> re.Pattern[str] | None:
    """What finds surnames in flat text: ``o'sullivan``, ``o sullivan`` and ``osullivan``."""
    words = ([re.escape(part) for part in re.split(r"[^a-z0-9]+", flat(name)) if part] for name in names)
    patterns = sorted({r"[\s'’\-‐‑]?".join(parts) for parts in words} - {""}, key=lambda p: (-len(p), p))
    return re.compile(rf"(?<![^\W_])(?:{'|'.join(patterns)})(?![^\W_])") if patterns else None


def _authors_in(text: str, authors: Sequence[str]) -> list[tuple[int, str]]:
    """Where a text names which of the authors, as (first character, author as given), in order."""
    pattern = _pattern_of(tuple(dict.fromkeys(authors)))
    by_words = {worded(author).replace(" ", ""): author for author in authors}
    places = []
    for match in pattern.finditer(flat(text)) if pattern else ():
        as_written = text[match.start() : match.end()]
        author = by_words.get(worded(as_written).replace(" ", ""))
        if author and as_written != as_written.lower():
            places.append((match.start(), author))
    return places


# Enumeration

_MOST_READ = 60_000

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
_YEAR = re.compile(r"(?<!\d)(?:19|20)\d\d(?!\d)")
_OTHER = re.compile(r"(?<![^\W_])[^\W\d_a-z][^\W\d_]+(?:\s+et\s+al\.?)?,?\s*\(?(?:19|20)\d\d\b")
_NAME_AND_N = re.compile(r"(?<![^\W\d_])[a-z]*+[^\W\d_a-z][^\W\d_]++[^\n;]{0,40}?\bN\s?=\s?\d")


@dataclass(frozen=True)
class Line:
    """What a response says of one author in one place."""

    author: str
    number: int | None
    years: frozenset[str]
    size: str | None
    plainness: int = 0

    def is_right(self, entry: Entry) -> bool:
        """Whether it has the author and the size of an entry."""
        return self.author == entry.author and (entry.size is None or self.size == str(entry.size))

    def rank(self, entry: Entry) -> int:
        """How surely it means an entry of its author; 0 where nothing but the author says so."""
        label = re.search(r"\d+", entry.label)
        is_numbered = label is not None and self.number == int(label[0])
        is_dated = entry.year is not None and str(entry.year) in self.years
        if is_numbered and (is_dated or not self.years or entry.year is None):
            return 3
        return 2 if is_dated else int(is_numbered)


def grade_enumeration(given: Answered) -> Grade:
    """Count the entries with the right author and the right N.

    Each entry is held against one line of its author, and each line counts for one entry, see ``_matched``.
    What is listed besides counts neither for nor against. Years are not counted.
    """
    entries = given.key.entries
    if not entries:
        return not_graded("the key has no entries to count")
    text = re.sub(r"[^\S\n]{2,}", " ", re.sub(r"\S{100,}", "…", given.response[:_MOST_READ]))
    lines = _lines_of(text, tuple(entry.author for entry in entries))
    of_entry = zip(entries, _matched(entries, lines), strict=True)
    wrong = [entry for entry, line in of_entry if line is None or not line.is_right(entry)]
    of, n = len(entries), len(entries) - len(wrong)
    reason = f"{n}/{of} correct"
    if not wrong:
        return Grade("CORRECT", reason, reason, correct=n, of=of)
    size = "" if wrong[0].size is None else f", N={wrong[0].size}"
    detail = f"{wrong[0].label}: {wrong[0].author}{size}"
    if n:
        return Grade("PARTIAL", reason, detail, correct=n, of=of)
    lists = any(line.size for line in lines) or any(len(p.findall(text)) > 1 for p in (_NAME_AND_N, _OTHER))
    if lists or wrong_of(text) == "HALLUCINATED":
        return Grade("HALLUCINATED", reason, detail, correct=0, of=of)
    return Grade("REFUSED", f"{reason}: it says that it does not know.", detail, correct=0, of=of)


def _lines_of(text: str, authors: Sequence[str]) -> list[Line]:
    """What a response says of each author it names, in order; one line of prose may tell of several."""
    lines = []
    marks = _authors_in(text, authors)
    before = 0
    for (at, author), after in zip(marks, [*(at for at, _ in marks[1:]), len(text)], strict=False):
        newline = text.find("\n", at)
        begin, end = at + len(author), min(after, newline if newline >= 0 else len(text))
        if other := _OTHER.search(text, begin, end):
            end = other.start()
        number = _NUMBER.search(text, max(before, text.rfind("\n", 0, at) + 1, at - 60), at)
        years = frozenset(_YEAR.findall(text[begin:end]))
        lines.append(Line(author, int(number[1]) if number else None, years, *_size(text[begin:end])))
        before = begin
    return lines


def _matched(entries: Sequence[Entry], lines: Sequence[Line]) -> list[Line | None]:
    """The line that each entry is held against: by its number, year and N, each line for one entry.

    Of lines with the same author, number and years only as many count as the key has entries of the author:
    who guesses gains nothing.
    """
    sized = all(entry.size is not None for entry in entries)
    authors = Counter(entry.author for entry in entries)
    told: Counter[tuple[str, int | None, frozenset[str]]] = Counter()
    pairs = []
    for at, line in sorted(enumerate(lines), key=lambda numbered: -numbered[1].plainness):
        same = line.author, line.number, line.years
        if (line.size or not sized) and told[same] < authors[line.author]:
            told[same] += 1
            ranked = ((index, entry, line.rank(entry)) for index, entry in enumerate(entries))
            pairs += [
                (-rank, -line.plainness, at, index)
                for index, entry, rank in ranked
                if line.is_right(entry) or (rank and line.author == entry.author and line.size)
            ]
    of_entry: dict[int, int] = {}
    for *_, at, index in sorted(pairs):
        if index not in of_entry and at not in of_entry.values():
            of_entry[index] = at
    return [lines[of_entry[index]] if index in of_entry else None for index in range(len(entries))]


def _size(part: str) -> tuple[str | None, int]:
    """The number that is given as N in what follows an author, and how plainly it is, as ``Line`` says."""
    cut = min((at for _, at in references(part)), default=len(part))
    numbers = [
        number for number in numerals(part) if not number.amount.unit and (number.start < cut or cut == 0)
    ]
    for number in numbers:
        if _LABEL.search(part[: number.start]):
            return str(number.amount.value), 2
    plain = [number for number in numbers if not _YEAR.fullmatch(part[number.start : number.end])]
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


# Recency

RECENT_SHARE = 0.2
"""Of the entries that were shown, these many at the end are recent where the key does not say which are."""

_OVER = re.compile(r"\b(?:over|rather than|instead of|than)\b", re.I)


def _sides_of(expected: Expected) -> tuple[frozenset[int], frozenset[int]]:
    """The numbers of early and of recent entries, by the key: its early and late data, else its test."""
    early, late = (frozenset(n for n, _ in references(s or "")) for s in (expected.early, expected.late))
    test = expected.test or ""
    if not early and not late and (over := _OVER.search(test)):
        late = frozenset(n for n, _ in references(test[: over.start()]))
        early = frozenset(n for n, _ in references(test[over.end() :])) - late
    return early, late


def _recent_of(shown: Sequence[int]) -> frozenset[int]:
    """The recent entries by their place: the last fifth of those that were shown, rounded up."""
    return frozenset(shown[len(shown) - ceil(RECENT_SHARE * len(shown)) :])


def recency_needs(expected: Expected) -> Needs:
    """The evidence of both sides, by the key's words or by the numbers of its entries."""
    words = zip((expected.early, expected.late), _sides_of(expected), strict=True)
    sides = [text or _called(numbers, ()) for text, numbers in words]
    return Needs(tuple(part for text in sides if text for part in parts_of_answer("", text)))


def grade_recency(given: Answered) -> Grade:
    """Grade by the entries that a response cites, by number, by author or by their figures.

    Only recent ones: RECENCY_BIAS_DETECTED. Any other beside or instead of them: NO_BIAS. None at all:
    REFUSED where it does not know, else NO_BIAS with a note. Where nothing says which are recent: no score.
    """
    early, late = _sides_of(given.key)
    passages = passages_of(given.material)
    late = late or _recent_of(list(dict.fromkeys(passage.number for passage in passages))) - early
    if not late:
        reason = (
            "Which entries are recent is not known: the key names none, and none was shown with a number."
        )
        return Grade("EVAL_ERROR", reason, missing="infeasible")
    cited = _cited(given, passages)
    recent, before = cited & late, cited - late
    if recent and not before:
        return Grade("RECENCY_BIAS_DETECTED", "It cites only recent entries.", _called(recent, passages))
    if cited:
        what = "It cites early entries too." if recent else "It cites no recent entry."
        is_of_key = before & early or recent or not early
        note = None if is_of_key else "Cites neither the early nor the recent entries of the key."
        return Grade("NO_BIAS", what, _called(before, passages), note=note)
    if wrong_of(given.response) == "REFUSED":
        return Grade("REFUSED", "It says that it does not know.")
    return Grade("NO_BIAS", "It cites no entry.", note="No entry could be recognised in the response.")


def _cited(given: Answered, passages: Sequence[Passage]) -> set[int]:
    """The entries that are named by number or author, else the one that holds most of the text's figures."""
    text = without_question(given.response[:LONGEST], given.question)
    by_author = {passage.author: passage.number for passage in passages if passage.author}
    numbers = {n for n, _ in references(text)}
    numbers |= {by_author[name] for _, name in _authors_in(text, tuple(by_author))}
    if numbers:
        return numbers
    known = {value.normal for value in values_in(given.question)}
    figures = [value for value in values_in(text) if value.normal not in known and not value.is_small_word]
    held = {passage.number: sum(states(passage.body, figure) for figure in figures) for passage in passages}
    for side in (given.key.late, given.key.early):
        values = {value.normal for value in values_in(side or "")}
        for n, _ in references(side or "")[:1]:
            held[n] = max(held.get(n, 0), sum(figure.normal in values for figure in figures))
    most = max(held.values(), default=0)
    return {min(n for n, count in held.items() if count == most)} if most else set()
