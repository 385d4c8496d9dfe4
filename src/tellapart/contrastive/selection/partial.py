"""Partial matches: code that has some, but not all, of what a summary says."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache

import numpy as np
from scipy.sparse import csr_array

from tellapart.core.arrays import F64, I64
from tellapart.embed.identifiers import split_identifiers

LEAST, MOST = 0.3, 0.8
"""A partial match has a share of the summary's concepts strictly between the two."""

SHORTEST, LONGEST = 0.67, 1.5
"""A partial match is so many times as long as the target: longer code has more of any summary's words."""

FEWEST = 2
"""Concepts that a summary needs: of one alone, there is no part."""

_BLOCK = 64


class Concepts:
    """What share of a summary's concepts each code of a repository has, the rarer ones counting more.

    A word that d of n codes have weighs ln((n + 1) / (d + 1)); one that none has is left out. Source:
    "Contrastive Evaluation Analysis", recommendation 3.1, whose Jaccard index hardly ever reaches .3, since
    code has many more words than a summary.
    """

    def __init__(self, codes: Sequence[str]) -> None:
        """Index the codes of all units."""
        words = [words_of(code) for code in codes]
        self._column = {word: i for i, word in enumerate(sorted(frozenset[str]().union(*words)))}
        self._has = self._rows([[self._column[word] for word in sorted(each)] for each in words])
        having = np.bincount(self._has.indices, minlength=len(self._column))
        self._rarity: F64 = np.log((len(codes) + 1) / (having + 1))

    def shares(self, summaries: Sequence[str], codes: I64) -> F64:
        """The weighted share of each summary's concepts that each code has, to nine decimals."""
        rows = [
            sorted(self._column[word] for word in words_of(text) if word in self._column)
            for text in summaries
        ]
        weights = self._rows([columns if len(columns) >= FEWEST else [] for columns in rows])
        weights.data = self._rarity[weights.indices]
        whole = np.asarray(weights.sum(axis=1)).reshape(-1, 1)
        shared = (weights @ self._has[codes].T).toarray()
        shares: F64 = np.divide(shared, whole, out=np.zeros_like(shared), where=whole > 0)
        return np.round(shares, 9)

    def partial_matches(self, summaries: Sequence[str], pool: I64) -> Iterator[I64]:
        """For each summary the positions of its partial matches, in the order of ``pool``."""
        for start in range(0, len(summaries), _BLOCK):
            shares = self.shares(summaries[start : start + _BLOCK], pool)
            for is_partial in (shares > LEAST) & (shares < MOST):
                yield pool[is_partial]

    def _rows(self, columns: Sequence[Sequence[int]]) -> csr_array:
        flat = np.fromiter((column for row in columns for column in row), dtype=np.int64)
        ends = np.cumsum([0, *map(len, columns)])
        return csr_array((np.ones(len(flat)), flat, ends), shape=(len(columns), len(self._column)))


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
SHORTEST_STEM = 3


def words_of(text: str) -> frozenset[str]:
    """Return the words of code or prose, each once, without endings, function words and numbers."""
    return frozenset(map(stem, filter(_is_informative, split_identifiers(text))))


def _is_informative(piece: str) -> bool:
    return len(piece) > 1 and piece not in FUNCTION_WORDS and not piece.isdigit()


@lru_cache(maxsize=1 << 16)
def stem(word: str) -> str:
    """Take the usual endings off a word: ``scheduling``, ``schedules`` and ``schedule`` are one."""
    word = _singular(word)
    for ending in ("ing", "ed"):
        rest = word.removesuffix(ending)
        if rest != word and len(rest) >= SHORTEST_STEM and VOWEL.search(rest) and rest[-1] != "e":
            word = rest[:-1] if rest[-1] == rest[-2] and rest[-1] not in "lsz" else rest
            break
    return word[:-1] if len(word) > SHORTEST_STEM and word[-1] == "e" else word


def _singular(word: str) -> str:
    if len(word) <= SHORTEST_STEM or not word.endswith("s") or word.endswith(("ss", "us", "is")):
        return word
    return f"{word[:-3]}y" if word.endswith("ies") and len(word) > SHORTEST_STEM + 1 else word[:-1]
