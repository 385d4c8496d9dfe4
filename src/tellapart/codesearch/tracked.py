"""The figures of an evaluation for experiment trackers."""

from __future__ import annotations

from collections.abc import Iterator

from tellapart.codesearch.evaluation import Evaluation
from tellapart.report.tracked import Figure, Tracked, tracked, with_ends


def tracked_evaluation(evaluation: Evaluation) -> Tracked:
    """Give the measures over conversations, in each product area too, and how the judging went."""
    return tracked("codesearch", _figures(evaluation))


def _figures(evaluation: Evaluation) -> Iterator[Figure]:
    metrics = evaluation.figures
    for name, measure in metrics.measures.items():
        yield from with_ends((name,), measure.macro, measure.interval)
        yield (f"{name}_conversations",), measure.conversations
    for name, ranked in ((metrics.ranked and metrics.ranked.measures) or {}).items():
        yield from with_ends((name,), ranked.value, ranked.interval)
    for area, figures in metrics.areas.items():
        for name, of_area in figures.items():
            yield from with_ends((area, name), of_area.mean, of_area.interval)
    yield ("judged",), metrics.judging.judged
    yield ("share_failed",), metrics.judging.share_failed
