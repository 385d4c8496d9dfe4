"""The figures of a run for experiment trackers."""

from __future__ import annotations

from collections.abc import Iterator

from tellapart.contrastive.results import Report
from tellapart.core.comparison import Comparison
from tellapart.report.tracked import Figure, Tracked, pair_figures, tracked, with_ends


def tracked_run(report: Report, comparison: Comparison | None) -> Tracked:
    """Give the figures of each model, overall and at each level, and those of the pairs."""
    return tracked("contrastive", _figures(report, comparison))


def _figures(report: Report, comparison: Comparison | None) -> Iterator[Figure]:
    for scope, by_model in {"overall": report.overall, **report.by_difficulty}.items():
        for model, result in by_model.items():
            yield from with_ends((scope, model, "accuracy"), result.accuracy, result.accuracy_ci)
            for name in ("top3", "top5", "mrr", "mean_rank", "n"):
                yield (scope, model, name), getattr(result, name)
            yield (scope, model, "missing"), result.answers_missing
    if comparison is not None:
        yield from pair_figures(comparison.primary.pairs)
