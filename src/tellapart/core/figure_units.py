"""What kind of figure a number is, and in which unit: only like compares with like."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from tellapart.errors import UsageError, near_match

COSINE, EUCLIDEAN, MANHATTAN = "cosine", "euclidean", "manhattan"

VECTOR_SIMILARITIES = (COSINE, "dot", EUCLIDEAN, MANHATTAN)
"""How vectors of whatever model are compared: by their cosine, their inner product, or a distance, negated.

Each is the unit of its own values, and these have the names that sentence-transformers gives them.
"""


def require_similarity(name: str) -> str:
    """Give the name of a similarity between vectors."""
    if name not in VECTOR_SIMILARITIES:
        raise UsageError(
            f"unknown similarity {name!r}", next_step=near_match(name, sorted(VECTOR_SIMILARITIES))
        )
    return name


class FigureKind(StrEnum):
    """A rate lies in [0, 1], a rank counts from 1; a similarity has a unit of its own."""

    RATE = "rate"
    RANK = "rank"
    SIMILARITY = "similarity"


@dataclass(frozen=True)
class FigureUnit:
    """The kind of a figure and its unit.

    Attributes:
        unit: Such as ``cosine``, ``dot``, ``bm25``, ``tokens``; None where the kind says all.
    """

    kind: FigureKind
    unit: str | None = None
