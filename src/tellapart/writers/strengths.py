"""Strengths from pairs of summaries: who beats whom, and how often."""

from __future__ import annotations

import numpy as np
import polars as pl
from scipy.sparse.csgraph import connected_components

from tellapart.core.arrays import F64
from tellapart.core.estimate import Estimate
from tellapart.core.stats.bootstrap import bca_statistic
from tellapart.core.stats.samples import cluster_codes
from tellapart.errors import UsageError

ONE_SIDED = "some writers never got a point from the others, so strengths have no end"
NO_END = "in some resamples a writer never gets a point from the others, and strengths have no end"


def bradley_terry(
    pairs: pl.DataFrame, *, rng: np.random.Generator, resamples: int = 1000
) -> dict[str, Estimate]:
    """Give the strengths of Bradley and Terry by writer, with intervals that resample whole files.

    Args:
        pairs: One row a pair of summaries: writers ``a`` and ``b``, what ``a`` got in either order
            (``a_first``, ``a_second``: 1, 0.5 or 0), and ``path``.
        rng: Draws the resamples.
        resamples: Number of resamples.

    Returns:
        Natural logarithms with mean 0: the stronger of two wins a share ``1 / (1 + exp(-difference))`` of the
        points, a tie being half a point for either. No value, and a reason, where the writers fall into two
        sets of which one never got a point from the other: then no finite strengths are most likely (Ford
        1957). No interval where that is so in some resample.

    Raises:
        UsageError: evalica is not installed.
    """
    try:
        import evalica
    except ModuleNotFoundError:
        raise UsageError(
            "strengths of pairs need evalica, which is not installed",
            next_step="pip install 'tellapart[llm]'",
        ) from None
    names = sorted({*pairs["a"], *pairs["b"]})
    if len(names) < 2:
        return {}
    verdicts = pl.concat(
        pairs.select("a", "b", "path", points=pl.col(order).cast(pl.Float64))
        for order in ("a_first", "a_second")
    )
    outcomes = verdicts.select("a", "b", "points").unique().sort("a", "b", "points")
    which = verdicts.join(outcomes.with_row_index("outcome"), on=["a", "b", "points"], maintain_order="left")
    codes, n_clusters = cluster_codes(verdicts["path"].to_list(), verdicts.height)
    counts = np.zeros((n_clusters, outcomes.height))
    np.add.at(counts, (codes, which["outcome"].to_numpy()), 1)
    a, b = ([names.index(name) for name in outcomes[side]] for side in ("a", "b"))
    points = outcomes["points"].to_numpy()
    winner = {1.0: evalica.Winner.X, 0.5: evalica.Winner.Draw, 0.0: evalica.Winner.Y}
    winners = [winner[value] for value in points]

    def strengths(weights: F64) -> F64:
        fitted = np.full((len(weights), len(names)), np.nan)
        # Not `@`, whose sums depend on the number of threads.
        for row, times in enumerate(np.einsum("rc,co->ro", weights, counts)):
            won = np.zeros((len(names), len(names)))
            np.add.at(won, (a, b), times * points)
            np.add.at(won, (b, a), times * (1 - points))
            if connected_components(won > 0, connection="strong")[0] == 1:
                result = evalica.bradley_terry(a, b, winners, weights=times, tolerance=1e-10, limit=100_000)
                logs = np.log(result.scores.sort_index().to_numpy())
                fitted[row] = logs - logs.mean()
        return fitted

    estimates = bca_statistic(strengths, n_clusters, rng=rng, resamples=resamples)
    return {name: _plain(estimate) for name, estimate in zip(names, estimates, strict=True)}


def _plain(estimate: Estimate) -> Estimate:
    reason = estimate.reason
    if estimate.value is None:
        reason = ONE_SIDED
    elif reason and reason.startswith("undefined in"):
        reason = NO_END
    return Estimate(estimate.value, estimate.low, estimate.high, estimate.n, reason)
