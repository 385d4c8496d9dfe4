"""The figures of a grading for experiment trackers."""

from __future__ import annotations

from collections.abc import Iterator

from tellapart.core.comparison import Comparison
from tellapart.core.score_grid import score_grid
from tellapart.core.scores import ScoreTable
from tellapart.longcontext.results import GradingRecord
from tellapart.report.tracked import Figure, Tracked, mean_figures, pair_figures, tracked


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
