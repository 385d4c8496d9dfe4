"""The models in order, with what the order is worth."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import combinations
from math import fsum

import numpy as np
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits

from tellapart.audit.options import AuditOptions
from tellapart.audit.results import OpenEnds, Order, Ranked, finite_ends
from tellapart.core.arrays import F64, I64
from tellapart.core.comparison import Comparison, PairComparison, Verdict
from tellapart.core.comparison.compare import MOST_VALUES, sorting_columns, with_notes, within_primary
from tellapart.core.comparison.labels import corrected_mean
from tellapart.core.comparison.pairs import pair_key
from tellapart.core.comparison_settings import ComparisonSettings
from tellapart.core.estimate import Interval
from tellapart.core.randomness import generator
from tellapart.core.score_grid import ScoreGrid
from tellapart.core.stats import ClusteredEstimate, clustered_mean, clustered_rate

LEVEL = 0.95
"""Of the interval of a mean."""

_TIED = 1e-12
"""Means that differ by less than this share of the greatest of them are equal but for rounding."""


@dataclass(frozen=True)
class Ranking:
    """The order of the models.

    Attributes:
        models: Best first; equal means in the order of names; models without a score last.
        separated_arena_hard: Share of pairs whose intervals do not overlap, or None.
        signal_to_noise: Greatest difference between two means over the noise of a mean, or None.
    """

    models: tuple[Ranked, ...]
    separated_arena_hard: float | None
    signal_to_noise: float | None


def rank(grid: ScoreGrid, pairs: Sequence[PairComparison]) -> Ranking:
    """Rank the models by their mean over the items that each has a score on.

    Source:
        Rank intervals: 1 + the number of models that are better to the number of those that are not worse, by
        the verdicts, as in Mogstad, Romano, Shaikh and Wilhelm 2024, "Inference for Ranks with Applications
        to Mobility across Neighbourhoods and Academic Achievement across Countries", and Al Mohamad, van
        Zwet, Goeman and Solari 2022, "Simultaneous confidence sets for ranks using the partitioning
        principle". Verdicts that are all right at once, which Holm's correction gives with chance 1 - alpha,
        make all the intervals right at once. A verdict that is withheld orders nothing.
    """
    means = means_of(grid)
    ranks = ranks_of(means)
    spans = _rank_intervals(grid.models, ranks, pairs)
    errors, intervals = _doubts(grid, ranks)
    ranked = []
    for i in sorted(range(len(means)), key=lambda i: (ranks[i] is None, ranks[i] or 0, i)):
        ranked.append(
            Ranked(
                model=grid.models[i],
                n=int(np.count_nonzero(~np.isnan(grid.scores[i]))),
                mean=means[i],
                ci=intervals[i],
                bounds=_bounds(grid, i, means[i]),
                rank=ranks[i],
                rank_ci=spans[i],
            )
        )
    return Ranking(tuple(ranked), _share_apart(intervals), _signal_to_noise(means, errors))


def rank_as_compared(
    grid: ScoreGrid, comparison: Comparison | None, settings: ComparisonSettings | None = None
) -> tuple[Ranked, ...]:
    """Rank the models on the items that a verdict is about; none without a verdict.

    Args:
        settings: Those that the models were compared with.
    """
    if comparison is None or not comparison.primary.declared:
        return ()
    part = within_primary(grid, with_notes(settings or ComparisonSettings(), grid))
    return rank(part, comparison.primary.pairs).models


def _doubts(grid: ScoreGrid, ranks: Sequence[int | None]) -> tuple[list[float | None], list[Interval | None]]:
    """Give each mean's standard error and interval.

    The lower end of those that rank first is lower: the highest mean of several is too high by luck.

    Source:
        Bonferroni's correction over all models for the lower end, which alone their number makes too high.
    """
    outside = 1 - LEVEL
    among = outside / max(1, sum(rank is not None for rank in ranks))
    errors: list[float | None] = []
    intervals: list[Interval | None] = []
    is_binary = bool((np.isnan(grid.scores) | (grid.scores == 0) | (grid.scores == 1)).all())
    of_level: Callable[[float], Interval | None] | None
    for row, (scores, rank) in enumerate(zip(grid.scores, ranks, strict=True)):
        if grid.human is not None:
            labelled = corrected_mean(grid, row)
            error = None if labelled is None else labelled.standard_error
            of_level = None if labelled is None else labelled.interval
        else:
            of_scores = (scores[~np.isnan(scores)], grid.clusters[~np.isnan(scores)])
            error = clustered_mean(*of_scores).standard_error
            of_level = partial(_interval, clustered_rate if is_binary else clustered_mean, *of_scores)
        interval = of_level(outside) if of_level else None
        lower = of_level(among) if of_level and rank == 1 else None
        if interval and lower:
            interval = Interval(lower.low, interval.high)
        errors.append(error)
        intervals.append(interval and interval.within(*grid.limits))
    return errors, intervals


def _interval(
    of: Callable[..., ClusteredEstimate], scores: F64, clusters: I64, outside: float
) -> Interval | None:
    return of(scores, clusters, level=1 - outside).interval


def means_of(grid: ScoreGrid) -> list[float | None]:
    """Give each model's mean score, corrected where people labelled some; None where it is not known."""
    if grid.human is None:
        return [mean_of(scores) for scores in grid.scores]
    means = [corrected_mean(grid, row) for row in range(len(grid.models))]
    low, high = grid.limits
    return [None if mean is None else min(max(mean.estimate, low), high) for mean in means]


