"""The distinct texts of an eval, numbered as they are first seen, and what compares them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import overload

import numpy as np
import polars as pl

from tellapart.bundles.parts.folders import Folder
from tellapart.bundles.parts.reading import Chunk, same_key
from tellapart.bundles.parts.tables import open_array, read_table, write_array, write_table
from tellapart.core.arrays import I64, U64
from tellapart.core.figure_units import COSINE
from tellapart.embed import load_matcher
from tellapart.embed.protocol import Matcher


@dataclass(frozen=True)
class Texts(Sequence[str]):
    """The distinct texts of one side, as a sequence that is read where somebody looks at it.

    Attributes:
        starts: Number of the first text of each chunk that no chunk before it has, and how many there are.
    """

    work: Folder
    side: str
    starts: tuple[int, ...]

    def table(self, start: int, stop: int) -> pl.DataFrame:
        """Texts by number, with the file and line where each is first seen."""
        parts = []
        for chunk, (low, high) in enumerate(zip(self.starts, self.starts[1:], strict=False)):
            first, last = max(low, start), min(high, stop)
            if first < last:
                parts.append(read_table(self.work, _name(self.side, chunk))[first - low : last - low])
        return pl.concat(parts)

    @cached_property
    def all(self) -> pl.Series:
        """All texts."""
        return self.table(0, len(self))["text"]

    def numbers(self, keys: U64) -> I64:
        """The numbers of texts by their keys, all of which are there."""
        sorted_keys, numbers = self._index
        found: I64 = numbers[np.searchsorted(sorted_keys, keys)]
        return found

    @cached_property
    def _index(self) -> tuple[U64, I64]:
        return open_array(self.work, f"index/{self.side}-keys"), open_array(
            self.work, f"index/{self.side}-numbers"
        )

    def __len__(self) -> int:
        return self.starts[-1]

    def __iter__(self) -> Iterator[str]:
        return iter(self.all)

    @overload
    def __getitem__(self, index: int) -> str: ...
    @overload
    def __getitem__(self, index: slice) -> list[str]: ...
    def __getitem__(self, index: int | slice) -> str | list[str]:
        return self.all[index].to_list() if isinstance(index, slice) else str(self.all[index])


def number_texts(work: Folder, side: str, chunks: Sequence[Chunk]) -> Texts:
    """Give each distinct text of a side its number, and write those that are new in a chunk."""
    keys, checks, numbers = np.empty(0, np.uint64), np.empty(0, np.uint64), np.empty(0, np.int64)
    starts = [0]
    for position, chunk in enumerate(chunks):
        texts = read_table(work, f"{side}/{chunk.name}")
        its_keys, its_checks = texts["key"].to_numpy(), texts["check"].to_numpy()
        at = np.searchsorted(keys, its_keys)
        is_old = np.zeros(len(at), dtype=np.bool_)
        inside = at < len(keys)
        is_old[inside] = keys[at[inside]] == its_keys[inside]
        if (checks[at[is_old]] != its_checks[is_old]).any():
            raise same_key()
        new = texts.filter(~is_old).select("text", "line", file=pl.lit(chunk.file, dtype=pl.Int32))
        starts.append(starts[-1] + new.height)
        if new.height:
            write_table(work, _name(side, position), new)
            keys = np.concatenate([keys, its_keys[~is_old]])
            order = np.argsort(keys, kind="stable")
            keys = keys[order]
            checks = np.concatenate([checks, its_checks[~is_old]])[order]
            numbers = np.concatenate([numbers, np.arange(*starts[-2:])])[order]
    write_array(work, f"index/{side}-keys", keys)
    write_array(work, f"index/{side}-numbers", numbers)
    return Texts(work, side, tuple(starts))


def _name(side: str, chunk: int) -> str:
    return f"distinct/{side}-{chunk:06d}"


@dataclass(frozen=True)
class SourceOptions:
    """A model, or a file of vectors; as for ``tellapart.bundles.run.score``."""

    model: str | None = None
    embeddings: Path | None = None
    base_url: str | None = None
    similarity: str | None = None

    @property
    def label(self) -> str:
        """What tables call it."""
        return self.model or (self.embeddings.stem if self.embeddings else "")

    @property
    def file_unit(self) -> str:
        """How vectors of a file are compared."""
        return self.similarity or COSINE

    def open_matcher(self, options: Texts) -> Matcher:
        """Load the model; one that needs fitting is fitted on all positives and negatives."""
        return load_matcher(
            str(self.model), corpus=options, base_url=self.base_url, similarity=self.similarity
        )
