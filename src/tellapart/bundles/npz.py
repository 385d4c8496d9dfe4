"""Arrays of an ``.npz``, read a piece at a time and never unpickled."""

from __future__ import annotations

import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

import numpy as np
from numpy.lib import format as npy
from numpy.typing import NDArray

from tellapart.errors import InputError

_PIECE_BYTES = 16 * 2**20
_NEXT_STEP = "Write it with numpy.savez(path, texts=numpy.array(list_of_str), vectors=matrix)"
_READ_HEADER = {(1, 0): npy.read_array_header_1_0, (2, 0): npy.read_array_header_2_0}


@dataclass(frozen=True)
class StoredArray:
    """An array in an archive, described but not read.

    Attributes:
        archive: Open.
        path: Of the archive, for errors.
        name: Without ``.npy``.
        shape: Of all of it.
        column_major: Whether its columns lie one after the other.
        dtype: Of its values.
    """

    archive: zipfile.ZipFile
    path: Path
    name: str
    shape: tuple[int, ...]
    column_major: bool
    dtype: np.dtype[Any]

    def pieces(self) -> Iterator[NDArray[Any]]:
        """All rows, some megabytes at a time; an array that is stored by columns comes whole.

        Raises:
            InputError: The file is damaged.
        """
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
    """Open an archive and describe its arrays, by name.

    Raises:
        InputError: It cannot be read or is no ``.npz``.
    """
    try:
        archive = zipfile.ZipFile(path)
    except OSError as error:
        raise InputError(f"cannot read this file: {error.strerror}", where=path) from None
    except zipfile.BadZipFile:
        raise InputError("no .npz, or one that was cut off", where=path, next_step=_NEXT_STEP) from None
    with archive:
        yield {
            name.removesuffix(".npy"): _described(archive, path, name.removesuffix(".npy"))
            for name in archive.namelist()
            if name.endswith(".npy")
        }


def take(arrays: dict[str, StoredArray], name: str, path: Path, *, kind: str, ndim: int) -> StoredArray:
    """Pick an array that has values of a kind (as in ``numpy.dtype.kind``) and a number of dimensions.

    Raises:
        InputError: It is not there, holds something else, or would have to be unpickled.
    """
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


def _described(archive: zipfile.ZipFile, path: Path, name: str) -> StoredArray:
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
