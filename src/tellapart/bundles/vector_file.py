"""Vectors computed elsewhere: an ``.npz`` that is never unpickled."""

from __future__ import annotations

import zipfile
import zlib
from collections.abc import Iterable, Sequence
from itertools import chain
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tellapart.core.figure_units import COSINE
from tellapart.embed.similarity import Embedded, faults_of
from tellapart.embed.vector_matcher import VectorRows, VectorSimilarity
from tellapart.errors import InputError

MISSING = "missing embedding"
NOT_FINITE = "NaN or infinite vector"

_QUOTED_CHARACTERS = 60
_NEXT_STEP = "Write it with numpy.savez(path, texts=numpy.array(list_of_str), vectors=matrix)"
_KINDS = {"U": "strings", "f": "floating-point numbers"}


class FileVectors(NamedTuple):
    """The vectors of those of some texts that a file has, the fault of each, and the row of each text.

    Where there is a fault, ``NOT_FINITE`` or what ``faults_of`` gives, the row is zero.
    """

    rows: VectorRows
    faults: NDArray[np.str_]
    row_of: dict[str, int]


def find_vectors(path: Path, texts: Iterable[str], similarity: str) -> FileVectors:
    """Find vectors of texts."""
    names, vectors = _read(path)
    if len(names) != len(vectors):
        raise InputError(f"{len(names)} texts but {len(vectors)} vectors", where=path)
    wanted = set(texts)
    found = [(place, text) for place, text in enumerate(names.tolist()) if text in wanted]
    with np.errstate(over="ignore"):
        vectors_at = vectors[[place for place, _ in found]].astype(np.float32)
    finite = np.isfinite(vectors_at).all(axis=1)
    # A fault keeps its place as zeros: only finite vectors are compared.
    vectors_at[~finite] = 0
    rows = VectorRows.of(vectors_at)
    faults = np.where(finite, faults_of(rows, similarity), NOT_FINITE)
    row_of: dict[str, int] = {}
    for row, (place, text) in enumerate(found):
        first = row_of.setdefault(text, row)
        if faults[first] != faults[row] or not np.array_equal(vectors_at[first], vectors_at[row]):
            raise InputError(
                f"two different vectors, {found[first][0]} and {place}, for the text "
                f"{text[:_QUOTED_CHARACTERS]!r}",
                where=path,
                next_step="Keep one vector for each text",
            )
    return FileVectors(rows, faults, row_of)


def look_up(
    path: Path, anchors: Sequence[str], options: Sequence[str], *, similarity: str = COSINE
) -> Embedded:
    """Take the vectors of texts from a file."""
    stored = find_vectors(path, chain(anchors, options), similarity)
    # The last fault is that of row -1, which stands for texts that the file does not have.
    faults = np.append(stored.faults, MISSING)
    of_anchors, of_options = (
        np.array([stored.row_of.get(text, -1) for text in texts], dtype=np.int64)
        for texts in (anchors, options)
    )
    rows = np.maximum(of_anchors, 0), np.maximum(of_options, 0)
    compared = VectorSimilarity(stored.rows, stored.rows, similarity, *rows)
    return Embedded(compared, faults[of_anchors], faults[of_options], similarity)


def _read(path: Path) -> tuple[NDArray[np.str_], NDArray[Any]]:
    """The texts, shape (n,), and the vectors, shape (n, d)."""
    try:
        with path.open("rb") as file:
            if not zipfile.is_zipfile(file):
                raise InputError("no .npz, or one that was cut off", where=path, next_step=_NEXT_STEP)
        with np.load(path, allow_pickle=False) as archive:
            return _taken(archive, "texts", "U", 1, path), _taken(archive, "vectors", "f", 2, path)
    except (zipfile.BadZipFile, zlib.error, EOFError, ValueError, NotImplementedError) as error:
        raise InputError(f"this .npz is damaged: {error}", where=path, next_step=_NEXT_STEP) from None
    except OSError as error:
        raise InputError(f"cannot read this file: {error.strerror or error}", where=path) from None


def _taken(archive: Any, name: str, kind: str, dimensions: int, path: Path) -> NDArray[Any]:
    """Pick an array that has values of a kind (as in ``numpy.dtype.kind``) and a number of dimensions."""
    if name not in archive.files:
        there = ", ".join(sorted(archive.files)) or "none"
        raise InputError(f"no array {name!r}; arrays in the file: {there}", where=path, next_step=_NEXT_STEP)
    try:
        array: NDArray[Any] = archive[name]
    except ValueError as error:
        if "allow_pickle" not in str(error):
            raise
        raise InputError(
            f"{name!r} holds pickled objects, which could run code and are never loaded; expected "
            f"{_KINDS[kind]}",
            where=path,
            next_step=_NEXT_STEP,
        ) from None
    if array.dtype.kind != kind:
        raise InputError(
            f"{name!r} holds {array.dtype}, expected {_KINDS[kind]}", where=path, next_step=_NEXT_STEP
        )
    if array.ndim != dimensions:
        raise InputError(f"{name!r} has shape {array.shape}, expected {dimensions} dimension(s)", where=path)
    return array
