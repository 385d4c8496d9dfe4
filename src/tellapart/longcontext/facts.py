"""The facts of a text: its numbers, names and identifiers, and whether another text states them."""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

from tellapart.longcontext.numerals import Numeral, numerals, references

FactKind = Literal["number", "name", "identifier"]


@dataclass(frozen=True)
class Fact:
    """One thing that can be right or wrong.

    Attributes:
        kind: A number with its unit, a name (a person, a place, a title) or an identifier.
        text: As written.
        normal: What is compared: ``2847``, ``50%``, ``$4230``; of a person the surname, without accents and
            in lower case; an identifier without its hyphens.
    """

    kind: FactKind
    text: str
    normal: str


_LABELS = "CI OR HR RR SD SE NNT NNH SMD RCT RCTS ID QA OK USA US UK EU AI API"
_LOUD = (
    "A AN AND ANY ALL ALSO ARE AS AT BE BOTH BUT BY CAN CORRECT DATA DID DO DOES EACH EARLY EVER "
    "EXACT EXACTLY FAIL FIRST FOR FROM HAD HAS HAVE IF IN IS IT ITS LAST LATE MAY MODEL MORE MOST "
    "MUST NEVER NO NOT NOTE NOW OF ON ONE ONLY OR OTHER OUT PASS REPEAT SAME SHOULD SO STUDY THAN "
    "THAT THE THEIR THEN THESE THEY THIS THREE TO TRAP TRICK TRUE TWO UP US USE VERY WAS WERE WHAT "
    "WHEN WHICH WHO WILL WITH YES YOU SCORE REASON DETAIL KEY YEAR TOTAL AUTHOR"
)
_COMMON = (
    "a according an and answer article as at authors baseline because both but by case correct did "
    "dr for from he her his however i if in it its journal lead liver model my n no not note of on "
    "one only or our question report response she since so study table that the their then there "
    "these they this those three to trick two was we were what when which while who with without yes "
    "you"
)
_WEAK = "study studies article model journal dr the in at by for"

LABELS = frozenset(_LABELS.split())
"""Capitals that say what a number is, or that are too common to identify anything."""
LOUD = frozenset(_LOUD.split())
"""Words that are written in capitals for emphasis."""
COMMON = frozenset(_COMMON.split())
"""Words that begin a sentence with a capital and are no names."""
WEAK = frozenset(_WEAK.split())
"""Words that are no names though they have a capital within a sentence."""

# What a surname may begin with, as in van den Berg and al-Hassan.
_PARTICLE = (
    r"(?:[Vv]an|[Vv]on|[Dd]e|[Dd]er|[Dd]en|[Dd]el|[Dd]ella|[Dd]a|[Dd]i|[Dd]u|[Ll]a|[Ll]e|[Tt]en|[Tt]er|[Aa]l|"
    r"[Ee]l|bin|ibn)"
)
# A word with a capital, and what belongs to it: O'Sullivan, McKay, Fernandez-Ruiz.
_CAP = r"(?:[Oo]['’]|[Dd]['’]|[Mm]a?c)?[^\W\d_a-z][^\W\d_]+(?:['’\-][^\W\d_]+)*"
_INITIALS = r"(?:[A-Z]\.(?:[\s-]?[A-Z]\.){0,4})"
_LINK = r"(?:of|and|for|the|de|&)"
# Repetitions have upper bounds here and below: without them, a long line of capitals takes quadratic time.
_RUN = re.compile(
    rf"(?P<title>\b(?:Dr|Prof|Mr|Mrs|Ms|Professor|Doctor)\.?\s)?(?<![\w])(?:{_INITIALS}\s)?"
    rf"(?P<run>(?:{_PARTICLE}\s){{0,3}}{_CAP}(?:\s(?:(?:{_LINK}\s){{1,2}}|(?:{_PARTICLE}\s){{1,3}})?{_CAP}){{0,8}})"
    rf"(?P<after>,\s{_INITIALS}|\set\sal\b|['’]s\b)?"
)
# PDQ-20, rs78423156, 6q14.1, AAQoL and mRNA, one alternative each.
_IDENTIFIER = re.compile(
    r"(?<![^\W_])(?=[A-Za-z0-9\-]{0,40}[A-Za-z])"
    r"(?:[A-Za-z]{1,12}\d[A-Za-z0-9]{0,20}(?:[.\-]\d[A-Za-z0-9]{0,12})?|\d{1,6}[A-Za-z]\w{1,20}(?:\.\d{1,4})?|[A-Z]{2,12}[a-z]{0,3}[A-Z]{0,6}(?:-[A-Za-z0-9]{1,12}){0,3}|"
    r"[A-Z]?[a-z]{1,3}[A-Z]{2,8}|[A-Z][a-z]{1,2}[A-Z]{1,3})(?![^\W_])"
)
# A number with its unit or its ending, which looks like an identifier and is none: 80mg, 4th.
_GLUED = re.compile(r"\d{1,9}(?:mg|kg|g|cm|mm|ml|ms|s|x|k|m|h|min|bpm|th|st|nd|rd)", re.I)


