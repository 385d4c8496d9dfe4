"""Hashed bag of pieces: an embedder that needs no fitting, no files and no network."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from functools import lru_cache

import numpy as np

from tellapart.core.arrays import F32
from tellapart.embed.identifiers import REVISION, split_identifiers
from tellapart.embed.protocol import Kind
from tellapart.embed.registry import ModelRequest

_DIMENSIONS = 256


class HashingEmbedder:
    """Counts pieces of identifiers into 256 dimensions, with signs, each piece where its hash says.

    The same on every machine; queries and documents alike; a text without a piece is a zero vector. Good for
    tests and for trying things out, not a model to recommend.

    Source: Weinberger et al., "Feature Hashing for Large Scale Multitask Learning", ICML 2009.
    """

    name = "hashing"
    fingerprint = f"hashing dimensions={_DIMENSIONS} hash=blake2b pieces={REVISION}"

    def encode(self, texts: Sequence[str], *, kind: Kind = "document") -> F32:
        """Embed texts; see ``Embedder``. Counts, not of unit length."""
        vectors = np.zeros((len(texts), _DIMENSIONS), dtype=np.float32)
        for row, text in enumerate(texts):
            for piece in split_identifiers(text):
                column, sign = _place(piece)
                vectors[row, column] += sign
        return vectors


@lru_cache(maxsize=100_000)
def _place(piece: str) -> tuple[int, int]:
    value = int.from_bytes(hashlib.blake2b(piece.encode(), digest_size=8).digest(), "little")
    return value % _DIMENSIONS, 1 if value >> 63 else -1


def load(request: ModelRequest) -> HashingEmbedder:
    """Give the embedder; nothing is fitted."""
    return HashingEmbedder()
