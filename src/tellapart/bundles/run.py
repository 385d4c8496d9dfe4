"""The suite's shell: an eval of any size is scored with bounded memory, or written anew with tiers."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path, PurePosixPath

import numpy as np
import polars as pl
from numpy.typing import NDArray
from pydantic_core import from_json

from tellapart.bundles.cautions import model_cautions, score_cautions, settle, tier_cautions
from tellapart.bundles.figures import column_units, figure_units
from tellapart.bundles.parts.folders import EvalFiles, Folder, eval_files, is_remote, place_of
from tellapart.bundles.parts.spool import SpooledEval, spool_eval, write_spool
from tellapart.bundles.reading import keep_lines, read_described
from tellapart.bundles.results import Scoreboard, board_of, check_outs, eval_header, scores_hash, scores_path
from tellapart.bundles.scoring import drop_faulty, number_described, score_items
from tellapart.bundles.tier_names import THRESHOLDS
from tellapart.bundles.tier_stats import stats_by_tier
from tellapart.bundles.tiers import (
    TierAssignment,
    assign_tiers,
    check_thresholds,
    committee_danger,
    given_or_cut,
)
from tellapart.bundles.vectors import check_source, embed_eval
from tellapart.bundles.versions import VersionRecord, frozen_version
from tellapart.core.arrays import F32, F64, I64
from tellapart.core.bundle import Bundle
from tellapart.core.fingerprint import sha256_of_json
from tellapart.core.progress import SILENT, Progress
from tellapart.core.score_notes import ScoreNotes
from tellapart.core.seed import SEED
from tellapart.embed.similarity import Embedded
from tellapart.engines import EngineOptions
from tellapart.errors import UsageError, option, option_name
from tellapart.files import RowFaults, as_json, make_directory, replacing, storage
from tellapart.files.writing import scratch_directory
from tellapart.parallel import open_spread
from tellapart.store.growing import LOCK, PARTIAL, locked
from tellapart.store.paths import ANOTHER
from tellapart.store.tables import join_frames, read_frame, write_frame

_NOTHING_LEFT = "bundle is left to score"


@dataclass(frozen=True)
class ScoreResult:
    """What ``score`` found, with a sentence for each thing to beware of."""

    board: Scoreboard
    warnings: tuple[str, ...]


@dataclass(frozen=True)
class TierResult:
    """The tiers that ``tier`` wrote and their cuts, with a sentence for each thing to beware of."""

    assigned: TierAssignment
    warnings: tuple[str, ...]


def score(
    eval_path: str | Path,
    out: str | Path,
    *,
    model: str | None = None,
    embeddings: Path | None = None,
    name: str | None = None,
    checkpoint: str = "",
    seed: int | None = None,
    skip_invalid: bool = False,
    base_url: str | None = None,
    similarity: str | None = None,
    engine: EngineOptions | None = None,
    progress: Progress = SILENT,
) -> ScoreResult:
    """Score an eval and write the scoreboard, and the scores of each bundle beside it.

    The same eval, model and seed give the same bytes, whatever the engine and the number of workers. Workers
    embed texts; without an engine this process does, with which the last digits of a neural model may differ.
    What is done is in the cache of vectors, and a run after an interruption takes it from there.
    """
    address, out = str(eval_path), str(out)
    is_file = not is_remote(address) and Path(address).is_file()
    folder, file_name, stem = _beside(out)
    _check_apart(address, out, {folder.address_of(name) for name in (file_name, f"{stem}.scores.parquet")})
    if not is_remote(out):
        check_outs([Path(out), scores_path(Path(out))], [Path(address) if is_file else None, embeddings])
    check_source(model, embeddings, similarity)
    frozen = frozen_version(Path(address)) if is_file else None
    seed, label = seed_of(frozen, seed), name or model or (embeddings.stem if embeddings else "")
    files, problems = eval_files(address), RowFaults(address)
    workers = nullcontext() if engine is None else open_spread(engine)
    with _work_directory(folder, stem) as work, workers as spread:
        with progress.step(f"reading {PurePosixPath(address).name}", None):
            spooled, repeated = spool_eval(files, work, problems, frozen.source_hash if frozen else None)
        # Before a model is paid for texts that may not be needed.
        settle(problems, address, _NOTHING_LEFT, len(spooled) - len(repeated), skip_invalid=skip_invalid)
        anchors, options = spooled.anchors, spooled.options
        texts = len(anchors) + len(options) - anchors.shared_with(options)
        progress(f"scoring {len(spooled):,} bundles of {texts:,} distinct texts")
        embedded = embed_eval(
            anchors.texts,
            options.texts,
            model,
            embeddings,
            base_url,
            progress,
            similarity,
            spread,
            partial(_mapped, work),
        )
        kept = _comparable(spooled, repeated, embedded, files, problems)
        n = int(np.count_nonzero(kept))
        left_out = settle(problems, address, _NOTHING_LEFT, n, skip_invalid=skip_invalid)
        margins = _score(spooled, embedded, kept, label, progress)
        tiers, cuts = given_or_cut(spooled.tiers.filter(kept), margins)
        scores = _Scores(_write_parts(spooled, tiers, progress), tiers, n)
        clusters = spooled.of_anchor[kept].astype(np.uint32)
        some = pl.DataFrame(
            {
                "model": pl.repeat(label, n, dtype=pl.Enum([label]), eager=True),
                "tier": tiers,
                "cluster": clusters,
                "margin": margins,
                "ties": scores.get_column("ties"),
            }
        )
        of_all = sha256_of_json(spooled.sources) if files.is_folder else spooled.sources[0][1]
        version = frozen.version if frozen and n == frozen.item_count else None
        header = eval_header(address, of_all[:16], some, seed, version)
        stats = stats_by_tier(scores, clusters)
        board = board_of(stats, header, model=label, similarity=embedded.unit, checkpoint=checkpoint)
        notes = ScoreNotes(
            by="tier",
            cautions=model_cautions({label: some}),
            units=column_units(figure_units(embedded.unit)),
        )
        with folder.writing(f"{stem}.scores.parquet") as path:
            join_frames(scores.paths, path, notes)
            board = board.model_copy(update={"scores_hash": scores_hash(path)})
        with folder.writing(file_name) as path:
            path.write_text(as_json(board.model_dump(mode="json")))
        return ScoreResult(board, (*left_out, *score_cautions(some, cuts)))


def _check_apart(address: str, out: str, written: set[str]) -> None:
    """Refuse to write the eval itself, or into its folder, where the next command would read bundles."""
    if is_remote(address):
        folder, name = place_of(address.rstrip("/"))
        read = folder.address_of(name)
        if read in written:
            raise UsageError("this file is an input and would be lost", where=out, next_step=ANOTHER)
        within = any(place.startswith(f"{read.rstrip('/')}/") for place in written)
    else:
        path = Path(address).resolve()
        within = path.is_dir() and not is_remote(out) and path in Path(out).resolve().parents
    if within:
        raise UsageError(
            "the scoreboard would lie in the folder of the eval, and be read as bundles the next time",
            where=out,
            next_step=f"Write it beside the folder, such as {option('out', 'board.json')}",
        )


def _beside(out: str) -> tuple[Folder, str, str]:
    """The folder of a scoreboard, its name, and that name without its ending."""
    folder, name = place_of(out)
    if is_remote(out) and not name:
        raise UsageError(
            "this names no object, only where one could be",
            where=out,
            next_step=f"Add a name, such as {option('out', folder.address_of('scoreboard.json'))}",
        )
    return folder, name, PurePosixPath(name).stem


@contextmanager
def _work_directory(folder: Folder, stem: str) -> Iterator[Path]:
    """Give a directory for what is mapped into memory, beside the scoreboard if that is on this machine."""
    if is_remote(folder.address):
        with scratch_directory("tellapart-scoring-") as scratch:
            yield scratch
        return
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


def _comparable(
    spooled: SpooledEval, repeated: I64, embedded: Embedded, files: EvalFiles, problems: RowFaults
) -> NDArray[np.bool_]:
    """Choose the bundles that can be scored; the others are noted in ``problems``."""
    kept = np.ones(len(spooled), dtype=np.bool_)
    kept[repeated] = False
    if not ((embedded.anchor_faults != "").any() or (embedded.option_faults != "").any()):
        return kept
    by_file = {number: RowFaults(files.label(number)) for number in range(len(files.files))}
    for number in range(spooled.parts):
        part = spooled.part(number)
        for file in part.items["file"].unique().to_list():
            of_file = part.keep(part.items["file"].to_numpy() == file)
            good = drop_faulty(of_file, embedded, by_file[file])
            kept[of_file.items["position"]] &= np.isin(of_file.items["position"], good.items["position"])
    for file, faults in by_file.items():
        problems.take(faults, file)
    return kept


def _score(
    spooled: SpooledEval, embedded: Embedded, kept: NDArray[np.bool_], model: str, progress: Progress
) -> F64:
    """Score part after part into files, and give the margins of the bundles that are kept."""
    margins = [np.empty(0)]
    with progress.step("scoring", len(spooled), unit="bundles") as step:
        for number in range(spooled.parts):
            part = spooled.part(number)
            rows = part.items["position"].to_numpy()
            scored = score_items(part.keep(kept[rows]), embedded, model=model)
            margins.append(scored["margin"].to_numpy())
            with storage(spooled.work):
                write_spool(spooled.work / f"scored-{number}", scored)
            step.update(int(rows[-1]) + 1)
    return np.concatenate(margins)


def _write_parts(spooled: SpooledEval, tiers: pl.Series, progress: Progress) -> list[Path]:
    """Write the table of scores part by part, with the tiers."""
    paths, written = [], 0
    with progress.step("writing scores", spooled.parts, unit="parts") as step:
        for number in range(spooled.parts):
            scored = pl.read_ipc(spooled.work / f"scored-{number}")
            (spooled.work / f"scored-{number}").unlink()
            paths.append(spooled.work / f"{number}.parquet")
            of_part = tiers.slice(written, scored.height).cast(pl.String)
            write_frame(paths[-1], scored.with_columns(tier=of_part))
            written += scored.height
            step.update(number + 1)
    return paths


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


def tier(
    eval_path: Path,
    out: Path,
    *,
    models: Sequence[str] = (),
    embeddings: Path | None = None,
    thresholds: tuple[float, float] = THRESHOLDS,
    skip_invalid: bool = False,
    base_url: str | None = None,
    similarity: str | None = None,
    progress: Progress = SILENT,
) -> TierResult:
    """Write an eval anew with a tier for each bundle, by the danger that one model or several find in it."""
    check_outs([out], [eval_path, embeddings])
    check_thresholds(thresholds)
    judges: list[str | None] = [*dict.fromkeys(models)] or [None]
    for model in judges:
        check_source(model, embeddings, similarity)
    problems, lines = RowFaults(eval_path), list[bytes]()
    with progress.step(f"reading {eval_path.name}", None):
        items = number_described(keep_lines(read_described(eval_path, problems), lines))
    # Before a model is paid for texts that may not be needed.
    settle(problems, eval_path, _NOTHING_LEFT, len(items.lineups), skip_invalid=skip_invalid)
    progress(f"scoring {len(items.lineups):,} bundles of {items.distinct_texts:,} distinct texts")
    texts = items.anchors.texts, items.options.texts
    embedded = [embed_eval(*texts, model, embeddings, base_url, progress, similarity) for model in judges]
    for of_model in embedded:
        items = drop_faulty(items, of_model, problems)
    left_out = settle(problems, eval_path, _NOTHING_LEFT, len(items.lineups), skip_invalid=skip_invalid)
    dangers = [-items.lineups.rank(of_model.similarity).margin for of_model in embedded]
    assigned = assign_tiers(committee_danger(dangers), thresholds)
    ids = items.items["bundle_id"].to_list()
    write_tiers(lines, out, dict(zip(ids, assigned.tiers.tolist(), strict=True)))
    return TierResult(assigned, (*left_out, *tier_cautions(assigned.cuts)))


def seed_of(frozen: VersionRecord | None, requested: int | None) -> int:
    """The seed for the fingerprint: the frozen one, else the requested one, else ``SEED``."""
    if frozen is None:
        return SEED if requested is None else requested
    if requested not in (None, frozen.seed):
        name = option_name("seed")
        raise UsageError(
            f"{name} is {requested}, but version {frozen.version!r} was frozen with seed {frozen.seed}",
            next_step=f"Leave {name} out",
        )
    return frozen.seed


def write_tiers(lines: Iterable[bytes], out: Path, tiers: Mapping[str, str]) -> None:
    """Write bundles, each a line of JSON, with their tiers; those without one are left out."""
    with replacing(out) as temporary, temporary.open("w", encoding="utf-8", newline="\n") as file:
        for bundle in map(Bundle.from_row, map(from_json, lines)):
            if bundle.bundle_id in tiers:
                row = replace(bundle, tier=tiers[bundle.bundle_id]).to_row()
                file.write(json.dumps(row, ensure_ascii=False, allow_nan=False) + "\n")
