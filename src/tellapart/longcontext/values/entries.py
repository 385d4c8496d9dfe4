"""What a text speaks of: entries by number or by author, and names.

Names are a guard: no answer is right because a name stands in it.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from functools import lru_cache

from tellapart.longcontext.values.text import worded, words_called, words_of

_THINGS = (
    "stud(?:y|ies)|articles?|papers?|messages?|entr(?:y|ies)|documents?|sections?|chapters?|experiments?|"
    "tables?|figures?|reports?"
)
# "Study 6", "Table 2" and "Session 3" of a chat refer to something; their numbers are no facts.
_TALK = "sessions?|conversations?|chats?|turns?"


def _referring(things: str) -> re.Pattern[str]:
    return re.compile(
        rf"\b(?:{things})\s{{0,3}}(?:no\.?\s?|number\s|\#\s?)?(\d{{1,3}})(?![\d.,]*\d|\s?%)"
        r"((?:\s{0,2}(?:-|–|,|,?\s?and|&|to|/)\s{0,2}\d{1,3}(?![\d.,]*\d|\s?%|\s?[a-z]*=)){0,40})",
        re.I,
    )


_REFERENCE, _REFERENCE_OR_TALK = _referring(_THINGS), _referring(f"{_THINGS}|{_TALK}")


@lru_cache(maxsize=8192)
def references(text: str) -> tuple[tuple[int, int], ...]:
    """Where a text refers to entries by number, as (number, first character): ``Studies 18-19`` to two."""
    entries = []
    for match in _REFERENCE.finditer(text):
        entries.append((int(match[1]), match.start()))
        if _several(match):
            entries += [(int(n), match.start()) for n in re.findall(r"\d+", match[2])]
    return tuple(entries)


def reference_spans(text: str) -> list[tuple[int, int]]:
    """First character and end of what refers to entries by number; numbers in it count nothing."""
    return [(m.start(), m.end() if _several(m) else m.end(1)) for m in _REFERENCE_OR_TALK.finditer(text)]


def _several(reference: re.Match[str]) -> bool:
    """Whether it says ``Studies``, so that a list of numbers may follow."""
    return reference[0][: reference.start(1) - reference.start()].rstrip().lower().endswith("s")


_LABEL = re.compile(
    r"\b(study|article|paper|message|entry|document|section|chapter|experiment|trial|report|record|patient|"
    r"table|figure|item|appendix)\s+(?:no\.?\s*|number\s+|\#\s*)?(\d{1,6})(?![\d.,]*\d|\s?%)",
    re.I,
)
_AUTHOR = re.compile(
    r"((?:(?:[Vv]an|[Vv]on|[Dd]e|[Dd]er|[Dd]en|[Dd]el|[Dd]a|[Dd]i|[Dd]u|[Ll]a|[Ll]e|[Tt]en|[Tt]er)\s){0,6}"
    r"[^\W\d_a-z][\w'’\-]{1,60})\s+et\s+al\b"
)


@dataclass(frozen=True)
class Entity:
    """Something that a text refers to by name."""

    text: str
    noun: str = ""
    number: int | None = None
    author: str = ""


@lru_cache(maxsize=4096)
def entities_of(text: str) -> tuple[Entity, ...]:
    """Find what a text refers to, in order, each once."""
    mentions = [(m.span(), Entity(m[0], m[1].lower(), int(m[2]))) for m in _LABEL.finditer(text)]
    mentions += [(m.span(), Entity(m[0], author=m[1])) for m in _AUTHOR.finditer(text)]
    joined: list[tuple[int, int, Entity]] = []
    for (start, end), entity in sorted(mentions, key=lambda mention: mention[0]):
        begin, until, last = joined[-1] if joined else (0, 0, entity)
        one = bool(last.author) != bool(entity.author)
        if joined and one and re.fullmatch(r"\.?\s*+(?:\(\s*+)?", text[until:start]):
            numbered, by = (last, entity) if entity.author else (entity, last)
            both = replace(numbered, text=_closed(text[begin:end]), author=by.author)
            joined[-1] = (begin, end, both)
        else:
            joined.append((start, end, replace(entity, text=_closed(entity.text))))
    return tuple(dict.fromkeys(entity for _, _, entity in joined))


def shows(text: str, entity: Entity) -> bool:
    """Whether a text is about an entity: it has its number, or its author and no other number of the kind."""
    numbers = _numbers(text).get(entity.noun, frozenset()) if entity.noun else frozenset[int]()
    if entity.number is not None and entity.number in numbers:
        return True
    return bool(entity.author) and not numbers and names(text, entity.author)


def numbered(text: str, noun: str) -> bool:
    """Whether a text numbers things of this kind."""
    return noun in _numbers(text)


def names(text: str, author: str) -> bool:
    """Whether a text has a name, without regard to accents and case."""
    return worded(author) in worded(text)


@lru_cache(maxsize=4096)
def _numbers(text: str) -> dict[str, frozenset[int]]:
    by_noun: dict[str, set[int]] = {}
    for match in _LABEL.finditer(text):
        by_noun.setdefault(match[1].lower(), set()).add(int(match[2]))
    return {noun: frozenset(numbers) for noun, numbers in by_noun.items()}


def _closed(text: str) -> str:
    """With the bracket and the full stop that were cut off."""
    text = re.sub(r"\bet\s+al$", "et al.", text)
    return text + ")" if text.count("(") > text.count(")") else text


_COMMON = words_called("common")
_PARTICLE = (
    r"(?:[Vv]an|[Vv]on|[Dd]e|[Dd]er|[Dd]en|[Dd]el|[Dd]ella|[Dd]a|[Dd]i|[Dd]u|"
    r"[Ll]a|[Ll]e|[Tt]en|[Tt]er|[Aa]l|[Ee]l|bin|ibn)"
)
_CAPITAL = r"(?:[Oo]['’]|[Dd]['’]|[Mm]a?c)?[^\W\d_a-z][^\W\d_]+(?:['’\-][^\W\d_]+)*"
_RUN = re.compile(
    rf"(?<!\w)(?:{_PARTICLE}\s){{0,3}}{_CAPITAL}(?:\s(?:(?:of|and|for|the|de|&)\s){{0,2}}(?:{_PARTICLE}\s){{0,3}}{_CAPITAL}){{0,8}}"
)
_SENTENCE_START = re.compile(r"(?:^|[.!?:\n][*_\"“”)\]]{0,6})[\s*\-_#>(\"“]{0,8}$")


@lru_cache(maxsize=8192)
def names_in(text: str) -> tuple[tuple[int, str], ...]:
    """The names of a text, as (first character, as written), in order."""
    names = []
    whole = re.sub(r"\W+", " ", text).strip()
    for match in _RUN.finditer(text):
        words, at = match[0].split(), match.start()
        first = _SENTENCE_START.search(text, max(0, at - 12), at) is not None
        while words and words[0].casefold() in _COMMON | {"of", "and", "for", "the", "&"}:
            at += len(words[0]) + 1
            words, first = words[1:], False
        run = " ".join(words)
        loud = all(word.isupper() for word in words if word[:1].isupper())
        if words and not loud and not (first and len(words) == 1 and run != whole):
            names.append((at, re.sub(r"['’]s$", "", run)))
    return tuple(names)


def has_name(text: str, name: str) -> bool:
    """Whether a text has every word of a name, without regard to accents and case."""
    words = f" {words_of(text)} "
    return all(f" {word} " in words for word in words_of(name).split())
