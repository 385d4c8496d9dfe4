"""Facts to be remembered, the facts that look like them, and questions whose answer was never given."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

_ONSETS = "b br d dr f g gr h k kl l m n p pl r s t tr v z"
_VOWELS = "aeiou"
_CODAS = ("", "n", "r", "l", "th", "x", "sk")


class Unused:
    """Names and values of one conversation, none twice."""

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
        return self._new(lambda: "".join(map(self._character, form)))

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

    def _character(self, kind: str) -> str:
        return self._one("BCDFGHJKLMNPQRSTVWXZ" if kind == "A" else "23456789")

    def _one(self, choices: Sequence[str]) -> str:
        return choices[int(self._rng.integers(len(choices)))]


NEVER = "The text does not say."
"""The right answer to a trap."""

RECALL, TRAP = "Needle recall", "Never stated"


@dataclass(frozen=True)
class Needle:
    """A question with what stands in the conversation for it.

    Attributes:
        kind: What is asked for: see ``KINDS``.
        sentence: The evidence; None of a trap.
        distractors: Sentences that look like the evidence and do not answer the question.
    """

    kind: str
    sentence: str | None
    question: str
    answer: str
    distractors: tuple[str, ...]


@dataclass(frozen=True)
class _Attribute:
    sentence: str
    question: str
    answer: str = "{v}"


@dataclass(frozen=True)
class _Kind:
    name: str
    wanted: _Attribute
    other: _Attribute
    value: Callable[[Unused], str]


_KINDS = (
    _Kind(
        "number",
        _Attribute(
            "The granary of {e} stores {v} barrels.",
            "How many barrels does the granary of {e} store?",
            "{v} barrels",
        ),
        _Attribute(
            "The granary of {e} sold {v} sacks.", "How many sacks has the granary of {e} sold?", "{v} sacks"
        ),
        lambda unused: unused.number(1_000, 10_000),
    ),
    _Kind(
        "name",
        _Attribute("The keeper of the {e} lighthouse is {v}.", "Who is the keeper of the {e} lighthouse?"),
        _Attribute(
            "The architect of the {e} lighthouse is {v}.", "Who is the architect of the {e} lighthouse?"
        ),
        Unused.person,
    ),
    _Kind(
        "identifier",
        _Attribute(
            "The catalogue number of the {e} manuscript is {v}.",
            "What is the catalogue number of the {e} manuscript?",
        ),
        _Attribute(
            "The shelf mark of the {e} manuscript is {v}.", "What is the shelf mark of the {e} manuscript?"
        ),
        lambda unused: unused.identifier("AA0000"),
    ),
    _Kind(
        "size",
        _Attribute(
            "The {e} trial enrolled {v} participants.",
            "How many participants did the {e} trial enrol?",
            "{v} participants",
        ),
        _Attribute(
            "The {e} trial excluded {v} applicants.",
            "How many applicants did the {e} trial exclude?",
            "{v} applicants",
        ),
        lambda unused: unused.number(100, 1_000),
    ),
    _Kind(
        "code",
        _Attribute("The access code of the {e} vault is {v}.", "What is the access code of the {e} vault?"),
        _Attribute("The alarm code of the {e} vault is {v}.", "What is the alarm code of the {e} vault?"),
        lambda unused: unused.identifier("A0A00A"),
    ),
)

KINDS = tuple(kind.name for kind in _KINDS)
"""What facts are about; the facts of a conversation take turns."""


def needle(number: int, distractors: int, unused: Unused, rng: np.random.Generator) -> Needle:
    """Make up a fact."""
    kind, wanted, other = _drawn(number, rng)
    entity = unused.name()
    value = kind.value(unused)
    return Needle(
        kind.name,
        wanted.sentence.format(e=entity, v=value),
        wanted.question.format(e=entity),
        wanted.answer.format(v=value),
        _distractors(kind, wanted, other, entity, distractors, unused),
    )


def trap(number: int, distractors: int, unused: Unused, rng: np.random.Generator) -> Needle:
    """Make up a question on a thing of which something else is said; arguments as of ``needle``.

    There is always one sentence on the thing itself, whatever ``distractors`` says, so that the question does
    not come out of the blue.
    """
    kind, wanted, other = _drawn(number, rng)
    entity = unused.name()
    about = other.sentence.format(e=entity, v=kind.value(unused))
    # One that differs in a letter has an answer, so that who confuses the two is caught.
    alike = [
        wanted.sentence.format(e=unused.similar(entity), v=kind.value(unused))
        for _ in range(min(1, distractors))
    ]
    return Needle(kind.name, None, wanted.question.format(e=entity), NEVER, (about, *alike))


def _drawn(number: int, rng: np.random.Generator) -> tuple[_Kind, _Attribute, _Attribute]:
    kind = _KINDS[number % len(_KINDS)]
    pair = (kind.wanted, kind.other)
    first = int(rng.integers(2))
    return kind, pair[first], pair[1 - first]


def _distractors(
    kind: _Kind, wanted: _Attribute, other: _Attribute, entity: str, count: int, unused: Unused
) -> tuple[str, ...]:
    sentences = []
    for turn in range(count):
        if turn == 1:
            form, about = other, entity
        else:
            form, about = wanted, unused.name() if turn % 3 == 2 else unused.similar(entity)
        sentences.append(form.sentence.format(e=about, v=kind.value(unused)))
    return tuple(sentences)
