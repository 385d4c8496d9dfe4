"""Runs of our own that score the same answers by several measures."""

from __future__ import annotations

from pathlib import Path

import polars as pl

from tellapart.errors import UsageError, near_match, option
from tellapart.readers.reader import Basis, LogScores
from tellapart.readers.settings import ReadingSettings
from tellapart.readers.texts import Texts, run_texts
from tellapart.store import RunDirectory, read_notes

NAME = "run directory with measures"

TAKES = ("metric",)

_TABLES = "artifacts/scores"
"""A table of each measure, ``MEASURE.parquet``; ``scores.parquet`` of the run is one of them."""


def recognises(path: Path) -> bool:
    """Check whether a directory has the record of a run and tables of its measures."""
    return path.is_dir() and (path / "run.json").is_file() and bool(_measures(path))


def read(path: Path, settings: ReadingSettings) -> LogScores:
    """Read the scores of a complete run by one of its measures, by default its own choice."""
    run, names = RunDirectory.open(path), _measures(path)
    if settings.metric is not None and settings.metric not in names:
        raise UsageError(
            f"there is no measure {settings.metric!r}",
            where=path,
            next_step=near_match(settings.metric, names),
        )
    if settings.metric is not None:
        frame = run.frame(f"{_TABLES}/{settings.metric}.parquet")
        score_notes = read_notes(path / f"{_TABLES}/{settings.metric}.parquet")
        return LogScores(frame, basis=_basis(settings.metric, frame), score_notes=score_notes)
    frame, score_notes = run.frame("scores.parquet"), read_notes(path / "scores.parquet")
    chosen = score_notes.measure
    if not chosen:
        return LogScores(frame, score_notes=score_notes)
    others = ", ".join(repr(name) for name in names if name != chosen)
    note = f"Read the measure {chosen!r}; there are also {others} ({option('metric', 'NAME')})."
    return LogScores(frame, (note,) if others else (), basis=_basis(chosen, frame), score_notes=score_notes)


def texts(path: Path, settings: ReadingSettings) -> Texts:
    """What the run's own table of items holds."""
    return run_texts(path)


def _measures(path: Path) -> list[str]:
    return sorted(table.stem for table in (path / _TABLES).glob("*.parquet"))


def _basis(measure: str, frame: pl.DataFrame) -> Basis:
    ground_truth = frame.select("item", "ground_truth").iter_rows() if "ground_truth" in frame.columns else ()
    return Basis(measure, dict(ground_truth))
