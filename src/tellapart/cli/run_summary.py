"""What people want to know of a run at a glance: when, which models, how many items, and what it shows."""

from __future__ import annotations

import json
import shlex
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from tellapart.core.comparison import compare
from tellapart.core.fingerprint import short_digests
from tellapart.core.score_grid import ScoreGrid
from tellapart.core.scores import ScoreTable
from tellapart.errors import TellapartError
from tellapart.report.comparison import headline_sentences
from tellapart.report.numbers import DASH
from tellapart.report.tables import Cell, Table, table
from tellapart.store import RunDirectory, RunRecord, read_frame
from tellapart.store.runs import DATABASE
from tellapart.store.runs import report_command as command_of

_SCORES = "scores.parquet"
_MOST_ROWS = 500_000
"""Scores that are compared while somebody waits for a list."""

_NO_VERDICT = "not compared"
ONE_MODEL = "one model: nothing to compare"


@dataclass(frozen=True)
class RunSummary:
    """A run at a glance.

    Attributes:
        record: Its record; None where that cannot be read.
        finished_at: When the record was last written, in UTC: the end of a complete run. It is the time of
            the file, since a record holds no time: the same run has the same bytes.
        models: What is compared, by name; of a run without scores, whom it asked.
        items: How many; None where nobody counted.
        verdict: A short sentence, or why there is none.
    """

    path: Path
    record: RunRecord | None
    finished_at: datetime
    models: tuple[str, ...]
    items: int | None
    verdict: str

    def to_json(self) -> dict[str, Any]:
        """The record, with what is not in it."""
        return {
            "path": str(self.path),
            **(self.record.model_dump() if self.record else {}),
            "finished_at": self.finished_at.isoformat(timespec="seconds"),
            "compared": list(self.models),
            "verdict": self.verdict,
        }


def summarise(path: Path, record: RunRecord | None) -> RunSummary:
    """Sum up a run, complete or not; its scores are compared where that is quick."""
    written = datetime.fromtimestamp((path / DATABASE).stat().st_mtime, tz=UTC)
    if record is None:
        return RunSummary(path, None, written, (), None, f"its {DATABASE} cannot be read")
    items = record.counts.get("items")
    if record.status != "complete":
        return RunSummary(path, record, written, _asked(record), items, "not complete")
    try:
        models = read_frame(path / _SCORES, ["model"])["model"]
        names, rows = tuple(models.unique().sort()), len(models)
    except TellapartError:
        return RunSummary(path, record, written, _asked(record), items, "no scores yet")
    return RunSummary(path, record, written, names, items, _verdict(path, names, rows))


def _asked(record: RunRecord) -> tuple[str, ...]:
    names = record.models or record.config.get("models", ())
    # A language model stands there with its parameters.
    return tuple(str(name["model"] if isinstance(name, Mapping) else name) for name in names)


def _verdict(path: Path, names: Sequence[str], rows: int) -> str:
    if len(names) < 2:
        return ONE_MODEL
    if rows > _MOST_ROWS:
        return f"{_NO_VERDICT}: {rows:,} scores; see tellapart audit {shlex.quote(str(path))}"
    try:
        return verdict_of(RunDirectory.open(path).scores())
    except TellapartError as error:
        return f"{_NO_VERDICT}: {error.what}"


def verdict_of(scores: ScoreTable | ScoreGrid) -> str:
    """The verdict on the scores of two models or more, in its first sentence; what is open follows that."""
    return headline_sentences(compare(scores, secondary=False))[0]


def listing(runs: Iterable[RunSummary], root: Path) -> Table:
    """Table of runs, the latest first."""
    latest_first = sorted(runs, key=lambda run: (-run.finished_at.timestamp(), str(run.path)))
    return table(
        "runs",
        f"Runs in {root}",
        ["run", "models", "verdict", "items"],
        [
            [
                Cell(
                    run.path.name,
                    f"{run.record.suite if run.record else 'unreadable'}; {_local(run.finished_at)}",
                ),
                ", ".join(run.models) or DASH,
                run.verdict,
                DASH if run.items is None else f"{run.items:,}",
            ]
            for run in latest_first
        ],
        words=3,
    )


def details(run: RunSummary, record: RunRecord) -> Table:
    """Table of what is known about one run."""
    rows = [
        ("suite", record.suite),
        ("status", record.status),
        ("finished", _local(run.finished_at)),
        ("verdict", run.verdict),
        ("compared", ", ".join(run.models) or DASH),
        ("counts", _readable(record.counts)),
        ("seed", str(record.seed)),
        *((f"config: {name}", _readable(value)) for name, value in record.config.items()),
        *((f"input: {name}", _readable(value)) for name, value in record.inputs.items()),
        *((f"model: {name}", _readable(value)) for name, value in record.models.items()),
        ("written by", f"tellapart {record.tellapart_version}"),
    ]
    return table("run", str(run.path), ["", ""], rows, words=2)


def report_command(run: Path, suite: str) -> str | None:
    """The command that writes the page of a complete run: each suite has one for its runs with scores."""
    if not (run / _SCORES).exists():
        return None
    return f"{command_of(suite)} {shlex.quote(str(run))} --html {shlex.quote(f'{run.name}.html')}"


def _local(moment: datetime) -> str:
    return moment.astimezone().strftime("%Y-%m-%d %H:%M")


def _readable(value: Any) -> str:
    """A value of a record without the marks of JSON; a digest is shortened."""
    if isinstance(value, Mapping):
        return "; ".join(f"{name} {_readable(entry)}" for name, entry in value.items()) or DASH
    if isinstance(value, list | tuple):
        return ", ".join(map(_readable, value)) or DASH
    if isinstance(value, str):
        return short_digests(value)
    return DASH if value is None else json.dumps(value)
