"""Krippendorff's alpha: how far any number of raters agree beyond chance, with ratings missing or not."""

from __future__ import annotations

from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from tellapart.core.arrays import F64
from tellapart.core.estimate import Estimate
from tellapart.core.stats.bootstrap import bca_statistic
from tellapart.core.stats.samples import Clusters, cluster_codes

Scale = Literal["nominal", "ordinal", "interval"]
"""What ratings are: kinds, ranks of which only the order counts, or numbers whose distances count."""

_CELLS = 4_000_000


def krippendorff_alpha(
    ratings: ArrayLike,
    scale: Scale,
    clusters: Clusters | None = None,
    *,
    rng: np.random.Generator,
    resamples: int = 1000,
) -> Estimate:
    """Give alpha with an interval, resampling whole clusters of units.

    Args:
        ratings: Shape (raters, units), numbers; NaN where a rater has not rated a unit.
        scale: What the numbers are.
        clusters: Shape (units,), labels of units that share a source; ``None`` means that none do.
        rng: Draws the resamples.
        resamples: Number of resamples.

    Returns:
        At most 1; 0 for agreement as by chance, less for disagreement by rule. ``n`` counts units with two
        ratings or more. None without any, and where all their ratings are the same, so that nothing could
        have differed. The BCa interval is at 95 %; none, with the reason, where a resample has no alpha.

    Source:
        Krippendorff 2019, "Content Analysis", 4th edition, chapter 12; Hayes and Krippendorff 2007,
        "Answering the call for a standard reliability measure for coding data". Deviation: they resample
        pairs of ratings as if these were independent; whole clusters of units are resampled here.
    """
    table = np.asarray(ratings, dtype=np.float64)
    if table.ndim != 2 or np.isinf(table).any():
        raise ValueError(f"ratings have shape {table.shape}, expected (raters, units) of numbers or NaN.")
    codes, _ = cluster_codes(clusters, table.shape[1])
    paired = (~np.isnan(table)).sum(axis=0) > 1
    table, codes = table[:, paired], np.unique(codes[paired], return_inverse=True)[1]
    values = np.unique(table[~np.isnan(table)])
    n = table.shape[1]
    if n == 0:
        return Estimate(None, None, None, 0, "no unit was rated by two raters")
    if len(values) == 1:
        return Estimate(None, None, None, n, f"every rating is {values[0]:g}, so nothing could have differed")
    by_cluster = _coincidences(table, values, codes)
    chunk = max(1, _CELLS // len(values) ** 2)

    def alphas(weights: F64) -> F64:
        parts = [
            _alpha(np.einsum("rg,gkl->rkl", weights[start : start + chunk], by_cluster), values, scale)
            for start in range(0, len(weights), chunk)
        ]
        return np.concatenate(parts)[:, None]

    (estimate,) = bca_statistic(alphas, len(by_cluster), rng=rng, resamples=resamples)
    return Estimate(estimate.value, estimate.low, estimate.high, n, estimate.reason)


def _coincidences(table: F64, values: F64, codes: np.ndarray) -> F64:
    """Shape (clusters, values, values): pairs of ratings of a unit, each unit weighing as many as it has."""
    counts = (table[:, :, None] == values).sum(axis=0).astype(np.float64)
    of_unit = np.einsum("uk,ul->ukl", counts, counts)
    own = np.arange(len(values))
    of_unit[:, own, own] -= counts
    of_unit /= (counts.sum(axis=1) - 1)[:, None, None]
    by_cluster = np.zeros((int(codes.max()) + 1, len(values), len(values)))
    np.add.at(by_cluster, codes, of_unit)
    return by_cluster


def _alpha(coincidences: F64, values: F64, scale: Scale) -> F64:
    """Shape (tables,); NaN where all ratings are the same."""
    totals = coincidences.sum(axis=2)
    apart = _distances(totals, values, scale)
    observed = (coincidences * apart).sum(axis=(1, 2))
    expected = (totals[:, :, None] * totals[:, None, :] * apart).sum(axis=(1, 2))
    with np.errstate(invalid="ignore", divide="ignore"):
        ratio: F64 = (totals.sum(axis=1) - 1) * observed / expected
    return 1 - ratio


def _distances(totals: F64, values: F64, scale: Scale) -> F64:
    """Shape (tables or 1, values, values), squared; those of ranks depend on how many ratings lie between."""
    if scale == "nominal":
        return 1 - np.eye(len(values))[None]
    places = values[None] if scale == "interval" else np.cumsum(totals, axis=1) - totals / 2
    squares: F64 = np.square(places[:, :, None] - places[:, None, :])
    return squares
