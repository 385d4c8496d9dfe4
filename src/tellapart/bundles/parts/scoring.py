"""The second pass: the bundles of an anchor, wherever they stand in the eval, are scored together."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import pairwise
from typing import ClassVar, NamedTuple

import numpy as np
import polars as pl

from tellapart.bundles.parts.folders import Folder
from tellapart.bundles.parts.inputs import ROWS_A_PART
from tellapart.bundles.parts.reading import SIDES, Chunk
from tellapart.bundles.parts.stages import Receipt
from tellapart.bundles.parts.tables import open_array, read_table, write_array, write_table
from tellapart.bundles.parts.texts import SourceOptions, Texts
from tellapart.bundles.parts.vectors import FAULTS, SideVectors, open_side
from tellapart.bundles.scoring import SCORE_SCHEMA, EvalItems, TextNumbers, drop_faulty, score_items
from tellapart.bundles.slice_fields import KINDS_SCHEMA, NO_KIND
from tellapart.bundles.tier_names import TIERS
from tellapart.core.arrays import F64, I64, U64
from tellapart.core.fingerprint import sha256
from tellapart.embed.lineups import Lineups
from tellapart.embed.protocol import Matcher
from tellapart.embed.similarity import Embedded
from tellapart.embed.vector_matcher import VectorSimilarity
from tellapart.files import RowFaults
from tellapart.store.tables import frame_bytes

ROWS_A_RESULT = 262_144
"""Rows of a file of scores."""

_NUMBERS = [name for name, kind in SCORE_SCHEMA.items() if kind.is_numeric()]
"""Columns of scores that the second pass computes."""

_ORDER = "order"
"""Array of the positions of all bundles, those of an anchor together."""


class ScoreTask(NamedTuple):
    """Bundles that are scored together: a range of the array ``order``."""

    number: int
    start: int
    stop: int


def score_tasks(work: Folder, anchors: Texts, chunks: Sequence[Chunk]) -> list[ScoreTask]:
    """Put the bundles of an anchor together, and cut them up between two anchors."""
    numbers = np.concatenate([anchors.numbers(chunk.keys(work, anchors.side)) for chunk in chunks])
    order = np.argsort(numbers, kind="stable")
    write_array(work, _ORDER, order)
    firsts = np.flatnonzero(np.diff(numbers[order], prepend=-1))
    cuts = np.unique(np.searchsorted(firsts, np.arange(0, len(order), ROWS_A_PART)))
    starts = [*firsts[cuts[cuts < len(firsts)]].tolist(), len(order)]
    return [ScoreTask(number, *ends) for number, ends in enumerate(pairwise(starts))]


@dataclass(frozen=True)
class ScoreJob:
    """Scores bundles, and writes their figures in the order of the eval.

    Attributes:
        anchors: Texts of one side.
        options: Texts of the other.
        dropped: Positions of bundles that are left out: their id came before.
        labels: Names of the files of the eval.
        model: What tables call the model.
        unit: Unit of the similarities.
        is_ranker: Whether the model compares texts, and gives no vectors.
        kinds: Whether the negatives are of several kinds, for each of which there is a margin.
    """

    source: SourceOptions
    chunks: tuple[Chunk, ...]
    anchors: Texts
    options: Texts
    dropped: tuple[int, ...]
    labels: tuple[str, ...]
    model: str
    unit: str
    is_ranker: bool
    kinds: bool
    counts: ClassVar[str] = "bundles"
    name: str = "scoring"

    def open(self) -> _Scorer:
        """Open the bundles, and the vectors or the ranker."""
        return _Scorer(self)

    def do(self, scorer: _Scorer, task: ScoreTask) -> Receipt:
        """Score some bundles."""
        faults: dict[int, RowFaults] = {}
        scored, items = scorer.score(task, faults)
        work, number = self.anchors.work, f"{task.number:06d}"
        write_array(work, f"scores/{number}", scored.select(pl.col(_NUMBERS).cast(float)).to_numpy())
        write_array(work, f"positions/{number}", items.select("position", "first").to_numpy().T)
        if self.kinds:
            write_table(work, f"kinds/{number}", scored.select("kinds"))
        return {
            "bundles": scored.height,
            "faults": [[file, problems.record()] for file, problems in faults.items()],
        }

    def describe(self, task: ScoreTask) -> str:
        """Name the first bundle of a task."""
        first = open_array(self.anchors.work, _ORDER)[task.start]
        return f"{task.stop - task.start} bundles, such as the eval's bundle {first + 1}"


class _Scorer:
    """What a worker needs to score: bundles and vectors that are mapped into memory, or a ranker."""

    def __init__(self, job: ScoreJob) -> None:
        self._job, work = job, job.anchors.work
        self._starts = np.cumsum([0, *(chunk.bundles for chunk in job.chunks)])
        self._order = open_array(work, _ORDER)
        self._keys = {side: [chunk.keys(work, side) for chunk in job.chunks] for side in SIDES}
        self._offsets = [chunk.offsets(work) for chunk in job.chunks]
        self._lines = [chunk.lines(work) for chunk in job.chunks]
        self._vectors: tuple[SideVectors, ...] = ()
        self._ranker: Matcher | None = None
        if job.is_ranker:
            self._ranker = job.source.open_matcher(job.options)
        else:
            self._vectors = tuple(open_side(work, side) for side in SIDES)

    def score(self, task: ScoreTask, faults: dict[int, RowFaults]) -> tuple[pl.DataFrame, pl.DataFrame]:
        """Score bundles; those of which a text cannot be compared are left out, and noted by file."""
        job = self._job
        items, anchor_keys, option_keys = self._bundles(task)
        anchors, anchor_rows = np.unique(anchor_keys, return_inverse=True)
        options, option_rows = np.unique(np.concatenate(option_keys), return_inverse=True)
        offsets = np.concatenate([[0], np.cumsum(items["options"].to_numpy())])
        lineups = Lineups(anchor_rows, option_rows, offsets)
        embedded = self._embedded(job.anchors.numbers(anchors), job.options.numbers(options))
        of_eval = EvalItems(items, lineups, TextNumbers(), TextNumbers())
        is_left = ~np.isin(items["position"].to_numpy(), job.dropped)
        of_eval = replace(of_eval, items=items.filter(is_left), lineups=lineups.keep(is_left))
        kept = drop_faulty(of_eval, embedded, _ByFile(items, job.labels, faults))
        return score_items(kept, embedded, model=job.model), kept.items

    def _bundles(self, task: ScoreTask) -> tuple[pl.DataFrame, U64, list[U64]]:
        """The bundles of a task in the order of the eval, and the keys of their texts."""
        positions = np.sort(self._order[task.start : task.stop])
        edges = np.searchsorted(positions, self._starts)
        parts, anchors, options = [], [], []
        for number, chunk in enumerate(self._job.chunks):
            rows = positions[edges[number] : edges[number + 1]] - self._starts[number]
            if not len(rows):
                continue
            first, sizes = self._offsets[number][rows], np.diff(self._offsets[number])[rows]
            within = np.arange(sizes.sum()) - np.repeat(np.cumsum(sizes) - sizes, sizes)
            options.append(self._keys[SIDES[1]][number][np.repeat(first, sizes) + within])
            anchors.append(self._keys[SIDES[0]][number][rows])
            parts.append(
                pl.DataFrame({"of_file": self._lines[number][rows], "options": sizes}).with_columns(
                    *self._kinds(chunk, rows, sizes), file=pl.lit(chunk.file, pl.Int64)
                )
            )
        keys = np.concatenate(anchors)
        none = pl.lit(None, pl.String)
        items = pl.concat(parts).with_columns(
            pl.Series("position", positions),
            pl.Series("anchor", keys),
            bundle_id=none,
            tier=none,
            cluster=none,
        )
        # Line is the row here: ``_ByFile`` knows of which file and line that is.
        return (
            items.with_columns(first=pl.col("position").first().over("anchor"), line=pl.int_range(pl.len())),
            keys,
            options,
        )

    def _kinds(self, chunk: Chunk, rows: I64, sizes: I64) -> list[pl.Series]:
        """The kinds of the negatives of some bundles, where they are asked for."""
        if not self._job.kinds:
            return []
        kinds = read_table(self._job.anchors.work, f"bundles/{chunk.name}", ["kinds"])[rows]
        without = pl.lit(NO_KIND).repeat_by(pl.Series(sizes) - 1)
        return [kinds.select(pl.coalesce("kinds", without))["kinds"]]

    def _embedded(self, anchors: I64, options: I64) -> Embedded:
        """The texts with these numbers, ready to be compared."""
        unit = self._job.unit
        if self._ranker is not None:
            queries, documents = (
                side.all.gather(numbers).to_list()
                for side, numbers in ((self._job.anchors, anchors), (self._job.options, options))
            )
            similarity = partial(self._ranker.score_pairs, queries, documents)
            return Embedded(similarity, np.full(len(anchors), ""), np.full(len(options), ""), unit)
        left, right = self._vectors
        named = np.array(FAULTS)
        return Embedded(
            VectorSimilarity(left.rows, right.rows, unit, anchors, options),
            named[left.faults[anchors]],
            named[right.faults[options]],
            unit,
        )


class _ByFile(RowFaults):
    """Sorts faults of bundles from many files by file."""

    def __init__(self, items: pl.DataFrame, labels: Sequence[str], faults: dict[int, RowFaults]) -> None:
        super().__init__("")
        self._items, self._labels, self._faults = items, labels, faults

    def add(self, line: int, field: str, cause: str, detail: str = "") -> None:
        file, of_file = self._items["file"][line], self._items["of_file"][line]
        problems = self._faults.setdefault(file, RowFaults(self._labels[file]))
        problems.add(of_file, field, cause, detail)


@dataclass(frozen=True)
class WriteJob:
    """Writes ``part-NUMBER-DIGEST.parquet``: names say what is in files, so that no result is mixed of two.

    Attributes:
        out: Where the files go.
        parts: How many tasks of ``ScoreJob`` there were.
        model: What tables call the model.
        cutoffs: Highest danger in the first tier and in the second; None where tiers came with the eval.
        has_labels: Whether there are ``labels/NUMBER``: what sorts the bundles of a file by their metadata.
        kinds: Whether there are margins by the kind of the negatives.
    """

    work: Folder
    out: Folder
    chunks: tuple[Chunk, ...]
    parts: int
    model: str
    cutoffs: tuple[float, float] | None
    has_labels: bool
    kinds: bool
    counts: ClassVar[str] = "rows"
    name: str = "writing scores"

    def open(self) -> None:
        """Nothing is needed."""

    def do(self, _: None, number: int) -> Receipt:
        """Write a file of ``ROWS_A_RESULT`` rows, fewer where bundles were left out."""
        start = number * ROWS_A_RESULT
        rows = self._scores(start).sort("position")
        positions, firsts = rows["position"].to_numpy(), rows["first"].to_numpy()
        own = self._named(positions, ["bundle_id", "tier"])
        rows = rows.with_columns(
            own["tier"],
            item=own["bundle_id"],
            cluster=self._named(firsts, ["bundle_id"])["bundle_id"],
            model=pl.lit(self.model),
            missing=pl.lit(None, pl.String),
        )
        if self.cutoffs is not None:
            low, high = self.cutoffs
            danger = -pl.col("margin")
            tier = (danger > low).cast(pl.Int8) + (danger > high).cast(pl.Int8)
            rows = rows.with_columns(tier=tier.replace_strict(dict(enumerate(TIERS))))
        columns = [pl.col(name).cast(kind) for name, kind in SCORE_SCHEMA.items()]
        if self.has_labels:
            labels = read_table(self.work, labels_name(number))["metadata"]
            columns.append(pl.lit(labels.gather(positions - start)))
        if self.kinds:
            columns.append(pl.col("kinds").cast(KINDS_SCHEMA))
        data = frame_bytes(rows.select(columns))
        digest = sha256(data)
        name = f"part-{number:05d}-{digest[:8]}.parquet"
        self.out.write(name, data)
        return {"name": name, "rows": rows.height, "sha256": digest}

    def _scores(self, start: int) -> pl.DataFrame:
        """The figures of the bundles of a file, as the second pass wrote them part by part."""
        frames = []
        for part in range(self.parts):
            positions = open_array(self.work, f"positions/{part:06d}")
            low, high = np.searchsorted(positions[0], [start, start + ROWS_A_RESULT])
            numbers = open_array(self.work, f"scores/{part:06d}")[low:high]
            frame = pl.DataFrame(numbers, schema=_NUMBERS).with_columns(
                pl.Series("position", positions[0, low:high]), pl.Series("first", positions[1, low:high])
            )
            if self.kinds:
                frame = frame.with_columns(read_table(self.work, f"kinds/{part:06d}")["kinds"][low:high])
            frames.append(frame)
        return pl.concat(frames)

    def _named(self, positions: I64, columns: list[str]) -> pl.DataFrame:
        """Some columns of the bundles that stand at positions, in any order."""
        order = np.argsort(positions, kind="stable")
        starts = np.cumsum([0, *(chunk.bundles for chunk in self.chunks)])
        edges = np.searchsorted(positions[order], starts)
        parts = [
            read_table(self.work, f"bundles/{chunk.name}", columns)[positions[order[low:high]] - start]
            for chunk, start, low, high in zip(self.chunks, starts, edges, edges[1:], strict=False)
            if low < high
        ]
        schema = dict.fromkeys(columns, pl.String)
        found: pl.DataFrame = pl.concat([pl.DataFrame(schema=schema), *parts])
        return found.select(pl.all().gather(np.argsort(order, kind="stable")))

    def describe(self, number: int) -> str:
        """Name the rows."""
        return f"scores of bundles {number * ROWS_A_RESULT + 1} and following"


def read_margins(work: Folder, parts: int) -> F64:
    """The margins of all bundles, in no order."""
    column = _NUMBERS.index("margin")
    return np.concatenate([open_array(work, f"scores/{part:06d}")[:, column] for part in range(parts)])


def labels_name(number: int) -> str:
    """Where the labels of the bundles of a file of results are."""
    return f"labels/{number:06d}"
