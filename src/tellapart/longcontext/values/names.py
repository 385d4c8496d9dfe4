"""Names, as a guard: what else a text speaks of. No answer is right because a name stands in it."""

from __future__ import annotations

import re
from functools import lru_cache

from tellapart.longcontext.values.text import words_of

_COMMON_WORDS = """
a about according actually after all also an and another answer april article as at august
authors based baseline because before both but by case certainly correct december did do dr
during each february finally first for friday from good great he hello her here hi his how
however i if in it its january journal july june just last let like march may model monday my n
next no none not note november now october of ok okay on once one only or our per perhaps
please question report response roughly saturday second september she since so sorry study
sunday sure table thank thanks that the their them then there these they this those thursday
three to total trick tuesday two under unfortunately until was we wednesday well were what when
where which while who with within without yes yesterday you your
"""
_COMMON = frozenset(_COMMON_WORDS.split())
"""Words with a capital that are no names."""
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
    """The names of a text, as (first character, as written), in order.

    The first word of a sentence is one only with another name beside it, or where it is the whole text.
    """
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
