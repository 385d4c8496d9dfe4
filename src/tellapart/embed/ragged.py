"""Matchers with arrays of different lengths for texts: sparse weights, or a vector for each token."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from functools import cached_property

import numpy as np

from tellapart.core.arrays import F32, F64, I64
from tellapart.embed.cache import SIDES, Elsewhere, missing_batches, reported
from tellapart.embed.encoding import TextBatch
from tellapart.embed.protocol import Kind
from tellapart.embed.request import ModelRequest
from tellapart.errors import InputError

TEXTS_A_STEP = 64
"""Texts that are encoded and kept before the next ones: what an interruption may lose."""


class RaggedMatcher(ABC):
    """Scores pairs by arrays of the texts, each distinct text encoded once; a subclass says how.

    Attributes:
        name: What the user typed.
        fingerprint: Everything that changes a score.
    """

    name: str
    fingerprint: str
    unit: str

    def __init__(self, request: ModelRequest, load: Callable[[ModelRequest], RaggedMatcher]) -> None:
        """Keep arrays in the cache of the request, if it has one; ``load`` gives the same matcher anew."""
        self.name = request.name
        self._cache, self._progress = request.cache, request.progress
        self._request, self._load = request, load

    @abstractmethod
    def encode(self, texts: Sequence[str], kind: Kind) -> list[F32]:
        """Encode some texts as one side of the search; a flat array for each."""

    @abstractmethod
    def compare(self, queries: list[F32], documents: list[F32], query_row: I64, document_row: I64) -> F64:
        """Score pairs of rows, as ``Matcher.score_pairs`` scores pairs of texts."""

    def score_pairs(
        self, queries: Sequence[str], documents: Sequence[str], query_index: I64, document_index: I64
    ) -> F64:
        """Score chosen pairs; see ``Matcher``."""
        if not len(query_index):
            return np.empty(0)
        first, query_row = distinct_texts(queries, query_index)
        second, document_row = distinct_texts(documents, document_index)
        rows = self._rows(first, "query"), self._rows(second, "document")
        return self.compare(*rows, query_row, document_row)

    def _rows(self, texts: list[str], kind: Kind) -> list[F32]:
        rows = {} if self._cache is None else self._cache.get(self.fingerprint, kind, texts)
        batches = missing_batches(texts, lambda text: text not in rows, TEXTS_A_STEP)
        what = f"{self.name} encodes {SIDES[kind]}"
        if not batches:
            return [rows[text] for text in texts]
        for batch, arrays in reported(
            batches, self._encoded(batches, kind), self._progress, what, unit="texts"
        ):
            encoded = dict(zip(batch, arrays, strict=True))
            for text, row in encoded.items():
                if not np.isfinite(row).all():
                    raise InputError(
                        f"model {self.name!r} gave NaN or infinity for the {kind} text that begins "
                        f"{text[:60]!r}",
                        next_step="No score can be computed from it; check the model or leave it out",
                    )
            if self._cache is not None:
                self._cache.put(self.fingerprint, kind, encoded)
            rows |= encoded
        return [rows[text] for text in texts]

    @cached_property
    def _elsewhere(self) -> Elsewhere | None:
        return self._request.elsewhere(self._load, self.fingerprint)

    def _encoded(self, batches: Sequence[Sequence[str]], kind: Kind) -> Iterator[tuple[int, list[F32]]]:
        if self._elsewhere is not None:
            return self._elsewhere([TextBatch(kind, batch) for batch in batches])
        return ((i, self.encode(batch, kind)) for i, batch in enumerate(batches))


def distinct_texts(texts: Sequence[str], index: I64) -> tuple[list[str], I64]:
    """Give the distinct texts that an index names, and for each of its entries the number of its text."""
    named, position = np.unique(index, return_inverse=True)
    number: dict[str, int] = {}
    numbers = np.array([number.setdefault(texts[i], len(number)) for i in named.tolist()], dtype=np.int64)
    return list(number), numbers[position]
