"""Which entry a response says it is, by number and author."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from tellapart.longcontext.facts.entries import references
from tellapart.longcontext.rules.answer_spec import AnswerSpec
from tellapart.longcontext.rules.passages import Passage, authors_in, called

_BRACKET = re.compile(r"(?:\s+et\s+al\.?)?[^.;\n()]{0,20}\(\s*")


_LINK = re.compile(
    r"[\s,(:–—*-]*(?:(?:is|was|were|by|led|lead|first|author|with|as|the|from|conducted|study|of|whose)[\s,:(*]*){0,6}",
    re.I,
)


@dataclass(frozen=True)
class NamedEntries:
    """What a response says about which entry it is.

    Attributes:
        right: Whether it names all entries that are asked for by their numbers.
        wrong: What is wrong with the numbers that it names; None where nothing is.
        mixed: Whether the number of an entry in question stands beside another entry's author.
    """

    right: bool
    wrong: str | None
    mixed: bool


def named_entries(
    text: str, wanted: AnswerSpec, targets: Sequence[Passage], passages: Sequence[Passage]
) -> NamedEntries:
    """Compare the entries that a text names with those asked for; where none is, nothing is wrong."""
    if not wanted.entries:
        return NamedEntries(False, None, False)
    numbers = {n for n, _ in references(text)}
    by_number = {passage.number: passage for passage in passages}
    ours = {passage.author for passage in targets}
    wrong = None
    for n, author in _pairs(text, passages):
        entry = by_number.get(n)
        if n in wanted.entries and entry is not None and entry.author != author:
            return NamedEntries(False, f"{entry.kind} {n} is by {entry.author}, not by {author}.", True)
        if n not in wanted.entries and author in ours:
            wrong = f"{author} is not the author of {called([n], passages)[0]}."
    if numbers and not numbers & wanted.entries:
        named, right = (", ".join(called(these, passages)) for these in (numbers, wanted.entries))
        wrong = wrong or f"It names {named}, not {right}."
    return NamedEntries(wanted.entries <= numbers, wrong, False)


def _pairs(text: str, passages: Sequence[Passage]) -> list[tuple[int, str]]:
    """Numbers and authors that stand together, as in ``Costa (Study 7)`` and ``Study 7, led by Costa``."""
    authors = authors_in(text, tuple(passage.author for passage in passages if passage.author))
    ends = {at: at + len(author) for at, author in authors}
    pairs = []
    for n, at in references(text):
        end = at + len(re.match(r"\w+\s*\W?\s*(?:no\.?\s*|number\s*)?\d*", text[at : at + 40])[0])  # type: ignore[index]
        before = [
            author for start, author in authors if start < at and _BRACKET.fullmatch(text[ends[start] : at])
        ]
        after = [author for start, author in authors if start >= end and _LINK.fullmatch(text[end:start])]
        pairs += [(n, author) for author in before[-1:] or after[:1]]
    return pairs
