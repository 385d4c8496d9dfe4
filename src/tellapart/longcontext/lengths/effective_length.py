"""Up to which length of the context a model still answers: the effective context length.

What ``effective_length`` returns is stored as ``dataclasses.asdict`` gives it, which is JSON of this shape
(``cell``, ``heat`` and ``length`` as ``CurveCell``, ``HeatCell`` and ``EffectiveLength`` name their parts;
an interval is ``{"low", "high", "level"}`` or null):

    {"asked": bool, "level": 0.95, "draws": 4000, "seed": 0, "minimum_items": 5,
     "models": [{"model": str, "probes": int, "without_evidence": int, "without_length": int,
                 "by_length": [cell, ...], "by_distance": [cell, ...], "heatmap": [heat, ...],
                 "absolute": length, "relative": length}, ...]}
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from tellapart.longcontext.lengths.curves import (
    CurveCell,
    HeatCell,
    ProbePoint,
    asked_for,
    by_distance,
    by_length,
    grouped,
    heatmap,
    item_scores,
    place_of_length,
)
from tellapart.longcontext.lengths.limits import (
    MINIMUM_ITEMS,
    EffectiveLength,
    Length,
    Settings,
    absolute_length,
    relative_length,
)


@dataclass(frozen=True)
class ModelLengths:
    """One model.

    Attributes:
        model: Its name.
        probes: Askings, those without evidence included.
        without_evidence: Scored askings whose evidence was nowhere before them, such as traps and what an
            experiment never provided, and those that cannot be graded. They say nothing about how far a model
            remembers and are in no curve. One that failed before its evidence is known is not among them: it
            is a missing score of its length.
        without_length: Askings with evidence whose context nobody measured or asked for.
        by_length: The shortest first.
        by_distance: The nearest first.
        heatmap: By length, then by depth.
        absolute: By RULER's definition.
        relative: By NoLiMa's.
    """

    model: str
    probes: int
    without_evidence: int
    without_length: int
    by_length: tuple[CurveCell, ...]
    by_distance: tuple[CurveCell, ...]
    heatmap: tuple[HeatCell, ...]
    absolute: EffectiveLength
    relative: EffectiveLength


@dataclass(frozen=True)
class EffectiveLengths:
    """All models of an experiment.

    Attributes:
        asked: Whether cells are the lengths that were asked for, as every probe says one; else bins.
        level: Of the intervals.
        draws: Resampled experiments behind an interval of a length.
        seed: Of the draws.
        minimum_items: See ``MINIMUM_ITEMS``.
        models: By name.
    """

    asked: bool
    level: float
    draws: int
    seed: int
    minimum_items: int
    models: tuple[ModelLengths, ...]


def effective_length(
    points: Sequence[ProbePoint],
    *,
    seed: int = 0,
    draws: int = 4_000,
    level: float = 0.95,
    minimum_items: int = MINIMUM_ITEMS,
) -> EffectiveLengths:
    """Give curves, heatmap and effective context length of every model.

    Args:
        points: One an asking, of any number of models, in any order.
        seed: Of the resampled experiments.
        draws: How many of them.
        level: Of the intervals, in (0, 1).
        minimum_items: Distinct questions with a score that a length must have to count, at least 1.

    Returns:
        An entry for each model, by name; none without points.

    Source:
        Hsieh et al. 2024, "RULER: What's the Real Context Size of Your Long-Context Language Models?",
        section 4, for ``absolute``: a fixed threshold, 85.6, that Llama2-7B reaches at 4K tokens. Modarressi
        et al. 2025, "NoLiMa: Long-Context Evaluation Beyond Literal Matching", section 4.3, for ``relative``:
        85 % of the score at the shortest contexts, 250, 500 and 1K tokens. Deviations: all shorter lengths
        must pass too, where both papers take the longest that does; the base score is the mean over items of
        all the short lengths, not over the maxima of each item, which chance lifts; and where there is no
        length up to 1K the shortest stands in, and the result says so.
    """
    asked = asked_for([point for point in points if _counts(point)])
    models = tuple(
        _of_model(
            model, [p for p in points if p.model == model], asked, Settings(seed, draws, level, minimum_items)
        )
        for model in sorted({point.model for point in points})
    )
    return EffectiveLengths(asked, level, draws, seed, minimum_items, models)


def _of_model(model: str, points: Sequence[ProbePoint], asked: bool, settings: Settings) -> ModelLengths:
    useful = [point for point in points if _counts(point)]
    cells = grouped(useful, place_of_length(asked))
    curve = by_length(useful, asked)
    lengths = [
        Length(cell.tokens, span.high, tuple(item_scores(inside)))
        for cell, (span, inside) in zip(curve, cells.items(), strict=True)
    ]
    return ModelLengths(
        model,
        len(points),
        len(points) - len(useful),
        len(useful) - sum(map(len, cells.values())),
        curve,
        by_distance(useful),
        heatmap(useful, asked),
        absolute_length(model, lengths, settings),
        relative_length(model, lengths, settings),
    )


def _counts(point: ProbePoint) -> bool:
    failed = point.value is None and point.missing != "infeasible"
    return point.distance_tokens is not None or failed
