"""The second pass: the bundles of an anchor, wherever they stand in the eval, are scored together."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from itertools import pairwise
from typing import ClassVar, NamedTuple

import numpy as np
import polars as pl

from tellapart.bundles.parts.folders import Folder
from tellapart.bundles.parts.inputs import ROWS_A_PART
from tellapart.bundles.parts.reading import SIDES, Chunk
from tellapart.bundles.parts.texts import NumberedEval, SourceOptions, Texts
from tellapart.bundles.parts.vectors import FAULTS, SideVectors, open_side
from tellapart.bundles.parts.work import Receipt, open_array, read_table, write_array, write_table
from tellapart.bundles.scoring import SCORE_SCHEMA, EvalItems, TextNumbers, drop_faulty, score_items
from tellapart.bundles.slice_fields import KINDS_SCHEMA, NO_KIND
from tellapart.bundles.tier_names import TIERS
from tellapart.core.arrays import F64, I64
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


class ScoreTask(NamedTuple):
    """Bundles that are scored together: a range of the eval's order by anchor."""

    number: int
    start: int
    stop: int


def score_tasks(work: Folder) -> list[ScoreTask]:
    """Cut the bundles up between two anchors."""
    numbered = NumberedEval.open(work)
    sorted_anchors = numbered.lineups.anchors[numbered.order]
    firsts = np.flatnonzero(np.diff(sorted_anchors, prepend=-1))
    cuts = np.unique(np.searchsorted(firsts, np.arange(0, len(sorted_anchors), ROWS_A_PART)))
    starts = [*firsts[cuts[cuts < len(firsts)]].tolist(), len(sorted_anchors)]
    return [ScoreTask(number, *ends) for number, ends in enumerate(pairwise(starts))]


class Positions:
    """Bundles by their position in the eval: where they stand, and what their tables say of them."""

    def __init__(self, work: Folder, chunks: Sequence[Chunk], labels: Sequence[str] = ()) -> None:
        self._work, self._chunks, self._labels = work, chunks, labels
        self._starts = np.cumsum([0, *(chunk.bundles for chunk in chunks)])

    def label(self, position: int) -> tuple[int, str]:
        """The number and the name of the file of a bundle."""
        chunk = self._chunks[int(np.searchsorted(self._starts, position, side="right")) - 1]
        return chunk.file, self._labels[chunk.file]

    def columns(self, positions: I64, schema: dict[str, pl.DataType]) -> pl.DataFrame:
        """Some columns of bundles, whose positions may be in any order."""
        order = np.argsort(positions, kind="stable")
        edges = np.searchsorted(positions[order], self._starts)
        parts = [
            read_table(self._work, f"bundles/{chunk.name}", list(schema))[positions[order[low:high]] - start]
            for chunk, start, (low, high) in zip(self._chunks, self._starts, pairwise(edges), strict=False)
            if low < high
        ]
        table: pl.DataFrame = pl.concat([pl.DataFrame(schema=schema), *parts])
        return table.select(pl.all().gather(np.argsort(order, kind="stable")))


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
        """Score some bundles: their positions, those of the first of their anchor, and their figures."""
        faults: dict[int, RowFaults] = {}
        scored, items = scorer.score(task, faults)
        work, number = self.anchors.work, f"{task.number:06d}"
        figures = scored.select(items["position"], items["first"], *_NUMBERS)
        write_array(work, f"scores/{number}", figures.select(pl.all().cast(pl.Float64)).to_numpy())
        if self.kinds:
            write_table(work, f"kinds/{number}", scored.select("kinds"))
        return {
            "bundles": scored.height,
            "faults": [[file, problems.record()] for file, problems in faults.items()],
        }

    def describe(self, task: ScoreTask) -> str:
        """Name the first bundle of a task."""
        first = NumberedEval.open(self.anchors.work).order[task.start]
        return f"{task.stop - task.start} bundles, such as the eval's bundle {first + 1}"


