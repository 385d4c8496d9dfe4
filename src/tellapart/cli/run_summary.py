"""What people want to know of a run at a glance: when, which models, how many items, and what it shows."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from shlex import quote
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
from tellapart.store.runs import DATABASE, SCORES
from tellapart.store.runs import report_command as command_of

_MOST_ROWS = 500_000
"""Scores that are compared while somebody waits for a list."""

ONE_MODEL = "one model: nothing to compare"


@dataclass(frozen=True)
class RunSummary:
    """A run at a glance: when its file was last written, what is compared or whom it asked, the verdict."""

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
    # A language model stands there with its parameters.
    asked = record.models or record.config.get("models", ())
    models = tuple(str(model["model"] if isinstance(model, Mapping) else model) for model in asked)
    verdict = "not complete"
    if record.status == "complete":
        try:
            scored = read_frame(path / SCORES, ["model"])["model"]
        except TellapartError:
            verdict = "no scores yet"
        else:
            models = tuple(scored.unique().sort())
            verdict = _verdict(path, models, len(scored))
    return RunSummary(path, record, written, models, record.counts.get("items"), verdict)


def _verdict(path: Path, models: Sequence[str], rows: int) -> str:
    if len(models) < 2:
        return ONE_MODEL
    if rows > _MOST_ROWS:
        return f"not compared: {rows:,} scores; see tellapart audit {quote(str(path))}"
    try:
        return verdict_of(RunDirectory.open(path).scores())
    except TellapartError as error:
        return f"not compared: {error.what}"


def verdict_of(scores: ScoreTable | ScoreGrid) -> str:
    """The verdict on the scores of two models or more, in its first sentence; what is open follows that."""
    return headline_sentences(compare(scores, secondary=False))[0]


def listing(runs: Iterable[RunSummary], root: Path) -> Table:
    """Table of runs, the latest first."""
    rows: list[list[Cell | str]] = [
        [
            Cell(run.path.name, f"{run.record.suite if run.record else 'unreadable'}; {_local(run)}"),
            ", ".join(run.models) or DASH,
            run.verdict,
            DASH if run.items is None else f"{run.items:,}",
        ]
        for run in sorted(runs, key=lambda run: (-run.finished_at.timestamp(), str(run.path)))
    ]
    return table("runs", f"Runs in {root}", ["run", "models", "verdict", "items"], rows, words=3)


def details(run: RunSummary, record: RunRecord) -> Table:
    """Table of what is known about one run."""
    parts = {"config": record.config, "input": record.inputs, "model": record.models}
    rows: list[tuple[str, object]] = [
        ("suite", record.suite),
        ("status", record.status),
        ("finished", _local(run)),
        ("verdict", run.verdict),
        ("compared", ", ".join(run.models) or DASH),
        *record.counts.items(),
        ("seed", record.seed),
        *((f"{part}: {name}", value) for part, values in parts.items() for name, value in values.items()),
        ("written by", f"tellapart {record.tellapart_version}"),
    ]
    readable = [[name, _readable(value)] for name, value in rows]
    return table("run", str(run.path), ["", ""], readable, words=2)


def report_command(run: Path, suite: str) -> str | None:
    """The command that writes the page of a complete run: each suite has one for its runs with scores."""
    if not (run / SCORES).exists():
        return None
    return f"{command_of(suite)} {quote(str(run))} --html {quote(f'{run.name}.html')}"


def _local(run: RunSummary) -> str:
    return run.finished_at.astimezone().strftime("%Y-%m-%d %H:%M")


def _readable(value: Any) -> str:
    """A value of a record; a digest in it is shortened."""
    return short_digests(value if isinstance(value, str) else json.dumps(value, ensure_ascii=False))
