"""A vector for each text of a side, from a model that each worker loads once, or from a file."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

import numpy as np
import polars as pl

from tellapart.bundles.parts.folders import Folder
from tellapart.bundles.parts.reading import SIDES
from tellapart.bundles.parts.texts import SourceOptions, Texts
from tellapart.bundles.parts.work import Receipt, new_array, open_array, write_array
from tellapart.bundles.vector_file import MISSING, NOT_FINITE, find_vectors
from tellapart.core.arrays import F32
from tellapart.embed.protocol import Embedder, Kind, Matcher
from tellapart.embed.similarity import ZERO_VECTOR, faults_of
from tellapart.embed.vector_matcher import VectorMatcher, VectorRows
from tellapart.embed.vectors import checked_vectors
from tellapart.errors import InputError, TellapartError

_TEXTS_A_GROUP = 512
"""Texts that go to a model together.

A vector may differ in its last digits with the texts beside it, so groups follow from the texts alone, and
are the same whatever the number of workers.
"""

_TEXTS_A_TASK = 16 * _TEXTS_A_GROUP

_FILE_TASKS = 2
"""Tasks of a side where vectors come from a file, which is searched whole for each."""

FAULTS = ("", MISSING, NOT_FINITE, ZERO_VECTOR)
"""Why a text has no vector, by number."""


class VectorTask(NamedTuple):
    """Texts of a side, by number."""

    side: str
    start: int
    stop: int


def vector_tasks(sides: Sequence[Texts], *, of_file: bool) -> list[VectorTask]:
    """Cut texts up into tasks."""
    tasks = []
    for texts in sides:
        size = -(-len(texts) // _FILE_TASKS) if of_file else _TEXTS_A_TASK
        tasks += [
            VectorTask(texts.side, start, min(start + size, len(texts)))
            for start in range(0, len(texts), size)
        ]
    return tasks


@dataclass(frozen=True)
class VectorJob:
    """Embeds texts and writes their vectors, and what is wrong with them.

    Attributes:
        anchors: Texts of one side.
        options: Texts of the other.
        labels: Names of the files of the eval.
    """

    source: SourceOptions
    anchors: Texts
    options: Texts
    labels: tuple[str, ...]
    counts: ClassVar[str] = "texts"
    name: str = "embedding texts"

    def open(self) -> Matcher | None:
        """Load the model; none for a file."""
        return None if self.source.embeddings else self.source.open_matcher(self.options)

    def do(self, matcher: Matcher | None, task: VectorTask) -> Receipt:
        """Embed texts."""
        if matcher is not None and not isinstance(matcher, VectorMatcher):
            return {"unit": matcher.unit, "is_ranker": True, "model": matcher.fingerprint}
        texts = self._texts(task)
        if matcher is None:
            unit, model = self.source.file_unit, ""
            vectors, faults = _from_file(self.source, texts["text"].to_list())
        else:
            unit, model = matcher.unit, matcher.fingerprint
            kind: Kind = "query" if task.side == SIDES[0] else "document"
            groups = [
                self._group(matcher.embedder, texts[start : start + _TEXTS_A_GROUP], kind)
                for start in range(0, texts.height, _TEXTS_A_GROUP)
            ]
            vectors = np.concatenate(groups)
            is_zero = faults_of(VectorRows.of(vectors), unit) != ""
            faults = np.where(is_zero, FAULTS.index(ZERO_VECTOR), 0).astype(np.uint8)
        work = self.anchors.work
        write_array(work, _name(task, "vectors"), vectors)
        write_array(work, _name(task, "faults"), faults)
        write_array(work, _name(task, "squares"), VectorRows.of(vectors).squares)
        return {
            "unit": unit,
            "is_ranker": False,
            "model": model,
            "texts": texts.height,
            "dimensions": vectors.shape[1],
        }

    def _texts(self, task: VectorTask) -> pl.DataFrame:
        side = self.anchors if task.side == self.anchors.side else self.options
        return side.table(task.start, task.stop)

    def _group(self, embedder: Embedder, texts: pl.DataFrame, kind: Kind) -> F32:
        """Embed a group; where that fails, find the text that is the cause."""
        # Short ones first: those of like lengths pad less.
        listed = texts["text"].to_list()
        order = sorted(range(len(listed)), key=lambda i: (len(listed[i]), listed[i]))
        try:
            rows = checked_vectors(embedder, [listed[i] for i in order], kind=kind)
        except Exception as error:
            culprit = _culprit(embedder, listed, kind)
            if culprit is None:
                raise
            what = error.what if isinstance(error, TellapartError) else f"{type(error).__name__}: {error}"
            raise InputError(
                f"model {embedder.name!r} does not embed a text of this row, which begins "
                f"{listed[culprit][:60]!r}: {what}",
                where=self._where(texts, culprit),
                next_step="Take the row out, or mend its text; what is done is kept",
            ) from error
        vectors = np.empty_like(rows)
        vectors[order] = rows
        return vectors

    def _where(self, texts: pl.DataFrame, row: int) -> str:
        return f"{self.labels[texts['file'][row]]}:{texts['line'][row]}"

    def describe(self, task: VectorTask) -> str:
        """Name the first text of a task."""
        return f"{task.stop - task.start} texts, such as that of {self._where(self._texts(task), 0)}"


def _culprit(embedder: Embedder, texts: Sequence[str], kind: Kind) -> int | None:
    """The first text that cannot be embedded by itself; none where the model embeds nothing at all."""
    for number, text in enumerate(["text", *texts]):
        try:
            checked_vectors(embedder, [text], kind=kind)
        except Exception:
            return number - 1 if number else None
    return None


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


def _name(task: VectorTask, what: str) -> str:
    return f"vectors/{task.side}-{task.start:012d}-{what}"


@dataclass(frozen=True)
class SideVectors:
    """The vectors of a side, by number of the text, and what is wrong with them (numbers of ``FAULTS``)."""

    rows: VectorRows
    faults: np.ndarray[tuple[int], np.dtype[np.uint8]]


def join_vectors(work: Folder, tasks: Sequence[VectorTask], dimensions: int) -> None:
    """Put the vectors of each side into one file, which all workers of a machine map into memory."""
    for side in SIDES:
        of_side = [task for task in tasks if task.side == side]
        shape = (of_side[-1].stop, dimensions)
        with new_array(work, f"vectors/{side}-vectors", shape, np.float32) as vectors:
            for task in of_side:
                vectors[task.start : task.stop] = open_array(work, _name(task, "vectors"))
        for what in ("faults", "squares"):
            parts = [open_array(work, _name(task, what)) for task in of_side]
            write_array(work, f"vectors/{side}-{what}", np.concatenate(parts))


def open_side(work: Folder, side: str) -> SideVectors:
    """Map the vectors of a side into memory."""
    vectors, squares, faults = (
        open_array(work, f"vectors/{side}-{what}") for what in ("vectors", "squares", "faults")
    )
    return SideVectors(VectorRows(vectors, squares), faults)