class _Scorer:
    """What a worker needs to score: bundles and vectors that are mapped into memory, or a ranker."""

    def __init__(self, job: ScoreJob) -> None:
        self._job, work = job, job.anchors.work
        self._eval = NumberedEval.open(work)
        self._positions = Positions(work, job.chunks, job.labels)
        self._vectors: tuple[SideVectors, ...] = ()
        self._ranker: Matcher | None = None
        if job.is_ranker:
            self._ranker = job.source.open_matcher(job.options)
        else:
            self._vectors = tuple(open_side(work, side) for side in SIDES)

    def score(self, task: ScoreTask, faults: dict[int, RowFaults]) -> tuple[pl.DataFrame, pl.DataFrame]:
        """Score bundles; those of which a text cannot be compared are left out, and noted by file."""
        positions = np.sort(self._eval.order[task.start : task.stop])
        lineups = self._eval.lineups.take(positions)
        anchors, anchor_rows = np.unique(lineups.anchors.astype(np.int64), return_inverse=True)
        options, option_rows = np.unique(lineups.options.astype(np.int64), return_inverse=True)
        embedded = self._embedded(anchors, options)
        none = pl.lit(None, pl.String)
        items = pl.DataFrame(
            {"position": positions, "anchor": anchor_rows, **self._kinds(positions, np.diff(lineups.offsets))}
        ).with_columns(bundle_id=none, tier=none, cluster=none)
        # Line is the row here: ``_ByFile`` knows of which file and line that is.
        items = items.with_columns(
            first=pl.col("position").first().over("anchor"), line=pl.int_range(pl.len())
        )
        is_left = ~np.isin(positions, self._job.dropped)
        of_eval = EvalItems(
            items.filter(is_left),
            Lineups(anchor_rows, option_rows, lineups.offsets).keep(is_left),
            TextNumbers(),
            TextNumbers(),
        )
        by_file = _ByFile(self._positions, positions, self._eval.lines[positions], faults)
        kept = drop_faulty(of_eval, embedded, by_file)
        return score_items(kept, embedded, model=self._job.model), kept.items

    def _kinds(self, positions: I64, sizes: I64) -> dict[str, pl.Series]:
        """The kinds of the negatives of some bundles, where they are asked for."""
        if not self._job.kinds:
            return {}
        kinds = self._positions.columns(positions, {"kinds": pl.List(pl.String)})
        without = pl.lit(NO_KIND).repeat_by(pl.Series(sizes) - 1)
        return {"kinds": kinds.select(pl.coalesce("kinds", without))["kinds"]}

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

    def __init__(self, places: Positions, positions: I64, lines: I64, faults: dict[int, RowFaults]) -> None:
        super().__init__("")
        self._places, self._positions, self._lines, self._faults = places, positions, lines, faults

    def add(self, line: int, field: str, cause: str, detail: str = "") -> None:
        file, label = self._places.label(int(self._positions[line]))
        problems = self._faults.setdefault(file, RowFaults(label))
        problems.add(int(self._lines[line]), field, cause, detail)


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
        positions, firsts = (rows[name].cast(pl.Int64).to_numpy() for name in ("position", "first"))
        texts = Positions(self.work, self.chunks)
        own = texts.columns(positions, {"bundle_id": pl.String(), "tier": pl.String()})
        rows = rows.with_columns(
            own["tier"],
            item=own["bundle_id"],
            cluster=texts.columns(firsts, {"bundle_id": pl.String()})["bundle_id"],
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
            figures = open_array(self.work, f"scores/{part:06d}")
            low, high = np.searchsorted(figures[:, 0], [start, start + ROWS_A_RESULT])
            frame = pl.DataFrame(figures[low:high], schema=["position", "first", *_NUMBERS])
            if self.kinds:
                frame = frame.with_columns(read_table(self.work, f"kinds/{part:06d}")["kinds"][low:high])
            frames.append(frame)
        return pl.concat(frames)

    def describe(self, number: int) -> str:
        """Name the rows."""
        return f"scores of bundles {number * ROWS_A_RESULT + 1} and following"


def read_margins(work: Folder, parts: int) -> F64:
    """The margins of all bundles, in no order."""
    column = 2 + _NUMBERS.index("margin")
    return np.concatenate([open_array(work, f"scores/{part:06d}")[:, column] for part in range(parts)])


def labels_name(number: int) -> str:
    """Where the labels of the bundles of a file of results are."""
    return f"labels/{number:06d}"
