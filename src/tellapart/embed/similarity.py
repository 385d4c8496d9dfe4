"""Similarities of pairs of texts, from a model that embeds or scores them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import NDArray

from tellapart.core.arrays import F64, I32, I64
from tellapart.core.figure_units import COSINE
from tellapart.embed.cosine import CosineMatcher, unit_cosines, unit_rows
from tellapart.embed.lineups import Similarity
from tellapart.embed.protocol import Matcher
from tellapart.embed.vectors import checked_vectors

ZERO_VECTOR = "zero vector"


@dataclass(frozen=True)
class Cosines:
    """Cosines between rows that ``unit_rows`` made.

    Attributes:
        anchors: Shape (anchor texts, d).
        options: Shape (option texts, d).
        anchor_rows: Shape (anchor texts,): the row of each anchor text; None for its own number.
        option_rows: The same for options.
    """

    anchors: I32
    options: I32
    anchor_rows: I64 | None = None
    option_rows: I64 | None = None

    def __call__(self, anchors: I64, options: I64) -> F64:
        """Score pairs; see ``Similarity``."""
        left = anchors if self.anchor_rows is None else self.anchor_rows[anchors]
        right = options if self.option_rows is None else self.option_rows[options]
        return unit_cosines(self.anchors, self.options, left, right)


@dataclass(frozen=True)
class Embedded:
    """All texts of an eval, ready to be compared.

    Attributes:
        similarity: Scores pairs of an anchor's and an option's number.
        anchor_faults: Shape (anchor texts,): why a text cannot be compared, such as ``zero vector``, or "".
        option_faults: The same for options.
        unit: What similarities are in: see ``Matcher.unit``.
    """

    similarity: Similarity
    anchor_faults: NDArray[np.str_]
    option_faults: NDArray[np.str_]
    unit: str = COSINE


def embed(matcher: Matcher, anchors: Sequence[str], options: Sequence[str]) -> Embedded:
    """Have a model embed each anchor as a query and each option as a document, once.

    Args:
        matcher: The model; one without vectors is asked for scores instead.
        anchors: Distinct texts.
        options: Distinct texts.

    Raises:
        InputError: The model's vectors are not finite, not one for each text, or not of one length.
    """
    if not isinstance(matcher, CosineMatcher):
        return Embedded(
            partial(matcher.score_pairs, anchors, options),
            np.full(len(anchors), ""),
            np.full(len(options), ""),
            matcher.unit,
        )
    queries = checked_vectors(matcher.embedder, anchors, kind="query")
    documents = checked_vectors(matcher.embedder, options, kind="document", dimensions=queries.shape[1])
    cosines = Cosines(unit_rows(queries), unit_rows(documents))
    return Embedded(cosines, _zeros(cosines.anchors), _zeros(cosines.options))


def _zeros(units: I32) -> NDArray[np.str_]:
    return np.where(units.any(axis=1), "", ZERO_VECTOR)
