"""Made-up names and values, none twice."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

_ONSETS = "b br d dr f g gr h k kl l m n p pl r s t tr v z"
_VOWELS = "aeiou"
_CODAS = ("", "n", "r", "l", "th", "x", "sk")


class Unused:
    """Names and values of one conversation."""

    def __init__(self, rng: np.random.Generator) -> None:
        """Begin with none used."""
        self._rng = rng
        self._used: set[str] = set()

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
        choices = {"A": "BCDFGHJKLMNPQRSTVWXZ", "0": "23456789"}
        return self._new(lambda: "".join(self._one(choices[kind]) for kind in form))

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
        parts = [f"{self._one(_ONSETS.split())}{self._one(_VOWELS)}" for _ in range(3)]
        return "".join(parts).capitalize() + self._one(_CODAS)

    def _one(self, choices: Sequence[str]) -> str:
        return choices[int(self._rng.integers(len(choices)))]
