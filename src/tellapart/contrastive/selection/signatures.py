"""How alike two signatures are: number of parameters, their types, return type, name.

Source: "Contrastive Evaluation Analysis", recommendation 1.3; signatures come from the syntax tree, and
common types are a multiset intersection, so that ``(int, int)`` against ``(int)`` is .5 both ways round.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Hashable, Sequence
from typing import NamedTuple, TypeVar

import numpy as np
import numpy.typing as npt
from rapidfuzz.distance import Levenshtein
from rapidfuzz.process import cdist
from scipy.sparse import csr_array

from tellapart.extraction.unit import Unit

COUNT_WEIGHT, TYPE_WEIGHT, RETURN_WEIGHT, NAME_WEIGHT = 0.25, 0.35, 0.20, 0.20
UNKNOWN = 0.5
SHARED_ACTION = 0.7
ACTIONS = ("get", "set", "is", "has", "create", "delete", "update", "find", "fetch", "send")
BLOCK = 64


def _types(unit: Unit) -> list[str]:
    return [parameter.type for parameter in unit.parameters if parameter.type]


def _action(name: str) -> int:
    """Return the position of the action that a lower-case name begins with, or -1."""
    return next((index for index, action in enumerate(ACTIONS) if name.startswith(action)), -1)


def signature_similarities(targets: Sequence[Unit], candidates: Sequence[Unit]) -> npt.NDArray[np.float32]:
    """Compare every target with every candidate: .25 count + .35 types + .20 return + .20 name, symmetric.

    Missing types and return types are neutral (.5). Names that begin with the same action are .7 alike,
    others 1 − Levenshtein distance / length of the longer. Each distinct pair of names or shapes is compared
    once.
    """
    result = np.empty((len(targets), len(candidates)), dtype=np.float32)
    names, name_of = _distinct([unit.name.lower() for unit in candidates])
    shapes, shape_of = _distinct([_Shape.of(unit) for unit in candidates])
    for start in range(0, len(targets), BLOCK):
        block = targets[start : start + BLOCK]
        own_names, own_name_of = _distinct([unit.name.lower() for unit in block])
        own_shapes, own_shape_of = _distinct([_Shape.of(unit) for unit in block])
        by_name = _name_similarities(own_names, names)[own_name_of][:, name_of]
        by_shape = _shape_similarities(own_shapes, shapes)[own_shape_of][:, shape_of]
        result[start : start + BLOCK] = by_shape + np.float32(NAME_WEIGHT) * by_name
    return result


class ParameterNames:
    """Signatures as the original method compares them: by how many parameters they have and by their names.

    Source: source document 000, Problem 4.
    """

    def __init__(self, units: Sequence[Unit]) -> None:
        """Index the units by the names of their parameters."""
        self._names = [[parameter.name for parameter in unit.parameters] for unit in units]
        self._counts = np.array([len(names) for names in self._names], dtype=np.int64)
        having: dict[str, list[int]] = defaultdict(list)
        for position, names in enumerate(self._names):
            for name in set(names):
                having[name].append(position)
        self._having = {name: np.array(positions) for name, positions in having.items()}

    def similarities(self, unit: int) -> npt.NDArray[np.float64]:
        """Mean similarity of one unit's parameters, by count and name, to those of all; .5 without any."""
        names = self._names[unit]
        longer = np.maximum(np.maximum(self._counts, len(names)), 1)
        shared = np.zeros(len(self._counts), dtype=np.int64)
        for name in names:
            shared[self._having[name]] += 1
        count = 1 - np.abs(self._counts - len(names)) / longer
        similarities: npt.NDArray[np.float64] = (count + shared / longer) / 2
        return similarities


class _Shape(NamedTuple):
    """All of a signature but the name; the second parameter of a type counts as another type."""

    parameters: int
    types: tuple[tuple[str, int], ...]
    returns: str | None

    @classmethod
    def of(cls, unit: Unit) -> _Shape:
        seen = Counter(_types(unit))
        types = [(name, number) for name, times in sorted(seen.items()) for number in range(times)]
        return cls(len(unit.parameters), tuple(types), unit.return_type)


T = TypeVar("T", bound=Hashable)


def _distinct(values: Sequence[T]) -> tuple[list[T], npt.NDArray[np.int64]]:
    """Return the distinct values, and for each value its position among them."""
    positions = {value: position for position, value in enumerate(dict.fromkeys(values))}
    return list(positions), np.array([positions[value] for value in values], dtype=np.int64)


def _name_similarities(a: Sequence[str], b: Sequence[str]) -> npt.NDArray[np.float32]:
    """Compare lower-case names: array (a, b)."""
    similarities = cdist(a, b, scorer=Levenshtein.normalized_similarity, dtype=np.float32)
    actions_a, actions_b = (np.array([_action(name) for name in names], dtype=np.int64) for names in (a, b))
    shared = (actions_a[:, None] == actions_b) & (actions_a[:, None] >= 0)
    return np.where(shared, np.float32(SHARED_ACTION), similarities)


def _shape_similarities(a: Sequence[_Shape], b: Sequence[_Shape]) -> npt.NDArray[np.float32]:
    """Compare all but the names, weights included: array (a, b)."""
    counts_a, counts_b = (np.array([shape.parameters for shape in shapes], dtype=float) for shapes in (a, b))
    sizes_a, sizes_b = (np.array([len(shape.types) for shape in shapes], dtype=float) for shapes in (a, b))
    codes = {name: code for code, name in enumerate({shape.returns for shape in (*a, *b)} - {None})}
    returns_a, returns_b = (np.array([codes.get(shape.returns, -1) for shape in shapes]) for shapes in (a, b))
    equal = returns_a[:, None] == returns_b
    unknown = (returns_a[:, None] < 0) | (returns_b < 0)
    similarities = (
        COUNT_WEIGHT
        * _ratios(np.minimum.outer(counts_a, counts_b), np.maximum.outer(counts_a, counts_b), 1.0)
        + TYPE_WEIGHT * _ratios(_common_types(a, b), np.maximum.outer(sizes_a, sizes_b), UNKNOWN)
        + RETURN_WEIGHT * np.where(unknown, UNKNOWN, equal)
    )
    return similarities.astype(np.float32)


def _ratios(
    part: npt.NDArray[np.float64], whole: npt.NDArray[np.float64], empty: float
) -> npt.NDArray[np.float64]:
    ratios = np.full(whole.shape, empty)
    np.divide(part, whole, out=ratios, where=whole > 0)
    return ratios


def _common_types(a: Sequence[_Shape], b: Sequence[_Shape]) -> npt.NDArray[np.float64]:
    """Count the types that each pair has in common: a product of two sparse incidence matrices."""
    column = {
        name: index for index, name in enumerate(dict.fromkeys(t for shape in (*a, *b) for t in shape.types))
    }

    def incidence(shapes: Sequence[_Shape]) -> csr_array:
        columns = [column[name] for shape in shapes for name in shape.types]
        ends = np.cumsum([0, *(len(shape.types) for shape in shapes)])
        return csr_array((np.ones(len(columns)), columns, ends), shape=(len(shapes), max(len(column), 1)))

    common: npt.NDArray[np.float64] = (incidence(a) @ incidence(b).T).toarray().astype(np.float64)
    return common
