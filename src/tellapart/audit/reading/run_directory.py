"""Runs of our own."""

from __future__ import annotations

from pathlib import Path

from tellapart.audit.reading.log_scores import Choices, LogScores
from tellapart.store import RunDirectory

NAME = "run directory"

TAKES: tuple[str, ...] = ()


def recognises(path: Path) -> bool:
    """Say whether a directory has the record of a run."""
    return path.is_dir() and (path / "run.json").is_file()


def read(path: Path, choices: Choices) -> LogScores:
    """Read the scores of a complete run.

    Raises:
        InputError: It is not complete, or has no scores.
    """
    return LogScores(RunDirectory.open(path).frame("scores.parquet"))
