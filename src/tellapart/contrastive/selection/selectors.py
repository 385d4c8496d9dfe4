"""What ranks the candidates of a target when distractors are chosen."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Protocol

import numpy as np
from scipy.stats import rankdata
from sklearn.preprocessing import normalize

from tellapart.contrastive.selection.neighbours import (
    inner_products,
    nearest,
    sample_of,
    shares_below,
    standardising_rows,
    without_self,
)
from tellapart.contrastive.selection.signatures import signature_similarities
from tellapart.core.arrays import F32, F64, I64
from tellapart.embed.models.lexical import Bm25, Lsa
from tellapart.embed.protocol import Embedder, checked_vectors
from tellapart.extraction.unit import Unit

FUSION = "fusion"
"""What users type for the default selector."""

FUSION_CONSTANT = 60
"""The constant of reciprocal-rank fusion (Cormack, Clarke and Büttcher, SIGIR 2009)."""

_BLOCK = 256


class Selector(Protocol):
    """Ranks units by how easily they are mistaken for a target."""

    @property
    def name(self) -> str:
        """As users type it."""

    @property
    def fingerprint(self) -> str:
        """Model, revision and every parameter that changes an order."""

    @property
    def vectors(self) -> F64 | F32:
        """Shape (units, d), unit rows; the cosine between two is the selector similarity of the units."""

    def neighbours(self, targets: I64, pool: I64, k: int) -> I64:
        """The ``k`` units of ``pool`` most like each target.

        Args:
            targets: Shape (t,), positions of units.
            pool: Shape (p,), ascending positions.
            k: Neighbours wanted.

        Returns:
            Shape (t, k), positions, most alike first, the target left out; -1 where there are fewer.
        """

    def nearness(self, target: int, others: I64) -> F64:
        """How near each of ``others`` is to a target by ``vectors``, corrected for hubs; any scale."""


class EmbedderSelector:
    """Neighbours by the cosine between the embeddings of two units' code, standardised against hubs."""

    def __init__(self, units: Sequence[Unit], embedder: Embedder) -> None:
        """Embed every unit once."""
        self.name = embedder.name
        self.fingerprint = f"standardised({embedder.fingerprint})"
        codes = [unit.content for unit in units]
        self.vectors: F32 = normalize(checked_vectors(embedder, codes, kind="document"))
        self._queries, self._documents = standardising_rows(
            self.vectors, sample_of([unit.id for unit in units])
        )

    def neighbours(self, targets: I64, pool: I64, k: int) -> I64:
        """See ``Selector``."""
        return nearest(self._queries, self._documents, targets, pool, k)

    def nearness(self, target: int, others: I64) -> F64:
        """See ``Selector``."""
        return inner_products(self._queries[target], self._documents[others])


class FusionSelector:
    """Reciprocal-rank fusion of BM25 from the summary, LSA between codes, and signature similarity.

    No single model chooses, so none is singled out for punishment; ``fusion+MODEL`` has a fourth. A candidate
    is as near as the share of other units for which it is fused to a lower score, so that none is among the
    neighbours of many more units than another. The selector similarity is LSA's cosine.
    """

    def __init__(
        self,
        units: Sequence[Unit],
        summaries: Mapping[int, str],
        *,
        bm25: Bm25 | None = None,
        lsa: Lsa | None = None,
        dense: EmbedderSelector | None = None,
    ) -> None:
        """Fit BM25 and LSA on the units' code, unless they are already; ``dense`` is a fourth list."""
        self._units, self._summaries = units, summaries
        self._codes = [unit.content for unit in units]
        self._bm25, lsa = bm25 or Bm25(self._codes), lsa or Lsa(self._codes)
        self.vectors: F64 = lsa.project(self._codes)
        self._queries, self._documents = standardising_rows(
            self.vectors, sample_of([unit.id for unit in units])
        )
        self._dense = [] if dense is None else [dense]
        self._usual: tuple[I64, F64] | None = None
        self.name = "+".join([FUSION, *(each.name for each in self._dense)])
        parts = [self._bm25.fingerprint, lsa.fingerprint, "signatures"]
        parts += [each.fingerprint for each in self._dense]
        self.fingerprint = f"fusion({FUSION_CONSTANT};shares;{';'.join(parts)})"

    def neighbours(self, targets: I64, pool: I64, k: int) -> I64:
        """See ``Selector``."""
        usual = self._usual_of(pool)
        ranked = np.empty((len(targets), k), dtype=np.int64)
        for at in range(0, len(targets), _BLOCK):
            block = targets[at : at + _BLOCK]
            fused = self._fused(block, pool)
            order = np.lexsort((-fused, -shares_below(fused, usual)), axis=1)[:, : k + 1]
            ranked[at : at + len(block)] = without_self(pool[order], block, k)
        return ranked

    def _usual_of(self, pool: I64) -> F64:
        """Fused scores of a pool for a sample of its units, ascending; of a unit for itself 0, the lowest."""
        if self._usual is not None and np.array_equal(self._usual[0], pool):
            return self._usual[1]
        summarised = pool[[i in self._summaries for i in pool.tolist()]]
        sample = summarised[sample_of([self._units[i].id for i in summarised])]
        usual = np.empty((len(sample), len(pool)))
        for at in range(0, len(sample), _BLOCK):
            usual[at : at + _BLOCK] = self._fused(sample[at : at + _BLOCK], pool)
        usual[sample[:, None] == pool] = 0.0
        usual.sort(axis=0)
        self._usual = pool, usual
        return usual

    def _fused(self, targets: I64, pool: I64) -> F64:
        """Fuse the lists of some targets; shape (targets, pool)."""
        summaries, codes = [self._summaries[int(i)] for i in targets], [self._codes[i] for i in pool]
        voters: list[F32 | F64] = [
            self._bm25.score_all(summaries, codes),
            self.vectors[targets] @ self.vectors[pool].T,
            signature_similarities([self._units[i] for i in targets], [self._units[i] for i in pool]),
            *(each.vectors[targets] @ each.vectors[pool].T for each in self._dense),
        ]
        fused: F64 = np.sum([1.0 / (FUSION_CONSTANT + _ranks(voter)) for voter in voters], axis=0)
        return np.round(fused, 12)

    def nearness(self, target: int, others: I64) -> F64:
        """See ``Selector``."""
        return inner_products(self._queries[target], self._documents[others])


def _ranks(scores: F32 | F64) -> F64:
    """Rank from 1 along each row, the largest first; scores equal in nine decimals share their mean rank."""
    ranks: F64 = rankdata(-np.round(scores, 9), axis=1)
    return ranks
