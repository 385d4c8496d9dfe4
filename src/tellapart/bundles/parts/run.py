"""An eval of any size, in one file or many, scored with bounded memory."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path, PurePosixPath
from typing import NamedTuple, TypeVar

import numpy as np
import polars as pl
from numpy.typing import NDArray

from tellapart.bundles.boards import board_of, eval_header
from tellapart.bundles.cautions import model_cautions, score_cautions, settle
from tellapart.bundles.embedding import check_source
from tellapart.bundles.figures import column_units, figure_units
from tellapart.bundles.parts.folders import EvalFiles, Folder, eval_files, is_remote
from tellapart.bundles.parts.numbering import NumberedEval, faulty_texts, number_eval, repeated_ids
from tellapart.bundles.results import Scoreboard
from tellapart.bundles.scoring import SCORE_SCHEMA, score_items
from tellapart.bundles.slice_fields import KINDS_SCHEMA
from tellapart.bundles.tier_names import TIERS
from tellapart.bundles.tier_stats import cluster_numbers, stats_by_tier
from tellapart.bundles.tiers import TierAssignment, assign_tiers
from tellapart.bundles.vector_file import look_up
from tellapart.core.arrays import F64, I64
from tellapart.core.figure_units import COSINE
from tellapart.core.fingerprint import sha256_of_json
from tellapart.core.jobs import Spread
from tellapart.core.progress import SILENT, Progress
from tellapart.core.score_notes import ScoreNotes
from tellapart.core.seed import SEED
from tellapart.embed import VectorCache, VectorMatcher, load_matcher
from tellapart.embed.cache import default_path
from tellapart.embed.protocol import Kind
from tellapart.embed.similarity import Embedded, embed, faults_of
from tellapart.embed.vector_matcher import VectorRows, VectorSimilarity
from tellapart.engines import EngineOptions
from tellapart.errors import UsageError, option
from tellapart.files import RowFaults, as_json, make_directory, storage
from tellapart.files.writing import scratch_directory
from tellapart.parallel import open_spread
from tellapart.store.growing import LOCK, PARTIAL, locked
from tellapart.store.tables import join_frames, write_frame

_ROWS_AT_ONCE = 262_144
"""Rows of the table of scores that are made together."""

_BUNDLES_AT_ONCE = 65_536
"""Bundles that are scored together, more where one anchor has more."""

_TEXTS_AT_ONCE = 65_536
"""Texts whose vectors are computed together; it follows from the eval alone which ones."""

Number = TypeVar("Number", np.float32, np.float64)

_NUMBERS = [name for name, kind in SCORE_SCHEMA.items() if kind.is_numeric() and name != "replicate"]
"""Columns of scores that are computed."""


@dataclass(frozen=True)
class PartsRequest:
    """What to score, with what, and where to.

    Attributes:
        eval_address: A file or a folder of files, here or in an object store.
        out: The scoreboard; the scores go into ``NAME.scores.parquet`` beside it.
        model: What compares texts; None for a file of vectors.
        embeddings: The file of vectors; None for a model.
        name: What tables call the model; None for its name.
        checkpoint: Where its weights came from, for the record.
        seed: The seed that the eval was drawn with.
        skip_invalid: Drop bad rows instead of refusing the eval.
        version: Of a frozen eval in one file, which has ``frozen_bundles`` bundles.
    """

    eval_address: str
    out: str
    model: str | None = None
    embeddings: Path | None = None
    base_url: str | None = None
    similarity: str | None = None
    name: str | None = None
    checkpoint: str = ""
    seed: int = SEED
    skip_invalid: bool = False
    version: str | None = None
    frozen_bundles: int | None = None

    @property
    def label(self) -> str:
        """What tables call the model."""
        return self.name or self.model or (self.embeddings.stem if self.embeddings else "")


class ScoredParts(NamedTuple):
    """The scoreboard, as it was written, and what to beware of, a sentence each."""

    board: Scoreboard
    warnings: tuple[str, ...]


def score_parts(request: PartsRequest, options: EngineOptions, *, progress: Progress = SILENT) -> ScoredParts:
    """Score an eval and write the scoreboard, and the scores of each bundle beside it.

    The same eval, model and seed give the same bytes, whatever the engine and the number of workers. Workers
    embed texts and score pairs with cross-encoders; what they have done is in the cache of vectors, so that a
    run after an interruption does not do it again.
    """
    check_source(request.model, request.embeddings, request.similarity)
    _check_out(request)
    files = eval_files(request.eval_address)
    cache = VectorCache(default_path())
    try:
        with _work_directory(request.out) as work, open_spread(options) as spread:
            return _Scoring(request, files, work, cache, spread, progress).run()
    finally:
        cache.close()


def _check_out(request: PartsRequest) -> None:
    """Refuse a scoreboard in the folder of the eval, where the next command would take it for bundles."""
    if is_remote(request.eval_address):
        within = request.out.startswith(f"{request.eval_address.rstrip('/')}/")
    else:
        folder, is_here = Path(request.eval_address).resolve(), not is_remote(request.out)
        within = folder.is_dir() and is_here and folder in Path(request.out).resolve().parents
    if within:
        raise UsageError(
            "the scoreboard would lie in the folder of the eval, and be read as bundles the next time",
            where=request.out,
            next_step=f"Write it beside the folder, such as {option('out', 'board.json')}",
        )


def _beside(out: str) -> tuple[Folder, str, str]:
    """The folder of a scoreboard, its name, and that name without its ending."""
    head, _, name = out.rpartition("/") if is_remote(out) else (str(Path(out).parent), "", Path(out).name)
    return Folder(head), name, PurePosixPath(name).stem


@contextmanager
def _work_directory(out: str) -> Iterator[Path]:
    """Give a directory for what is mapped into memory, beside the scoreboard if that is on this machine."""
    if is_remote(out):
        with scratch_directory("tellapart-scoring-") as scratch:
            yield scratch
        return
    folder, _, stem = _beside(out)
    directory = Path(folder.address, f"{stem}.scoring{PARTIAL}")
    with storage(directory):
        make_directory(directory)
    with locked(directory, "scoreboard"):
        try:
            for left in directory.iterdir():
                if left.name != LOCK:
                    left.unlink()
            yield directory
        finally:
            shutil.rmtree(directory, ignore_errors=True)


def _mapped(path: Path, shape: tuple[int, ...], dtype: type[Number]) -> NDArray[Number]:
    """Make an array in a file that is mapped into memory."""
    size_bytes = int(np.prod(shape)) * np.dtype(dtype).itemsize
    if not size_bytes:
        return np.empty(shape, dtype)
    with storage(path), path.open("wb") as file:
        # Where the disk is full it says so here; a mapped page without room would end the process.
        if hasattr(os, "posix_fallocate"):
            os.posix_fallocate(file.fileno(), 0, size_bytes)
        else:
            file.truncate(size_bytes)
    return np.asarray(np.memmap(path, dtype, "r+", shape=shape))


class _Scoring:
    """One eval on its way through all steps."""

    def __init__(
        self,
        request: PartsRequest,
        files: EvalFiles,
        work: Path,
        cache: VectorCache,
        spread: Spread,
        progress: Progress,
    ) -> None:
        self._request, self._files, self._work = request, files, work
        self._cache, self._spread, self._progress = cache, spread, progress
        self._problems = RowFaults(request.eval_address)

    def run(self) -> ScoredParts:
        files, problems, progress = self._files, self._problems, self._progress
        with progress.step("reading", None):
            numbered = number_eval(files, self._work, problems)
        repeated = repeated_ids(numbered, files, problems)
        # Before a model is paid for texts that may not be needed.
        self._settle(len(numbered) - len(repeated))
        texts = numbered.of_eval.distinct_texts
        progress(f"scoring {len(numbered):,} bundles of {texts:,} distinct texts")
        embedded = self._embedded(numbered)
        kept = np.ones(len(numbered), dtype=np.bool_)
        kept[repeated] = False
        kept[faulty_texts(numbered, embedded, files, problems)] = False
        left_out = self._settle(int(np.count_nonzero(kept)))
        scores = self._scores(numbered, embedded, np.flatnonzero(kept))
        return self._finish(numbered, scores, embedded.unit, left_out)

    def _settle(self, left: int) -> str:
        """Refuse bad rows that are not to be skipped, and an eval of which no bundle is left."""
        request = self._request
        what, skip = "bundle is left to score", request.skip_invalid
        return settle(self._problems, request.eval_address, what, left, skip_invalid=skip)

    def _embedded(self, numbered: NumberedEval) -> Embedded:
        """Make all texts comparable; vectors of a model lie in files that are mapped into memory."""
        request = self._request
        anchors, options = numbered.of_eval.anchors.texts, numbered.of_eval.options.texts
        if request.embeddings is not None:
            return look_up(request.embeddings, anchors, options, similarity=request.similarity or COSINE)
        matcher = load_matcher(
            str(request.model),
            corpus=options,
            base_url=request.base_url,
            cache=self._cache,
            progress=self._progress,
            similarity=request.similarity,
            spread=self._spread,
        )
        if not isinstance(matcher, VectorMatcher):
            return embed(matcher, anchors, options)
        queries = self._rows(matcher, anchors, "query")
        documents = self._rows(matcher, options, "document", queries.vectors.shape[1])
        unit = matcher.unit
        similarity = VectorSimilarity(queries, documents, unit)
        return Embedded(similarity, faults_of(queries, unit), faults_of(documents, unit), unit)

    def _rows(
        self, matcher: VectorMatcher, texts: Sequence[str], kind: Kind, dimensions: int | None = None
    ) -> VectorRows:
        """Embed texts into a file."""
        vectors, squares = np.empty((0, 0), np.float32), np.empty(len(texts))
        with self._progress.step(f"{matcher.name} embeds {kind} texts", len(texts), unit="texts") as step:
            for start in range(0, len(texts), _TEXTS_AT_ONCE):
                rows = matcher.rows(texts[start : start + _TEXTS_AT_ONCE], kind=kind, dimensions=dimensions)
                if not start:
                    dimensions = rows.vectors.shape[1]
                    vectors = _mapped(self._work / kind, (len(texts), dimensions), np.float32)
                vectors[start : start + len(rows)] = rows.vectors
                squares[start : start + len(rows)] = rows.squares
                step.update(start + len(rows))
        return VectorRows(vectors, squares)

    def _scores(self, numbered: NumberedEval, embedded: Embedded, kept: I64) -> _Scores:
        """Score bundles, those of one anchor together wherever they stand."""
        figures = _mapped(self._work / "figures", (len(_NUMBERS), len(numbered)), np.float64)
        kinds: list[pl.DataFrame] = []
        of_anchor = numbered.of_eval.lineups.anchors[kept]
        by_anchor = kept[np.argsort(of_anchor, kind="stable")]
        firsts = np.flatnonzero(np.diff(numbered.of_eval.lineups.anchors[by_anchor], prepend=-1))
        cuts = np.unique(np.searchsorted(firsts, np.arange(0, len(kept), _BUNDLES_AT_ONCE)))
        starts = [*firsts[cuts[cuts < len(firsts)]].tolist(), len(kept)]
        with self._progress.step("scoring", len(kept), unit="bundles") as step:
            for start, stop in pairwise(starts):
                rows = by_anchor[start:stop]
                scored = score_items(numbered.take(rows), embedded, model=self._request.label)
                for column, name in enumerate(_NUMBERS):
                    figures[column, rows] = scored[name].to_numpy()
                if "kinds" in scored.columns:
                    kinds.append(scored.select("kinds", position=rows))
                step.update(stop)
        of_kinds = pl.concat(kinds).sort("position")["kinds"] if kinds else None
        tiers, assigned = numbered.of_eval.items["tier"][kept], None
        if not numbered.has_tiers:
            assigned = assign_tiers(-figures[_NUMBERS.index("margin")][kept])
            tiers = pl.Series(assigned.tiers, dtype=pl.Enum(TIERS))
        return _Scores(numbered, self._request.label, kept, figures, tiers, of_kinds, assigned)

    def _finish(self, numbered: NumberedEval, scores: _Scores, unit: str, left_out: str) -> ScoredParts:
        """Sum up, and write the scores and the scoreboard."""
        request = self._request
        clusters = cluster_numbers(scores)
        some = scores.some(clusters)
        warnings = score_cautions(some, scores.assigned)
        if left_out:
            warnings = (left_out, *warnings)
        notes = ScoreNotes(
            by="tier",
            cautions=model_cautions(scores.model, some),
            units=column_units(figure_units(unit)),
            no_strata=dict(numbered.of_eval.no_strata),
        )
        sources = numbered.sources
        of_all = sha256_of_json(sources) if self._files.is_folder else sources[0][1]
        version = request.version if scores.height == request.frozen_bundles else None
        header = eval_header(request.eval_address, of_all[:16], some, request.seed, version)
        stats = stats_by_tier(scores, clusters)
        board = board_of(stats, header, model=scores.model, similarity=unit, checkpoint=request.checkpoint)
        folder, name, stem = _beside(request.out)
        with folder.writing(f"{stem}.scores.parquet") as out:
            self._write(out, scores, notes)
        with folder.writing(name) as out:
            out.write_text(as_json(board.model_dump(mode="json")))
        return ScoredParts(board, warnings)

    def _write(self, out: Path, scores: _Scores, notes: ScoreNotes) -> None:
        """Write the table of scores from parts of it, which are never in memory all at once."""
        parts = []
        bundles = len(scores.numbered)
        with self._progress.step("writing scores", bundles, unit="bundles") as step:
            for start in range(0, bundles, _ROWS_AT_ONCE):
                parts.append(self._work / f"{start}.parquet")
                write_frame(parts[-1], scores.table(start, start + _ROWS_AT_ONCE))
                step.update(min(start + _ROWS_AT_ONCE, bundles))
        join_frames(parts, out, notes)


@dataclass(frozen=True)
class _Scores:
    """The scores of all bundles, a column or some rows at a time: of millions not all fit into memory.

    Attributes:
        kept: Rows of the eval that were scored.
        figures: Shape (columns of ``_NUMBERS``, bundles of the eval), mapped into memory.
        tiers: Of the rows that were scored.
        kinds: Their margins by the kind of the negatives; None where there is one kind.
        assigned: How tiers were cut, if none came with the eval.
    """

    numbered: NumberedEval
    model: str
    kept: I64
    figures: F64
    tiers: pl.Series
    kinds: pl.Series | None
    assigned: TierAssignment | None

    @property
    def height(self) -> int:
        return len(self.kept)

    def get_column(self, name: str) -> pl.Series:
        """A column; clusters are rows of the eval."""
        if name == "tier":
            return self.tiers
        if name == "cluster":
            return pl.Series(self.numbered.first[self.kept])
        return pl.Series(self.figures[_NUMBERS.index(name)][self.kept]).cast(SCORE_SCHEMA[name])

    def some(self, clusters: NDArray[np.uint32]) -> pl.DataFrame:
        """The columns by which cautions go, with numbers for clusters."""
        return pl.DataFrame(
            {
                "model": pl.repeat(self.model, self.height, dtype=pl.Enum([self.model]), eager=True),
                "tier": self.tiers,
                "cluster": clusters,
                "margin": self.get_column("margin"),
                "ties": self.get_column("ties"),
            }
        )

    def table(self, start: int, stop: int) -> pl.DataFrame:
        """Rows of ``SCORE_SCHEMA`` of the bundles from one row of the eval to another."""
        low, high = np.searchsorted(self.kept, [start, stop])
        rows = self.kept[low:high]
        items = self.numbered.of_eval.items
        ids = items["bundle_id"]
        columns = {name: self.figures[column, rows] for column, name in enumerate(_NUMBERS)}
        table = pl.DataFrame(columns).with_columns(
            item=ids[rows],
            cluster=ids[self.numbered.first[rows]],
            tier=self.tiers[low:high],
            model=pl.lit(self.model),
            missing=pl.lit(None, pl.String),
            replicate=pl.lit(0),
        )
        beside = [items["metadata"][rows]] if "metadata" in items.columns else []
        if self.kinds is not None:
            beside.append(self.kinds[low:high].cast(KINDS_SCHEMA))
        return table.select(pl.col(name).cast(kind) for name, kind in SCORE_SCHEMA.items()).with_columns(
            beside
        )
