"""An eval of any size, scored in two passes of many parts; the same command goes on with what is finished."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from importlib.metadata import version as version_of
from pathlib import Path, PurePosixPath
from typing import Any, NamedTuple

import numpy as np
import polars as pl
from numpy.typing import NDArray
from pydantic_core import from_json

from tellapart.bundles.boards import board_of, eval_header
from tellapart.bundles.cautions import dropped, model_cautions, score_cautions
from tellapart.bundles.embedding import check_source
from tellapart.bundles.figures import column_units, figure_units
from tellapart.bundles.parts.folders import Folder, is_remote
from tellapart.bundles.parts.inputs import EvalFiles, eval_files, source_hash_of
from tellapart.bundles.parts.reading import Chunk, ReadJob
from tellapart.bundles.parts.scoring import (
    ROWS_A_RESULT,
    Positions,
    ScoreJob,
    WriteJob,
    labels_name,
    read_margins,
    score_tasks,
)
from tellapart.bundles.parts.texts import NumberedEval, SourceOptions, Texts, number_eval
from tellapart.bundles.parts.vectors import VectorJob, join_vectors, vector_tasks
from tellapart.bundles.parts.work import Receipt, Stage, read_table, run_stage, write_table
from tellapart.bundles.results import Scoreboard
from tellapart.bundles.slice_fields import MOST_VALUES, NO_KIND, BundleFields
from tellapart.bundles.tier_names import TIERS
from tellapart.bundles.tier_stats import cluster_numbers, stats_by_tier
from tellapart.bundles.tiers import TierAssignment, assign_tiers
from tellapart.core.jobs import Spread
from tellapart.core.progress import SILENT, Progress
from tellapart.core.score_notes import ScoreNotes
from tellapart.core.seed import SEED
from tellapart.errors import InputError, UsageError, quoted
from tellapart.files import RowFaults, as_json, make_directory, parse_json, sha256_of
from tellapart.parallel import EngineOptions, open_spread
from tellapart.store.growing import LOCK, PARTIAL, locked
from tellapart.store.runs import differences
from tellapart.store.tables import MANIFEST, Manifest, ResultPart, SourceFile, read_frame

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

    The same eval, model and seed give the same bytes, whatever the engine, the number of workers and the
    interruptions. What is finished is kept beside the scoreboard in ``NAME.scoring.partial`` until all is
    written.
    """
    check_source(request.source.model, request.source.embeddings, request.source.similarity)
    files = eval_files(request.eval_address)
    output = Place.of(request.out)
    with _lock(output), open_spread(options) as spread:
        _settle_work(output, request, files, progress)
        return _Scoring(request, files, output, spread, progress).run()


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
    source = request.source
    config: dict[str, Any] = {
        "eval": request.eval_address,
        "model": source.model,
        "embeddings": sha256_of(source.embeddings) if source.embeddings else None,
        "similarity": source.similarity,
        "base_url": source.base_url,
        "name": request.name,
        "tellapart": version_of("tellapart"),
        # Its hashes are the keys of texts.
        "polars": pl.__version__,
    }
    record = {"config": config, "files": [list(file) for file in files.files]}
    stored: Any = None
    if output.work.exists(_WORK):
        with suppress(InputError):
            stored = parse_json(output.work.read(_WORK), output.work.address_of(_WORK))
    if stored == record:
        progress("going on with interrupted work")
        return
    if stored is not None and (differing := differences(stored["config"], config)):
        raise UsageError(
            f"interrupted work is here, with {differing}",
            where=output.work.address,
            next_step="Give the same options to go on with it, choose another --out, or delete it",
        )
    if stored is not None:
        changed = [file.name for file in files.files if list(file) not in stored["files"]]
        what = changed[0] if changed else "a file that is gone"
        progress(f"the eval has changed since the interrupted work ({what}), which is begun anew")
    for entry in output.work.files():
        if entry.name != LOCK:
            output.work.remove(entry.name)
    output.work.write(_WORK, as_json(record).encode())


