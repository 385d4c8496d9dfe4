"""Runs of our own, which may score the same answers by several measures."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tellapart.errors import UsageError, near_match, option
from tellapart.readers.reader import Basis, LogScores
from tellapart.readers.settings import ReadingSettings
from tellapart.readers.texts import RowTexts, run_texts
from tellapart.store import RunDirectory, read_notes

_SCORES = "scores.parquet"
_TABLES = "artifacts/scores"
"""A table of each measure, ``MEASURE.parquet``; that of the run's own choice is ``scores.parquet`` too."""


def read(path: Path, settings: ReadingSettings) -> LogScores:
    """Read the scores of a complete run, by the measure that is named or the run's own choice."""
    run, names = RunDirectory.open(path), sorted(table.stem for table in (path / _TABLES).glob("*.parquet"))
    if settings.metric is not None and settings.metric not in names:
        there = near_match(settings.metric, names) if names else "This run has one score an answer"
        raise UsageError(f"there is no measure {settings.metric!r}", where=path, next_step=there)
    file = _SCORES if settings.metric is None else f"{_TABLES}/{settings.metric}.parquet"
    frame, score_notes = run.frame(file), read_notes(path / file)
    measure = settings.metric or (score_notes.measure if names else None)
    if not measure:
        return LogScores(frame, score_notes=score_notes)
    others = ", ".join(repr(name) for name in names if name != measure)
    note = f"Read the measure {measure!r}; there are also {others} ({option('metric', 'NAME')})."
    notes = (note,) if others and settings.metric is None else ()
    truths = frame.select("item", "ground_truth").iter_rows() if "ground_truth" in frame.columns else ()
    return LogScores(frame, notes, basis=Basis(measure, dict(truths)), score_notes=score_notes)


def texts(path: Path, settings: ReadingSettings) -> RowTexts[Any]:
    """What the run's own table of items holds."""
    return run_texts(path)
