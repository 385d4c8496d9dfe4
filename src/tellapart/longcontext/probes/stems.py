"""Stems of English words, by Porter's algorithm in the variant that is in common use.

Source:
    M. F. Porter, "An algorithm for suffix stripping" (1980), with the deviations that NLTK's
    ``PorterStemmer`` has by default, so that figures that rest on it come out the same: short words in
    ``ies`` and ``ied``, ``y`` after a consonant, ``alli``, ``fulli`` and ``logi``, and a few irregular words.
"""

from __future__ import annotations

from functools import lru_cache

_IRREGULAR = {
    **{"skies": "sky", "sky": "sky", "dying": "die", "lying": "lie", "tying": "tie", "news": "news"},
    **{"innings": "inning", "inning": "inning", "outings": "outing", "outing": "outing", "howe": "howe"},
    **{"cannings": "canning", "canning": "canning"},
    **{"proceed": "proceed", "exceed": "exceed", "succeed": "succeed"},
}
# Endings and what they become; the first that a word has decides.
_SECOND = (
    "ational:ate tional:tion enci:ence anci:ance izer:ize bli:ble alli:al entli:ent eli:e ousli:ous "
    "ization:ize ation:ate ator:ate alism:al iveness:ive fulness:ful ousness:ous aliti:al iviti:ive "
    "biliti:ble fulli:ful"
)
_THIRD = "icate:ic ative: alize:al iciti:ic ical:ic ful: ness:"
_FOURTH = (
    "al: ance: ence: er: ic: able: ible: ant: ement: ment: ent: sion:s tion:t ion:ion ou: ism: ate: iti: "
    "ous: ive: ize:"
)


def _kinds(word: str) -> str:
    """``c`` for a consonant, ``v`` for a vowel; ``y`` is a consonant first and after a vowel."""
    kinds = ""
    for letter in word:
        kinds += "v" if letter in "aeiou" or (letter == "y" and kinds.endswith("c")) else "c"
    return kinds


def _measure(stem: str) -> int:
    """How often a vowel is followed by a consonant: Porter's m."""
    return _kinds(stem).count("vc")


def _ends_cvc(word: str) -> bool:
    """Consonant, vowel, consonant other than w, x and y; or the last two of them alone."""
    kinds = _kinds(word)
    return kinds == "vc" or (kinds.endswith("cvc") and word[-1] not in "wxy")


def _replaced(word: str, endings: str, least: int) -> str:
    """Replace the first ending that the word has, if the rest measures more than ``least``."""
    for pair in endings.split():
        ending, _, new = pair.partition(":")
        if word.endswith(ending):
            # Of "adoption" the t is measured too.
            kept = word.removesuffix(ending) + (new if len(new) == 1 and ending.endswith("ion") else "")
            return word.removesuffix(ending) + new if _measure(kept) > least else word
    return word


def _plural(word: str) -> str:
    if word.endswith("ies") and len(word) == 4:
        return word[:-1]
    if word.endswith(("sses", "ies")):
        return word[:-2]
    return word[:-1] if word.endswith("s") and not word.endswith("ss") else word


def _past(word: str) -> str:
    if word.endswith("ied"):
        return word[:-1] if len(word) == 4 else word[:-2]
    if word.endswith("eed"):
        return word[:-1] if _measure(word[:-3]) > 0 else word
    for ending in ("ed", "ing"):
        stem = word.removesuffix(ending)
        if stem != word and "v" in _kinds(stem):
            return _mended(stem)
    return word


def _mended(stem: str) -> str:
    """What is left of a past or a participle as a word again."""
    if stem.endswith(("at", "bl", "iz")):
        return stem + "e"
    if len(stem) > 1 and stem[-1] == stem[-2] and _kinds(stem)[-1] == "c":
        return stem if stem[-1] in "lsz" else stem[:-1]
    return stem + "e" if _measure(stem) == 1 and _ends_cvc(stem) else stem


def _y(word: str) -> str:
    stem = word[:-1]
    return stem + "i" if word.endswith("y") and len(stem) > 1 and _kinds(stem)[-1] == "c" else word


def _second(word: str) -> str:
    if word.endswith("alli") and _measure(word[:-4]) > 0:
        return _second(word[:-2])
    if word.endswith("logi"):
        return word[:-1] if _measure(word[:-3]) > 0 else word
    return _replaced(word, _SECOND, 0)


def _end(word: str) -> str:
    stem = word.removesuffix("e")
    if stem != word and (_measure(stem) > 1 or (_measure(stem) == 1 and not _ends_cvc(stem))):
        word = stem
    return word[:-1] if word.endswith("ll") and _measure(word[:-1]) > 1 else word


@lru_cache(maxsize=1 << 16)
def stem_of(word: str) -> str:
    """The stem of a word in lower case; a word of one or two letters is its own."""
    if word in _IRREGULAR:
        return _IRREGULAR[word]
    if len(word) <= 2:
        return word
    word = _second(_y(_past(_plural(word))))
    return _end(_replaced(_replaced(word, _THIRD, 0), _FOURTH, 1))
