"""Stage three: a vector for each text and side, from a model that each worker loads once, or from a file."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from math import prod
from typing import Any, ClassVar, NamedTuple

import numpy as np
import polars as pl

from tellapart.bundles.parts.layout import ANCHOR, KEY_BITS, OPTION
from tellapart.bundles.parts.sources import SourceOptions, StoredTexts, open_matcher
from tellapart.bundles.vector_file import MISSING, NOT_FINITE, find_vectors
from tellapart.core.arrays import F32, U64
from tellapart.embed.protocol import Embedder, Kind, Matcher
from tellapart.embed.similarity import ZERO_VECTOR
from tellapart.embed.vector_matcher import VectorMatcher
from tellapart.embed.vectors import checked_vectors
from tellapart.engine import Folder, Receipt
from tellapart.errors import InputError, TellapartError

TEXTS_A_GROUP = 512
"""Texts that go to a model together, about.

A vector may differ in its last digits with the texts beside it, so groups follow from the texts alone, and
are the same whatever the number of workers or parts.
"""

_MOST_TASKS_BITS = 12
_FILE_TASKS_BITS = 2
"""For a file of vectors, which is searched whole for each task."""

FAULTS = ("", MISSING, NOT_FINITE, ZERO_VECTOR)
"""Why a text has no vector, by number."""

_SIDES: tuple[tuple[str, int, Kind], ...] = (("anchors", ANCHOR, "query"), ("options", OPTION, "document"))


class KeyRange(NamedTuple):
    """Texts whose keys begin with ``number`` in ``bits`` bits."""

    number: int
    bits: int


def key_ranges(texts: int, *, of_file: bool) -> list[KeyRange]:
    """Cut texts up into tasks."""
    most = _FILE_TASKS_BITS if of_file else _MOST_TASKS_BITS
    bits = min(group_bits(texts), most)
    return [KeyRange(number, bits) for number in range(1 << bits)]


def group_bits(texts: int) -> int:
    """Bits of a key that name the group of its text."""
    return max(texts // TEXTS_A_GROUP, 1).bit_length() - 1


@dataclass(frozen=True)
class VectorStage:
    """Embeds texts and writes ``vectors/NUMBER``: arrays one after the other, described in the receipt.

    Attributes:
        groups: Bits of a key that name its group.
        labels: Of the files of the eval.
    """

    source: SourceOptions
    texts: StoredTexts
    groups: int
    labels: tuple[str, ...]
    counts: ClassVar[str] = "texts"
    name: str = "embedding texts"

    def open(self) -> Matcher | None:
        """Load the model; none for a file."""
        return None if self.source.embeddings else open_matcher(self.source, self.texts)

    def do(self, matcher: Matcher | None, task: KeyRange) -> Receipt:
        """Embed the texts of a range of keys."""
        if matcher is not None and not isinstance(matcher, VectorMatcher):
            return {"unit": matcher.unit, "is_ranker": True, "model": matcher.fingerprint}
        texts = self._texts(task)
        from_file = _from_file(self.source, texts["text"].to_list()) if matcher is None else ()
        arrays: dict[str, np.ndarray[Any, Any]] = {}
        for side, bit, kind in _SIDES:
            is_here = (texts["side"].to_numpy() & bit) > 0
            of_side = texts.filter(is_here)
            if matcher is None:
                vectors, faults = (values[is_here] for values in from_file)
            else:
                vectors, faults = self._vectors(matcher, of_side, kind)
            arrays |= {
                f"{side}.keys": of_side["key"].to_numpy(),
                f"{side}.vectors": vectors,
                f"{side}.faults": faults,
            }
        return {
            "unit": self.source.file_unit if matcher is None else matcher.unit,
            "is_ranker": False,
            "model": "" if matcher is None else matcher.fingerprint,
            "texts": texts.height,
            "arrays": _write_arrays(self.texts.work, _name(task.number), arrays),
        }

    def _texts(self, task: KeyRange) -> pl.DataFrame:
        bits = self.texts.buckets.bit_length() - 1
        # A range may be part of a bucket, or several.
        shift = task.bits - bits
        first, last = (
            (task.number >> shift, task.number >> shift)
            if shift >= 0
            else (task.number << -shift, ((task.number + 1) << -shift) - 1)
        )
        table = pl.concat(self.texts.bucket(number) for number in range(first, last + 1))
        low = task.number << (KEY_BITS - task.bits)
        high = (task.number + 1) << (KEY_BITS - task.bits)
        keys = table["key"].to_numpy()
        start, stop = (
            int(np.searchsorted(keys, np.uint64(end))) if end < 1 << KEY_BITS else len(keys)
            for end in (low, high)
        )
        return table[start:stop]

    def _vectors(
        self, matcher: VectorMatcher, texts: pl.DataFrame, kind: Kind
    ) -> tuple[F32, np.ndarray[Any, Any]]:
        groups = (
            texts["key"].to_numpy() >> np.uint64(KEY_BITS - self.groups)
            if self.groups
            else np.zeros(texts.height)
        )
        edges = [0, *(np.flatnonzero(np.diff(groups)) + 1).tolist(), texts.height]
        parts = [
            self._group(matcher.embedder, texts[start:stop], kind)
            for start, stop in zip(edges, edges[1:], strict=False)
        ]
        vectors = np.concatenate(parts)
        return vectors, np.zeros(len(vectors), dtype=np.uint8)

    def _group(self, embedder: Embedder, texts: pl.DataFrame, kind: Kind) -> F32:
        """Embed a group; where that fails, find the text that is the cause."""
        # Short ones first: those of like lengths pad less.
        order = sorted(range(texts.height), key=lambda i: (len(texts["text"][i]), texts["text"][i]))
        listed = texts["text"].to_list()
        try:
            rows = checked_vectors(embedder, [listed[i] for i in order], kind=kind)
        except Exception as error:
            culprit = self._culprit(embedder, texts, kind)
            if culprit is None:
                raise
            where = f"{self.labels[texts['file'][culprit]]}:{texts['line'][culprit]}"
            what = error.what if isinstance(error, TellapartError) else f"{type(error).__name__}: {error}"
            raise InputError(
                f"model {embedder.name!r} does not embed a text of this row, which begins "
                f"{listed[culprit][:60]!r}: {what}",
                where=where,
                next_step="Take the row out, or mend its text; what is done is kept",
            ) from error
        vectors = np.empty_like(rows)
        vectors[order] = rows
        return vectors

    def _culprit(self, embedder: Embedder, texts: pl.DataFrame, kind: Kind) -> int | None:
        """The first text that cannot be embedded by itself; none where the model embeds nothing at all."""
        try:
            checked_vectors(embedder, ["text"], kind=kind)
        except Exception:
            return None
        for number, text in enumerate(texts["text"]):
            try:
                checked_vectors(embedder, [text], kind=kind)
            except Exception:
                return number
        return None

    def describe(self, task: KeyRange | pl.DataFrame) -> str:
        """Name the first text of a task, or of rows of texts."""
        texts = self._texts(task) if isinstance(task, KeyRange) else task
        if not texts.height:
            return "a task without texts"
        first = texts.row(0, named=True)
        where = f"{self.labels[first['file']]}:{first['line']}"
        return where if texts.height == 1 else f"{texts.height} texts, such as that of {where}"


def _from_file(source: SourceOptions, texts: Sequence[str]) -> tuple[F32, np.ndarray[Any, Any]]:
    if source.embeddings is None:
        raise ValueError("there is no file of vectors")
    taken = find_vectors(source.embeddings, texts, source.file_unit)
    rows = np.array([taken.row_of.get(text, -1) for text in texts], dtype=np.int64)
    vectors = np.zeros((len(texts), taken.rows.vectors.shape[1]), dtype=np.float32)
    faults = np.full(len(texts), FAULTS.index(MISSING), dtype=np.uint8)
    there = rows >= 0
    vectors[there] = taken.rows.vectors[rows[there]]
    faults[there] = [FAULTS.index(fault) for fault in taken.faults[rows[there]].tolist()]
    return vectors, faults


def _name(number: int) -> str:
    return f"vectors/{number:06d}"


def _write_arrays(work: Folder, name: str, arrays: dict[str, np.ndarray[Any, Any]]) -> dict[str, Any]:
    """Write arrays one after the other, each at a multiple of 64 bytes; say where each is."""
    described, start = {}, 0
    with work.writing(name) as path, path.open("wb") as file:
        for what, array in arrays.items():
            file.seek(start)
            file.write(np.ascontiguousarray(array).data)
            described[what] = [start, array.dtype.str, list(array.shape)]
            start = (start + array.nbytes + 63) // 64 * 64
        file.truncate(start)
    return described


@dataclass(frozen=True)
class Side:
    """Vectors of the texts of one side, by ascending key.

    Attributes:
        keys: Shape (texts,).
        vectors: For each range of keys an array of shape (its texts, d), which may lie on the disk.
        starts: Shape (ranges + 1,): where those of each begin.
        faults: Shape (texts,), numbers of ``FAULTS``.
    """

    keys: U64
    vectors: tuple[F32, ...]
    starts: np.ndarray[Any, Any]
    faults: np.ndarray[Any, Any]

    def take(self, rows: np.ndarray[Any, Any]) -> F32:
        """Vectors of ascending rows, shape (rows, d), in memory."""
        taken = np.empty((len(rows), self.vectors[0].shape[1]), dtype=np.float32)
        edges = np.searchsorted(rows, self.starts)
        for part, first, (low, high) in zip(
            self.vectors, self.starts, zip(edges, edges[1:], strict=False), strict=False
        ):
            taken[low:high] = part[rows[low:high] - first]
        return taken


def open_sides(work: Folder, receipts: Sequence[Receipt], stack: ExitStack) -> dict[str, Side]:
    """Open what ``VectorStage`` wrote; the files of an object store are copied here first."""
    parts: dict[str, list[np.ndarray[Any, Any]]] = {}
    for number, receipt in enumerate(receipts):
        path = stack.enter_context(work.local(_name(number)))
        for what, (start, dtype, shape) in receipt["arrays"].items():
            empty = np.empty(shape, dtype=dtype)
            array = np.memmap(path, dtype, "r", start, tuple(shape)) if prod(shape) else empty
            parts.setdefault(what, []).append(array)
    sides = {}
    for side, _, _ in _SIDES:
        vectors = tuple(parts[f"{side}.vectors"])
        keys = np.concatenate(parts[f"{side}.keys"])
        starts = np.concatenate([[0], np.cumsum([len(part) for part in vectors])])
        sides[side] = Side(keys, vectors, starts, np.concatenate(parts[f"{side}.faults"]))
    return sides