@lru_cache(maxsize=8192)
def folded(text: str) -> str:
    """Lower case without accents; hyphens and dashes are spaces, apostrophes fall away.

    ``Bergström`` is ``bergstrom``, ``O’Sullivan`` is ``osullivan``, ``Fernandez-Ruiz`` is ``fernandez ruiz``.
    """
    if text.isascii():
        return re.sub(r"[\s\-_]+", " ", re.sub(r"['`]", "", text)).lower()
    plain = unicodedata.normalize("NFKD", text.replace("ø", "o").replace("Ø", "O").replace("ł", "l"))
    plain = "".join(c for c in plain if not unicodedata.combining(c)).casefold()
    return re.sub(r"[\s\-‐‑–—_]+", " ", re.sub(r"['’‘`´]", "", plain))


def facts_of(text: str) -> tuple[Fact, ...]:
    """Find the facts of a text, in the order in which they stand, each once.

    The number of an entry, as in ``Study 6``, refers and is no fact; nor is a count of entries in words, as
    in ``TWO studies``. The first word of a sentence is a name only where something shows it: an initial, a
    title, ``et al.``, a name beside it, or that it is the whole text.
    """
    return tuple(dict.fromkeys(fact for _, fact in located(text)))


@lru_cache(maxsize=8192)
def located(text: str) -> tuple[tuple[int, Fact], ...]:
    """The facts of a text as often as they stand there, each with its first character, in order."""
    numbers = [(one.start, one.end) for one in numerals(text)]
    ids = [m for m in _IDENTIFIER.finditer(text) if _is_identifier(m[0]) and not _inside(m.start(), numbers)]
    facts = [(m.start(), Fact("identifier", m[0], _id_normal(m[0]))) for m in ids]
    facts += [
        (one.start, Fact("number", text[one.start : one.end].strip(), _number_normal(one)))
        for one in numerals(text)
        if not _counts_entries(one, text)
    ]
    taken = sorted([*numbers, *(m.span() for m in ids)])
    facts += [(at, fact) for at, fact, _ in _names(text) if not _inside(at, taken)]
    return tuple(sorted(facts, key=lambda pair: pair[0]))


@lru_cache(maxsize=8192)
def people_in(text: str) -> frozenset[str]:
    """The surnames, as ``Fact.normal`` has them, that an initial, a title or ``et al.`` shows to be such."""
    return frozenset(fact.normal for _, fact, person in _names(text) if person)


def states(text: str, fact: Fact) -> bool:
    """Whether a text has the fact, as a whole: 342 is not in 1,342, 342.5 or 342%.

    2,847 is 2847, ``50.0%`` is ``50 percent`` and ``ten`` is 10. Signs are not compared. A number without a
    unit is found with any unit but a percent sign; one with a unit only with that, or in money without.
    """
    if not text:
        return False
    if fact.kind == "number":
        value, unit = _split(fact.normal)
        return any(agrees(unit, other) for other in numbers_in(text).get(value, ()))
    if fact.kind == "identifier":
        return _id_normal(fact.normal, fact.text) in _identifiers(text) or _loose_id(text, fact)
    return f" {fact.normal} " in worded(text)


def agrees(unit: str, other: str) -> bool:
    """Whether a number can be told by one with another unit: without a unit by any but a percentage."""
    return unit == other or (not unit and other != "%") or (not other and unit in ("$", "€", "£"))


@lru_cache(maxsize=8192)
def numbers_in(text: str) -> dict[str, tuple[str, ...]]:
    """The values of a text with the units that each has; not to be changed."""
    units: dict[str, tuple[str, ...]] = {}
    for one in numerals(text):
        units[one.value] = (*units.get(one.value, ()), one.unit)
    return units


@lru_cache(maxsize=8192)
def worded(text: str) -> str:
    """The words of a text, folded, with a space before, between and after them."""
    return f" {re.sub(r'[^a-z0-9]+', ' ', folded(text)).strip()} "


@lru_cache(maxsize=8192)
def _identifiers(text: str) -> frozenset[str]:
    return frozenset(_id_normal(m[0]) for m in _IDENTIFIER.finditer(text))


