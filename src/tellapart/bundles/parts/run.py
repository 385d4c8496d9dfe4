"""An eval of any size, scored stage by stage; the same command goes on with what is finished."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from importlib.metadata import version as version_of
from pathlib import Path, PurePosixPath
from typing import Any, NamedTuple

import numpy as np
from pydantic_core import from_json

from tellapart.bundles.boards import board_of, eval_header
from tellapart.bundles.cautions import dropped, model_cautions, score_cautions
from tellapart.bundles.embedding import check_source
from tellapart.bundles.figures import column_units, figure_units
from tellapart.bundles.parts.inputs import EvalFiles, eval_files, source_hash_of
from tellapart.bundles.parts.layout import layout_of
from tellapart.bundles.parts.reading import ReadStage, described_name
from tellapart.bundles.parts.scoring import ROWS_A_RESULT, ScoreStage, VectorFiles
from tellapart.bundles.parts.sources import SourceOptions, StoredTexts
from tellapart.bundles.parts.texts import BucketTask, IdStage, TextStage, read_table, write_table
from tellapart.bundles.parts.vectors import VectorStage, group_bits, key_ranges
from tellapart.bundles.parts.writing import WriteStage, labels_name, open_scores
from tellapart.bundles.results import Scoreboard
from tellapart.bundles.slice_fields import MOST_VALUES, NO_KIND, BundleFields
from tellapart.bundles.tier_stats import stats_by_tier
from tellapart.bundles.tiers import TierAssignment, assign_tiers
from tellapart.core.progress import SILENT, Progress
from tellapart.core.score_notes import ScoreNotes
from tellapart.core.seed import SEED
from tellapart.engine import (
    Engine,
    EngineOptions,
    Folder,
    Receipt,
    Segment,
    Stage,
    by_bucket,
    is_remote,
    open_engine,
    run_stage,
)
from tellapart.errors import InputError, UsageError
from tellapart.files import JsonError, RowFaults, as_json, make_directory, parse_json, sha256_of
from tellapart.store.growing import LOCK, PARTIAL, locked
from tellapart.store.parts import MANIFEST, Manifest, ResultPart, SourceFile

_WORK = "work.json"


@dataclass(frozen=True)
class PartsRequest:
    """What to score, with what, and where to.

    Attributes:
        eval_address: A file or a folder of files, here or in an object store.
        out: The scoreboard; the scores go into the folder ``NAME.scores.parquet`` beside it.
        source: What compares texts.
        name: What tables call the model; None for its name.
        checkpoint: Where its weights came from, for the record.
        seed: The seed that the eval was drawn with.
        skip_invalid: Drop bad rows instead of refusing the eval.
        version: Of a frozen eval in one file.
    """

    eval_address: str
    out: str
    source: SourceOptions
    name: str | None = None
    checkpoint: str = ""
    seed: int = SEED
    skip_invalid: bool = False
    version: str | None = None
    frozen_bundles: int | None = None


class ScoredParts(NamedTuple):
    """The scoreboard, as it was written, and what to beware of, a sentence each."""

    board: Scoreboard
    warnings: tuple[str, ...]


def score_parts(request: PartsRequest, options: EngineOptions, *, progress: Progress = SILENT) -> ScoredParts:
    """Score an eval part by part and write the scoreboard, and the scores of each bundle in files beside it.

    The same eval, model and seed give the same bytes, whatever the engine, the number of workers, their
    memory and the interruptions. What is finished is kept beside the scoreboard in ``NAME.scoring.partial``
    until all is written.
    """
    check_source(request.source.model, request.source.embeddings, request.source.similarity)
    files = eval_files(request.eval_address)
    output = Place.of(request.out)
    with _lock(output), open_engine(options) as engine:
        _settle_work(output, request, files, progress)
        return _Scoring(request, files, output, engine, progress).run()


@dataclass(frozen=True)
class Place:
    """Where results go, and the work until they are there.

    Attributes:
        work: Folder of the work, which is gone when all is written.
    """

    folder: Folder
    board: str
    scores: Folder
    work: Folder

    @classmethod
    def of(cls, out: str) -> Place:
        """Find the places beside a scoreboard."""
        if is_remote(out):
            head, _, name = out.rpartition("/")
            folder = Folder(head)
        else:
            folder, name = Folder(str(Path(out).parent)), Path(out).name
        stem = PurePosixPath(name).stem
        scores, work = (folder.child(f"{stem}.{kind}") for kind in ("scores.parquet", f"scoring{PARTIAL}"))
        return cls(folder, name, scores, work)


@contextmanager
def _lock(output: Place) -> Iterator[None]:
    """Keep others on this machine from the same work; object stores have no locks."""
    if output.work.is_remote:
        yield
        return
    directory = Path(output.work.address)
    make_directory(directory)
    with locked(directory, "scoreboard"):
        try:
            yield
        finally:
            # An engine that does not start leaves nothing behind.
            if directory.is_dir() and [path.name for path in directory.iterdir()] == [LOCK]:
                output.work.delete()


def _settle_work(output: Place, request: PartsRequest, files: EvalFiles, progress: Progress) -> None:
    """Go on with interrupted work of the same, or begin anew where a file of the eval has changed."""
    embeddings = request.source.embeddings
    config = {
        "eval": request.eval_address,
        "model": request.source.model,
        "embeddings": sha256_of(embeddings) if embeddings else None,
        "similarity": request.source.similarity,
        "base_url": request.source.base_url,
        "name": request.name,
        "tellapart": version_of("tellapart"),
    }
    record = {"config": config, "files": [list(file) for file in files.files]}
    stored: Any = None
    if output.work.exists(_WORK):
        with suppress(JsonError, InputError):
            stored = parse_json(output.work.read(_WORK), output.work.address_of(_WORK))
    if stored == record:
        progress("going on with interrupted work")
        return
    if isinstance(stored, dict) and stored.get("config") != config:
        theirs = stored.get("config") or {}
        names = [name for name, value in config.items() if theirs.get(name) != value]
        raise UsageError(
            f"interrupted work is here, with another {' and '.join(names)}",
            where=output.work.address,
            next_step="Give the same options to go on with it, choose another --out, or delete it",
        )
    if isinstance(stored, dict):
        recorded = {tuple(file) for file in stored.get("files", ())}
        changed = [file.name for file in files.files if tuple(file) not in recorded]
        what = changed[0] if changed else "a file that is gone"
        progress(f"the eval has changed since the interrupted work ({what}), which is begun anew")
    for entry in output.work.files():
        if entry.name != LOCK:
            output.work.remove(entry.name)
    output.work.write(_WORK, as_json(record).encode())


class _Scoring:
    """One run through all stages."""

    def __init__(
        self, request: PartsRequest, files: EvalFiles, output: Place, engine: Engine, progress: Progress
    ) -> None:
        self.request, self.files, self.output, self.engine, self.progress = (
            request,
            files,
            output,
            engine,
            progress,
        )
        self.labels = tuple(files.label(number) for number in range(len(files.files)))
        self.problems = RowFaults(request.eval_address)
        self.reads = files.tasks()
        self.layout = layout_of(files, self.reads)
        self.model = request.name or request.source.label
        self.no_strata: dict[str, str] = {}

    def run(self) -> ScoredParts:
        read = self._stage(ReadStage(self.files, self.layout, self.output.work), self.reads)
        for task, receipt in zip(self.reads, read, strict=True):
            self.problems.take(receipt["faults"], task.file)
        duplicates = self._stage(IdStage(self.labels, self.output.work), self._tasks(read, "ids"))
        gone = frozenset(order for receipt in duplicates for order in receipt["dropped"])
        self._take_faults(duplicates)
        # Before a model is paid for texts that may not be needed.
        self._refuse(sum(receipt["bundles"] for receipt in read) - len(gone))
        has_labels = self._write_labels(read)
        scored, unit = self._score(read, gone)
        self._take_faults(scored)
        self._refuse(sum(receipt["bundles"] for receipt in scored))
        assigned = None if any(receipt["tiers"] for receipt in read) else self._assign(scored)
        cutoffs = assigned.cutoffs if assigned else None
        written = self._stage(
            WriteStage(self.output.work, self.output.scores, cutoffs, has_labels),
            self._tasks(scored, "segments"),
        )
        return self._finish(read, written, unit, assigned)

    def _stage(self, stage: Stage, tasks: Sequence[Any]) -> list[Receipt]:
        return run_stage(self.engine, self.output.work, stage, tasks, progress=self.progress)

    def _tasks(self, receipts: Sequence[Receipt], what: str) -> list[BucketTask]:
        """A task for each bucket for which there is anything, in the order of the buckets."""
        segments = by_bucket(Segment(*listed) for receipt in receipts for listed in receipt[what])
        return [BucketTask(bucket, tuple(parts)) for bucket, parts in sorted(segments.items())]

    def _has_kinds(self, read: Sequence[Receipt]) -> bool:
        kinds = {kind for receipt in read for kind in receipt["kinds"]} - {NO_KIND}
        return 0 < len(kinds) <= MOST_VALUES

    def _write_labels(self, read: Sequence[Receipt]) -> bool:
        """Sort all bundles by their metadata, and write the labels of each file of results."""
        if not any(receipt["is_described"] for receipt in read):
            return False
        fields = BundleFields()
        for task, receipt in zip(self.reads, read, strict=True):
            if receipt["is_described"]:
                table = read_table(self.output.work, described_name(task.number))
                fields.add(table, [from_json(row) for row in table["row"]])
            else:
                fields.add_undescribed(receipt["bundles"])
        self.no_strata = fields.left_out()
        labels = next((column for column in fields.columns() if column.name == "metadata"), None)
        if labels is None:
            return False
        for start in range(0, len(labels), ROWS_A_RESULT):
            some = labels[start : start + ROWS_A_RESULT].to_frame()
            write_table(self.output.work, labels_name(start // ROWS_A_RESULT), some)
        return True

    def _take_faults(self, receipts: Sequence[Receipt]) -> None:
        for receipt in receipts:
            for file, record in receipt["faults"]:
                self.problems.take(record, file)

    def _refuse(self, left: int) -> None:
        if not self.request.skip_invalid:
            self.problems.refuse()
        if not left:
            causes = (
                dropped(self.problems.counts, self.problems.n_rows)
                if self.problems.counts
                else "they are empty"
            )
            raise InputError(f"no bundle is left to score: {causes}", where=self.request.eval_address)

    def _score(self, read: Sequence[Receipt], gone: frozenset[int]) -> tuple[list[Receipt], str]:
        source, work = self.request.source, self.output.work
        buckets = {task.bucket: task for task in self._tasks(read, "texts")}
        every = [buckets.get(number, BucketTask(number, ())) for number in range(self.layout.buckets)]
        sorted_texts = self._stage(TextStage(work), every)
        n_texts = sum(receipt["texts"] for receipt in sorted_texts)
        bundles = sum(receipt["bundles"] for receipt in read)
        self.progress(f"scoring {bundles:,} bundles of {n_texts:,} distinct texts")
        texts = StoredTexts(work, self.layout.buckets)
        vectors = self._stage(
            VectorStage(source, texts, group_bits(n_texts), self.labels),
            key_ranges(n_texts, of_file=source.embeddings is not None),
        )
        self._check_dimensions(vectors)
        unit = vectors[0]["unit"]
        if len(models := sorted({receipt["model"] for receipt in vectors})) > 1:
            raise UsageError(
                f"workers have different models under one name: {' and '.join(map(repr, models))}",
                next_step="Have the same files on all machines, and a GPU on all of them or on none; delete "
                f"{self.output.work.address} and start again",
            )
        bases = np.cumsum([0, *(receipt["bundles"] for receipt in read)])[:-1]
        stage = ScoreStage(
            source,
            texts,
            VectorFiles(unit, vectors[0]["is_ranker"], tuple(vectors)),
            tuple(bases.tolist()),
            gone,
            self.labels,
            self.model,
            self.engine.memory_bytes // 2,
            margins=not any(receipt["tiers"] for receipt in read),
            kinds=self._has_kinds(read),
        )
        return self._stage(stage, self._tasks(read, "rows")), unit

    def _check_dimensions(self, vectors: Sequence[Receipt]) -> None:
        sizes = {
            shape[1]
            for receipt in vectors
            for what, (_, _, shape) in receipt.get("arrays", {}).items()
            if len(shape) == 2 and shape[0]
        }
        if len(sizes) > 1:
            raise InputError(
                f"model {self.model!r} gave vectors of {' and '.join(map(str, sorted(sizes)))} dimensions; "
                "vectors of different lengths cannot be compared"
            )

    def _assign(self, scored: Sequence[Receipt]) -> TierAssignment:
        """Cut tiers by the danger of all bundles."""
        buckets = [
            Segment(*receipt["segments"][0]).name.removeprefix("scores/")
            for receipt in scored
            if receipt["segments"]
        ]
        margins = [np.frombuffer(self.output.work.read(f"margins/{bucket}")) for bucket in buckets]
        return assign_tiers(-np.concatenate(margins))

    def _finish(
        self, read: Sequence[Receipt], written: Sequence[Receipt], unit: str, assigned: TierAssignment | None
    ) -> ScoredParts:
        request, output = self.request, self.output
        with ExitStack() as stack, self.progress.step("summing up", None):
            columns = open_scores(output.work, output.scores, written, stack)
            stats = stats_by_tier(columns, columns.clusters)
            some = columns.some(self.model)
            warnings = score_cautions(some, assigned)
            notes = ScoreNotes(
                by="tier",
                cautions=model_cautions(self.model, some),
                units=column_units(figure_units(unit)),
                no_strata=self.no_strata,
            )
        if self.problems.counts:
            warnings = (dropped(self.problems.counts, self.problems.n_rows), *warnings)
        inputs = [
            SourceFile(name=file.name, bytes=file.size_bytes, sha256=digest)
            for file, digest in zip(self.files.files, self._digests(read), strict=True)
        ]
        hashes = [(file.name, file.sha256) for file in inputs]
        source_hash = source_hash_of(hashes) if self.files.is_folder else hashes[0][1][:16]
        version = request.version if columns.height == request.frozen_bundles else None
        header = eval_header(request.eval_address, source_hash, some, request.seed, version)
        board = board_of(stats, header, model=self.model, similarity=unit, checkpoint=request.checkpoint)
        parts = [ResultPart.model_validate(receipt) for receipt in written]
        manifest = Manifest(rows=columns.height, parts=parts, inputs=inputs, notes=notes)
        output.scores.write(MANIFEST, as_json(manifest.model_dump(mode="json")).encode())
        output.folder.write(output.board, as_json(board.model_dump(mode="json")).encode())
        current = {MANIFEST, *(part.name for part in parts)}
        for entry in output.scores.files():
            if entry.name not in current:
                output.scores.remove(entry.name)
        # Without it what is left, should we be killed here, is no work to go on with.
        output.work.remove(_WORK)
        output.work.delete()
        return ScoredParts(board, warnings)

    def _digests(self, read: Sequence[Receipt]) -> list[str]:
        digests: dict[int, str] = {}
        for task, receipt in zip(self.reads, read, strict=True):
            if receipt["digest"]:
                digests[task.file] = receipt["digest"]
        return [
            digests.get(number) or self.files.folder.sha256(file.name)
            for number, file in enumerate(self.files.files)
        ]
