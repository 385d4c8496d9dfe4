"""Names of people, institutions, places and titles."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import Literal

from tellapart.longcontext.facts.kind import Fact, FactKind, Mention, Sighting, Wanted, is_inside
from tellapart.longcontext.facts.text import worded, words_of

_COMMON = (
    "a according an and answer article as at authors baseline because both but by case correct did "
    "dr for from he her his however i if in it its journal lead liver model my n no not note of on "
    "one only or our question report response she since so study table that the their then there "
    "these they this those three to trick two was we were what when which while who with without yes "
    "you"
)
_WEAK = "study studies article model journal dr the in at by for"

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
_TITLES = (
    r"(?:Dr|Prof|Mr|Mrs|Ms|Miss|Professor|Doctor|Herr|Frau|Señora?|Sra?|Mme|Madame|Monsieur|Sir|Lady|Captain|Nurse|Judge|Coach|"
    r"Aunt|Uncle|Sister|Father|Pastor|Sergeant)\b\.?"
)
_RUN = re.compile(
    rf"(?P<title>\b{_TITLES}\s)?(?<![\w])(?:{_INITIALS}\s)?"
    rf"(?P<run>(?:{_PARTICLE}\s){{0,3}}{_CAP}(?:\s(?:(?:{_LINK}\s){{1,2}}|(?:{_PARTICLE}\s){{1,3}})?(?!{_TITLES}\s){_CAP}){{0,8}})"
    rf"(?P<after>,\s{_INITIALS}|\set\sal\b|['’]s\b)?"
)
_INSTITUTION = re.compile(
    r"\b(?:University|Universität|Institute|Hospital|College|School|Cent(?:er|re)|Agency|Laborator(?:y|ies)|Academy|"
    r"Hopkins|Clinic|Department|Ministry|Company|Corporation|Inc)\b"
)
_TITLE = re.compile(
    r"\b(?:Journal|Review|Reviews|Letters|Annals|Proceedings|Medicine|Science|Studies|of|and|for)\b"
)


_LONG = 9
"""Letters of a name that can hardly arise from the end of one word and the beginning of the next."""

_GENERIC = re.compile(r"\b(?:the|university|hospital|institute|college|school|of)\b")


def _is_person(mention: Mention) -> bool:
    return mention.person


def _is_who(mention: Mention) -> bool:
    return mention.person and mention.before not in ("from", "at", "near")


def _is_institution(mention: Mention) -> bool:
    return _INSTITUTION.search(mention.fact.text) is not None


def _is_title(mention: Mention) -> bool:
    return mention.fact.kind is KIND and not _is_person(mention) and not _is_institution(mention)


class _Name(FactKind):
    name = "name"
    precedence = 30
    wanted = (
        Wanted(
            r"\bwho\b|\bauthors?\b|researcher|investigator|\bnamed?\b|\bwhom\b|\bwhose\b", _is_who, every=True
        ),
        Wanted(r"institution|\buniversity\b|\bhospital\b", _is_institution, every=True),
        Wanted(r"\bjournal\b|published|publication", _is_title, every=True),
    )

    def sightings(self, text: str, taken: Sequence[tuple[int, int]]) -> Iterable[Sighting]:
        for start, fact, _ in _names(text):
            if not is_inside(start, taken):
                yield Sighting(start, start + len(fact.text), fact)

    def stated_in(self, text: str, fact: Fact) -> bool:
        """Whether it stands there in any case, and if it is long, with other spaces: ``Marien Hospital``."""
        if f" {fact.normal} " in worded(text):
            return True
        together = fact.normal.replace(" ", "")
        return len(together) >= _LONG and together in worded(text).replace(" ", "")

    def comparable(self, claim: Mention, detail: Mention) -> bool:
        return sort_of(claim) in ("unknown", _sort_of_detail(detail))

    def replaces(self, claim: Mention, detail: Mention) -> bool:
        return sort_of(claim) != "unknown" and super().replaces(claim, detail)

    def can_spoil(self, claim: Mention) -> bool:
        """Only institutions and titles of several words, as a capital may mean anything."""
        return len(claim.fact.text.split()) > 1 and sort_of(claim) in ("institution", "title")

    def matched(self, detail: Mention, claims: Sequence[Mention], text: str) -> bool:
        if super().matched(detail, claims, text):
            return True
        if not detail.person:
            core = " ".join(_GENERIC.sub(" ", detail.fact.normal).split())
            return len(core) > 3 and f" {core} " in worded(text)
        parts = _parts_of_person(detail.fact.text)
        own = set(detail.fact.normal.split()) | set(words_of(detail.fact.text).split())
        for part in map(words_of, parts):
            named = (set(words_of(fact.text).split()) for _, fact, _ in _names(text))
            others = [words for words in named if part in words]
            if f" {part} " in worded(text) and not any(words - own for words in others):
                return True
        return False


KIND: FactKind = _Name()


def _parts_of_person(name: str) -> Iterable[str]:
    """What a person is called by: the surname, and the first name where it is no initial."""
    words = [word for word in name.split() if word[:1].isupper() and len(word.rstrip(".")) > 2]
    return dict.fromkeys((*words[-1:], *words[:1])) if len(words) > 1 else ()


Sort = Literal["person", "institution", "title", "unknown"]
"""What is named; ``unknown`` where a single word may be any, or none."""


def sort_of(claim: Mention) -> Sort:
    """What a response names, by the name and the word before it."""
    text = claim.fact.text
    if _is_person(claim):
        return "person"
    if _is_institution(claim):
        return "institution"
    if _TITLE.search(text) or claim.before in ("in", "journal"):
        return "title"
    if len(text.split()) > 1 or claim.before in ("by", "author", "was", "is"):
        return "person"
    return "unknown"


def _sort_of_detail(detail: Mention) -> Sort:
    return "person" if _is_person(detail) else "institution" if _is_institution(detail) else "title"


def name_of(author: str) -> Fact:
    """The name of an author, as a key has it, as a fact."""
    return Fact(KIND, author, words_of(author))


def looks_like_person(fact: Fact, people: frozenset[str]) -> bool:
    """Whether a name of a right answer is a person's: one that shows it, or of three words at most."""
    short = len(fact.text.split()) < 6 and not _TITLE.search(fact.text)
    return fact.normal in people or (short and not _INSTITUTION.search(fact.text))