def _loose_id(text: str, fact: Fact) -> bool:
    """``PDQ 20`` is ``PDQ-20``, and ``aaqol`` is ``AAQoL``; short capitals are compared as capitals."""
    if fact.text.isalpha() and fact.text.isupper():
        return re.search(rf"(?<![^\W_]){re.escape(fact.text)}s?(?![^\W_])", text) is not None
    spaced = re.sub(r"[^a-z0-9]+", " ", folded(fact.text)).strip()
    return f" {spaced} " in worded(text)


def _id_normal(word: str, _: str = "") -> str:
    return word.replace("-", "").casefold() if not (word.isalpha() and word.isupper()) else word


def _is_identifier(word: str) -> bool:
    if word.isalpha() and word.isupper():
        return 2 < len(word) < 7 and word not in LABELS | LOUD
    if _GLUED.fullmatch(word) or not re.search(r"[A-Za-z]", word):
        return False
    head = word.split("-")[0]
    return not (head in LOUD or (word.isalpha() and word.upper().rstrip("S") in LABELS))


def _number_normal(one: Numeral) -> str:
    return f"{one.unit}{one.value}" if one.unit in ("$", "€", "£") else f"{one.value}{one.unit}"


def _split(normal: str) -> tuple[str, str]:
    match = re.fullmatch(r"([$€£]?)([\d.]+)(.*)", normal)
    return (match[2], match[1] or match[3]) if match else (normal, "")


def _counts_entries(one: Numeral, text: str) -> bool:
    after = text[one.end : one.end + 12].lower()
    return one.spelled and (
        one.value in ("0", "1") or after.lstrip().startswith(("studies", "articles", "entries"))
    )


def _inside(at: int, spans: Sequence[tuple[int, int]]) -> bool:
    """Whether a place is in one of the spans, which are in order and do not overlap."""
    before = bisect_right(spans, at, key=lambda span: span[0]) - 1
    return before >= 0 and at < spans[before][1]


def _names(text: str) -> list[tuple[int, Fact, bool]]:
    names = []
    whole = re.sub(r"\W+", " ", text).strip()
    for match in _RUN.finditer(text):
        run, at = match["run"], match.start("run")
        person = bool(match["title"] or (match["after"] or "").startswith((",", " et")))
        first = not person and _begins_sentence(text, at)
        while run and _leads(run, COMMON if first else WEAK):
            at, run, first = at + len(run.split()[0]) + 1, " ".join(run.split()[1:]), False
            run = re.sub(rf"^(?:{_LINK}\s)+", "", run)
        if two := re.fullmatch(rf"({_CAP})\s(?:and|&)\s({_CAP})", run):
            names += [(match.start("run"), _named(two[1], person), person)]
            at, run = match.start("run") + two.start(2), two[2]
        words = [word for word in run.split() if word[0].isupper()]
        if not words or all(word.isupper() and len(word) > 1 for word in words):
            continue
        if (
            first
            and len(words) == 1
            and not match["after"]
            and not _followed(text, match.end())
            and run != whole
        ):
            continue
        names.append((at, _named(run, person), person))
    return names


def _named(run: str, person: bool) -> Fact:
    return Fact("name", run, _person(run) if person else _words_of(run))


def _leads(run: str, words: frozenset[str]) -> bool:
    """Whether its first word is no part of the name; ``Journal of …`` is."""
    first, *rest = run.split()
    return first.casefold() in words and (not rest or rest[0] not in ("of", "for"))


def _followed(text: str, end: int) -> bool:
    return re.match(r"\s?(?:\(|and\s[A-Z]|&)", text[end : end + 8]) is not None


def _begins_sentence(text: str, at: int) -> bool:
    before = text[:at].rstrip(" \t\"“'(*#-")
    return not before or before[-1] in ".!?:\n" and not re.search(r"\b(?:[A-Z]|Dr|Prof|al)\.$", before)


def _words_of(run: str) -> str:
    return re.sub(r"[^a-z0-9]+", " ", folded(run)).strip()


def _person(run: str) -> str:
    """The surname, with what belongs to it: ``van den berg``."""
    parts = run.split()
    start = len(parts) - 1
    while start > 0 and re.fullmatch(_PARTICLE, parts[start - 1]):
        start -= 1
    return _words_of(" ".join(parts[start:]))


__all__ = [
    "Fact",
    "FactKind",
    "agrees",
    "facts_of",
    "folded",
    "located",
    "numbers_in",
    "people_in",
    "references",
    "states",
    "worded",
]
