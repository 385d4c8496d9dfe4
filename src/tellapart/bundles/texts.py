"""Numbers for texts, so that each distinct text is kept, embedded and compared once."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
import polars as pl
from numpy.typing import NDArray


class TextNumbers:
    """Texts in the order in which they were first seen, each with its number."""

    def __init__(self, texts: Iterable[str] = ()) -> None:
        """Start with ``texts``, of which repeated ones count once."""
        self._number: dict[str, int] = {}
        for text in texts:
            self._number.setdefault(text, len(self._number))

    def __len__(self) -> int:
        return len(self._number)

    @property
    def texts(self) -> list[str]:
        """All texts by number."""
        return list(self._number)

    def number(self, column: pl.Series) -> NDArray[np.int32]:
        """Numbers of a column of texts; a text not seen before gets the next one.

        Args:
            column: Shape (n,), strings without null.

        Returns:
            int32 of shape (n,).
        """
        # Distinct texts first: a Python dictionary is asked for each of them once, Polars does the rest.
        distinct = column.unique(maintain_order=True)
        numbers = [self._number.setdefault(text, len(self._number)) for text in distinct]
        found = column.to_frame("text").join(
            pl.DataFrame({"text": distinct, "number": pl.Series(numbers, dtype=pl.Int32)}),
            on="text",
            how="left",
            maintain_order="left",
        )
        return found["number"].to_numpy()
