"""Stems of English words, by Porter's algorithm in the variant that is in common use.

Source:
    M. F. Porter, "An algorithm for suffix stripping" (1980), with the deviations that NLTK's
    ``PorterStemmer`` has by default, so that figures that rest on it come out the same: short words in
    ``ies`` and ``ied``, ``y`` after a consonant, ``alli``, ``fulli`` and ``logi``, and a few irregular words.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache

_Rule = tuple[str, str, Callable[[str], bool]]

_IRREGULAR = {
    form: stem
    for stem, forms in {
        "sky": "sky skies",
        "die": "dying",
        "lie": "lying",
        "tie": "tying",
        "news": "news",
        "inning": "innings inning",
        "outing": "outings outing",
        "canning": "cannings canning",
        "howe": "howe",
        "proceed": "proceed",
        "exceed": "exceed",
        "succeed": "succeed",
    }.items()
    for form in forms.split()
}


def _consonants(word: str) -> list[bool]:
    """Whether each letter is one; ``y`` is one at the beginning and after a vowel."""
    found: list[bool] = []
    for at, letter in enumerate(word):
        found.append(letter not in "aeiou" and (letter != "y" or at == 0 or not found[-1]))
    return found


def _measure(stem: str) -> int:
    """How often a vowel is followed by a consonant: Porter's m."""
    kinds = _consonants(stem)
    return sum(after and not before for before, after in zip(kinds, kinds[1:], strict=False))


def _over(m: int) -> Callable[[str], bool]:
    return lambda stem: _measure(stem) > m


def _has_vowel(stem: str) -> bool:
    return not all(_consonants(stem))


def _ends_cvc(word: str) -> bool:
    """Consonant, vowel, consonant other than w, x and y; or the last two of them alone."""
    kinds = _consonants(word)
    if len(word) == 2:
        return kinds == [False, True]
    return kinds[-3:] == [True, False, True] and word[-1] not in "wxy"


def _first(word: str, rules: Sequence[_Rule]) -> str:
    """Apply the first rule whose ending the word has, if its condition holds of what is left."""
    for ending, replacement, holds in rules:
        if word.endswith(ending):
            stem = word[: len(word) - len(ending)]
            return stem + replacement if holds(stem) else word
    return word


def _rules(condition: Callable[[str], bool], pairs: str) -> tuple[_Rule, ...]:
    """Rules as ``ending:replacement``, all under one condition."""
    return tuple((*_pair(pair), condition) for pair in pairs.split())


def _pair(pair: str) -> tuple[str, str]:
    ending, _, replacement = pair.partition(":")
    return ending, replacement


_SECOND = (
    *_rules(_over(0), "ational:ate tional:tion enci:ence anci:ance izer:ize bli:ble alli:al entli:ent eli:e"),
    *_rules(
        _over(0), "ousli:ous ization:ize ation:ate ator:ate alism:al iveness:ive fulness:ful ousness:ous"
    ),
    *_rules(_over(0), "aliti:al iviti:ive biliti:ble fulli:ful"),
    ("logi", "log", lambda stem: _measure(stem + "l") > 0),
)
_THIRD = _rules(_over(0), "icate:ic ative: alize:al iciti:ic ical:ic ful: ness:")
_FOURTH = (
    *_rules(_over(1), "al: ance: ence: er: ic: able: ible: ant: ement: ment: ent:"),
    ("ion", "", lambda stem: _measure(stem) > 1 and stem[-1] in "st"),
    *_rules(_over(1), "ou: ism: ate: iti: ous: ive: ize:"),
)


def _plural(word: str) -> str:
    if word.endswith("ies") and len(word) == 4:
        return word[:-1]
    return _first(word, _rules(lambda _: True, "sses:ss ies:i ss:ss s:"))


def _past(word: str) -> str:
    if word.endswith("ied"):
        return word[:-1] if len(word) == 4 else word[:-2]
    if word.endswith("eed"):
        return word[:-1] if _measure(word[:-3]) > 0 else word
    for ending in ("ed", "ing"):
        stem = word.removesuffix(ending)
        if stem != word and _has_vowel(stem):
            return _mended(stem)
    return word


def _mended(stem: str) -> str:
    """What is left of a past or a participle as a word again."""
    if stem.endswith(("at", "bl", "iz")):
        return stem + "e"
    if len(stem) > 1 and stem[-1] == stem[-2] and _consonants(stem)[-1]:
        return stem if stem[-1] in "lsz" else stem[:-1]
    return stem + "e" if _measure(stem) == 1 and _ends_cvc(stem) else stem


def _y(word: str) -> str:
    stem = word[:-1]
    return stem + "i" if word.endswith("y") and len(stem) > 1 and _consonants(stem)[-1] else word


def _second(word: str) -> str:
    if word.endswith("alli") and _measure(word[:-4]) > 0:
        return _second(word[:-2])
    return _first(word, _SECOND)


def _end(word: str) -> str:
    if word.endswith("e"):
        stem = word[:-1]
        m = _measure(stem)
        if m > 1 or (m == 1 and not _ends_cvc(stem)):
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
    return _end(_first(_first(word, _THIRD), _FOURTH))
