"""Figures of a scoreboard: computed from scores by tier, with their units and directions."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from math import fsum, inf

import numpy as np
import polars as pl
from numpy.typing import NDArray

from tellapart.bundles.results import Scoreboard, TierStats, rounded, rounded_ends
from tellapart.bundles.tiers import TIERS
from tellapart.core.figure_units import FigureKind, FigureUnit, comparable
from tellapart.core.stats import Interval, clustered_mean, clustered_rate, mean_once, quantile_estimates

QUANTILES: Mapping[str, float] = {"median_margin": 0.5, "q10_margin": 0.1, "q90_margin": 0.9}
"""Figures that are quantiles of the margin."""

MEANS = {
    "mean_margin": "margin",
    "mean_rank": "rank",
    "expected_rank": "expected_rank",
    "mrr": "reciprocal_rank",
}
"""Figures that are means of a column of ``SCORE_SCHEMA``."""

SHARES = {"top3": "top3", "top5": "top5"}
"""Figures that are means of a column of shares, each in [0, 1]."""

INTERVALS = ("accuracy", "pass_rate", *QUANTILES, *MEANS, *SHARES)
"""Figures with an interval, in the order in which they are written."""

_LIMITS = {"mrr": (0.0, 1.0), "mean_rank": (1.0, inf), "expected_rank": (1.0, inf)}
"""Where a figure must lie, and its interval with it; a few bundles would carry Student's interval outside."""

LESS_IS_BETTER = ("mean_rank", "expected_rank", "ties")
"""Figures of which less is better; of all others but the counts, more is."""


def less_is_better(name: str) -> bool:
    """Whether a figure by its name, with or without a tier in front, is one of ``LESS_IS_BETTER``."""
    return any(name.removeprefix(f"{tier}_") in LESS_IS_BETTER for tier in TIERS)


def stats_by_tier(scores: pl.DataFrame) -> dict[str, TierStats]:
    """Figures of one model over all rows of ``SCORE_SCHEMA``, as ``overall``, and of each of ``TIERS``."""
    clusters = cluster_numbers(scores)
    stats = {"overall": tier_stats(scores, clusters)}
    for tier in TIERS:
        inside = scores["tier"].eq_missing(tier)
        stats[tier] = tier_stats(scores.filter(inside), clusters[inside.to_numpy()])
    return stats


def tier_stats(scores: pl.DataFrame, clusters: NDArray[np.uint32] | None = None) -> TierStats:
    """Figures of one model.

    Args:
        scores: Rows of ``SCORE_SCHEMA`` of one model.
        clusters: Their ``cluster_numbers``, where they are known.

    Returns:
        The figures over these rows.
    """
    n, margin = scores.height, scores["margin"].to_numpy()
    clusters = cluster_numbers(scores) if clusters is None else clusters
    right = margin > 0
    rate = clustered_rate(right, clusters)
    quantiles = quantile_estimates(margin, [*QUANTILES.values()], clusters)
    means = {name: _mean(scores[column]) for name, column in (MEANS | SHARES).items()}
    estimates = {
        "accuracy": rate,
        "pass_rate": rate,
        **dict(zip(QUANTILES, quantiles, strict=True)),
        **{name: clustered_mean(scores[column].to_numpy(), clusters) for name, column in MEANS.items()},
        **{name: clustered_rate(scores[column].to_numpy(), clusters) for name, column in SHARES.items()},
    }
    return TierStats(
        n=n,
        correct=int(np.count_nonzero(right)),
        accuracy=rounded(rate.rate),
        pass_rate=rounded(rate.rate),
        **means,
        **{name: rounded(estimate.value) for name, estimate in zip(QUANTILES, quantiles, strict=True)},
        ties=int(np.count_nonzero(scores["ties"].to_numpy())),
        ci95={name: rounded_ends(_inside(name, estimates[name].interval)) for name in INTERVALS},
    )


def _inside(name: str, interval: Interval | None) -> Interval | None:
    if interval is None or name not in _LIMITS:
        return interval
    low, high = _LIMITS[name]
    return replace(interval, low=max(interval.low, low), high=min(interval.high, high))


def cluster_numbers(scores: pl.DataFrame) -> NDArray[np.uint32]:
    """Give each row the number of the first row of its cluster, or its own where it has none.

    Strings are hashed where they lie and never sorted: 2,000,000 of them take half a second.
    """
    first = pl.col("row").first().over("cluster")
    number = pl.when(pl.col("cluster").is_null()).then("row").otherwise(first)
    return scores.select("cluster").with_row_index("row").select(number.alias("number"))["number"].to_numpy()


def _mean(values: pl.Series) -> float | None:
    if values.is_empty():
        return None
    if values.name == "margin":
        return rounded(mean_once(values.to_list()))
    # Ranks and shares take few values: the sum of each times its count is as exact and ten times quicker.
    counted = values.value_counts(name="count")
    return rounded(fsum((counted[values.name] * counted["count"]).to_list()) / len(values))


MARGINS = ("mean_margin", "median_margin", "q10_margin", "q90_margin")
"""Figures in the unit of the model's similarity."""

RESCORE = "Score the eval again with 'tellapart bundles score', which records the unit"

_RATE, _RANK = FigureUnit(FigureKind.RATE), FigureUnit(FigureKind.RANK)
_FIGURES = {
    **dict.fromkeys(("accuracy", "pass_rate", "mrr", "top3", "top5"), _RATE),
    **dict.fromkeys(("mean_rank", "expected_rank"), _RANK),
}
_COLUMNS = {
    **dict.fromkeys(("score", "reciprocal_rank", "top3", "top5"), _RATE),
    **dict.fromkeys(("rank", "expected_rank"), _RANK),
}


def figure_units(similarity: str) -> dict[str, FigureUnit]:
    """Give kind and unit of each figure of ``TierStats`` that is no count.

    Args:
        similarity: What the model scores pairs in, such as ``cosine`` or ``bm25``.
    """
    return {**_FIGURES, **dict.fromkeys(MARGINS, FigureUnit(FigureKind.SIMILARITY, similarity))}


def column_units(units: Mapping[str, FigureUnit]) -> dict[str, FigureUnit]:
    """Give kind and unit of the columns of ``SCORE_SCHEMA``, from those of the figures."""
    margin = units.get(MARGINS[0])
    return _COLUMNS if margin is None else {**_COLUMNS, "margin": margin}


def why_margins_differ(a: Scoreboard, b: Scoreboard) -> str | None:
    """Say why the margins of two scoreboards do not compare; None where they do.

    A unit that is not recorded is taken for the same only between scoreboards of one model.
    """
    first, second = (board.units.get(MARGINS[0]) for board in (a, b))
    if first is not None and second is not None:
        if comparable(first, second):
            return None
        return (
            f"margins of {a.model} are in units of {first.unit}, those of {b.model} in units of {second.unit}"
        )
    if first is None and second is None and a.model == b.model:
        return None
    silent = [board.model for board, unit in ((a, first), (b, second)) if unit is None]
    return f"the unit of the margins of {' and '.join(dict.fromkeys(silent))} is not recorded"
