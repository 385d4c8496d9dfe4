"""What a scoreboard says about the bundles of one tier."""

from __future__ import annotations

from math import fsum

import numpy as np
import polars as pl
from pydantic import BaseModel, ConfigDict

from tellapart.core.stats import Interval, clustered_mean, clustered_rate

DECIMALS = 12
"""Figures are rounded here: far below what single-precision vectors know, above how processors differ."""

Pair = tuple[float, float]


class TierStats(BaseModel):
    """Figures of one model on some bundles; all but the counts are None where there are no bundles.

    Attributes:
        n: Bundles.
        correct: Bundles whose margin is above 0; a tie is none.
        accuracy: ``correct / n``.
        pass_rate: The same; in contrastive tasks they are one figure.
        mean_margin: Mean of positive minus best negative, in the unit of the similarity.
        median_margin: Quantile .5 by linear interpolation.
        q10_margin: Quantile .1.
        q90_margin: Quantile .9.
        mean_rank: Mean of 1 + the negatives strictly above the positive; a tie ranks first.
        expected_rank: Mean rank over the orders that ties allow.
        mrr: Mean of 1 / rank over those orders, in (0, 1].
        top3: Share of bundles whose positive is among the first three, ties by their expectation.
        top5: Among the first five.
        ties: Bundles whose positive ties with a negative.
        ci95: 95 % intervals of the figures by name, clustered on the anchor; None where there is none.

    Source:
        "Crucible Metrics Reference", TierStats; ``expected_rank`` and what follows it are ours.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    n: int
    correct: int
    accuracy: float | None
    pass_rate: float | None
    mean_margin: float | None
    median_margin: float | None
    q10_margin: float | None
    q90_margin: float | None
    mean_rank: float | None
    expected_rank: float | None
    mrr: float | None
    top3: float | None
    top5: float | None
    ties: int
    ci95: dict[str, Pair | None]


def tier_stats(scores: pl.DataFrame) -> TierStats:
    """Figures of one model.

    Args:
        scores: Rows of ``SCORE_SCHEMA`` of one model.

    Returns:
        The figures over these rows.
    """
    n = scores.height
    margin = scores["margin"].to_numpy()
    correct = int(np.count_nonzero(margin > 0))
    clusters = scores["cluster"].cast(pl.Categorical).to_physical().to_numpy()
    rate = clustered_rate(margin > 0, clusters)
    quantiles = [_rounded(q) for q in np.quantile(margin, [0.5, 0.1, 0.9])] if n else [None] * 3
    means = {
        name: _mean(scores[name])
        for name in ("margin", "rank", "expected_rank", "reciprocal_rank", "top3", "top5")
    }
    return TierStats(
        n=n,
        correct=correct,
        accuracy=_rounded(rate.rate),
        pass_rate=_rounded(rate.rate),
        mean_margin=means["margin"],
        median_margin=quantiles[0],
        q10_margin=quantiles[1],
        q90_margin=quantiles[2],
        mean_rank=means["rank"],
        expected_rank=means["expected_rank"],
        mrr=means["reciprocal_rank"],
        top3=means["top3"],
        top5=means["top5"],
        ties=int(np.count_nonzero(scores["ties"].to_numpy())),
        ci95={
            "pass_rate": _pair(rate.interval),
            "mean_margin": _pair(clustered_mean(margin, clusters).interval),
            "mean_rank": _pair(clustered_mean(scores["rank"].to_numpy(), clusters).interval),
            "mrr": _pair(clustered_mean(scores["reciprocal_rank"].to_numpy(), clusters).interval),
        },
    )


def _mean(values: pl.Series) -> float | None:
    return _rounded(fsum(values.to_numpy()) / len(values)) if len(values) else None


def _rounded(value: float | None) -> float | None:
    return None if value is None else round(float(value), DECIMALS)


def _pair(interval: Interval | None) -> Pair | None:
    return None if interval is None else (round(interval.low, DECIMALS), round(interval.high, DECIMALS))
