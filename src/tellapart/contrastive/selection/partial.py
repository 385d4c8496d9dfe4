"""Partial matches: code that has some, but not all, of what a summary says."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from scipy.sparse import csr_array

from tellapart.contrastive.selection.words import words_of
from tellapart.core.arrays import F64, I64

LEAST, MOST = 0.3, 0.8
"""A partial match has a share of the summary's concepts strictly between the two."""

SHORTEST, LONGEST = 0.67, 1.5
"""A partial match is so many times as long as the target: longer code has more of any summary's words."""

FEWEST = 2
"""Concepts that a summary needs: of one alone, there is no part."""

_BLOCK = 64


class Concepts:
    """What share of a summary's concepts each code of a repository has, the rarer ones counting more.

    Concepts are the words of ``words_of``. One that d of n codes have weighs ln((n + 1) / (d + 1)); one that
    no code has is left out, since no candidate could share it.

    Source:
        "Contrastive Evaluation Analysis", recommendation 3.1. There it is the Jaccard index of all words.
        Code has many more words than a summary, so that index hardly ever reaches .3; the share of the
        summary's own words does.
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
