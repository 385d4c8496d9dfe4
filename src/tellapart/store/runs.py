"""Run directories: resumable while they grow, complete once they have their name."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from importlib.metadata import version
from os.path import commonprefix
from pathlib import Path
from typing import Any, Literal

import polars as pl
from pydantic import BaseModel, ConfigDict

from tellapart.core.fingerprint import canonical_json, sha256, short_digests
from tellapart.core.score_notes import ScoreNotes
from tellapart.core.scores import ScoreTable
from tellapart.errors import InputError, UsageError
from tellapart.files import storage, write_json, write_text
from tellapart.store.frames import read_frame, read_notes, write_frame
from tellapart.store.growing import PARTIAL, Journal, growing, locked, partial_path
from tellapart.store.presence import RESUME, require_run
from tellapart.store.records import load_record

_STEPS = "journal.jsonl"
_BEGUN = "begun"

_MOST_DIFFERENCES = 4
"""Settings that are named where another run is in the way."""
_MOST_CHARACTERS, _BEFORE_DIFFERENCE = 60, 10
"""Of a setting's value there, and of those before the first that differs."""


class RunRecord(BaseModel):
    """``run.json``: what was run, on what, with which parameters.

    Attributes:
        schema_version: Of this record.
        suite: ``contrastive`` and the like.
        tellapart_version: Of the program that wrote it.
        config: What the user asked for; a run resumes only under the same one.
        inputs: Fingerprints of what it read, by name.
        models: Requested and effective parameters of every model, by name.
        seed: Of everything that was drawn.
        status: ``running`` until everything is written.
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


@dataclass(frozen=True)
class RunDirectory:
    """A complete run, to be read."""

    path: Path
    record: RunRecord

    @classmethod
    def open(cls, path: Path, suite: str | None = None) -> RunDirectory:
        """Open a complete run.

        Args:
            path: Of the run.
            suite: Whose run it must be; None for any.

        Raises:
            InputError: It is not there, not complete, of another suite, or its record cannot be read.
        """
        require_run(path)
        record = read_record(path)
        if record.status != "complete":
            raise InputError("this run is not complete", where=path, next_step=RESUME)
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
                next_step=f"Use 'tellapart {self.record.suite} report'",
            )

    def scores(self, name: str = "scores.parquet") -> ScoreTable:
        """The run's scores, checked, with their notes; those of another table of the run by its name."""
        return ScoreTable.from_frame(self.frame(name), notes=read_notes(self.path / name))

    def frame(self, name: str) -> pl.DataFrame:
        """Read a Parquet file of the run.

        Raises:
            InputError: It is missing or damaged.
        """
        return read_frame(self.path / name)

    @property
    def artifacts(self) -> Path:
        """Where the suite keeps what is its own."""
        return self.path / "artifacts"


@dataclass(frozen=True)
class OpenRun:
    """A run that is being written; everything it holds survives a crash."""

    path: Path
    record: RunRecord
    journal: Journal

    @property
    def steps(self) -> dict[str, dict[str, Any]]:
        """The finished steps in their order, with their details."""
        return _steps(self.journal)

    def done(self, step: str) -> bool:
        """Whether ``step`` is finished, perhaps by an earlier process."""
        return step in self.steps

    def finish_step(self, step: str, **details: Any) -> None:
        """Record that everything ``step`` writes is on the disk."""
        self.journal.append({"step": step, **details})

    def began_at(self, now: Callable[[], int]) -> int:
        """When this run began, in its first life; ``now`` is asked once, in whichever unit it has."""
        if not self.done(_BEGUN):
            self.finish_step(_BEGUN, at=now())
        return int(self.steps[_BEGUN]["at"])

    def write_frame(self, name: str, frame: pl.DataFrame, notes: ScoreNotes | None = None) -> None:
        """Write a Parquet file into the run, whole or not at all; scores with their notes."""
        write_frame(self.path / name, frame, notes)

    def has(self, name: str) -> bool:
        """Whether a file has been written."""
        return (self.path / name).exists()

    def read_frame(self, name: str) -> pl.DataFrame:
        """Read back what ``write_frame`` wrote, perhaps in an earlier process."""
        return read_frame(self.path / name)

    def write_json(self, name: str, value: Any) -> None:
        """Write JSON for people and scripts into the run."""
        write_json(self.path / name, value)


def _steps(journal: Journal) -> dict[str, dict[str, Any]]:
    return {entry.pop("step"): entry for entry in map(dict, journal.entries)}


def run_name(suite: str, config: Mapping[str, Any], inputs: Mapping[str, str]) -> str:
    """Name a run by what it is: the same question has the same name, so it is resumed and not repeated."""
    return f"{suite}-{sha256(canonical_json([config, inputs]))[:10]}"


