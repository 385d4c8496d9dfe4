"""Made-up words: names and values of which none comes twice, and filler that says nothing.

Filler is sentences by a small grammar of words that no fact uses, without names and numbers. ``twice`` and
``midnight`` are the only ones that graders read as values; no task asks for either.
"""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Iterator, Sequence
from importlib.resources import files
from typing import Any

import numpy as np

_ONSETS = "b br d dr f g gr h k kl l m n p pl r s t tr v z".split()  # noqa: SIM905
_VOWELS = "aeiou"
_CODAS = ("", "n", "r", "l", "th", "x", "sk")
_OF_FORM = {"A": "BCDFGHJKLMNPQRSTVWXZ", "0": "23456789"}


def data_of(name: str) -> dict[str, Any]:
    """Read a file of words or sentences of this package."""
    return tomllib.loads(files(__package__).joinpath(name).read_text(encoding="utf-8"))


class Unused:
    """Names and values of one conversation."""

    def __init__(self, rng: np.random.Generator) -> None:
        """Begin with none used."""
        self._rng = rng
        self._used: set[str] = set()

    def value(self, form: str, *arguments: Any) -> str:
        """Draw a value of a form, such as ``"identifier", "AA0000"``."""
        value: str = getattr(self, form)(*arguments)
        return value

    def name(self) -> str:
        """Make up a word with a capital, such as ``Drovaken``."""
        return self._new(self._word)

    def person(self) -> str:
        """Make up a first name and a surname."""
        return self._new(lambda: f"{self._word()} {self._word()}")

    def number(self, low: int, high: int) -> str:
        """Draw a whole number below ``high``, with a comma between thousands."""
        return self._new(lambda: f"{int(self._rng.integers(low, high)):,}")

    def identifier(self, form: str) -> str:
        """Draw letters for ``A`` and digits from 2 to 9 for ``0``, as in ``AA0000``."""
        return self._new(lambda: "".join(self._one(_OF_FORM[kind]) for kind in form))

    def similar(self, name: str) -> str:
        """Make up a name that differs in one vowel."""
        places = [i for i, letter in enumerate(name) if i and letter in _VOWELS]

        def changed() -> str:
            at = places[int(self._rng.integers(len(places)))]
            return f"{name[:at]}{self._one(_VOWELS)}{name[at + 1 :]}"

        return self._new(changed)

    def _new(self, draw: Callable[[], str]) -> str:
        while (word := draw()).casefold() in self._used:
            pass
        self._used.add(word.casefold())
        return word

    def _word(self) -> str:
        parts = [f"{self._one(_ONSETS)}{self._one(_VOWELS)}" for _ in range(3)]
        return "".join(parts).capitalize() + self._one(_CODAS)

    def _one(self, choices: Sequence[str]) -> str:
        return choices[int(self._rng.integers(len(choices)))]


_FILLER = data_of("filler.toml")

NOUNS: list[str] = _FILLER["nouns"].split()
"""Everyday things."""

_LISTS: dict[str, Sequence[str]] = {
    **dict.fromkeys("nmo", NOUNS),
    **dict.fromkeys("pq", _FILLER["people"].split()),
    **dict.fromkeys("vw", _FILLER["verbs"].split()),
    **dict.fromkeys("ab", _FILLER["adjectives"].split()),
    **dict.fromkeys("de", _FILLER["adverbs"].split()),
    "t": _FILLER["times"],
    "l": _FILLER["links"],
}


def filler(rng: np.random.Generator) -> Iterator[str]:
    """Make up sentences, without end; the same generator gives the same ones."""
    forms: list[str] = _FILLER["forms"]
    while True:
        chosen_forms = rng.integers(0, len(forms), 256)
        picks = rng.random((256, len(_LISTS)))
        for form, row in zip(chosen_forms, picks, strict=True):
            drawn = zip(_LISTS.items(), row, strict=True)
            text = forms[form].format(
                **{key: words[int(share * len(words))] for (key, words), share in drawn}
            )
            yield f"{text[0].upper()}{text[1:]}."
