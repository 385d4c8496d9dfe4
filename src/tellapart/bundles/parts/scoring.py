"""Stage four: the bundles of an anchor, wherever they stand in the eval, scored together."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from functools import cached_property, partial
from typing import Any, ClassVar, NamedTuple

import numpy as np
import polars as pl

from tellapart.bundles.parts.layout import ORDER_BITS, slots
from tellapart.bundles.parts.sources import SourceOptions, StoredTexts, open_matcher
from tellapart.bundles.parts.texts import BucketTask
from tellapart.bundles.parts.vectors import FAULTS, Side, open_sides
from tellapart.bundles.scoring import EvalItems, TextNumbers, drop_faulty, score_items
from tellapart.bundles.slice_fields import NO_KIND
from tellapart.core.arrays import I64, U64
from tellapart.embed.lineups import Lineups
from tellapart.embed.protocol import Matcher
from tellapart.embed.similarity import Embedded, faults_of
from tellapart.embed.vector_matcher import VectorRows, VectorSimilarity
from tellapart.engine import Folder, Receipt, read_segments, segment_file
from tellapart.files import RowFaults

ROWS_A_RESULT = 262_144
"""Rows of a file of scores."""


class VectorFiles(NamedTuple):
    """What stage three wrote; of a ranker nothing."""

    unit: str
    is_ranker: bool
    receipts: tuple[Any, ...]


@dataclass(frozen=True)
class ScoreStage:
    """Scores bundles and writes them to ``scores/BUCKET``, by the file of results in which they will be.

    Attributes:
        source: What compares texts.
        bases: By task of stage one, how many bundles the tasks before it have.
        dropped: Numbers of bundles that are left out: their id came before.
        labels: Of the files of the eval.
        model: What tables call it.
        memory_bytes: What the vectors of a worker may take.
        margins: Whether margins are also written by themselves, for tiers to be cut.
        kinds: Whether the negatives are of several kinds, for each of which there is a margin.
    """

    source: SourceOptions
    texts: StoredTexts
    vectors: VectorFiles = field(repr=False)
    bases: tuple[int, ...]
    dropped: frozenset[int]
    labels: tuple[str, ...]
    model: str
    memory_bytes: int
    margins: bool
    kinds: bool
    counts: ClassVar[str] = "bundles"
    name: str = "scoring"

    @property
    def work(self) -> Folder:
        """Where everything is."""
        return self.texts.work

    def open(self) -> _Texts | _Vectors:
        """Open the vectors, or load the ranker and the texts."""
        if self.vectors.is_ranker:
            return _Texts(open_matcher(self.source, self.texts), self.texts)
        return _Vectors(self)

    def do(self, state: _Texts | _Vectors, task: BucketTask) -> Receipt:
        """Score the bundles of a bucket."""
        rows = pl.concat(read_segments(self.work, task.segments)).sort("order")
        first = pl.col("bundle_id", "order").first().over("anchor").name.prefix("cluster_")
        rows = rows.with_columns(first).filter(~pl.col("order").is_in(list(self.dropped)))
        faults: dict[int, RowFaults] = {}
        kept = 0
        margins = []
        with segment_file(self.work, f"scores/{task.bucket:06d}") as writer:
            for part in self._chunks(rows):
                scored = self._score(state, part, faults)
                position = self._position(scored["order"])
                cluster = self._position(scored["cluster_order"])
                scored = scored.drop("order", "cluster_order").with_columns(
                    position=position, cluster_position=cluster
                )
                scored = scored.with_columns(result=pl.col("position") // ROWS_A_RESULT)
                writer.add(scored, "result")
                margins.append(scored["margin"].to_numpy())
                kept += scored.height
        if self.margins:
            self.work.write(f"margins/{task.bucket:06d}", np.concatenate([np.empty(0), *margins]).tobytes())
        return {
            "bundles": kept,
            "faults": [[file, problems.record()] for file, problems in faults.items()],
            "segments": writer.segments,
        }

    def _position(self, order: pl.Series) -> pl.Series:
        """The place in the eval, from 0, of numbers of bundles."""
        numbers = order.to_numpy()
        bases = np.array(self.bases, dtype=np.int64)
        return pl.Series(bases[numbers >> ORDER_BITS] + (numbers & ((1 << ORDER_BITS) - 1)), dtype=pl.Int64)

    def _chunks(self, rows: pl.DataFrame) -> Iterator[pl.DataFrame]:
        """Cut bundles so that the vectors of some fit into memory; those of an anchor stay together."""
        if not rows.height:
            return
        if self.vectors.is_ranker:
            yield rows
            return
        texts = 1 + rows["options"].list.len().max()  # type: ignore[operator]
        most = max(1, int(self.memory_bytes // (self._bytes_a_text * int(texts))))
        if rows.height <= most:
            yield rows
            return
        rows = rows.sort("anchor", "order")
        starts = np.flatnonzero(np.diff(rows["anchor"].to_numpy(), prepend=np.uint64(0)) != 0)
        starts[0] = 0
        cut, here = [0], 0
        for start in [*starts[1:].tolist(), rows.height]:
            if start - cut[-1] > most and here > cut[-1]:
                cut.append(here)
            here = start
        for low, high in zip(cut, [*cut[1:], rows.height], strict=True):
            yield rows[low:high].sort("order")

    @property
    def _bytes_a_text(self) -> int:
        """Of a vector in single precision."""
        shapes = [receipt["arrays"]["options.vectors"][2] for receipt in self.vectors.receipts]
        return 4 * max((shape[1] for shape in shapes), default=1)

    def _score(
        self, state: _Texts | _Vectors, rows: pl.DataFrame, faults: dict[int, RowFaults]
    ) -> pl.DataFrame:
        anchors, options = rows["anchor"].to_numpy(), rows["options"].explode().to_numpy()
        offsets = np.concatenate([[0], np.cumsum(rows["options"].list.len().to_numpy(), dtype=np.int64)])
        embedded, anchor_rows, option_rows = state.embed(anchors, options)
        items = pl.DataFrame(
            {
                "line": np.arange(rows.height),
                "bundle_id": rows["bundle_id"],
                "tier": rows["tier"],
                "cluster": rows["cluster_bundle_id"],
                "order": rows["order"],
                "cluster_order": rows["cluster_order"],
            }
        )
        if self.kinds:
            of_none = pl.lit(NO_KIND).repeat_by(pl.col("options").list.len() - 1)
            items = items.with_columns(rows.select(kinds=pl.coalesce("kinds", of_none))["kinds"])
        of_eval = EvalItems(items, Lineups(anchor_rows, option_rows, offsets), TextNumbers(), TextNumbers())
        kept = drop_faulty(of_eval, embedded, _ByFile(rows, self.labels, faults))
        scores = score_items(kept, embedded, model=self.model)
        return scores.with_columns(kept.items["order"], kept.items["cluster_order"])

    def describe(self, task: BucketTask) -> str:
        """Name the bucket."""
        return f"bundles of bucket {task.bucket}"


class _ByFile(RowFaults):
    """Sorts faults of bundles from many files by file."""

    def __init__(self, rows: pl.DataFrame, labels: Sequence[str], faults: dict[int, RowFaults]) -> None:
        super().__init__("")
        self._rows, self._labels, self._faults = rows, labels, faults

    def add(self, line: int, field: str, cause: str, detail: str = "") -> None:
        file, of_file = self._rows["file"][line], self._rows["line"][line]
        problems = self._faults.setdefault(file, RowFaults(self._labels[file]))
        problems.add(of_file, field, cause, detail)


@dataclass
class _Texts:
    """A ranker with all texts."""

    matcher: Matcher
    texts: StoredTexts

    @cached_property
    def _keys(self) -> U64:
        return self.texts.table["key"].to_numpy()

    def embed(self, anchors: U64, options: U64) -> tuple[Embedded, I64, I64]:
        """Make texts ready to be compared; see ``_Vectors.embed``."""
        (anchor_texts, anchor_rows), (option_texts, option_rows) = map(self._some, (anchors, options))
        similarity = partial(self.matcher.score_pairs, anchor_texts, option_texts)
        none = np.full(len(anchor_texts), ""), np.full(len(option_texts), "")
        return Embedded(similarity, *none, self.matcher.unit), anchor_rows, option_rows

    def _some(self, keys: U64) -> tuple[list[str], I64]:
        distinct, rows = np.unique(keys, return_inverse=True)
        return self.texts.table["text"].gather(slots(self._keys, distinct)).to_list(), rows.astype(np.int64)


class _Vectors:
    """Vectors of both sides: in memory where there is room for all, else those of some bundles at a time."""

    def __init__(self, stage: ScoreStage) -> None:
        self._unit = stage.vectors.unit
        self._stack = ExitStack()
        sides = open_sides(stage.work, stage.vectors.receipts, self._stack)
        self._anchors, self._options = sides["anchors"], sides["options"]
        shape = self._options.vectors[0].shape[1]
        texts = len(self._anchors.keys) + len(self._options.keys)
        self._all = (
            tuple(self._rows(side, np.arange(len(side.keys))) for side in (self._anchors, self._options))
            if 4 * shape * texts <= stage.memory_bytes
            else None
        )

    def _rows(self, side: Side, rows: I64) -> tuple[VectorRows, np.ndarray[Any, Any]]:
        taken = VectorRows.of(side.take(rows))
        named = np.array(FAULTS)[side.faults[rows]]
        return taken, np.where(named == "", faults_of(taken, self._unit), named)

    def embed(self, anchors: U64, options: U64) -> tuple[Embedded, I64, I64]:
        """Make texts ready to be compared."""
        if self._all is not None:
            (left, left_faults), (right, right_faults) = self._all
            similarity = VectorSimilarity(left, right, self._unit)
            numbers = slots(self._anchors.keys, anchors), slots(self._options.keys, options)
            return Embedded(similarity, left_faults, right_faults, self._unit), *numbers
        left_keys, left_rows = np.unique(anchors, return_inverse=True)
        right_keys, right_rows = np.unique(options, return_inverse=True)
        left, left_faults = self._rows(self._anchors, slots(self._anchors.keys, left_keys))
        right, right_faults = self._rows(self._options, slots(self._options.keys, right_keys))
        similarity = VectorSimilarity(left, right, self._unit)
        embedded = Embedded(similarity, left_faults, right_faults, self._unit)
        return embedded, left_rows.astype(np.int64), right_rows.astype(np.int64)
