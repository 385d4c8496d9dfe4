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

    ``p`` is of "no contrast matters", or None for a ``reason``. ``z`` is each contrast's sum over its
    standard deviation under permutation, positive where higher values of it go with higher outcomes; None for
    one that cannot vary.
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
    outcomes, columns = finite_values(values, "values"), np.asarray(contrasts, dtype=np.float64)
    codes, n_blocks = cluster_codes(blocks, len(outcomes))
    order = np.lexsort([*columns.T, outcomes, codes])
    codes = codes[order]
    sizes = np.bincount(codes, minlength=n_blocks)
    r, *cs = (_centred(column, codes, sizes) for column in (outcomes[order], *columns[order].T))
    c = np.column_stack(cs)
    spread_r, *spread_c = (np.bincount(codes, weights=np.square(of), minlength=n_blocks) for of in (r, *cs))
    free = np.maximum(sizes - 1, 1)
    sd = np.sqrt([(spread_r * of_contrast / free).sum() for of_contrast in spread_c])
    # Centring leaves rounding noise where nothing varies.
    varies = sd > 1e-12 * max(np.abs(r).max(initial=0.0), 1e-300) * np.abs(columns).max(initial=0.0)
    if not varies.any():
        return BlockPermutation(None, (None,) * len(sd), 0, "nothing varies within a block")
    c, sd = c[:, varies], sd[varies]
    z = r @ c / sd
    least = np.abs(z).max() * (1 - _TIE)
    sums = _permuted_sums(r, c, sizes, rng, draws)
    above = int((np.abs(sums / sd).max(axis=1) >= least).sum())
    scores = iter(z.tolist())
    of_each = tuple(next(scores) if defined else None for defined in varies)
    return BlockPermutation((above + 1) / (draws + 1), of_each, draws)


def _centred(values: F64, codes: I64, sizes: I64) -> F64:
    """Values less their mean in the block."""
    means = np.bincount(codes, weights=values, minlength=len(sizes)) / np.maximum(sizes, 1)
    centred: F64 = values - means[codes]
    return centred


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
