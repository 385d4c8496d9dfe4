"""Vectors of a model, checked before anything is concluded from them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from tellapart.core.arrays import F32
from tellapart.embed.protocol import Embedder, Kind
from tellapart.errors import InputError

_QUOTED_CHARACTERS = 60


def checked_vectors(
    embedder: Embedder, texts: Sequence[str], *, kind: Kind, dimensions: int | None = None
) -> F32:
    """Encode texts and refuse what is not one finite vector for each text; float32 of shape (texts, d)."""
    vectors = embedder.encode(texts, kind=kind)
    return check_vectors(vectors, embedder.name, texts, kind=kind, dimensions=dimensions)


def check_vectors(
    vectors: F32, model: str, texts: Sequence[str], *, kind: Kind, dimensions: int | None = None
) -> F32:
    """Refuse what ``checked_vectors`` refuses in vectors that are there; ``model`` is its name."""
    vectors = np.asarray(vectors, dtype=np.float32)
    if vectors.ndim != 2 or len(vectors) != len(texts):
        raise InputError(
            f"model {model!r} gave an array of shape {vectors.shape} for {len(texts)} {kind} texts, "
            f"expected one row for each"
        )
    if dimensions is not None and len(texts) and vectors.shape[1] != dimensions:
        raise InputError(
            f"model {model!r} gave {kind} vectors of {vectors.shape[1]} dimensions "
            f"after vectors of {dimensions}; vectors of different lengths cannot be compared"
        )
    finite = np.isfinite(vectors).all(axis=1)
    if not finite.all():
        first = texts[int(np.argmin(finite))]
        raise InputError(
            f"model {model!r} gave NaN or infinity for {np.count_nonzero(~finite)} of {len(texts)} "
            f"{kind} texts, the first of which begins {first[:_QUOTED_CHARACTERS]!r}",
            next_step="No score can be computed from such a vector; check the model or leave it out",
        )
    return vectors
