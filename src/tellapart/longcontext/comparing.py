"""Whether the models of a grading differ: its scores, with what stays with them, compared."""

from __future__ import annotations

from dataclasses import replace

import polars as pl

from tellapart.core.comparison import Comparison, compare
from tellapart.core.score_notes import ScoreNotes
from tellapart.core.scores import ScoreTable
from tellapart.longcontext.cautions import Record, cautions

_SORTING = ("length", "failure_mode", "rule")
"""Columns that the secondary family may be about; the first of several values is."""


def score_notes(scores: pl.DataFrame, record: Record) -> ScoreNotes:
    """Give what must stay with the scores of a grading.

    Args:
        scores: As ``score_rows`` makes them, perhaps by an earlier version, which had no lengths.
        record: The grading's.

    Returns:
        The length of the context as the secondary family, else the kind of probe, and the cautions. The case
        never is: all its probes share one conversation, which tells no models apart.
    """
    several = (
        name for name in _SORTING if name in scores.columns and scores[name].drop_nulls().n_unique() > 1
    )
    return ScoreNotes(by=next(several, "failure_mode"), cautions=cautions(record))


def comparison_of(scores: ScoreTable, record: Record) -> Comparison | None:
    """Compare the models of a grading.

    Args:
        scores: What the grading wrote. Scores without notes are those of an earlier version, and get them.
        record: The grading's.

    Returns:
        None of fewer than two models with scores.
    """
    if scores.notes == ScoreNotes():
        scores = replace(scores, notes=score_notes(scores.frame, record))
    scored = scores.frame.filter(pl.col("score").is_not_null())
    return compare(scores) if scored["model"].n_unique() > 1 else None
