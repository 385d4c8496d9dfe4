"""How likely it is that a distractor is a second right answer, from both summaries and both codes.

A second right answer is a unit that the target's summary describes as well. What speaks against it is what
tells the two apart: a word of the target's summary that the other's lacks, above all where the other has
another word in its place (the *horizontal* position, the *vertical* one); the same words in another order; a
word of the summary that only the target's code has. Likeness alone would list opposites first, which are
the best distractors that there are.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from math import exp, log

from rapidfuzz.distance import Indel

from tellapart.embed.identifiers import split_identifiers
from tellapart.extraction.copies import normal_form
from tellapart.extraction.unit import Unit

# Operators are words: "self * other" is not "self / other".
_WORD = re.compile(r"\w+|[^\w\s.,;:'\"`()\[\]{}-]+")
_SAYS_NOTHING = {"a", "an", "it", "its", "of", "that", "the", "this"}
_TURNS_ROUND = {"except", "never", "no", "non", "not", "unless", "without"}

_LEAST = 0.35
"""Weight of the most frequent word; the rarest has 1."""


@dataclass(frozen=True)
class Words:
    """A text in words, lower case, in its order; ``pieces`` are those of the identifiers in it."""

    in_order: tuple[str, ...]
    each: frozenset[str]
    stems: frozenset[str]
    pieces: frozenset[str]


@cache
def words(text: str) -> Words:
    """Cut a text into words and operators, without articles."""
    in_order = tuple(word for word in _WORD.findall(text.lower()) if word not in _SAYS_NOTHING)
    each = frozenset(in_order)
    return Words(in_order, each, frozenset(map(_stem, each)), frozenset(split_identifiers(text)))


def rarity(summaries: Iterable[str]) -> Mapping[str, float]:
    """Weigh words by how few of the summaries have them, in [``_LEAST``, 1]."""
    texts = [words(text) for text in summaries]
    frequency = Counter(word for text in texts for word in text.each)
    rarest = log((len(texts) + 1) / 1.5) or 1.0
    weight = {word: log((len(texts) + 1) / (count + 0.5)) / rarest for word, count in frequency.items()}
    return {word: 1.0 if word in _TURNS_ROUND else max(_LEAST, value) for word, value in weight.items()}


@dataclass(frozen=True)
class Contrast:
    """What tells a target from a distractor; sums of weights of words, where the rarest word has 1.

    Attributes:
        missing: Words of the target's summary that the distractor's lacks; half where it has them in another
            number or within an identifier.
        added: Words of the distractor's summary that the target's lacks, likewise.
        reordered: Share of the common words that stand in another order, in [0, 1].
        evidence: Words of the target's summary that its code has and the distractor's has not.
        same_name: Whether the units have one name.
        code: Likeness of both codes, token by token, comments, white space and names aside, in [0, 1].
        agreed: Items in which all models put the distractor first, where models answered.
    """

    missing: float
    added: float
    reordered: float
    evidence: float
    same_name: bool
    code: float = 0.0
    agreed: int = 0

    @property
    def cost(self) -> float:
        """All of it as one number; the weights were chosen on Python's standard library.

        A word that stands in the place of another tells more than one that was left out or added, since a
        summary that says less may still be right.
        """
        apart = (
            self.missing
            + 0.35 * self.added
            + 0.8 * min(self.missing, self.added)
            + 2 * self.reordered
            + 0.5 * self.evidence
        )
        alike = 0.3 * self.same_name + 0.3 * max(0.0, self.code - 0.7) / 0.3 + 0.1 * min(self.agreed, 2)
        return apart - alike

    @property
    def score(self) -> float:
        """From 0, sound, to 1, most likely a second right answer; .5 at a cost of half a rare word."""
        return 1 / (1 + exp((self.cost - 0.5) / 0.2))


def contrast(
    target: Unit, distractor: Unit, summaries: tuple[str, str], weights: Mapping[str, float]
) -> Contrast:
    """Compare two units by what is said of them; codes are left to `code_likeness`."""
    wanted, offered = map(words, summaries)
    common = wanted.each & offered.each
    orders = ([word for word in text.in_order if word in common] for text in (wanted, offered))
    only_own = wanted.each & (_words_of_code(target) - _words_of_code(distractor))
    return Contrast(
        missing=_lacking(wanted, offered, weights),
        added=_lacking(offered, wanted, weights),
        reordered=1 - float(Indel.normalized_similarity(*orders)),
        evidence=sum(weights.get(word, 1.0) for word in sorted(only_own)),
        same_name=target.name == distractor.name,
    )


def _lacking(wanted: Words, offered: Words, weights: Mapping[str, float]) -> float:
    total = 0.0
    for word in sorted(wanted.each - offered.each):
        pieces = split_identifiers(word)
        in_part = _stem(word) in offered.stems or (pieces and offered.pieces.issuperset(pieces))
        total += weights.get(word, 1.0) * (0.5 if in_part else 1.0)
    return total


def _stem(word: str) -> str:
    return word.rstrip("s") if len(word) > 3 else word


@cache
def _words_of_code(unit: Unit) -> frozenset[str]:
    return frozenset(split_identifiers(f"{unit.content} {unit.id.rpartition('#')[0].partition('::')[2]}"))


@cache
def _form(unit: Unit) -> Sequence[str]:
    return normal_form(unit)


def code_likeness(target: Unit, distractor: Unit) -> float:
    """Compare two codes token by token, names aside; 0 where one is less than half as long, or below .7."""
    forms = _form(target), _form(distractor)
    short, long = sorted(map(len, forms))
    if 2 * short < long:
        return 0.0
    return float(Indel.normalized_similarity(*forms, score_cutoff=0.7))
