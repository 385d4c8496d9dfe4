"""The eval as numbers: its distinct texts as they are first seen, and its lineups, mapped into memory."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import NamedTuple, overload

import numpy as np
import polars as pl

from tellapart.bundles.parts.folders import Folder
from tellapart.bundles.parts.reading import SIDES, Chunk, same_key
from tellapart.bundles.parts.work import new_array, open_array, read_table, write_array, write_table
from tellapart.core.arrays import I64, U64
from tellapart.core.figure_units import COSINE
from tellapart.embed import load_matcher
from tellapart.embed.lineups import Lineups
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


class NumberedEval(NamedTuple):
    """All bundles of an eval in their order, mapped into memory.

    Attributes:
        lines: The line of each in its file.
        order: Positions of the bundles, those of an anchor side by side.
    """

    lineups: Lineups
    lines: I64
    order: I64

    @classmethod
    def open(cls, work: Folder) -> NumberedEval:
        """Map what ``number_eval`` wrote."""
        anchors, options, offsets, lines, order = (open_array(work, f"eval/{name}") for name in _ARRAYS)
        return cls(Lineups(anchors, options, offsets), lines, order)


_ARRAYS = ("anchors", "options", "offsets", "lines", "order")


def number_eval(work: Folder, chunks: Sequence[Chunk]) -> tuple[Texts, Texts]:
    """Number the distinct texts of each side, and write the eval as ``NumberedEval`` opens it."""
    bundles, n_options = sum(chunk.bundles for chunk in chunks), sum(chunk.options for chunk in chunks)
    numbers = {side: _Numbers() for side in SIDES}
    with ExitStack() as stack:
        sizes = (bundles, n_options, bundles + 1, bundles)
        anchors, options, offsets, lines = (
            stack.enter_context(new_array(work, f"eval/{name}", (size,), np.int64))
            for name, size in zip(_ARRAYS, sizes, strict=False)
        )
        start = first = 0
        for position, chunk in enumerate(chunks):
            for side in SIDES:
                texts = read_table(work, f"{side}/{chunk.name}")
                new = texts.filter(numbers[side].add(texts["key"].to_numpy(), texts["check"].to_numpy()))
                if new.height:
                    located = new.select("text", "line", file=pl.lit(chunk.file, dtype=pl.Int32))
                    write_table(work, _name(side, position), located)
            table = read_table(work, f"bundles/{chunk.name}", ["line", "anchor", "size"])
            stop, last = start + chunk.bundles, first + chunk.options
            lines[start:stop] = table["line"]
            anchors[start:stop] = numbers["anchors"].of(table["anchor"].to_numpy())
            options[first:last] = numbers["options"].of(open_array(work, f"keys/{chunk.name}"))
            offsets[start + 1 : stop + 1] = first + table["size"].cum_sum().to_numpy()
            start, first = stop, last
        write_array(work, "eval/order", np.argsort(anchors, kind="stable"))
    anchor_texts, option_texts = (Texts(work, side, tuple(numbers[side].starts)) for side in SIDES)
    return anchor_texts, option_texts


class _Numbers:
    """Numbers of texts by their keys, in the order in which they are first seen.

    Attributes:
        starts: How many texts there were before each batch, and are in all.
    """

    def __init__(self) -> None:
        self.starts = [0]
        self._keys, self._checks = np.empty(0, np.uint64), np.empty(0, np.uint64)
        self._numbers = np.empty(0, np.int64)

    def add(self, keys: U64, checks: U64) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
        """Number the distinct texts of a batch, and say which are new."""
        at = np.searchsorted(self._keys, keys)
        is_new = np.ones(len(at), dtype=np.bool_)
        inside = at < len(self._keys)
        is_new[inside] = self._keys[at[inside]] != keys[inside]
        if (self._checks[at[~is_new]] != checks[~is_new]).any():
            raise same_key()
        self.starts.append(self.starts[-1] + int(is_new.sum()))
        joined = np.concatenate([self._keys, keys[is_new]])
        order = np.argsort(joined, kind="stable")
        self._keys = joined[order]
        self._checks = np.concatenate([self._checks, checks[is_new]])[order]
        self._numbers = np.concatenate([self._numbers, np.arange(*self.starts[-2:])])[order]
        return is_new

    def of(self, keys: U64) -> I64:
        """The numbers of texts that were added."""
        numbers: I64 = self._numbers[np.searchsorted(self._keys, keys)]
        return numbers


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