@lru_cache(maxsize=8192)
def people_in(text: str) -> frozenset[str]:
    """The surnames, as ``Fact.normal`` has them, that an initial, a title or ``et al.`` shows to be such."""
    return frozenset(fact.normal for _, fact, person in _names(text) if person)


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
    run = re.sub(r"['’]s$", "", run)
    return Fact(KIND, run, _person(run) if person else words_of(run))


def _leads(run: str, words: frozenset[str]) -> bool:
    """Whether its first word is no part of the name; ``Journal of …`` is."""
    first, *rest = run.split()
    return first.casefold() in words and (not rest or rest[0] not in ("of", "for"))


def _followed(text: str, end: int) -> bool:
    return re.match(r"\s?(?:\(|and\s[A-Z]|&)", text[end : end + 8]) is not None


def _begins_sentence(text: str, at: int) -> bool:
    before = text[:at].rstrip(" \t\"“'(*#-")
    # The end of the text alone, so that long texts take linear time.
    return not before or before[-1] in ".!?:\n" and not re.search(r"\b(?:[A-Z]|Dr|Prof|al)\.$", before[-8:])


def _person(run: str) -> str:
    """The surname, with what belongs to it: ``van den berg``."""
    parts = run.split()
    start = len(parts) - 1
    while start > 0 and re.fullmatch(_PARTICLE, parts[start - 1]):
        start -= 1
    return words_of(" ".join(parts[start:]))
