"""Worlds whose truth is known, from which the benchmarks draw tables of scores."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import polars as pl
from numpy.typing import NDArray

from tellapart.core.arrays import F64
from tellapart.core.score_grid import ScoreGrid, Stratum
from tellapart.core.scores import ScoreTable

Draw = Callable[[np.random.Generator, int, float], ScoreGrid]


def grid(
    scores: F64,
    clusters: NDArray[np.int64] | None = None,
    answer_variance: F64 | None = None,
    strata: dict[str, Stratum] | None = None,
) -> ScoreGrid:
    """Lay scores of models (down) on items (across) out; NaN is missing; limits are 0 and 1."""
    models, items = scores.shape
    known = ~np.isnan(scores)
    nothing = np.full(scores.shape, np.nan)
    return ScoreGrid(
        models=tuple(f"m{model}" for model in range(models)),
        items=np.arange(items).astype(object),
        scores=scores,
        answers=known.astype(np.int64),
        low=np.where(known, scores, 0.0),
        high=np.where(known, scores, 1.0),
        answer_variance=nothing if answer_variance is None else answer_variance,
        grading_variance=nothing,
        gradings=np.where(known, 1.0, np.nan),
        clusters=np.arange(items) if clusters is None else clusters,
        strata=strata or {},
        answer_strata=(),
        missing={f"m{model}": {} for model in range(models)},
        limits=(0.0, 1.0),
    )


def expected(rng: np.random.Generator, models: int, items: int, gap: float) -> F64:
    """Expected scores in [0.1, 0.9] less half the gap: items differ, and the first model is better by it."""
    base = np.broadcast_to(rng.uniform(0.1 + gap, 0.9 - gap, items), (models, items))
    return base + gap / 2 * np.where(np.arange(models) == 0, 1, -1)[:, None]


def right_or_wrong(
    rng: np.random.Generator, items: int, gap: float, models: int = 2, lost: float = 0
) -> ScoreGrid:
    """Scores of 0 and 1, some of them lost by chance."""
    scores = (rng.random((models, items)) < expected(rng, models, items, gap)).astype(np.float64)
    scores[rng.random(scores.shape) < lost] = np.nan
    return grid(scores)


def graded(rng: np.random.Generator, items: int, gap: float, models: int = 2) -> ScoreGrid:
    """Scores anywhere from 0 to 1, most of them below what is expected and a few far above."""
    luck = 0.4 * (rng.beta(1, 4, (models, items)) - 0.2)
    return grid(0.1 + 0.6 * expected(rng, models, items, gap / 0.6) + luck)


def clustered(
    rng: np.random.Generator, items: int, gap: float, size: int = 8, uneven: bool = False
) -> ScoreGrid:
    """Scores of 0 and 1 on items in clusters that one model likes better than the other."""
    clusters = np.arange(items) // size
    if uneven:
        clusters = np.sort(rng.integers(0, max(2, items // size), items))
    taste = 0.3 * (rng.random((2, items)) - 0.5)[:, clusters]
    chance = 0.2 + 0.6 * expected(rng, 2, items, gap / 0.6) + taste
    return grid((rng.random((2, items)) < chance).astype(np.float64), clusters)


def replicated(rng: np.random.Generator, items: int, gap: float, answers: int = 3) -> ScoreGrid:
    """Means of several answers, each right or wrong."""
    chance = expected(rng, 2, items, gap)
    right = (rng.random((answers, 2, items)) < chance).astype(np.float64)
    return grid(right.mean(axis=0), answer_variance=right.var(axis=0, ddof=1))


def interacting(
    rng: np.random.Generator,
    items: int,
    gap: float,
    models: int = 2,
    size: int = 8,
    taste: float = 0.2,
    graded: bool = False,
) -> ScoreGrid:
    """Scores in clusters, each of which suits a model up to ``taste`` better or worse than it should."""
    clusters = np.arange(items) // size
    liked = taste * rng.uniform(-1, 1, (models, items))[:, clusters]
    ahead = gap / 2 * np.where(np.arange(models) == 0, 1, -1)[:, None]
    chance = rng.uniform(0.4, 0.6, items) + ahead + liked
    if graded:
        return grid(np.clip(chance + 0.1 * rng.standard_normal((models, items)), 0, 1), clusters)
    return grid((rng.random((models, items)) < chance).astype(np.float64), clusters)


def hardly_different(
    rng: np.random.Generator, items: int, gap: float, size: int = 1, answers: int = 1, differ: float = 0.06
) -> ScoreGrid:
    """Models that answer alike but on a small share of the items, single ones or in clusters.

    With several answers an item, those that differ do so by one of them or by more.
    """
    steps = rng.integers(1, answers + 1, items) / answers
    mean = (answers + 1) / (2 * answers)
    share = max(differ, gap / mean)
    u, ahead = rng.random(items), (share + gap / mean) / 2
    gaps = np.where(u < ahead, steps, np.where(u >= 1 - (share - gap / mean) / 2, -steps, 0.0))
    base = np.where(gaps == 0, np.rint(rng.random(items) * answers) / answers, 0.0)
    scores = np.vstack([base + np.maximum(gaps, 0), base + np.maximum(-gaps, 0)])
    return grid(scores, np.arange(items) // size)


def as_table(scores: ScoreGrid) -> ScoreTable:
    """Write a grid down as a table, with four levels of difficulty to which its clusters belong."""
    models, items = scores.scores.shape
    rows = {
        "model": np.repeat(scores.models, items),
        "item": np.tile([f"q{i:05d}" for i in range(items)], models),
        "score": scores.scores.ravel(),
        "cluster": np.tile([f"s{cluster:05d}" for cluster in scores.clusters], models),
        "level": np.tile([f"level {cluster % 4}" for cluster in scores.clusters], models),
    }
    return ScoreTable.from_frame(pl.DataFrame(rows))
