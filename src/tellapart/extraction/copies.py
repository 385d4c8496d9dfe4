"""Copies: units that nobody could tell apart, so that as a distractor one would be a second right answer."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache
from typing import NamedTuple

from tellapart.extraction.languages import all_languages
from tellapart.extraction.unit import Unit


class Distinct(NamedTuple):
    """Units without their copies, by path and start line; and by copy the id that stands for it."""

    kept: tuple[Unit, ...]
    copies: dict[str, str]


def distinct(units: Iterable[Unit]) -> Distinct:
    """Keep one of every set of copies: the first by path and start line, whatever the order of ``units``.

    Copies are equal but for comments, white space and the names of identifiers, so that renamed code is one.
    """
    first: dict[tuple[str, ...], str] = {}
    kept, copies = [], {}
    for unit in sorted(units, key=lambda unit: (unit.path, unit.start_line, unit.id)):
        representative = first.setdefault(normal_form(unit), unit.id)
        if representative == unit.id:
            kept.append(unit)
        else:
            copies[unit.id] = representative
    return Distinct(tuple(kept), copies)


def normal_form(unit: Unit) -> tuple[str, ...]:
    """Return what is left of a unit without white space, comments and names: language, then tokens."""
    tokens, reserved = _lexicon(unit.language)
    order: dict[str, str] = {}
    form = [unit.language]
    for token in filter(None, tokens.findall(unit.content)):
        if token in reserved or not token.isidentifier():
            form.append(token)
        else:
            form.append(order.get(token) or order.setdefault(token, f"${len(order)}"))
    return tuple(form)


@cache
def _lexicon(name: str) -> tuple[re.Pattern[str], frozenset[str]]:
    """Compile a language's tokens; a comment is a token without text."""
    dialects = [language for language in all_languages() if language.name == name]
    comment, string = dialects[0].comment, dialects[0].string
    tokens = rf"(?s:{comment})|((?s:{string})|[^\W\d]\w*|\.?\d[\w.]*|[^\w\s])"
    reserved = frozenset().union(*(dialect.reserved_words for dialect in dialects))
    return re.compile(tokens), reserved
