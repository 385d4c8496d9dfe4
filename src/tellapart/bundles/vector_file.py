"""Vectors computed elsewhere: an ``.npz`` read piece by piece and never unpickled."""

from __future__ import annotations

import zipfile
import zlib
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import IO, Any

import numpy as np
from numpy.lib import format as npy
from numpy.typing import NDArray

from tellapart.core.arrays import F32, I64
from tellapart.core.figure_units import COSINE
from tellapart.embed.similarity import Embedded, faults_of
from tellapart.embed.vector_matcher import VectorRows, VectorSimilarity
from tellapart.embed.vector_pairs import COSINE_CODE, vector_pair
from tellapart.errors import InputError

_PIECE_BYTES = 16 * 2**20
_NEXT_STEP = "Write it with numpy.savez(path, texts=numpy.array(list_of_str), vectors=matrix)"
_READ_HEADER = {(1, 0): npy.read_array_header_1_0, (2, 0): npy.read_array_header_2_0}


@dataclass(frozen=True)
class StoredArray:
    """An array in an archive, described but not read.

    Attributes:
        path: Of the archive, for errors.
        name: Without ``.npy``.
        column_major: Whether its columns lie one after the other.
    """

    archive: zipfile.ZipFile
    path: Path
    name: str
    shape: tuple[int, ...]
    column_major: bool
    dtype: np.dtype[Any]

    def pieces(self) -> Iterator[NDArray[Any]]:
        """All rows, some megabytes at a time; an array that is stored by columns comes whole."""
        size = int(np.prod(self.shape[1:])) * self.dtype.itemsize
        at_once = max(1, self.shape[0] if self.column_major else _PIECE_BYTES // max(size, 1))
        with _damage(self.path), self.archive.open(f"{self.name}.npy") as file:
            _header(file)
            for start in range(0, self.shape[0], at_once):
                shape = (min(at_once, self.shape[0] - start), *self.shape[1:])
                data = file.read(shape[0] * size)
                if len(data) < shape[0] * size:
                    raise zipfile.BadZipFile(f"{self.name} ends after {start} of {self.shape[0]} rows")
                values = np.frombuffer(data, self.dtype)
                yield values.reshape(shape[::-1]).T if self.column_major else values.reshape(shape)


@contextmanager
def open_npz(path: Path) -> Iterator[dict[str, StoredArray]]:
    """Open an archive and describe its arrays, by name."""
    try:
        archive = zipfile.ZipFile(path)
    except OSError as error:
        raise InputError(f"cannot read this file: {error.strerror}", where=path) from None
    except zipfile.BadZipFile:
        raise InputError("no .npz, or one that was cut off", where=path, next_step=_NEXT_STEP) from None
    with archive:
        yield {
            name.removesuffix(".npy"): _describe(archive, path, name.removesuffix(".npy"))
            for name in archive.namelist()
            if name.endswith(".npy")
        }


def take(arrays: dict[str, StoredArray], name: str, path: Path, *, kind: str, ndim: int) -> StoredArray:
    """Pick an array that has values of a kind (as in ``numpy.dtype.kind``) and a number of dimensions."""
    expected = {"U": "strings", "f": "floating-point numbers"}[kind]
    array = arrays.get(name)
    if array is None:
        there = ", ".join(sorted(arrays)) or "none"
        raise InputError(f"no array {name!r}; arrays in the file: {there}", where=path, next_step=_NEXT_STEP)
    if array.dtype.hasobject:
        raise InputError(
            f"{name!r} holds pickled objects, which could run code and are never loaded; expected {expected}",
            where=path,
            next_step=_NEXT_STEP,
        )
    if array.dtype.kind != kind:
        raise InputError(
            f"{name!r} holds {array.dtype}, expected {expected}", where=path, next_step=_NEXT_STEP
        )
    if len(array.shape) != ndim:
        raise InputError(f"{name!r} has shape {array.shape}, expected {ndim} dimension(s)", where=path)
    return array


def _describe(archive: zipfile.ZipFile, path: Path, name: str) -> StoredArray:
    with _damage(path), archive.open(f"{name}.npy") as file:
        return StoredArray(archive, path, name, *_header(file))


def _header(file: IO[bytes]) -> tuple[tuple[int, ...], bool, np.dtype[Any]]:
    version = npy.read_magic(file)
    if version not in _READ_HEADER:
        raise ValueError(f"version {version} of the .npy format holds structures, not strings or numbers")
    return _READ_HEADER[version](file)


@contextmanager
def _damage(path: Path) -> Iterator[None]:
    try:
        yield
    except (zipfile.BadZipFile, zlib.error, EOFError, ValueError, OSError, NotImplementedError) as error:
        raise InputError(f"this .npz is damaged: {error}", where=path, next_step=_NEXT_STEP) from None


MISSING = "missing embedding"
NOT_FINITE = "NaN or infinite vector"

_QUOTED_CHARACTERS = 60


@dataclass(frozen=True)
class FileVectors:
    """The vectors of those of some texts that a file has.

    Attributes:
        rows: Of the found ones; zero where there is a fault.
        faults: Shape (found,): ``NOT_FINITE``, or what ``faults_of`` gives.
        row_of: The row of each text that was found.
    """

    rows: VectorRows
    faults: NDArray[np.str_]
    row_of: dict[str, int]


def find_vectors(path: Path, texts: Iterable[str], similarity: str) -> FileVectors:
    """Find vectors of texts; memory grows with what is found, not with the file."""
    with open_npz(path) as arrays:
        names = take(arrays, "texts", path, kind="U", ndim=1)
        vectors = take(arrays, "vectors", path, kind="f", ndim=2)
        if names.shape[0] != vectors.shape[0]:
            raise InputError(f"{names.shape[0]} texts but {vectors.shape[0]} vectors", where=path)
        places, found_texts = _places(names, set(texts))
        vectors_at, faults = _vectors_at(vectors, places)
    rows = VectorRows.of(vectors_at)
    faults = np.where(faults == "", faults_of(rows, similarity), faults)
    row_of: dict[str, int] = {}
    for row, text in enumerate(found_texts):
        first = row_of.setdefault(text, row)
        if faults[first] != faults[row] or not _are_alike(vectors_at[first], vectors_at[row], similarity):
            raise InputError(
                f"two different vectors, {places[first]} and {places[row]}, for the text "
                f"{text[:_QUOTED_CHARACTERS]!r}",
                where=path,
                next_step="Keep one vector for each text",
            )
    return FileVectors(rows, faults, row_of)


def _are_alike(first: F32, second: F32, similarity: str) -> bool:
    """Whether two vectors are equal, for cosines but for their length."""
    if np.array_equal(first, second):
        return True
    return similarity == COSINE and vector_pair(first, second, COSINE_CODE) == 1


def look_up(
    path: Path, anchors: Sequence[str], options: Sequence[str], *, similarity: str = COSINE
) -> Embedded:
    """Take the vectors of texts from a file."""
    stored = find_vectors(path, chain(anchors, options), similarity)
    numbers = [
        np.array([stored.row_of.get(text, -1) for text in texts], dtype=np.int64)
        for texts in (anchors, options)
    ]
    # The last fault is that of row -1, which stands for texts that the file does not have.
    faults = np.append(stored.faults, MISSING)
    anchor_rows, option_rows = (np.maximum(rows_of_side, 0) for rows_of_side in numbers)
    return Embedded(
        VectorSimilarity(stored.rows, stored.rows, similarity, anchor_rows, option_rows),
        faults[numbers[0]],
        faults[numbers[1]],
        similarity,
    )


def _places(names: StoredArray, wanted: set[str]) -> tuple[I64, list[str]]:
    """Where wanted texts are, each time that they are there, and which."""
    places, found_texts, start = [], [], 0
    for piece in names.pieces():
        for number, text in enumerate(piece.tolist(), start=start):
            if text in wanted:
                places.append(number)
                found_texts.append(text)
        start += len(piece)
    return np.array(places, dtype=np.int64), found_texts


def _vectors_at(vectors: StoredArray, places: I64) -> tuple[F32, NDArray[np.str_]]:
    rows = np.zeros((len(places), vectors.shape[1]), dtype=np.float32)
    faults = np.full(len(places), "", dtype=f"U{len(NOT_FINITE)}")
    start = 0
    for piece in vectors.pieces():
        first, last = np.searchsorted(places, [start, start + len(piece)])
        piece_rows = piece[places[first:last] - start]
        with np.errstate(over="ignore"):
            rows[first:last] = piece_rows
        finite = np.isfinite(rows[first:last]).all(axis=1)
        # A fault keeps its place as zeros: only finite vectors are compared.
        rows[first:last][~finite] = 0
        faults[first:last] = np.where(finite, "", NOT_FINITE)
        start += len(piece)
    return rows, faults
