"""Graded probes as a score table: whether its models differ, and figures for trackers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import polars as pl

from tellapart.core.comparison import Comparison, compare
from tellapart.core.score_grid import score_grid
from tellapart.core.score_notes import ScoreNotes
from tellapart.core.scores import ScoreTable
from tellapart.longcontext.case import AnswerKey
from tellapart.longcontext.cautions import cautions
from tellapart.longcontext.curves import binned
from tellapart.longcontext.grades import Grade
from tellapart.longcontext.probes import Probe
from tellapart.longcontext.results import GradingRecord
from tellapart.longcontext.token_ranges import least_of
from tellapart.report.tracked import Figure, Tracked, mean_figures, pair_figures, tracked

_SCHEMA = {
    "model": pl.String,
    "item": pl.String,
    "score": pl.Float64,
    "missing": pl.String,
    "replicate": pl.Int64,
    "grading": pl.Int64,
    "cluster": pl.String,
    "length": pl.String,
    "failure_mode": pl.String,
    "rule": pl.String,
    "case": pl.String,
}

NO_MODE = "not named"
"""The stratum of probes of which nobody says what they look for."""

MOST_LENGTHS = 12
"""More different lengths than these are put together in bins that double."""


def score_rows(probes: Sequence[Probe], key: AnswerKey) -> pl.DataFrame:
    """Put grades as ``core.scores.ScoreTable.from_frame`` takes them."""
    intended = [probe.intended_tokens(key) for probe in probes]
    meant = [None if length is None else least_of(length) for length in intended]
    many = len({tokens for tokens in meant if tokens is not None}) > MOST_LENGTHS
    rows = [
        _row(probe, grade, None if tokens is None else f"{binned(tokens)[1] if many else tokens:,}")
        for probe, tokens in zip(probes, meant, strict=True)
        for grade in probe.grades
        if grade.grader == probe.grade.grader
    ]
    return pl.DataFrame(rows, schema=_SCHEMA, orient="row")


def _row(probe: Probe, grade: Grade, length: str | None) -> tuple[object, ...]:
    model, case, epoch, step = probe.place
    return (
        model,
        f"{case}/{step}",
        grade.value,
        _cause(grade),
        epoch,
        grade.judging,
        case,
        length,
        probe.failure_mode or NO_MODE,
        probe.kind.name,
        case,
    )


def _cause(grade: Grade) -> str | None:
    if grade.value is not None:
        return None
    return grade.missing or ("judge" if grade.category == "EVAL_ERROR" else "provider")


_SORTING = ("length", "failure_mode", "rule")
"""Columns that the secondary family may be about; the first of several values is."""


def score_notes(scores: pl.DataFrame, record: GradingRecord) -> ScoreNotes:
    """Give what must stay with the scores of a grading."""
    several = (name for name in _SORTING if scores[name].drop_nulls().n_unique() > 1)
    return ScoreNotes(by=next(several, "failure_mode"), cautions=cautions(record))


def comparison_of(scores: ScoreTable) -> Comparison | None:
    """Compare the models of a grading."""
    return compare(scores) if len(scores.scored_models) > 1 else None


def tracked_grading(record: GradingRecord, scores: ScoreTable, comparison: Comparison | None) -> Tracked:
    """Give of each model its mean score and its effective context lengths in tokens, and the pairs."""
    return tracked("longcontext", _figures(record, scores, comparison))


def _figures(record: GradingRecord, scores: ScoreTable, comparison: Comparison | None) -> Iterator[Figure]:
    yield from mean_figures(score_grid(scores))
    for lengths in record.effective_length.models if record.effective_length else ():
        yield (lengths.model, "effective_length_absolute"), lengths.absolute.tokens
        yield (lengths.model, "effective_length_relative"), lengths.relative.tokens
    yield ("findings_errors",), sum(1 for _ in record.errors)
    if comparison is not None:
        yield from pair_figures(comparison.primary.pairs)
