"""Vectors that somebody else computed, of which only those that are asked for are kept."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from tellapart.bundles.npz import StoredArray, open_npz, take
from tellapart.embed.cosine import I32, unit_rows
from tellapart.embed.protocol import I64
from tellapart.embed.similarity import ZERO_VECTOR, Cosines, Embedded
from tellapart.errors import InputError

MISSING = "missing embedding"
NOT_FINITE = "NaN or infinite vector"

_QUOTED_CHARACTERS = 60


@dataclass(frozen=True)
class FoundVectors:
    """The vectors of those of some texts that a file has.

    Attributes:
        units: Shape (found, d), as ``unit_rows`` makes them; zero where there is a fault.
        faults: Shape (found,): ``ZERO_VECTOR``, ``NOT_FINITE`` or "".
        row_of: The row of each text that was found.
    """

    units: I32
    faults: NDArray[np.str_]
    row_of: dict[str, int]


def find_vectors(path: Path, texts: Iterable[str]) -> FoundVectors:
    """Find vectors of texts; memory grows with what is found, not with the file.

    Args:
        path: ``.npz`` with ``texts``, strings of shape (n,), and ``vectors`` of shape (n, d) in half, single
            or double precision.
        texts: To look for.

    Raises:
        InputError: It is no such file, is damaged, holds pickled objects (which are never loaded), its arrays
            do not fit each other, or it has vectors of two directions for one text.
    """
    with open_npz(path) as arrays:
        names = take(arrays, "texts", path, kind="U", ndim=1)
        vectors = take(arrays, "vectors", path, kind="f", ndim=2)
        if names.shape[0] != vectors.shape[0]:
            raise InputError(f"{names.shape[0]} texts but {vectors.shape[0]} vectors", where=path)
        places, found = _places(names, set(texts))
        units, faults = _vectors_at(vectors, places)
    row_of: dict[str, int] = {}
    for row, text in enumerate(found):
        first = row_of.setdefault(text, row)
        if faults[first] != faults[row] or not np.array_equal(units[first], units[row]):
            raise InputError(
                f"two different vectors, {places[first]} and {places[row]}, for the text "
                f"{text[:_QUOTED_CHARACTERS]!r}",
                where=path,
                next_step="Keep one vector for each text",
            )
    return FoundVectors(units, faults, row_of)


def look_up(path: Path, anchors: Sequence[str], options: Sequence[str]) -> Embedded:
    """Take the vectors of texts from a file.

    Args:
        path: ``.npz`` with ``texts``, strings of shape (n,), and ``vectors``, numbers of shape (n, d).
        anchors: Texts to look up.
        options: Texts to look up.

    Returns:
        The faults are ``missing embedding``, ``NaN or infinite vector`` and ``zero vector``.

    Raises:
        InputError: The file is no such file or damaged, holds pickled objects, or its arrays do not fit each
            other.
    """
    stored = find_vectors(path, chain(anchors, options))
    numbers = [
        np.array([stored.row_of.get(text, -1) for text in texts], dtype=np.int64)
        for texts in (anchors, options)
    ]
    # The last fault is that of row -1, which stands for texts that the file does not have.
    faults = np.append(stored.faults, MISSING)
    rows = [np.maximum(asked, 0) for asked in numbers]
    return Embedded(Cosines(stored.units, stored.units, *rows), faults[numbers[0]], faults[numbers[1]])


def _places(names: StoredArray, wanted: set[str]) -> tuple[I64, list[str]]:
    """Where wanted texts are, each time that they are there, and which."""
    places, found, start = [], [], 0
    for piece in names.pieces():
        for place, text in enumerate(piece.tolist(), start=start):
            if text in wanted:
                places.append(place)
                found.append(text)
        start += len(piece)
    return np.array(places, dtype=np.int64), found


def _vectors_at(vectors: StoredArray, places: I64) -> tuple[I32, NDArray[np.str_]]:
    units = np.zeros((len(places), vectors.shape[1]), dtype=np.int32)
    faults = np.full(len(places), "", dtype=f"U{len(NOT_FINITE)}")
    start = 0
    for piece in vectors.pieces():
        first, last = np.searchsorted(places, [start, start + len(piece)])
        asked = piece[places[first:last] - start]
        with np.errstate(over="ignore"):
            rows = asked.astype(np.float32)
        finite = np.isfinite(rows).all(axis=1)
        rows[~finite] = 0
        unit_rows(rows, out=units[first:last])
        zero = ~units[first:last].any(axis=1)
        faults[first:last] = np.where(finite, np.where(zero, ZERO_VECTOR, ""), NOT_FINITE)
        start += len(piece)
    return units, faults
