"""Keys of texts: 64 bits of a digest, the same on any machine."""

from __future__ import annotations

from hashlib import blake2b

import numpy as np
import polars as pl

from tellapart.core.arrays import U64

_MOST = 1_000_000
"""Texts whose keys are remembered; then it begins anew."""


def key_of(text: str) -> int:
    """The key of a text. Two of 10 million texts share one with a chance of 3 in a million: see ``texts``."""
    return int.from_bytes(blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).digest(), "little")


class TextKeys:
    """Gives columns of texts their keys, and remembers for which sides each text was seen."""

    def __init__(self) -> None:
        """Remember none."""
        self._key: dict[str, int] = {}
        self._sides: dict[str, int] = {}

    def keys(self, column: pl.Series, side: int) -> tuple[U64, pl.DataFrame]:
        """Give texts their keys.

        Args:
            column: Shape (n,), strings without null.
            side: A bit.

        Returns:
            The keys, shape (n,); and ``text``, ``key`` and ``first``, a row of ``column``, of those that were
            not seen on this side before.
        """
        if len(self._key) > _MOST:
            self._key.clear()
            self._sides.clear()
        rows = column.to_frame("text").with_row_index("row")
        distinct = rows.group_by("text", maintain_order=True).agg(pl.col("row").first())
        texts = distinct["text"].to_list()
        keys = np.empty(len(texts), dtype=np.uint64)
        is_new = np.zeros(len(texts), dtype=np.bool_)
        for place, text in enumerate(texts):
            key = self._key.get(text)
            if key is None:
                key = self._key[text] = key_of(text)
            keys[place] = key
            seen = self._sides.get(text, 0)
            if not seen & side:
                self._sides[text] = seen | side
                is_new[place] = True
        distinct = distinct.with_columns(pl.Series("key", keys))
        numbered = rows.join(distinct.select("text", "key"), on="text", how="left", maintain_order="left")
        return numbered["key"].to_numpy(), distinct.filter(is_new).rename({"row": "first"})
