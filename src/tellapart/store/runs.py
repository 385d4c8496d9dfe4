"""Run directories: resumable while they grow, complete once they have their name."""

from __future__ import annotations

import shutil
import warnings
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from importlib.metadata import version
from pathlib import Path
from shlex import quote
from typing import Any, Literal

import polars as pl
from pydantic import BaseModel, ConfigDict

from tellapart.core.fingerprint import canonical_json, sha256, short_digests
from tellapart.core.score_notes import ScoreNotes
from tellapart.core.scores import ScoreTable
from tellapart.errors import FingerprintError, InputError, UsageError, placed
from tellapart.files import as_json, check_record, make_directory, sha256_of, storage, write_bytes
from tellapart.store.database import DamageWarning, RunDatabase
from tellapart.store.growing import LOCK, growing, partial_path
from tellapart.store.paths import RESUME, check_directory, require_run
from tellapart.store.tables import frame_bytes, read_frame, read_notes

DATABASE = "run.db"
"""File of a run with its record, its steps, its calls, and the digests of its other files."""
SCORES = "scores.parquet"
"""The table of a run that models are compared by."""
RECORD, STEP, FILE = "record", "steps", "files"
"""Kinds of entries in the database."""
_BEGUN = "begun"
_LOGS = ".eval"
"""Logs of Inspect, which are large, and which nothing is computed from."""

PARTS = "artifacts/parts"
"""Directory of a run with what only an interrupted one needs; gone when it is complete."""

_WHAT = "record of a run"
_ELSEWHERE = "Choose another directory for the run, or delete it first"
_MOST_DIFFERENCES = 4
"""Settings that are named where another run is in the way."""
_MOST_CHARACTERS = 200
"""Of a setting's value there."""


class RunRecord(BaseModel):
    """What was run, on what, with which parameters.

    Attributes:
        config: What the user asked for; a run resumes only under the same one.
        inputs: Fingerprints of what it read, by name.
        models: Requested and effective parameters of every model, by name.
        counts: Figures for listings, such as models and items.
    """

    model_config = ConfigDict(extra="forbid")

    schema_version: Literal[1] = 1
    suite: str
    tellapart_version: str
    config: dict[str, Any]
    inputs: dict[str, str]
    models: dict[str, dict[str, Any]] = {}
    seed: int
    status: Literal["running", "complete"] = "running"
    counts: dict[str, int] = {}


def report_command(suite: str) -> str:
    """Name the command that shows a run of a suite."""
    return f"tellapart {suite} {'rank' if suite == 'writers' else 'report'}"


@dataclass(frozen=True)
class RunDirectory:
    """A complete run, to be read."""

    path: Path
    record: RunRecord

    @classmethod
    def open(cls, path: Path, suite: str | None = None) -> RunDirectory:
        """Open a complete run, of a suite or of any, whose files are all what was written."""
        require_run(path)
        record = read_record(path)
        if record.status != "complete":
            raise InputError("this run is not complete", where=path, next_step=RESUME)
        check_files(path)
        run = cls(path, record)
        if suite is not None:
            run.check_suite(suite)
        return run

    def check_suite(self, suite: str) -> None:
        """Raise InputError unless it is a run of ``suite``."""
        if self.record.suite != suite:
            raise InputError(
                f"this is a run of {self.record.suite!r}, expected one of {suite!r}",
                where=self.path,
                next_step=f"Use '{report_command(self.record.suite)}'",
            )

    def scores(self, name: str = SCORES) -> ScoreTable:
        """The run's scores, checked, with their notes; those of another table of the run by its name."""
        path = self.path / name
        with placed(path):
            return ScoreTable.from_frame(
                self.frame(name), locate=lambda row: f"{path}, row {row + 1}", notes=read_notes(path)
            )

    def frame(self, name: str, schema: pl.Schema | None = None) -> pl.DataFrame:
        """Read a Parquet file of the run; see `read_frame`."""
        return read_frame(self.path / name, schema=schema)

    @property
    def artifacts(self) -> Path:
        """Where the suite keeps what is its own."""
        return self.path / "artifacts"


