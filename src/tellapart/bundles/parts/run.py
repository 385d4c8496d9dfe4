"""An eval of any size, in one file or many, scored with bounded memory."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path, PurePosixPath

import numpy as np
import polars as pl
from numpy.typing import NDArray

from tellapart.bundles.boards import board_of, eval_header
from tellapart.bundles.cautions import model_cautions, score_cautions, settle
from tellapart.bundles.embedding import check_source, embed_eval
from tellapart.bundles.figures import column_units, figure_units
from tellapart.bundles.parts.folders import EvalFiles, Folder, eval_files, is_remote
from tellapart.bundles.parts.spool import SpooledEval, note_faults, spool_eval, write_spool
from tellapart.bundles.results import Scoreboard
from tellapart.bundles.scoring import SCORE_SCHEMA, EvalItems, drop_faulty, score_items
from tellapart.bundles.tier_names import TIERS
from tellapart.bundles.tier_stats import stats_by_tier
from tellapart.bundles.tiers import TierCuts, cut_tiers
from tellapart.core.arrays import F32, F64, I64
from tellapart.core.fingerprint import sha256_of_json
from tellapart.core.progress import SILENT, Progress
from tellapart.core.score_notes import ScoreNotes
from tellapart.core.seed import SEED
from tellapart.embed.lineups import Lineups
from tellapart.embed.similarity import Embedded
from tellapart.engines import EngineOptions
from tellapart.errors import UsageError, option
from tellapart.files import RowFaults, as_json, make_directory, storage
from tellapart.files.writing import scratch_directory
from tellapart.parallel import open_spread
from tellapart.store.growing import LOCK, PARTIAL, locked
from tellapart.store.tables import join_frames, read_frame, write_frame

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
        frozen: Version of a frozen eval in one file, and how many bundles it has.
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
    frozen: tuple[str, int] | None = None

    @property
    def label(self) -> str:
        """What tables call the model."""
        return self.name or self.model or (self.embeddings.stem if self.embeddings else "")


def score_parts(
    request: PartsRequest, engine: EngineOptions, *, progress: Progress = SILENT
) -> tuple[Scoreboard, tuple[str, ...]]:
    """Score an eval and write the scoreboard, and the scores of each bundle beside it.

    The same eval, model and seed give the same bytes, whatever the engine and the number of workers. Workers
    embed texts; what they have done is in the cache of vectors, so that a run after an interruption does not
    do it again.

    Returns:
        The scoreboard, as it was written, and what to beware of, a sentence each.
    """
    check_source(request.model, request.embeddings, request.similarity)
    _check_out(request)
    files, problems = eval_files(request.eval_address), RowFaults(request.eval_address)
    with _work_directory(request.out) as work, open_spread(engine) as spread:
        with progress.step("reading", None):
            spooled, repeated = spool_eval(files, work, problems)
        # Before a model is paid for texts that may not be needed.
        _settle(request, problems, len(spooled) - len(repeated))
        anchors, options = spooled.anchors, spooled.options
        texts = len(anchors) + len(options) - anchors.shared_with(options)
        progress(f"scoring {len(spooled):,} bundles of {texts:,} distinct texts")
        embedded = embed_eval(
            anchors.texts,
            options.texts,
            request.model,
            request.embeddings,
            request.base_url,
            progress,
            request.similarity,
            spread,
            partial(_mapped, work),
        )
        kept = np.ones(len(spooled), dtype=np.bool_)
        kept[repeated] = False
        kept[_faulty(spooled, embedded, files, problems)] = False
        left_out = _settle(request, problems, int(np.count_nonzero(kept)))
        margins = _score(spooled, embedded, kept, request.label, progress)
        tiers, cuts = _tiers(spooled, margins, kept)
        paths = _write_parts(spooled, tiers, request.label, progress)
        scores = _Scores(paths, tiers.filter(kept), int(np.count_nonzero(kept)))
        clusters = spooled.of_anchor[kept].astype(np.uint32)
        some = pl.DataFrame(
            {
                "model": pl.repeat(request.label, scores.height, dtype=pl.Enum([request.label]), eager=True),
                "tier": scores.tiers,
                "cluster": clusters,
                "margin": margins[kept],
                "ties": scores.get_column("ties"),
            }
        )
        warnings = (*left_out, *score_cautions(some, cuts))
        notes = ScoreNotes(
            by="tier",
            cautions=model_cautions(request.label, some),
            units=column_units(figure_units(embedded.unit)),
            no_strata=spooled.no_strata,
        )
        of_all = sha256_of_json(spooled.sources) if files.is_folder else spooled.sources[0][1]
        frozen, bundles = request.frozen or (None, 0)
        version = frozen if scores.height == bundles else None
        header = eval_header(request.eval_address, of_all[:16], some, request.seed, version)
        stats = stats_by_tier(scores, clusters)
        board = board_of(
            stats, header, model=request.label, similarity=embedded.unit, checkpoint=request.checkpoint
        )
        folder, name, stem = _beside(request.out)
        with folder.writing(f"{stem}.scores.parquet") as out:
            join_frames(paths, out, notes)
        with folder.writing(name) as out:
            out.write_text(as_json(board.model_dump(mode="json")))
        return board, warnings


def _settle(request: PartsRequest, problems: RowFaults, left: int) -> list[str]:
    what, skip = "bundle is left to score", request.skip_invalid
    return settle(problems, request.eval_address, what, left, skip_invalid=skip)


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


def _mapped(work: Path, shape: tuple[int, int]) -> F32:
    """Make an array of zeros in a new file that is mapped into memory."""
    size_bytes = 4 * shape[0] * shape[1]
    if not size_bytes:
        return np.empty(shape, np.float32)
    path = work / f"vectors-{len(list(work.glob('vectors-*')))}"
    with storage(path), path.open("wb") as file:
        # Where the disk is full it says so here; a mapped page without room would end the process.
        if hasattr(os, "posix_fallocate"):
            os.posix_fallocate(file.fileno(), 0, size_bytes)
        else:
            file.truncate(size_bytes)
    return np.asarray(np.memmap(path, np.float32, "r+", shape=shape))


def _faulty(spooled: SpooledEval, embedded: Embedded, files: EvalFiles, problems: RowFaults) -> I64:
    """Rows of which a text cannot be compared; they are noted in ``problems``."""
    if not ((embedded.anchor_faults != "").any() or (embedded.option_faults != "").any()):
        return np.empty(0, np.int64)
    noted = _Noted("")
    for group in range(spooled.groups):
        drop_faulty(_items(spooled, *spooled.group(group)), embedded, noted)
    bundles = spooled.bundles_at(np.array(sorted({row for row, _, _ in noted.faults}), dtype=np.int64))
    places = {row: place for row, *place in bundles.select("position", "file", "line").iter_rows()}
    faults = ((*places[row], field, cause, "") for row, field, cause in sorted(noted.faults))
    note_faults(faults, files, problems)
    return bundles["position"].to_numpy()


class _Noted(RowFaults):
    """Faults by row of the eval."""

    def __init__(self, path: str) -> None:
        super().__init__(path)
        self.faults: list[tuple[int, str, str]] = []

    def add(self, line: int, field: str, cause: str, detail: str = "") -> None:
        self.faults.append((line, field, cause))


def _items(spooled: SpooledEval, rows: I64, lineups: Lineups) -> EvalItems:
    """Bundles of a group, without what their scores do not depend on; their lines are rows of the eval."""
    none = pl.lit(None, pl.String)
    items = pl.DataFrame({"line": rows}).with_columns(bundle_id=none, tier=none, cluster=none)
    if spooled.kinds is not None:
        items = items.with_columns(kinds=spooled.kinds.gather(rows))
    return EvalItems(items, lineups, spooled.anchors, spooled.options)


def _score(
    spooled: SpooledEval, embedded: Embedded, kept: NDArray[np.bool_], model: str, progress: Progress
) -> F64:
    """Score group after group; figures go to a file for each part, and only margins are given."""
    margins, done = np.full(len(spooled), np.nan), 0
    with progress.step("scoring", len(spooled), unit="bundles") as step:
        for group in range(spooled.groups):
            rows, lineups = spooled.group(group)
            done += len(rows)
            rows, lineups = rows[kept[rows]], lineups.keep(kept[rows])
            if len(rows):
                scored = score_items(_items(spooled, rows, lineups), embedded, model=model)
                margins[rows] = scored["margin"].to_numpy()
                figures = scored.select(pl.col(*_NUMBERS, "^kinds$")).with_columns(position=rows)
                parts = spooled.part_of(rows)
                with storage(spooled.work):
                    for part in np.unique(parts).tolist():
                        some = figures.filter(pl.Series(parts == part))
                        write_spool(spooled.work / f"scored-{part}-{group}", some)
            step.update(done)
    return margins


def _tiers(spooled: SpooledEval, margins: F64, kept: NDArray[np.bool_]) -> tuple[pl.Series, TierCuts | None]:
    """Tiers of all bundles: those that came with the eval, or else cut by this model's danger."""
    if spooled.tiers.null_count() < len(spooled):
        return spooled.tiers, None
    numbers = np.zeros(len(spooled), np.uint8)
    numbers[kept], cuts = cut_tiers(-margins[kept])
    return pl.Series(TIERS, dtype=pl.Enum(TIERS)).gather(numbers), cuts


