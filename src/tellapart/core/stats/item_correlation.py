"""Whether an item ranks the models as the other items do."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import gammaln, stdtr, stdtrit

from tellapart.core.arrays import F64, I64

FEWEST_MODELS = 4
"""Of three models every order has a chance of 1/6 or more, so no correlation could be told from luck."""

# A standard deviation below this share of the greatest score, or of that with models left in, is rounding.
_ROUNDING = 1e-12
_CANCELLED = 1e-6

_CELLS_A_BLOCK = 1 << 18


@dataclass(frozen=True)
class _Sums:
    """Over the models, by item: count, means, and sums of squares and products about the means.

    ``x`` is a model's score on the item and ``y`` its mean over its other items.
    """

    scores: F64
    totals: F64
    counts: I64
    scale: float
    n: I64
    x: F64
    y: F64
    xx: F64
    yy: F64
    xy: F64

    def deviations(self, row: int) -> tuple[F64, F64]:
        """A model's deviations from the means of x and of y; NaN where it has no part."""
        x = self.scores[row]
        return x - self.x, _rest(x, self.totals[row], self.counts[row]) - self.y


@dataclass(frozen=True)
class RestCorrelations:
    """Of each item, how the models' scores on it go with their means over the other items.

    Attributes:
        r: Shape (items,), Pearson's correlation over models, in [-1, 1]; NaN below ``FEWEST_MODELS`` and
            where the scores on the item, or the means, do not vary.
        n: Shape (items,), the models that have a score on the item and on another one.
    """

    r: F64
    n: I64
    _sums: _Sums = field(repr=False)
    _left_out: tuple[int, ...] = field(repr=False, default=())

    def without(self, *rows: int) -> RestCorrelations:
        """Leave models out, as where two are to be compared on items that the others have chosen.

        From the sums over all models, so it takes a few passes over the items however many models there are.
        A model's mean over the other items is its own and stays.

        Args:
            rows: Of the models, from 0.
        """
        left_out = self._left_out + rows
        if len(set(left_out)) < len(left_out):
            raise ValueError(f"The models {left_out!r} are left out, expected each of them once.")
        s = self._sums
        n, xx, yy, xy = s.n, s.xx, s.yy, s.xy
        x, y = np.zeros(len(n)), np.zeros(len(n))
        for row in left_out:
            dx, dy = s.deviations(row)
            out = np.isnan(dx) | np.isnan(dy)
            dx[out], dy[out] = 0.0, 0.0
            n = n - ~out
            x, y, xx, yy, xy = x - dx, y - dy, xx - dx * dx, yy - dy * dy, xy - dx * dy
        left = np.maximum(n, 1)
        xx, yy, xy = xx - x * x / left, yy - y * y / left, xy - x * y / left
        least = (s.xx * _CANCELLED**2, s.yy * _CANCELLED**2)
        return RestCorrelations(_correlation(n, xx, yy, xy, s.scale, least), n, s, left_out)

    def p_negative(self) -> F64:
        """Test each item against ranking the models backwards.

        Student's t with n - 2 degrees of freedom, which takes the models' means for normal; but never less
        than the chance of one arrangement of the item's scores over the models, 1 over the number of
        different ones, below which no p of a permutation can be. That keeps a single odd model from
        condemning the items that it alone solves.

        Returns:
            Shape (items,), one-sided p, small where the correlation is negative; NaN where ``r`` is.
        """
        return self._p(np.arange(len(self.r)))

    def negative(self, rate: float = 0.05) -> NDArray[np.bool_]:
        """Find the items that rank the models backwards.

        Args:
            rate: Expected share of false finds among all finds, in (0, 1), by Benjamini and Hochberg over the
                items whose correlation is defined.

        Returns:
            Shape (items,).
        """
        m = int(np.count_nonzero(~np.isnan(self.r)))
        degrees = np.maximum(np.arange(int(self.n.max(initial=0)) + 1) - 2.0, 1.0)
        t = stdtrit(degrees, rate)
        # A p above the rate is never a find, and most are: only the others are worth a tail.
        near = np.flatnonzero(self.r <= (t / np.sqrt(degrees + t * t))[self.n] + 1e-9)
        near = near[_finds(_p_of_t(self.r[near], self.n[near]), m, rate)]
        flags = np.zeros(len(self.r), dtype=bool)
        flags[near[_finds(self._p(near), m, rate)]] = True
        return flags

    def _p(self, items: NDArray[np.intp]) -> F64:
        r, n = self.r[items], self.n[items]
        p = _p_of_t(r, n)
        # The rarest arrangement, one odd model, has a chance of 1/n; a p above that is above them all.
        low = np.flatnonzero(p < 1 / np.maximum(n, 1))
        rows = np.setdiff1d(np.arange(len(self._sums.scores)), self._left_out)
        for some in _blocks(len(low), len(rows)):
            at = low[some]
            log_orders = _log_arrangements(self._in_part(rows, items[at]))
            p[at] = np.maximum(p[at], np.exp(-log_orders))
        return p

    def _in_part(self, rows: NDArray[np.intp], items: NDArray[np.intp]) -> F64:
        scores = self._sums.scores[np.ix_(rows, items)]
        scores[self._sums.counts[rows] < 2] = np.nan
        return scores


