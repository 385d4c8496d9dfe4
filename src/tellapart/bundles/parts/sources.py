"""What compares the texts of an eval, as each worker opens it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import overload

import polars as pl

from tellapart.bundles.parts.layout import OPTION
from tellapart.bundles.parts.texts import TEXTS, read_table
from tellapart.core.figure_units import COSINE
from tellapart.embed import load_matcher
from tellapart.embed.protocol import Matcher
from tellapart.engine import Folder


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


def open_matcher(options: SourceOptions, texts: StoredTexts) -> Matcher:
    """Load the model; one that needs fitting is fitted on all positives and negatives."""
    return load_matcher(
        str(options.model),
        corpus=LazyTexts(lambda: texts.of_side(OPTION)),
        base_url=options.base_url,
        similarity=options.similarity,
    )


@dataclass(frozen=True)
class StoredTexts:
    """The distinct texts that stage two wrote."""

    work: Folder
    buckets: int

    @cached_property
    def table(self) -> pl.DataFrame:
        """All of them, by ascending key: as much memory as the texts take."""
        return pl.concat([TEXTS, *(self.bucket(number) for number in range(self.buckets))], rechunk=True)

    def bucket(self, number: int) -> pl.DataFrame:
        """Those of one bucket."""
        return read_table(self.work, f"distinct/{number:06d}")

    def of_side(self, side: int) -> list[str]:
        """Those that stand on a side, by ascending key."""
        return self.table.filter(pl.col("side").and_(side) > 0)["text"].to_list()


class LazyTexts(Sequence[str]):
    """Texts that are read when somebody looks at them: most models never do."""

    def __init__(self, read: Callable[[], list[str]]) -> None:
        """Read with ``read``, once."""
        self._read = read

    @cached_property
    def _texts(self) -> list[str]:
        return self._read()

    def __len__(self) -> int:
        return len(self._texts)

    def __iter__(self) -> Iterator[str]:
        return iter(self._texts)

    @overload
    def __getitem__(self, index: int) -> str: ...
    @overload
    def __getitem__(self, index: slice) -> list[str]: ...
    def __getitem__(self, index: int | slice) -> str | list[str]:
        return self._texts[index]