def mean_of(values: F64) -> float | None:
    """Give the mean of those that are defined, or None."""
    defined = values[~np.isnan(values)]
    return float(defined.mean()) if len(defined) else None


def _bounds(grid: ScoreGrid, row: int, mean: float | None) -> OpenEnds | None:
    """The mean if every missing score were the worst, and the best; labels move both like the mean."""
    lowest, highest, judged = map(mean_of, (grid.low[row], grid.high[row], grid.scores[row]))
    if lowest is None or highest is None:
        return None
    moved = 0.0 if grid.human is None or mean is None or judged is None else mean - judged
    return finite_ends((lowest + moved, highest + moved))


def ranks_of(means: Sequence[float | None]) -> list[int | None]:
    """Rank from 1, the highest first; means that are equal but for rounding share the best rank."""
    defined = sorted((mean for mean in means if mean is not None), reverse=True)
    # Sums of the same scores in another order may differ in the last bits.
    slack = _TIED * max((abs(mean) for mean in defined), default=0.0)
    best: dict[float, int] = {}
    for position, mean in enumerate(defined):
        tied = position > 0 and defined[position - 1] - mean <= slack
        best[mean] = best[defined[position - 1]] if tied else position + 1
    return [None if mean is None else best[mean] for mean in means]


def _rank_intervals(
    models: tuple[str, ...], ranks: list[int | None], pairs: Sequence[PairComparison]
) -> list[tuple[int, int] | None]:
    better, worse = Counter[str](), Counter[str]()
    for pair in pairs:
        if pair.is_separated:
            a_wins = pair.verdict is Verdict.A_BETTER
            better[pair.b if a_wins else pair.a] += 1
            worse[pair.a if a_wins else pair.b] += 1
    ranked = sum(rank is not None for rank in ranks)
    return [
        None if rank is None else (1 + better[model], ranked - worse[model])
        for model, rank in zip(models, ranks, strict=True)
    ]


def _share_apart(intervals: list[Interval | None]) -> float | None:
    """Give the share of pairs whose intervals do not overlap, or None where no two models have one.

    A pair in which a model has no interval, because its scores do not vary, say, is not apart.

    Source:
        Li et al. 2024, "From Crowdsourced Data to High-Quality Benchmarks: Arena-Hard and BenchBuilder
        Pipeline", separability with confidence. Deviation: their intervals are from the bootstrap.
    """
    if sum(interval is not None for interval in intervals) < 2:
        return None
    pairs = list(combinations(intervals, 2))
    return sum(a is not None and b is not None and _are_apart(a, b) for a, b in pairs) / len(pairs)


def _are_apart(a: Interval, b: Interval) -> bool:
    return a.high < b.low or b.high < a.low