def rest_correlations(scores: ArrayLike) -> RestCorrelations:
    """Correlate the models' scores on each item with their means over the other items.

    The corrected item-total correlation, in which the item is no part of the total. Where scores are missing,
    the total is the mean over those of the other items that the model has a score on, so a model that missed
    hard items passes for better than it is.

    Args:
        scores: Shape (models, items), finite or NaN for missing; may be empty.

    Returns:
        A correlation an item.

    Source:
        Henrysson 1963, "Correction of item-total correlations in item analysis".
    """
    x = np.asarray(scores, dtype=np.float64)
    if x.ndim != 2:
        raise ValueError(f"scores has shape {x.shape}, expected two dimensions: models and items.")
    present = ~np.isnan(x)
    totals = np.array([np.where(has, row, 0.0).sum() for has, row in zip(present, x, strict=True)])
    counts = present.sum(axis=1)
    scale = max(
        (float(np.abs(row[has]).max(initial=0.0)) for has, row in zip(present, x, strict=True)), default=0.0
    )
    sums = _sums(x, totals, counts, scale)
    r = _correlation(sums.n, sums.xx, sums.yy, sums.xy, scale)
    return RestCorrelations(r, sums.n, sums)


def _sums(scores: F64, totals: F64, counts: I64, scale: float) -> _Sums:
    items = scores.shape[1]
    n = np.zeros(items, dtype=np.int64)
    x, y, xx, yy, xy = (np.zeros(items) for _ in range(5))
    for some in _blocks(items, len(scores)):
        dx = scores[:, some].copy()
        dy = _rest(dx, totals[:, None], counts[:, None])
        out = np.isnan(dx) | np.isnan(dy)
        dx[out], dy[out] = 0.0, 0.0
        n[some] = (~out).sum(axis=0)
        for values, mean in ((dx, x), (dy, y)):
            mean[some] = values.sum(axis=0) / np.maximum(n[some], 1)
            values -= mean[some]
            values[out] = 0.0
        xx[some], yy[some], xy[some] = (dx * dx).sum(axis=0), (dy * dy).sum(axis=0), (dx * dy).sum(axis=0)
    return _Sums(scores, totals, counts, scale, n, x, y, xx, yy, xy)


def _rest(x: F64, total: F64, count: I64) -> F64:
    """Mean over the model's other items; NaN where there are none."""
    others = np.where(count > 1, count - 1, np.nan)
    mean: F64 = (total - x) / others
    return mean


def _correlation(
    n: I64, xx: F64, yy: F64, xy: F64, scale: float, least: tuple[F64, F64] | tuple[float, float] = (0.0, 0.0)
) -> F64:
    rounding = n * (_ROUNDING * scale) ** 2
    varies = (xx > np.maximum(rounding, least[0])) & (yy > np.maximum(rounding, least[1]))
    defined = varies & (n >= FEWEST_MODELS)
    r = np.full(len(n), np.nan)
    np.divide(xy, np.sqrt(np.where(defined, xx * yy, 1.0)), out=r, where=defined)
    return np.asarray(np.clip(r, -1.0, 1.0), dtype=np.float64)


def _p_of_t(r: F64, n: I64) -> F64:
    degrees = np.maximum(n - 2.0, 1.0)
    with np.errstate(divide="ignore"):
        t: F64 = r * np.sqrt(degrees) / np.sqrt((1 - r) * (1 + r))
    return np.asarray(stdtr(degrees, t), dtype=np.float64)


def _finds(p: F64, m: int, rate: float) -> NDArray[np.bool_]:
    """Benjamini and Hochberg's finds among m tests of which those not given have a p above the rate."""
    ordered = np.sort(p)
    holds = np.flatnonzero(ordered <= rate * np.arange(1, len(p) + 1) / max(m, 1))
    greatest = ordered[holds[-1]] if len(holds) else -1.0
    return np.asarray(p <= greatest)


def _log_arrangements(scores: F64) -> F64:
    """Log of the number of ways to deal each column's known values out over the rows that have one."""
    ordered = np.sort(scores, axis=0)
    n = (~np.isnan(ordered)).sum(axis=0)
    logs = gammaln(n + 1.0)
    run = np.ones(ordered.shape[1])
    for above, value in zip(ordered[:-1], ordered[1:], strict=True):
        run = np.where(value == above, run + 1, 1.0)
        logs -= np.log(run)
    return np.asarray(logs)


def _blocks(items: int, models: int) -> list[slice]:
    size = max(1, _CELLS_A_BLOCK // max(models, 1))
    return [slice(start, start + size) for start in range(0, items, size)]
