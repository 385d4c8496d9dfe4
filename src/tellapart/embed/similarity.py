"""Similarities of pairs of texts, from a model that embeds or scores them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import NDArray

from tellapart.core.figure_units import COSINE
from tellapart.embed.lineups import Similarity
from tellapart.embed.protocol import Matcher
from tellapart.embed.vector_matcher import VectorMatcher, VectorRows, VectorSimilarity, Zeros

ZERO_VECTOR = "zero vector"


@dataclass(frozen=True)
class Embedded:
    """All texts of an eval, ready to be compared.

    Attributes:
        similarity: Scores pairs of an anchor's and an option's number.
        anchor_faults: Shape (anchor texts,): why a text cannot be compared, such as ``zero vector``, or "".
        unit: What similarities are in: see ``Matcher.unit``.
    """

    similarity: Similarity
    anchor_faults: NDArray[np.str_]
    option_faults: NDArray[np.str_]
    unit: str = COSINE


def embed(
    matcher: Matcher, anchors: Sequence[str], options: Sequence[str], zeros: Zeros | None = None
) -> Embedded:
    """Have a model embed each anchor as a query and each option as a document, once; see `VectorMatcher`."""
    if not isinstance(matcher, VectorMatcher):
        return Embedded(
            partial(matcher.score_pairs, anchors, options),
            np.full(len(anchors), ""),
            np.full(len(options), ""),
            matcher.unit,
        )
    queries = matcher.rows(anchors, kind="query", zeros=zeros)
    width = queries.vectors.shape[1]
    documents = matcher.rows(options, kind="document", dimensions=width, zeros=zeros)
    unit = matcher.unit
    similarity = VectorSimilarity(queries, documents, unit)
    return Embedded(similarity, faults_of(queries, unit), faults_of(documents, unit), unit)


def faults_of(rows: VectorRows, similarity: str) -> NDArray[np.str_]:
    """Why vectors cannot be compared: a zero vector has no cosine."""
    if similarity != COSINE:
        return np.full(len(rows), "", dtype=f"U{len(ZERO_VECTOR)}")
    return np.where(rows.vectors.any(axis=1), "", ZERO_VECTOR)
