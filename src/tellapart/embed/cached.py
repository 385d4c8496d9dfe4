"""An embedder that asks its model only for what the cache does not have."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from tellapart.embed.cache import VectorCache
from tellapart.embed.protocol import F32, Embedder, Kind
from tellapart.embed.vectors import checked_vectors

_TEXTS_A_BATCH = 256


class CachedEmbedder:
    """Serves vectors from a cache and has the model embed the rest, each distinct text once.

    What the model gives is checked, then kept batch by batch: an interruption loses one batch at most. A kept
    vector of another length than the model's own is embedded again.
    """

    def __init__(self, embedder: Embedder, cache: VectorCache, *, batch_size: int = _TEXTS_A_BATCH) -> None:
        """Put ``cache`` in front of ``embedder``; ``batch_size`` counts texts."""
        self._embedder = embedder
        self._cache = cache
        self._batch_size = batch_size
        self._dimensions: int | None = None

    @property
    def name(self) -> str:
        """The embedder's."""
        return self._embedder.name

    @property
    def fingerprint(self) -> str:
        """The embedder's."""
        return self._embedder.fingerprint

    def encode(self, texts: Sequence[str], *, kind: Kind = "document") -> F32:
        """Embed texts; see ``Embedder``.

        Raises:
            InputError: The model's vectors are not finite, not one for each text, or not of one length.
        """
        if not texts:
            return self._embedder.encode(texts, kind=kind)
        distinct = dict.fromkeys(texts)
        vectors = self._cache.get(self.fingerprint, kind, list(distinct))
        while missing := self._missing(distinct, vectors):
            for start in range(0, len(missing), self._batch_size):
                vectors |= self._embed(missing[start : start + self._batch_size], kind)
        return np.stack([vectors[text] for text in texts])

    def _missing(self, distinct: Iterable[str], vectors: Mapping[str, F32]) -> list[str]:
        """Texts without a vector of the right length, shortest first: a batch of like lengths pads less."""
        length = self._dimensions or max(map(len, vectors.values()), default=0)
        missing = [text for text in distinct if text not in vectors or len(vectors[text]) != length]
        return sorted(missing, key=lambda text: (len(text), text))

    def _embed(self, batch: Sequence[str], kind: Kind) -> dict[str, F32]:
        rows = checked_vectors(self._embedder, batch, kind=kind, dimensions=self._dimensions)
        self._dimensions = rows.shape[1]
        vectors = dict(zip(batch, rows, strict=True))
        self._cache.put(self.fingerprint, kind, vectors)
        return vectors