@dataclass(frozen=True)
class OpenRun:
    """A run that is being written; everything it holds survives a crash."""

    path: Path
    record: RunRecord
    database: RunDatabase

    @property
    def steps(self) -> dict[str, dict[str, Any]]:
        """The finished steps in their order, with their details."""
        return _steps(self.database)

    def done(self, step: str) -> bool:
        """Whether ``step`` is finished, perhaps by an earlier process."""
        return step in self.steps

    def finish_step(self, step: str, **details: Any) -> None:
        """Record that all files since the step before are on the disk; damaged later, they are done again."""
        self.database.add(STEP, details, step, durable=True)

    def began_at(self, now: Callable[[], int]) -> int:
        """When this run began, in its first life; ``now`` is asked once, in whichever unit it has."""
        if not self.done(_BEGUN):
            self.finish_step(_BEGUN, at=now())
        return int(self.steps[_BEGUN]["at"])

    def write_bytes(self, name: str, data: bytes) -> None:
        """Write a file into the run, whole or not at all."""
        write_bytes(self.path / name, data)
        self.database.add(FILE, {"sha256": sha256(data)}, name)

    def write_text(self, name: str, text: str) -> None:
        """Write text as UTF-8 into the run, whole or not at all."""
        self.write_bytes(name, text.encode())

    def write_frame(self, name: str, frame: pl.DataFrame, notes: ScoreNotes | None = None) -> None:
        """Write a Parquet file into the run, whole or not at all; scores with their notes."""
        self.write_bytes(name, frame_bytes(frame, notes))

    def has(self, name: str) -> bool:
        """Whether a file has been written."""
        return (self.path / name).exists()

    def read_frame(self, name: str) -> pl.DataFrame:
        """Read back what ``write_frame`` wrote, perhaps in an earlier process."""
        return read_frame(self.path / name)

    def write_json(self, name: str, value: Any) -> None:
        """Write JSON for people and scripts into the run."""
        self.write_text(name, as_json(value))


def _steps(database: RunDatabase) -> dict[str, dict[str, Any]]:
    return {row.key: row.entry for row in database.rows(STEP)}


def _changed(file: Path, digest: str) -> str | None:
    """Say how a file differs from what was written; None if it does not."""
    now = sha256_of(file) if file.is_file() else ""
    if now == digest:
        return None
    return f"{f'its SHA-256 is {now[:16]}…' if now else 'it is not there'}, expected {digest[:16]}…"


def _damaged(database: RunDatabase) -> dict[str, str]:
    """Steps whose files are not what they wrote, each with a file and how it differs."""
    written, steps = dict[str, str](), dict[str, tuple[str, str]]()
    for row in database.rows(FILE, STEP):
        if row.kind == FILE:
            written[row.key] = row.entry["sha256"]
        else:
            steps |= {name: (row.key, digest) for name, digest in written.items()}
            written = {}
    run = database.path.parent
    return {
        step: f"{name}: {difference}"
        for name, (step, digest) in steps.items()
        if (difference := _changed(run / name, digest))
    }


def run_name(suite: str, config: Mapping[str, Any], inputs: Mapping[str, str]) -> str:
    """Name a run by what it is: the same question has the same name, so it is resumed and not repeated."""
    return f"{suite}-{sha256(canonical_json([config, inputs]))[:10]}"


@dataclass(frozen=True)
class RunPlan:
    """A run that somebody wants; by default in ``runs/``, by a name that follows from suite, config, inputs.

    A shell looks for ``finished_run`` first, checks whether its models can be asked, and then does its steps
    inside ``writing``.
    """

    suite: str
    config: Mapping[str, Any]
    inputs: Mapping[str, str]
    seed: int
    out: Path | None = None

    @cached_property
    def path(self) -> Path:
        """The run directory, once the run is complete."""
        return self.out or Path("runs") / run_name(self.suite, self.config, self.inputs)

    @property
    def partial(self) -> Path:
        """The run directory while the run is being written."""
        return partial_path(self.path)

    @cached_property
    def record(self) -> RunRecord:
        """Its record; whoever writes the run sets ``models`` and ``counts``."""
        return RunRecord(
            suite=self.suite,
            tellapart_version=version("tellapart"),
            config=dict(self.config),
            inputs=dict(self.inputs),
            seed=self.seed,
        )

    def check_path(self) -> bool:
        """Whether just this run is complete at ``path``; refuses any other, and a place for none."""
        if not self.path.exists():
            check_directory(self.path)
            return False
        stored = read_record(self.path)
        differing = differences(_identity(stored), _identity(self.record))
        if differing or stored.status != "complete":
            raise UsageError(
                f"another run exists already, with {differing}" if differing else "this run exists already",
                where=self.path,
                next_step=_ELSEWHERE,
            )
        return True

    def finished_run(self, done: str, on_event: Callable[[str], None]) -> RunDirectory | None:
        """The complete run of just this, if there is one."""
        if not self.check_path():
            return None
        on_event(f"this was {done} before, see {self.path}")
        return self.open()

    def finished_steps(self) -> set[str]:
        """Steps that an interrupted run finished, and whose files are whole; empty where there is none."""
        file = self.partial / DATABASE
        if not file.is_file():
            return set()
        with RunDatabase(file, read_only=True) as database:
            return _steps(database).keys() - _damaged(database).keys()

    @contextmanager
    def writing(self) -> Iterator[OpenRun]:
        """Write the run, or go on with it where it was interrupted, at ``partial``; then it takes its name.

        Set ``models`` and ``counts`` of ``record`` before the end.
        """
        if self.check_path():
            raise UsageError("this run exists already", where=self.path, next_step=_ELSEWHERE)
        with growing(self.path, "run") as partial:
            with storage(partial):
                make_directory(partial / "artifacts")
            with RunDatabase(partial / DATABASE) as database:
                stored = database.last(RECORD)
                there = check_record(stored, RunRecord, database.path, _WHAT) if stored else self.record
                if differing := differences(_identity(there), _identity(self.record)):
                    raise UsageError(
                        f"an interrupted run of something else is here, with {differing}",
                        where=partial,
                        next_step="Choose another directory, or delete it with 'tellapart runs delete'",
                    )
                database.add(RECORD, self.record.model_dump(mode="json"), durable=True)
                for step, why in _damaged(database).items():
                    what = f"{partial}/{why}. The step {step!r}, which wrote it, is done again."
                    warnings.warn(what, DamageWarning, stacklevel=1)
                    database.remove(STEP, step)
                yield OpenRun(partial, self.record, database)
                self.record.status = "complete"
                files = [(FILE, name, {"sha256": sha256_of(partial / name)}) for name in _files(partial)]
                database.remove(FILE)
                database.add_all([*files, (RECORD, "", self.record.model_dump(mode="json"))], durable=True)
                database.settle()
        with storage(self.path):
            shutil.rmtree(self.path / PARTS, ignore_errors=True)

    def open(self) -> RunDirectory:
        """Open the run, which is complete."""
        return RunDirectory.open(self.path)