def _signal_to_noise(means: list[float | None], errors: list[float | None]) -> float | None:
    """Give the greatest difference between two means over the noise of a mean.

    Source:
        Heineman et al. 2025, "Signal and Noise: A Framework for Reducing Uncertainty in Language Model
        Evaluation". Deviation: their noise is the spread of one model's score over its last training
        checkpoints; ours is that of drawing other items: the root mean square, over the models whose scores
        vary, of the standard error of the mean. Both parts of theirs are divided by a mean score.
    """
    defined = [mean for mean in means if mean is not None]
    defined_errors = [error for error in errors if error is not None]
    if len(defined) < 2 or not defined_errors:
        return None
    noise = float(np.sqrt(np.mean(np.square(defined_errors))))
    return (max(defined) - min(defined)) / noise


SPLITS = 100
"""Random halves that a figure is the mean over."""

_BLOCK = 1 << 22
"""Assignments to halves that are held at once."""


def rank_stability(grid: ScoreGrid, backwards: Sequence[str], options: AuditOptions) -> Order:
    """Compare the order of the models' means with itself.

    Between strata, between random halves of the items, and with and without those that rank the models
    backwards. A figure takes three models with a score: two have only one order and its reverse. Columns of
    more than ``MOST_VALUES`` kinds are left out. Means within 1e-9 of the greatest score tie.

    A half is made of whole clusters, as many as come nearest to half of the items. With few models a single
    split says more of its draw than of the items, so tau and correlation are means over ``SPLITS`` splits.
    The mean is stepped up, not the single values: the step is steep below 0, where few of them would rule.

    Source:
        Kendall 1945 for tau-b; Spearman 1910 and Brown 1910 for 2 r / (1 + r).
    """
    tau, correlation, stepped_up, reason = _halves(grid, options.seed)
    return Order(
        between_strata={
            column: _between(grid, column)
            for column in sorting_columns(grid, options.by)
            if len(grid.strata[column].values) <= MOST_VALUES
        },
        halves_tau=tau,
        halves_correlation=correlation,
        spearman_brown=stepped_up,
        without_flagged=_without(grid, np.isin(grid.items, backwards)),
        reason=reason,
    )


def tau_of_means(left: F64, right: F64, grid: ScoreGrid) -> list[float | None]:
    """Compare orders of means; means within 1e-9 of the greatest score tie."""
    greatest = float(np.nanmax(np.abs(grid.scores), initial=0.0)) or 1.0
    return kendall_tau_b(np.round(left / greatest, 9), np.round(right / greatest, 9))


def _between(grid: ScoreGrid, column: str) -> dict[str, float | None]:
    kinds, codes = grid.strata[column].values, grid.strata[column].codes
    means = np.array([_means(grid, codes == code) for code in range(len(kinds))]).reshape(len(kinds), -1)
    left, right = np.triu_indices(len(kinds), 1)
    keys = (pair_key(*pair) for pair in combinations(kinds, 2))
    return dict(zip(keys, tau_of_means(means[left], means[right], grid), strict=True))


def _without(grid: ScoreGrid, flagged: NDArray[np.bool_]) -> float | None:
    """tau-b between all items and those that are not flagged; None without a flagged one."""
    if not flagged.any():
        return None
    return tau_of_means(_means(grid, np.ones_like(flagged))[None], _means(grid, ~flagged)[None], grid)[0]


def _means(grid: ScoreGrid, some: NDArray[np.bool_]) -> F64:
    """Mean of each model over some items; NaN without a score."""
    scores = grid.scores[:, some]
    counts = (~np.isnan(scores)).sum(axis=1)
    return np.where(counts > 0, np.nansum(scores, axis=1) / np.maximum(counts, 1), np.nan)


