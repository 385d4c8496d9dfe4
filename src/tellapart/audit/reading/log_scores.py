"""What every reader of a log takes and gives."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

import polars as pl

from tellapart.audit.reading.basis import Basis
from tellapart.core.score_notes import ScoreNotes


@dataclass(frozen=True)
class Choices:
    """What the user asked for, where a log leaves a choice. ``None`` lets the reader choose, with a note.

    Attributes:
        metric: Which scorer, metric or named score to read.
        columns: For plain tables: column of ours -> column of the file.
        qrels: For rankings: the judgments that score them.
        measure: For rankings: the per-query measure, such as ``nDCG@10``; for runs that have several: one.
        model: The model's name, for files that do not say whose scores they hold.
        complete: For rankings: whether a judged query that is not ranked scores 0, as under ``trec_eval -c``.
    """

    metric: str | None = None
    columns: dict[str, str] | None = None
    qrels: Path | None = None
    measure: str | None = None
    model: str | None = None
    complete: bool | None = None


@dataclass(frozen=True)
class LogScores:
    """The scores of one file.

    Attributes:
        frame: Columns as ``ScoreTable.from_frame`` takes them: ``model``, ``item`` and ``score``; where
            known ``missing``, ``replicate``, ``grading`` and ``cluster``; any further column of strings is a
            stratum.
        notes: What the reader chose or left out; whole sentences.
        limits: Lowest and highest possible score, where the file says; ``None`` where it does not.
        basis: What the scores are and rest on, where the file says and that may differ between files.
        kept: What must stay with the scores, as our own files keep it.
        unranked: Of rankings, the judged queries that they do not rank, ascending.
    """

    frame: pl.DataFrame
    notes: tuple[str, ...] = ()
    limits: tuple[float, float] | None = None
    basis: Basis | None = None
    kept: ScoreNotes = field(default_factory=ScoreNotes)
    unranked: tuple[str, ...] = ()