class _Scoring:
    """One run through all steps."""

    def __init__(
        self, request: PartsRequest, files: EvalFiles, output: Place, spread: Spread, progress: Progress
    ) -> None:
        self.request, self.files, self.output = request, files, output
        self.spread, self.progress = spread, progress
        self.labels = tuple(files.label(number) for number in range(len(files.files)))
        self.problems = RowFaults(request.eval_address)
        self.model = request.name or request.source.label
        self.no_strata: dict[str, str] = {}

    def run(self) -> ScoredParts:
        work, source = self.output.work, self.request.source
        reads = self.files.tasks()
        read = self._stage(ReadJob(self.files, work), reads)
        for task, receipt in zip(reads, read, strict=True):
            self.problems.take(receipt["faults"], task.file)
        chunks = tuple(Chunk(*listed) for receipt in read for listed in receipt["chunks"])
        bundles = sum(chunk.bundles for chunk in chunks)
        if not bundles:
            self._refuse(0)
        with self.progress.step("numbering texts", None):
            anchors, options = number_eval(work, chunks)
        repeated = self._repeated_ids(chunks)
        # Before a model is paid for texts that may not be needed.
        self._refuse(bundles - len(repeated))
        has_labels = self._write_labels(chunks)
        self.progress(f"scoring {bundles:,} bundles of {len(anchors):,} and {len(options):,} distinct texts")
        unit, is_ranker = self._embed(anchors, options)
        kinds = {kind for receipt in read for kind in receipt["kinds"]} - {NO_KIND}
        job = ScoreJob(
            source,
            chunks,
            anchors,
            options,
            repeated,
            self.labels,
            self.model,
            unit,
            is_ranker,
            kinds=0 < len(kinds) <= MOST_VALUES,
        )
        tasks = score_tasks(work)
        scored = self._stage(job, tasks)
        for receipt in scored:
            for file, record in receipt["faults"]:
                self.problems.take(record, file)
        self._refuse(sum(receipt["bundles"] for receipt in scored))
        assigned = None
        if not any(receipt["tiers"] for receipt in read):
            assigned = assign_tiers(-read_margins(work, len(tasks)))
        cutoffs = assigned.cutoffs if assigned else None
        write = WriteJob(
            work, self.output.scores, chunks, len(tasks), self.model, cutoffs, has_labels, job.kinds
        )
        written = self._stage(write, range(-(-bundles // ROWS_A_RESULT)))
        digests = {
            task.file: receipt["digest"]
            for task, receipt in zip(reads, read, strict=True)
            if receipt["digest"] is not None
        }
        return self._finish([receipt for receipt in written if receipt["rows"]], digests, unit, assigned)

    def _stage(self, stage: Stage, tasks: Sequence[Any]) -> list[Receipt]:
        return run_stage(self.spread, self.output.work, stage, tasks, self.progress)

    def _repeated_ids(self, chunks: tuple[Chunk, ...]) -> tuple[int, ...]:
        """Positions of bundles whose id an earlier one has; they are noted as faults."""
        work = self.output.work
        keys = pl.concat(
            read_table(work, f"bundles/{chunk.name}", ["bundle_id"])["bundle_id"].hash() for chunk in chunks
        )
        suspects = np.flatnonzero(keys.is_duplicated().to_numpy())
        places, lines = Positions(work, chunks, self.labels), NumberedEval.open(work).lines
        names = places.columns(suspects, {"bundle_id": pl.String()})["bundle_id"]
        seen: dict[str, int] = {}
        repeated = []
        faults: dict[int, RowFaults] = {}
        for position, name in zip(suspects.tolist(), names, strict=True):
            first = seen.setdefault(name, position)
            if first == position:
                continue
            repeated.append(position)
            (file, label), (first_file, first_label) = places.label(position), places.label(first)
            where = f"line {lines[first]}" if file == first_file else f"{first_label}, line {lines[first]}"
            faults.setdefault(file, RowFaults(label)).add(
                int(lines[position]), "bundle_id", "duplicate id", f"{quoted(name)} is also in {where}"
            )
        for file, problems in faults.items():
            self.problems.take(problems.record(), file)
        return tuple(repeated)

    def _write_labels(self, chunks: Sequence[Chunk]) -> bool:
        """Sort all bundles by their metadata, and write the labels of each file of results."""
        if not any(chunk.is_described for chunk in chunks):
            return False
        fields = BundleFields()
        for chunk in chunks:
            if not chunk.is_described:
                fields.add_undescribed(chunk.bundles)
                continue
            table = read_table(self.output.work, f"bundles/{chunk.name}", ["described", "size"])
            # Of bundles of which nothing is said, the negatives count.
            rows = [
                {"negatives": [""] * (size - 1)} if described is None else from_json(described)
                for described, size in table.iter_rows()
            ]
            fields.add(table.select("described"), rows)
        self.no_strata = fields.left_out()
        labels = next((column for column in fields.columns() if column.name == "metadata"), None)
        if labels is None:
            return False
        for number, start in enumerate(range(0, len(labels), ROWS_A_RESULT)):
            write_table(
                self.output.work, labels_name(number), labels[start : start + ROWS_A_RESULT].to_frame()
            )
        return True

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

    def _embed(self, anchors: Texts, options: Texts) -> tuple[str, bool]:
        """Embed all texts, unless the model is a ranker; give the unit, and whether it is one."""
        source, work = self.request.source, self.output.work
        tasks = vector_tasks([anchors, options], of_file=source.embeddings is not None)
        made = self._stage(VectorJob(source, anchors, options, self.labels), tasks)
        if len(models := sorted({receipt["model"] for receipt in made})) > 1:
            raise UsageError(
                f"workers have different models under one name: {' and '.join(map(repr, models))}",
                next_step="Have the same files on all machines, and a GPU on all of them or on none; delete "
                f"{work.address} and start again",
            )
        unit, is_ranker = made[0]["unit"], made[0]["is_ranker"]
        if not is_ranker:
            sizes = sorted({receipt["dimensions"] for receipt in made})
            if len(sizes) > 1:
                raise InputError(
                    f"model {self.model!r} gave vectors of {' and '.join(map(str, sizes))} dimensions; "
                    "vectors of different lengths cannot be compared"
                )
            join_vectors(work, tasks, sizes[0])
        return unit, is_ranker

    def _finish(
        self,
        written: Sequence[Receipt],
        digests: Mapping[int, str],
        unit: str,
        assigned: TierAssignment | None,
    ) -> ScoredParts:
        """Sum up, and write the scoreboard and what belongs to the scores."""
        request, output = self.request, self.output
        with ExitStack() as stack, self.progress.step("summing up", None):
            paths = [stack.enter_context(output.scores.local(receipt["name"])) for receipt in written]
            columns = _ScoreColumns(paths)
            clusters = cluster_numbers(columns)
            stats = stats_by_tier(columns, clusters)
            some = columns.some(self.model, clusters)
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
            SourceFile(name=file.name, bytes=file.size_bytes, sha256=digests[number])
            for number, file in enumerate(self.files.files)
        ]
        hashes = [(file.name, file.sha256) for file in inputs]
        source_hash = source_hash_of(hashes) if self.files.is_folder else hashes[0][1][:16]
        version = request.version if some.height == request.frozen_bundles else None
        header = eval_header(request.eval_address, source_hash, some, request.seed, version)
        board = board_of(stats, header, model=self.model, similarity=unit, checkpoint=request.checkpoint)
        parts = [ResultPart.model_validate(receipt) for receipt in written]
        manifest = Manifest(rows=some.height, parts=parts, inputs=inputs, notes=notes)
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


class _ScoreColumns:
    """All scores, a column at a time: of millions of bundles not all fit into memory."""

    def __init__(self, paths: Sequence[Path]) -> None:
        self._paths = paths
        self._tiers = pl.concat(read_frame(path, ["tier"])["tier"].cast(pl.Enum(TIERS)) for path in paths)

    @property
    def height(self) -> int:
        return len(self._tiers)

    def get_column(self, name: str) -> pl.Series:
        if name == "tier":
            return self._tiers
        return pl.concat(read_frame(path, [name])[name] for path in self._paths)

    def some(self, model: str, clusters: NDArray[np.uint32]) -> pl.DataFrame:
        """The columns by which cautions go, with numbers for clusters."""
        return pl.DataFrame(
            {
                "model": pl.repeat(model, self.height, dtype=pl.Enum([model]), eager=True),
                "tier": self._tiers,
                "cluster": clusters,
                "margin": self.get_column("margin"),
                "ties": self.get_column("ties"),
            }
        )
