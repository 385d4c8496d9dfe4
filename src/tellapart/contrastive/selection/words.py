"""The words that a text is about, without their endings."""

from __future__ import annotations

import re
from functools import lru_cache

from tellapart.embed.identifiers import split_identifiers

FUNCTION_WORDS = frozenset(
    """
    about above after again against all also although always am an and another any are aren as at be
    because been before being below between both but by can cannot could couldn did didn do does doesn
    doing don down during each either else ever every few for from further had hadn has hasn have haven
    having he her here hers him his how however if in into is isn it its itself just may me might more
    most much must my neither never no nor not now of off often on once only or other our ours out over
    own per please quite rather really same shall she should shouldn since so some still such than that
    the their theirs them then there these they this those though through thus to too under until up
    upon us very via was wasn we were weren what when whenever where whether which while who whom whose
    why will with within without won would wouldn yet you your yours
    """.split()  # noqa: SIM905
)
"""English words that only hold a sentence together; in names they say nothing of what is named."""

VOWEL = re.compile(r"[aeiouy]")
SHORTEST = 3


def words_of(text: str) -> frozenset[str]:
    """Return the words of code or prose, each once, as ``stem`` leaves them.

    Identifiers are cut as ``split_identifiers`` cuts them. Function words, single letters and numbers are
    left out.
    """
    return frozenset(map(stem, filter(_is_informative, split_identifiers(text))))


def _is_informative(piece: str) -> bool:
    return len(piece) > 1 and piece not in FUNCTION_WORDS and not piece.isdigit()


@lru_cache(maxsize=1 << 16)
def stem(word: str) -> str:
    """Take the usual endings off an English word: ``scheduling``, ``schedules`` and ``schedule`` are one.

    Words that are not English lose an ending too, the same one wherever they stand.
    """
    word = _singular(word)
    for ending in ("ing", "ed"):
        rest = word.removesuffix(ending)
        if rest != word and len(rest) >= SHORTEST and VOWEL.search(rest) and rest[-1] != "e":
            word = rest[:-1] if rest[-1] == rest[-2] and rest[-1] not in "lsz" else rest
            break
    return word[:-1] if len(word) > SHORTEST and word[-1] == "e" else word


def _singular(word: str) -> str:
    if len(word) <= SHORTEST or not word.endswith("s") or word.endswith(("ss", "us", "is")):
        return word
    return f"{word[:-3]}y" if word.endswith("ies") and len(word) > SHORTEST + 1 else word[:-1]