def _files(run: Path) -> list[str]:
    """The files of a run whose digests it keeps: neither logs, nor what only an interrupted one needs."""
    names = (file.relative_to(run).as_posix() for file in run.rglob("*") if file.is_file())
    # SQLite's own files beside the database come and go with it.
    others = (LOCK, DATABASE, *(f"{DATABASE}-{kind}" for kind in ("wal", "shm", "journal")))
    return sorted(
        name
        for name in names
        if name not in others and not name.startswith(f"{PARTS}/") and not name.endswith(_LOGS)
    )


def check_files(run: Path) -> None:
    """Hold the files of a complete run against their digests; files that were added later are not checked."""
    with RunDatabase(run / DATABASE, read_only=True) as database:
        digests = {row.key: row.entry["sha256"] for row in database.rows(FILE)}
    for name, digest in digests.items():
        if difference := _changed(run / name, digest):
            raise FingerprintError(
                f"this is not what the run wrote: {difference}",
                where=run / name,
                next_step="Restore it from a copy, or do the run again once it is deleted: "
                f"tellapart runs delete {quote(str(run))}",
            )


def read_record(path: Path) -> RunRecord:
    """Read the record of a run directory."""
    file = path / DATABASE
    if not file.exists():
        raise InputError(
            f"this is not a run directory: it has no {DATABASE}",
            where=path,
            next_step="'tellapart runs list' lists the runs there are",
        )
    with RunDatabase(file, read_only=True) as database:
        stored = database.last(RECORD)
        if stored is None:
            database.check()
    if stored is None:
        raise InputError(
            "this is not a run: it has no record",
            where=file,
            next_step=f"Restore it from a copy, or remove the directory: rm -r {quote(str(path))}",
        )
    return check_record(stored, RunRecord, file, _WHAT)


def differences(stored: Mapping[str, Any], wanted: Mapping[str, Any]) -> str:
    """The settings and inputs in which two runs differ, with their values; empty where there are none."""
    there, requested = _leaves(stored), _leaves(wanted)
    names = list(dict.fromkeys([*requested, *there]))
    differing = [
        f"{name.removeprefix('config.')}: there {_shown(there, name)}, requested {_shown(requested, name)}"
        for name in names
        if (name in there, there.get(name)) != (name in requested, requested.get(name))
    ]
    more = len(differing) - _MOST_DIFFERENCES
    return "; ".join(differing[:_MOST_DIFFERENCES] + ([f"and {more} more"] if more > 0 else []))


def _identity(record: RunRecord) -> dict[str, Any]:
    """What makes a run the one that it is."""
    return record.model_dump(include={"suite", "tellapart_version", "config", "inputs", "seed"})


def _leaves(settings: Mapping[str, Any], above: str = "") -> dict[str, Any]:
    """Each setting by its name, behind those that it is part of."""
    leaves: dict[str, Any] = {}
    for name, value in settings.items():
        inner = isinstance(value, Mapping) and (value or not above)
        leaves |= _leaves(value, f"{above}{name}.") if inner else {f"{above}{name}": value}
    return leaves


def _shown(settings: Mapping[str, Any], name: str) -> str:
    """A setting as errors show it."""
    text = short_digests(repr(settings[name])) if name in settings else "nothing"
    return text if len(text) <= _MOST_CHARACTERS else f"{text[:_MOST_CHARACTERS]}…"
