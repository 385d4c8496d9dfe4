"""Permutation test of whether outcomes go with where things stand, within blocks of comparable ones."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from tellapart.core.arrays import F64, I64
from tellapart.core.stats.intervals import Clusters, chunk_sizes, cluster_codes, finite_values

_TIE = 1e-9


@dataclass(frozen=True)
class BlockPermutation:
    """What permuting outcomes within blocks shows.

    Attributes:
        p: Two-sided, of "no contrast matters", in (0, 1]; ``None`` when ``reason`` says why.
        z: Each contrast's sum over its standard deviation under permutation, positive where higher values
            of the contrast go with higher outcomes; ``None`` for one that cannot vary.
        reason: Why there is no p.
    """

    p: float | None
    z: tuple[float | None, ...]
    draws: int
    reason: str | None = None


def block_permutation(
    values: ArrayLike,
    contrasts: ArrayLike,
    blocks: Clusters,
    *,
    rng: np.random.Generator,
    draws: int = 2000,
) -> BlockPermutation:
    """Test whether outcomes depend on any of a few contrasts, by permuting them within blocks.

    The statistic is the largest absolute z over the contrasts, so that one p holds for all of them: they may
    overlap, and adding one costs power but no validity. p is (b + 1) / (draws + 1), b the draws whose
    statistic is at least that found; statistics closer than one in 10^9 are ties, and ties count. The order
    of the outcomes changes nothing. ``values`` has shape (n,), ``contrasts`` (n, k), of which only
    differences within a block count; a block of one tells nothing.

    Returns:
        The test. No p, and a reason, where outcomes or contrasts do not vary within any block.

    Source:
        Pitman 1937, "Significance tests which may be applied to samples from any populations"; the largest of
        several standardised sums as in Westfall and Young 1993, "Resampling-based multiple testing"; (b +
        1) / (draws + 1) from Phipson and Smyth 2010, "Permutation p-values should never be zero".
    """
    outcomes = finite_values(values, "values")
    columns = np.asarray(contrasts, dtype=np.float64)
    if columns.ndim != 2 or len(columns) != len(outcomes) or not np.isfinite(columns).all():
        raise ValueError(
            f"contrasts has shape {columns.shape}, expected ({len(outcomes)}, k) of finite numbers: "
            "a row an outcome."
        )
    codes, n_blocks = cluster_codes(blocks, len(outcomes))
    order = np.lexsort([*columns.T, outcomes, codes])
    codes = codes[order]
    r = _centred(outcomes[order, None], codes, n_blocks)
    c = _centred(columns[order], codes, n_blocks)
    sd = np.sqrt(_variance(r, c, codes, n_blocks))
    # Centring leaves rounding noise where nothing varies.
    varies = sd > 1e-12 * max(np.abs(r).max(initial=0.0), 1e-300) * np.abs(columns).max(initial=0.0)
    if not varies.any():
        return BlockPermutation(None, (None,) * len(sd), 0, "nothing varies within a block")
    c, sd = c[:, varies], sd[varies]
    z = np.einsum("n,nk->k", r[:, 0], c) / sd
    least = np.abs(z).max() * (1 - _TIE)
    sums = _permuted_sums(r[:, 0], c, np.bincount(codes, minlength=n_blocks), rng, draws)
    above = int((np.abs(sums / sd).max(axis=1) >= least).sum())
    scores = iter(z.tolist())
    return BlockPermutation(
        (above + 1) / (draws + 1), tuple(next(scores) if defined else None for defined in varies), draws
    )


def _centred(values: F64, codes: I64, n_blocks: int) -> F64:
    """Each column less its mean in the block."""
    sizes = np.bincount(codes, minlength=n_blocks)
    sums = np.stack([np.bincount(codes, weights=column, minlength=n_blocks) for column in values.T])
    centred: F64 = values - (sums / np.maximum(sizes, 1)).T[codes]
    return centred


def _variance(r: F64, c: F64, codes: I64, n_blocks: int) -> F64:
    """Variance of each contrast's sum over all permutations within blocks."""
    spread = [np.bincount(codes, weights=np.square(column), minlength=n_blocks) for column in (*r.T, *c.T)]
    free = np.maximum(np.bincount(codes, minlength=n_blocks) - 1, 1)
    variance: F64 = np.array([(spread[0] * of_contrast / free).sum() for of_contrast in spread[1:]])
    return variance


def _permuted_sums(r: F64, c: F64, sizes: I64, rng: np.random.Generator, draws: int) -> F64:
    """Shape (draws, k): sums of outcomes times contrasts; blocks lie one after the other."""
    starts = np.cumsum(sizes) - sizes
    sums = np.zeros((draws, c.shape[1]))
    for size in np.unique(sizes[sizes > 1]):
        rows = starts[sizes == size][:, None] + np.arange(size)
        outcomes, contrasts = r[rows], c[rows]
        at = 0
        for some in chunk_sizes(draws, rows.size):
            drawn = rng.permuted(np.tile(outcomes, (some, 1)), axis=1).reshape(some, -1)
            sums[at : at + some] += np.einsum("dn,nk->dk", drawn, contrasts.reshape(rows.size, -1))
            at += some
    return sums