def _halves(grid: ScoreGrid, seed: int) -> tuple[float | None, float | None, float | None, str]:
    """Mean tau-b between halves, mean correlation, that stepped up, and why any of them is not known."""
    scored = ~np.isnan(grid.scores)
    if np.count_nonzero(scored.any(axis=1)) < LEAST:
        return None, None, None, f"fewer than {LEAST} models have scores, and two have only one order"
    _, cluster, sizes = np.unique(grid.clusters, return_inverse=True, return_counts=True)
    if len(sizes) < 2:
        return None, None, None, "all items are of one source, which is not split"
    sums, counts = (
        np.array([np.bincount(cluster, weights=row, minlength=len(sizes)) for row in rows])
        for rows in (np.where(scored, grid.scores, 0.0), scored.astype(np.float64))
    )
    taus: list[float | None] = []
    correlations: list[float | None] = []
    for first in _first_halves(sizes, generator(seed, "halves")):
        # Threads of a product this small mostly wait for one another where cores are busy.
        with threadpool_limits(1, user_api="blas"):
            left, right = (
                np.where(n > 0, (sums @ half) / np.maximum(n, 1), np.nan).T
                for half, n in ((half, counts @ half) for half in (first, 1 - first))
            )
        taus += tau_of_means(left, right, grid)
        correlations += map(_correlation, left, right)
    tau, correlation = (
        fsum(defined) / len(defined) if (defined := [x for x in values if x is not None]) else None
        for values in (taus, correlations)
    )
    if tau is None or correlation is None:
        return tau, correlation, None, "the models do not differ in both halves of any split"
    if correlation < 0:
        return tau, correlation, None, "the halves correlate negatively, which cannot be stepped up"
    return tau, correlation, 2 * correlation / (1 + correlation), ""


def _correlation(left: F64, right: F64) -> float | None:
    """Pearson's over models; None where fewer than ``LEAST`` have both means, or one side does not vary."""
    both = ~np.isnan(left + right)
    sides = left[both], right[both]
    if np.count_nonzero(both) < LEAST or any(np.ptp(x) <= 1e-12 * np.abs(x).max() for x in sides):
        return None
    return float(np.corrcoef(*sides)[0, 1])


def _first_halves(sizes: I64, rng: np.random.Generator) -> Iterator[F64]:
    """Draw halves; shape (clusters, splits), 1 in the first half, some splits at a time."""
    half = sizes.sum() / 2
    at_once = max(1, min(SPLITS, _BLOCK // len(sizes)))
    for start in range(0, SPLITS, at_once):
        first = np.zeros((min(at_once, SPLITS - start), len(sizes)))
        for split in first:
            order = rng.permutation(len(sizes))
            filled = np.cumsum(sizes[order])
            # All but the last cluster may come first, so that neither half is empty.
            split[order[: 1 + np.abs(filled[:-1] - half).argmin()]] = 1.0
        yield first.T


LEAST = 3
"""Things that an order takes: two have only one order and its reverse."""


def kendall_tau_b(left: F64, right: F64) -> list[float | None]:
    """Compare many pairs of orders at once by Kendall's tau-b.

    (concordant - discordant) / sqrt(pairs untied left x pairs untied right), in [-1, 1]. Both have shape
    (comparisons, things); NaN leaves the thing out of its comparison.

    Returns:
        One a comparison; None where fewer than ``LEAST`` things have both values, or a side ties throughout.

    Source:
        Kendall 1945, "The treatment of ties in ranking problems".
    """
    present = ~(np.isnan(left) | np.isnan(right))
    agreeing, untied_left, untied_right = (np.zeros(len(left), dtype=np.int64) for _ in range(3))
    for i in range(left.shape[1] - 1):
        both = present[:, i + 1 :] & present[:, i, None]
        signs_left, signs_right = (
            np.where(both, np.sign(side[:, i + 1 :] - side[:, i, None]), 0).astype(np.int64)
            for side in (left, right)
        )
        agreeing += (signs_left * signs_right).sum(axis=1)
        untied_left += np.abs(signs_left).sum(axis=1)
        untied_right += np.abs(signs_right).sum(axis=1)
    defined = (present.sum(axis=1) >= LEAST) & (untied_left > 0) & (untied_right > 0)
    untied = np.sqrt(untied_left.astype(np.float64) * untied_right)
    taus = agreeing / np.where(defined, untied, 1.0)
    return [
        tau if is_defined else None for tau, is_defined in zip(taus.tolist(), defined.tolist(), strict=True)
    ]
