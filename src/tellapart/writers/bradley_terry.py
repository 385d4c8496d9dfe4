"""Strengths from games of two: who beats whom, and how often."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tellapart.core.arrays import F64
from tellapart.core.estimate import EstimateWithError
from tellapart.core.stats.bootstrap import bca_statistic
from tellapart.core.stats.samples import Clusters, cluster_codes

_TOLERANCE = 1e-10
_MOST_STEPS = 100_000


def bradley_terry(points: ArrayLike) -> F64:
    """Give the strengths under which just these points are most likely; a tie is half a point for either.

    Args:
        points: Shape (..., players, players): what the player of a row got against that of a column, 0 or
            more; the diagonal is 0.

    Returns:
        Shape (..., players), natural logarithms with mean 0: the stronger of two wins a share
        ``1 / (1 + exp(-difference))`` of the points. NaN for all players of a table where the players fall
        into two sets of which one never got a point from the other: then no finite strengths are most likely.

    Source:
        Bradley and Terry 1952, "Rank analysis of incomplete block designs"; the iteration of Newman 2023,
        "Efficient computation of rankings from pairwise comparisons", equation 25, which reaches the same
        strengths as Zermelo's of 1929 in far fewer steps; when there is an answer, Ford 1957, "Solution of a
        ranking problem from binary comparisons".
    """
    won = np.asarray(points, dtype=np.float64)
    if won.ndim < 2 or won.shape[-1] != won.shape[-2] or not np.isfinite(won).all() or (won < 0).any():
        raise ValueError(f"points have shape {won.shape}, expected (..., players, players) of 0 or more.")
    players = won.shape[-1]
    tables = won.reshape(-1, players, players) * (1 - np.eye(players))
    strengths = np.full(tables.shape[:2], np.nan)
    left = np.flatnonzero(_is_connected(tables > 0))
    won, now = tables[left], np.ones((len(left), players))
    for _ in range(_MOST_STEPS):
        if not len(left):
            break
        after = now.copy()
        # One player after the other: all at the same time, two players would swap places for ever.
        for i in range(players):
            sums = after[:, [i]] + after
            after[:, i] = (won[:, i] * after / sums).sum(axis=1) / (won[:, :, i] / sums).sum(axis=1)
        after /= np.exp(np.log(after).mean(axis=1, keepdims=True))
        moved = np.abs(np.log(after / now)).max(axis=1)
        now = after
        still = moved > _TOLERANCE
        if not still.all():
            strengths[left[~still]] = np.log(now[~still])
            left, won, now = left[still], won[still], now[still]
    return strengths.reshape(*np.shape(points)[:-1])


def bradley_terry_estimates(
    points: ArrayLike,
    clusters: Clusters | None = None,
    *,
    rng: np.random.Generator,
    resamples: int = 1000,
) -> tuple[EstimateWithError, ...]:
    """Give strengths with intervals, resampling whole clusters of games.

    Args:
        points: Shape (games, players, players), what each game, or set of games, brought whom from whom.
        clusters: Shape (games,), labels of games that share a source; None means that none do.
        rng: Draws the resamples.
        resamples: Number of resamples.

    Returns:
        One a player, with intervals at 95 %: BCa, or where some resamples have no finite strengths, between
        percentiles of all resamples, of which those lie beyond the ends. An end that falls among these is
        None, with a reason.
    """
    games = np.asarray(points, dtype=np.float64)
    codes, n_clusters = cluster_codes(clusters, len(games))
    players = games.shape[1]
    by_cluster = np.zeros((n_clusters, players * players))
    np.add.at(by_cluster, codes, games.reshape(len(games), -1))

    def strengths(weights: F64) -> F64:
        # Not `@`, whose sums depend on the number of threads.
        totals = np.einsum("rg,gc->rc", weights, by_cluster)
        tables = totals.reshape(-1, players, players)
        fitted = bradley_terry(tables)
        endless = np.isnan(fitted).any(axis=1)
        reached = _reached(tables[endless] > 0)
        fitted[endless] = np.where(
            reached.all(axis=2), np.inf, np.where(reached.all(axis=1), -np.inf, fitted[endless])
        )
        return fitted

    return bca_statistic(strengths, n_clusters, rng=rng, resamples=resamples, open_ended=True)


def _is_connected(beat: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Shape (tables,), whether a chain of points leads from every player to every other."""
    return _reached(beat).all(axis=(1, 2))  # type: ignore[return-value]


def _reached(beat: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Shape (tables, players, players), whether a chain of points leads from the row's to the column's."""
    players = beat.shape[-1]
    reached: NDArray[np.bool_] = np.logical_or(beat, np.eye(players, dtype=np.bool_))
    for _ in range(max(players - 1, 1).bit_length()):
        reached = np.einsum("tij,tjk->tik", reached, reached)
    return reached
