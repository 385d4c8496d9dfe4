"""The words of a text that carry its meaning."""

from __future__ import annotations

import re
from functools import lru_cache

from tellapart.longcontext.facts.text import worded

_PLAIN = (
    "the and for was were are with that this from not but its has had have who which what you your they "
    "their into than then did does there been be is it in of to at on by an as or a study should model all "
    "i me my we our us he him his she her them these those am do will would can could may might shall must "
    "so if just also about only very more most some any each one ones both still now yet too up "
    "out over off per "
    "when where how why whom whose because"
)
_STOP = frozenset(_PLAIN.split())


def content_words(text: str) -> tuple[str, ...]:
    """The words of a text that carry its meaning, folded, each once, in order."""
    return tuple(dict.fromkeys(word for word in worded(text).split() if len(word) > 1 and word not in _STOP))


def stem(word: str) -> str:
    """A folded word without the ending of a plural: ``tickets`` is ``ticket``."""
    if len(word) > 4 and word.endswith("ies"):
        return word[:-3] + "y"
    if len(word) > 4 and re.search(r"(?:s|x|ch|sh)es$", word):
        return word[:-2]
    return word[:-1] if len(word) > 3 and word.endswith("s") and not word.endswith("ss") else word


@lru_cache(maxsize=8192)
def stems_of(text: str) -> tuple[str, ...]:
    """The stems of the words of a text that carry its meaning, each once, in order."""
    return tuple(dict.fromkeys(stem(word) for word in content_words(text)))


def is_one_edit_off(word: str, other: str) -> bool:
    """Whether one letter more, less or another, or two that are exchanged, makes one word of the other."""
    if word == other or abs(len(word) - len(other)) > 1:
        return False
    short, long = sorted((word, other), key=len)
    at = next((i for i, (a, b) in enumerate(zip(short, long, strict=False)) if a != b), len(short))
    if len(short) < len(long):
        return short[at:] == long[at + 1 :]
    swapped = short[:at] + short[at + 1 : at + 2] + short[at : at + 1] + short[at + 2 :]
    return short[at + 1 :] == long[at + 1 :] or swapped == long