def _write_parts(spooled: SpooledEval, tiers: pl.Series, model: str, progress: Progress) -> list[Path]:
    """Write the table of scores part by part: ids and figures, in the order of the eval."""
    paths = []
    with progress.step("writing scores", spooled.parts, unit="parts") as step:
        for part in range(spooled.parts):
            files = [spooled.work / f"scored-{part}-{group}" for group in range(spooled.groups)]
            scored = [pl.read_ipc(file) for file in files if file.exists()]
            if scored:
                paths.append(spooled.work / f"{part}.parquet")
                write_frame(
                    paths[-1], _table(spooled, part, pl.concat(scored).sort("position"), tiers, model)
                )
            for file in files:
                file.unlink(missing_ok=True)
            step.update(part + 1)
    return paths


def _table(
    spooled: SpooledEval, part: int, figures: pl.DataFrame, tiers: pl.Series, model: str
) -> pl.DataFrame:
    """Rows of ``SCORE_SCHEMA`` of a part."""
    rows, ids = figures["position"].to_numpy(), spooled.part(part)
    table = figures.with_columns(
        item=ids["bundle_id"].gather(rows - ids["position"][0]),
        cluster=spooled.first_ids.gather(spooled.of_anchor[rows]),
        tier=tiers.gather(rows),
        model=pl.lit(model),
        missing=pl.lit(None, pl.String),
        replicate=pl.lit(0),
    ).select(*(pl.col(name).cast(kind) for name, kind in SCORE_SCHEMA.items()), pl.col("^kinds$"))
    if spooled.metadata is None:
        return table
    return table.insert_column(len(SCORE_SCHEMA), spooled.metadata.gather(rows))


@dataclass(frozen=True)
class _Scores:
    """The scores of all bundles in files, a column at a time; see ``Columns``."""

    paths: list[Path]
    tiers: pl.Series
    height: int

    def get_column(self, name: str) -> pl.Series:
        """A column but for ``cluster``."""
        if name == "tier":
            return self.tiers
        return pl.concat([read_frame(path, [name])[name] for path in self.paths])