@dataclass(frozen=True)
class RunPlan:
    """A run that somebody wants: where it lies, whether it is complete, and how it is written.

    A shell looks for ``finished_run`` first, checks whether its models can be asked, and then does its steps
    inside ``writing``.

    Attributes:
        suite: Whose run it is.
        config: What the user asked for.
        inputs: Fingerprints of what it reads, by name.
        seed: Of everything that is drawn.
        out: The run directory; by default ``runs/`` and a name that follows from suite, config and inputs.
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

    def check_path(self) -> None:
        """See that at ``path`` there is nothing, or just this run.

        Raises:
            UsageError: Another run is there.
            InputError: What is there is no run directory.
        """
        if self.path.is_dir():
            stored = read_record(self.path)
            if stored.status == "complete" and not differences(_identity(stored), _identity(self.record)):
                return
        self._check_vacant()

    def finished_run(self, done: str, on_event: Callable[[str], None]) -> RunDirectory | None:
        """The complete run of just this, if there is one.

        Args:
            done: What was done, for the message: ``evaluated``, ``graded``.
            on_event: Called with where the run is, if there is one.

        Raises:
            UsageError: Another run is there.
            InputError: What is there is no run directory.
        """
        self.check_path()
        if not self.path.exists():
            return None
        on_event(f"this was {done} before, see {self.path}")
        return self.open()

    def finished_steps(self) -> set[str]:
        """Steps that an interrupted run finished; empty where there is none."""
        return set(_steps(Journal(self.partial / _STEPS)))

    @contextmanager
    def writing(self) -> Iterator[OpenRun]:
        """Write the run, or go on with it where it was interrupted.

        Inside the block the run is at ``partial``; it takes its name when the block ends without an error.
        Set ``models`` and ``counts`` of ``record`` before the end.

        Raises:
            UsageError: There is a complete run, or an interrupted one of another configuration.
            Refused: Another process is writing it.
            StorageError: The disk is full or closed to us; what is there stays and the run can be resumed.
        """
        self._check_vacant()
        with growing(self.path, "run") as partial:
            with storage(partial):
                (partial / "artifacts").mkdir(exist_ok=True)
            if (partial / "run.json").exists():
                _check_same(read_record(partial), self.record, partial)
            else:
                write_text(partial / "run.json", _dump(self.record))
            yield OpenRun(partial, self.record, Journal(partial / _STEPS))
            self.record.status = "complete"
            write_text(partial / "run.json", _dump(self.record))

    def open(self) -> RunDirectory:
        """Open the run, which is complete."""
        return RunDirectory.open(self.path)

    def _check_vacant(self) -> None:
        if self.path.exists():
            differing = differences(_identity(read_record(self.path)), _identity(self.record))
            raise UsageError(
                f"another run exists already, with {differing}" if differing else "this run exists already",
                where=self.path,
                next_step="Choose another directory for the run, or delete it first",
            )


def list_runs(root: Path) -> list[tuple[Path, RunRecord | None]]:
    """Every run directory in ``root``, complete or not, by name.

    Returns:
        Path and record, which is None where it cannot be read; empty when ``root`` does not exist.
    """
    runs = sorted(path.parent for path in root.glob("*/run.json")) if root.is_dir() else []
    return [(path, _record_or_none(path)) for path in runs]


def _record_or_none(path: Path) -> RunRecord | None:
    try:
        return read_record(path)
    except InputError:
        return None


def delete_run(path: Path) -> None:
    """Delete a run directory, complete or not.

    Raises:
        InputError: It is no run directory.
        Refused: Another process is writing it.
    """
    read_record(path)
    if path.name.endswith(PARTIAL):
        with locked(path, "run"):
            shutil.rmtree(path)
    else:
        shutil.rmtree(path)


def read_record(path: Path) -> RunRecord:
    """Read ``run.json`` of a run directory.

    Raises:
        InputError: It is missing, no record, or of a version that this program does not know.
    """
    file = path / "run.json"
    if not file.exists():
        raise InputError("this is not a run directory: it has no run.json", where=path)
    return load_record(file, RunRecord, "record of a run")


def _dump(record: RunRecord) -> str:
    return record.model_dump_json(indent=2) + "\n"


def _check_same(stored: RunRecord, wanted: RunRecord, path: Path) -> None:
    if differing := differences(_identity(stored), _identity(wanted)):
        raise UsageError(
            f"an interrupted run of something else is here, with {differing}",
            where=path,
            next_step="Choose another directory, or delete it with 'tellapart runs delete'",
        )


def differences(stored: Mapping[str, Any], wanted: Mapping[str, Any]) -> str:
    """The settings and inputs in which two runs differ, with their values; empty where there are none."""
    there, requested = dict(_leaves(stored)), dict(_leaves(wanted))
    differing = [
        path
        for path in dict.fromkeys([*requested, *there])
        if (path in there, there.get(path)) != (path in requested, requested.get(path))
    ]
    parts = []
    for path in differing[:_MOST_DIFFERENCES]:
        texts = [repr(side[path]) if path in side else "nothing" for side in (there, requested)]
        name = ".".join(path).removeprefix("config.")
        parts.append("{}: there {}, requested {}".format(name, *_where_apart(*map(short_digests, texts))))
    if more := len(differing) - len(parts):
        parts.append(f"and {more} more")
    return "; ".join(parts)


def _identity(record: RunRecord) -> dict[str, Any]:
    """What makes a run the one that it is."""
    return record.model_dump(include={"suite", "tellapart_version", "config", "inputs", "seed"})


def _leaves(
    settings: Mapping[str, Any], above: tuple[str, ...] = ()
) -> Iterator[tuple[tuple[str, ...], Any]]:
    """Each setting with the keys on the way to it."""
    for name, value in settings.items():
        if isinstance(value, Mapping) and (value or not above):
            yield from _leaves(value, (*above, name))
        else:
            yield (*above, name), value


def _where_apart(one: str, other: str) -> tuple[str, str]:
    """Two texts, where one is too long for a line cut to where they begin to differ."""
    if max(len(one), len(other)) <= _MOST_CHARACTERS:
        return one, other
    begin = max(len(commonprefix([one, other])) - _BEFORE_DIFFERENCE, 0)

    def cut(text: str) -> str:
        end = begin + _MOST_CHARACTERS
        return ("…" if begin else "") + text[begin:end] + ("…" if len(text) > end else "")

    return cut(one), cut(other)
