"""Runs of our own that have one score an answer."""

from __future__ import annotations

from pathlib import Path

from tellapart.readers import measured_run
from tellapart.readers.reader import LogScores
from tellapart.readers.settings import ReadingSettings
from tellapart.readers.texts import Texts, run_texts
from tellapart.store import RunDirectory, read_notes

NAME = "run directory"

TAKES: tuple[str, ...] = ()


def recognises(path: Path) -> bool:
    """Check whether a directory has the record of a run, and not that of several measures."""
    return path.is_dir() and (path / "run.json").is_file() and not measured_run.recognises(path)


def texts(path: Path, settings: ReadingSettings) -> Texts:
    """What the run's own table of items holds."""
    return run_texts(path)


def read(path: Path, settings: ReadingSettings) -> LogScores:
    """Read the scores of a complete run."""
    scores = "scores.parquet"
    return LogScores(RunDirectory.open(path).frame(scores), score_notes=read_notes(path / scores))
