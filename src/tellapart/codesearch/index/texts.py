"""Many texts that are found by their contents, as two arrays that can be kept; none is decoded unasked."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, overload

import numpy as np
from numpy.typing import NDArray


class Texts(Sequence[str]):
    """Texts in the order of their code points, each once."""

    def __init__(self, data: bytes, edges: NDArray[np.int64]) -> None:
        """Take them as UTF-8, one after the other, and where each begins; see ``of``."""
        self._data = data
        self._edges = edges

    @classmethod
    def of(cls, texts: Iterable[str]) -> Texts:
        """Sort texts; surrogates, as in names of files that are no UTF-8, stay."""
        written = sorted({text.encode("utf-8", "surrogatepass") for text in texts})
        return cls(b"".join(written), np.cumsum([0, *map(len, written)], dtype=np.int64))

    @classmethod
    def kept(cls, arrays: Mapping[str, NDArray[Any]], name: str) -> Texts:
        """Take what ``arrays`` gave."""
        return cls(arrays[f"{name} text"].tobytes(), arrays[f"{name} edges"])

    def arrays(self, name: str) -> dict[str, NDArray[Any]]:
        """Give the two arrays, by names that begin with this one."""
        return {f"{name} text": np.frombuffer(self._data, dtype=np.uint8), f"{name} edges": self._edges}

    def __len__(self) -> int:
        return len(self._edges) - 1

    @overload
    def __getitem__(self, at: int) -> str: ...

    @overload
    def __getitem__(self, at: slice) -> list[str]: ...

    def __getitem__(self, at: int | slice) -> str | list[str]:
        if isinstance(at, slice):
            return [self[one] for one in range(*at.indices(len(self)))]
        if not -len(self) <= at < len(self):
            raise IndexError(at)
        return self._bytes(at % len(self)).decode("utf-8", "surrogatepass")

    def place(self, text: str) -> int | None:
        """Return where a text stands; None where it is not there."""
        wanted = text.encode("utf-8", "surrogatepass")
        at = bisect_left(range(len(self)), wanted, key=self._bytes)
        return at if at < len(self) and self._bytes(at) == wanted else None

    def _bytes(self, at: int) -> bytes:
        return self._data[self._edges[at] : self._edges[at + 1]]
