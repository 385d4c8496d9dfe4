"""What may be said of items not yet asked: what they resolve, what settles a pair, how likely it separates.

A number of items is promised from the spread of the differences alone. The gap that was seen is too large
by luck, the more so the more pairs there are to choose from; where a gap matters, it is averaged over what
can be believed of it.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from scipy.special import nctdtrit, ndtr, ndtri, stdtrit

from tellapart.core.arrays import F64
from tellapart.core.comparison.pairs import NOTHING_NEEDED, ItemsNeeded, PairComparison, Verdict
from tellapart.core.comparison_settings import ComparisonSettings
from tellapart.core.stats.paired import PairedTest

TIMES = (1, 2, 4, 10)
"""Resolution and chances are given for so many times the items that there are."""

MOST_ITEMS = 10**9
"""Where it would take more items than this, no number is given."""


@dataclass(frozen=True)
class GapSpread:
    """How the difference of two models varies over items; arrays of one entry a pair.

    Attributes:
        variance: Of an item, around the difference that was seen, in squared score units.
        design_effect: How much more the mean varies because items share sources.
        sources: From which the spread is known, each of so many ``items_per_source``.
        exact: Whether McNemar's exact test decides.
        range: The greatest difference that an item can have; inf where there is none.
    """

    variance: F64
    design_effect: F64
    sources: F64
    items_per_source: F64
    exact: F64
    range: float

    @classmethod
    def of(cls, pairs: Sequence[PairComparison], range_: float) -> GapSpread:
        """Of the items that both models have scores on."""
        rows = [
            (
                (pair.sd or 0.0) ** 2,
                max(pair.design_effect or 1.0, 1e-6) if 0 < pair.clusters < pair.n else 1.0,
                pair.clusters,
                pair.n / max(1, pair.clusters),
                pair.test is PairedTest.MCNEMAR,
            )
            for pair in pairs
        ]
        variance, effect, sources, shared, exact = np.array(rows, dtype=np.float64).reshape(-1, 5).T
        return cls(variance, effect, sources, shared, exact, range_)

    def is_known(self, place: int) -> bool:
        """Whether anything is known of it: not where no item differs, and any could by any amount."""
        return bool(self.variance[place] > 0 or np.isfinite(self.range))

    def some(self, chosen: Sequence[int]) -> GapSpread:
        """Of some of the pairs."""
        arrays = {name: array[chosen] for name, array in vars(self).items() if name != "range"}
        return GapSpread(**arrays, range=self.range)

    def at_least_rare(self) -> GapSpread:
        """Where no item differs, with the variance of one that does wholly, among one more than there are."""
        if not np.isfinite(self.range):
            return self
        rare = self.range**2 / (self.sources + 1)
        return replace(self, variance=np.where(self.variance > 0, self.variance, rare))

    def items(self, gap: float | F64, level: float, power: float) -> F64:
        """Give the items that find a gap with this power; inf where no number would.

        Source:
            Connor 1987, "Sample size for testing differences in proportions for the paired-sample design",
            for McNemar's test, with the correction for continuity. Else Julious and Owen 2006, "Sample size
            calculations for clinical studies allowing for uncertainty about the variance", over sources, with
            what estimating the spread afresh costs by Guenther 1981, "Sample size formulas for normal theory
            t tests"; below 1 + log2(1 / level) sources no flips of signs are significant.
        """
        size = np.abs(gap)
        z_level, z_power = ndtri(1 - level / 2), ndtri(power)
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            differing = np.clip(self.variance + np.square(size), size, 1.0)
            z = z_level * np.sqrt(differing) + z_power * np.sqrt(np.maximum(differing - np.square(size), 0.0))
            exact = np.square((z + np.sqrt(np.square(z) + 4 * size)) / (2 * size))
            sources = np.square(self._reach(z_level, power) / size) * self.variance * self.design_effect
            sources = sources / self.items_per_source + z_level**2 / 2
            other = np.maximum(sources, 1 - np.log2(level)) * self.items_per_source
        return np.where(size > 0, np.where(self.exact > 0, exact, other), np.inf)

    def items_to_settle(self, least: float | F64, level: float, level_equivalent: float, power: float) -> F64:
        """Give the items that find a difference of ``least``, should there be one, and else show equivalence.

        The tests of equivalence take the variance that models would have which are just so far apart, at
        least that of rare items on which they differ wholly, and ask that not all of these were missed. Where
        ``least`` is 0, or nothing varies on a scale without end, no number would do.
        """
        rare = least * self.range - np.square(least) if np.isfinite(self.range) else 0.0
        reach = ndtri(1 - level_equivalent) * np.sqrt(np.maximum(self.variance, rare))
        beyond = self._reach(ndtri(1 - level_equivalent), (1 + power) / 2) - ndtri(1 - level_equivalent)
        reach = reach + beyond * np.sqrt(self.variance)
        with np.errstate(divide="ignore", invalid="ignore"):
            same = np.square(reach / least) * self.design_effect
            if np.max(least, initial=0.0) < self.range < np.inf:
                missed = np.log(level_equivalent) / np.log1p(-least / self.range)
                same = np.maximum(same, missed * self.items_per_source)
        needed = np.maximum(self.items(least, level, power), same)
        is_known = (self.variance > 0) | np.isfinite(self.range)
        return np.where(is_known & (least > 0), needed, np.inf)

    def _reach(self, z_level: float, power: float) -> F64:
        """Standard errors that a gap must measure, their size being known from so many sources."""
        degrees, places = np.unique(np.maximum(self.sources - 1, 1.0), return_inverse=True)
        reach: F64 = nctdtrit(degrees, z_level, power)[places]
        return reach

    def gap(self, n: int, level: float, power: float) -> float | None:
        """Give the smallest gap that n items find in the first pair with this power."""
        low, high = 0.0, self.range if np.isfinite(self.range) else 1e3 * float(np.sqrt(self.variance[0]))
        if not self.variance[0] or self.items(high, level, power)[0] > n:
            return None
        for _ in range(40):
            middle = (low + high) / 2
            low, high = (low, middle) if self.items(middle, level, power)[0] <= n else (middle, high)
        return high


OUTLIERS, FAR = 0.07, 0.2
"""Share of models that are believed to lie far from the others, and how far, as a share of the range."""

NO_SPREAD, USUAL = 0.25, 0.05
"""The belief that all models are equal, before a score is seen, and how far apart they else usually lie."""

_SPREADS = np.concatenate([[0.0], np.geomspace(0.002, 0.3, 40)])
_STEPS, _CENTRES, _CLOSE = 30, 15, 1e-3


@dataclass(frozen=True)
class Belief:
    """What is believed of the differences of some models, from all of their scores together.

    Each model's true mean is drawn around a common one: most with one standard deviation, which is the more
    likely the better it explains how far apart all means were seen, and few from far away. A difference is
    then as it was seen, drawn towards 0 as far as chance alone would have produced it.

    Attributes:
        weights: Shape (spreads,), how likely each standard deviation of the true means is.
        variances: Shape (2, spreads), of a true difference, between models that are close and others.
        close: Shape (spreads, pairs), how likely neither of the two lies far away.
        seen: Shape (pairs,), the differences; their squared standard errors are the ``noise``.

    Source:
        Morris 1983, "Parametric empirical Bayes inference", with the spread's doubt by a prior on it; that
        prior was fixed once, so that stated chances hold over the worlds of `make selfcheck`.
    """

    weights: F64
    variances: F64
    close: F64
    seen: F64
    noise: F64

    @classmethod
    def of(cls, pairs: Sequence[PairComparison], spread: GapSpread, baseline: str | None) -> Belief:
        """Learn it from pairs of models on the same items."""
        n = np.array([pair.n for pair in pairs], dtype=np.float64)
        seen = np.array([pair.difference or 0.0 for pair in pairs])
        noise = spread.variance * spread.design_effect / np.maximum(n, 1)
        unit = spread.range if np.isfinite(spread.range) else 2 * float(np.sqrt(np.median(spread.variance)))
        means, first, second = _means(pairs, baseline)
        close_variance, far_variance = np.square(_SPREADS * unit), (FAR * unit) ** 2
        likely, close = _likely(means, float(noise.mean()) / 2, close_variance, far_variance)
        usual = _SPREADS[1:] / (1 + np.square(_SPREADS[1:] / USUAL))
        prior = np.concatenate([[NO_SPREAD], (1 - NO_SPREAD) * usual / usual.sum()])
        weights = prior * np.exp(likely - likely.max())
        weights /= weights.sum()
        kept = weights > 1e-5
        variances = np.stack([2 * close_variance, close_variance + far_variance])[:, kept]
        both_close = close[kept][:, first] * close[kept][:, second]
        return cls(weights[kept] / weights[kept].sum(), variances, both_close, seen, noise)

    def some(self, chosen: Sequence[int]) -> Belief:
        """Of some of the pairs."""
        return replace(self, close=self.close[:, chosen], seen=self.seen[chosen], noise=self.noise[chosen])

    def beyond(self, least: F64, noise: F64) -> F64:
        """Give how likely fresh scores of this noise differ by at least so much, either way."""
        variance, share = self.variances[..., None], np.stack([self.close, 1 - self.close])
        with np.errstate(divide="ignore", invalid="ignore"):
            drawn = np.where(variance > 0, variance / (variance + self.noise), 0.0)
            centre, width = drawn * self.seen, np.sqrt(drawn * self.noise + noise)
            tails = ndtr((centre - least) / width) + ndtr((-centre - least) / width)
        chance: F64 = np.einsum("s,ksp,ksp->p", self.weights, share, np.nan_to_num(tails))
        return chance


def _means(pairs: Sequence[PairComparison], baseline: str | None) -> tuple[F64, list[int], list[int]]:
    """Means of the models around a common one, and the places of each pair's two."""
    names = sorted({name for pair in pairs for name in (pair.a, pair.b)})
    place = {name: index for index, name in enumerate(names)}
    first, second = [place[pair.a] for pair in pairs], [place[pair.b] for pair in pairs]
    sums, counts = np.zeros(len(names)), np.ones(len(names))
    for pair, a, b in zip(pairs, first, second, strict=True):
        sums[a] += pair.difference or 0.0
        sums[b] -= pair.difference or 0.0
        counts[a] += 1
        counts[b] += 1
    if baseline is None:
        return sums / counts, first, second
    sums[place[baseline]] = 0.0
    return sums, first, second


def _likely(means: F64, noise: float, close: F64, far: float) -> tuple[F64, F64]:
    """Log likelihood of each spread, and shape (spreads, models), how likely a model is not far away."""
    variance, beyond = (close + noise)[:, None], far + noise
    centre = np.full((len(close), 1), np.median(means))
    for _ in range(_CENTRES):
        squares = np.square(means - centre)
        near = np.log(1 - OUTLIERS) - squares / variance / 2 - np.log(variance) / 2
        away = np.log(OUTLIERS) - squares / beyond / 2 - np.log(beyond) / 2
        share = 1 / (1 + np.exp(np.minimum(away - near, 700.0)))
        total = share.sum(axis=1, keepdims=True)
        centre = (share * means).sum(axis=1, keepdims=True) / total
    likely = np.logaddexp(near, away).sum(axis=1) + np.log(variance[:, 0] / total[:, 0]) / 2
    return likely, share


def sizes(pairs: Sequence[PairComparison], settings: ComparisonSettings) -> list[int]:
    """Give the numbers of items that are planned with: those there are, some multiples, and one asked for."""
    there = max((pair.n for pair in pairs), default=0)
    return [there * times for times in TIMES if there] + ([settings.plan] if settings.plan else [])


def resolution(
    pairs: Sequence[PairComparison], settings: ComparisonSettings, range_: float
) -> tuple[tuple[int, float | None], ...]:
    """Give the gap that so many items find with the planned power, in the open pairs, where there are any."""
    measured = [pair for pair in pairs if pair.sd]
    measured = [pair for pair in measured if pair.verdict is Verdict.NOT_SEPARATED] or measured
    if not measured:
        return ()
    spread, level = GapSpread.of(measured, range_), measured[0].planned_level
    ranked = np.argsort(spread.variance * spread.design_effect, kind="stable")
    middle = spread.some([ranked[len(ranked) // 2]])
    return tuple((n, middle.gap(n, level, settings.power)) for n in sizes(pairs, settings))


def with_plans(
    pairs: Sequence[PairComparison],
    settings: ComparisonSettings,
    range_: float,
    *,
    level: float,
    at_look: float,
) -> list[PairComparison]:
    """Say of each decided pair of a family what it takes to settle it, and what its chances are.

    ``level`` is Holm's of the next claim, and ``at_look`` that at this look of several.
    """
    spread = GapSpread.of(pairs, range_)
    unequal = sum(p > settings.alpha for pair in pairs if (p := pair.p_equivalent) is not None)
    level_equivalent = settings.alpha / max(1, unequal)
    least = np.array([settle_at(pair, settings.least) for pair in pairs])
    settle = spread.items_to_settle(least, at_look, level_equivalent, settings.power)
    seen = np.abs([pair.difference or 0.0 for pair in pairs])
    ends = np.array([pair.interval_95 or (np.nan, np.nan) for pair in pairs]).reshape(-1, 2).T
    near = np.where(np.prod(ends, axis=0) > 0, np.abs(ends).min(axis=0), 0.0)
    value, low, high = (
        spread.items(gap, at_look, settings.power) for gap in (seen, np.abs(ends).max(axis=0), near)
    )
    outlook = Outlook(pairs, settings, spread)
    chances = {n: outlook.of(n) for n in sizes(pairs, settings)}
    planned = []
    for k, pair in enumerate(pairs):
        is_open = pair.verdict is Verdict.NOT_SEPARATED and pair.p is not None and spread.is_known(k)
        is_known = pair.interval_95 is not None and not pair.withheld and whole(value[k]) is not None
        needed = ItemsNeeded(whole(value[k]), whole(low[k]), whole(high[k])) if is_known else NOTHING_NEEDED
        settled = whole(settle[k]) if is_open else None
        chance = tuple((n, float(of[k])) for n, of in chances.items()) if is_open else None
        planned.append(
            replace(pair, planned_level=level, items_needed=needed, settle_items=settled, chance=chance)
        )
    return planned


def settle_at(pair: PairComparison, least: float) -> float:
    """Give the difference to plan for, so that one of ``least`` stands whatever the missing scores are."""
    low, high = pair.bounds or (0.0, 0.0)
    return max(0.0, least - (high - low) / 2)


def whole(n: float) -> int | None:
    """Give a number of items; None where it is too large for one."""
    return int(np.ceil(n)) if n <= MOST_ITEMS else None


class Outlook:
    """How likely the pairs of a family separate when items are asked afresh.

    Holm's level of each test is that over the pairs which are expected not to separate.
    """

    def __init__(
        self, pairs: Sequence[PairComparison], settings: ComparisonSettings, spread: GapSpread
    ) -> None:
        """Learn what can be believed of the pairs, stratum by stratum."""
        groups: dict[str | None, list[int]] = defaultdict(list)
        for k, pair in enumerate(pairs):
            if pair.p is not None and not pair.withheld and spread.is_known(k):
                groups[pair.stratum].append(k)
        self._tested = sum(map(len, groups.values()))
        self._alpha, self._pairs = settings.alpha, len(pairs)
        self._known: dict[int, tuple[float, F64]] = {}
        self._parts: list[tuple[list[int], GapSpread, Belief]] = []
        self._parts_of: dict[int, tuple[int, int]] = {}
        for group in groups.values():
            part = spread.some(group).at_least_rare()
            if not part.variance.any():
                continue
            belief = Belief.of([pairs[k] for k in group], part, settings.baseline)
            self._parts_of |= {place: (len(self._parts), k) for k, place in enumerate(group)}
            self._parts.append((group, part, belief))

    def of(self, n: int) -> F64:
        """Give the chance of each pair with ``n`` items."""
        return self._at(n)[1]

    def alone(self, place: int, n: int, more: float = 1.0) -> float:
        """Give the chance of one pair whose noise is ``more`` times as large.

        Its level is between those of all pairs at the two powers of 2 around ``n``.
        """
        if place not in self._parts_of:
            return 0.0
        number, at = self._parts_of[place]
        _, part, belief = self._parts[number]
        step = int(np.log2(n))
        low, high = (self._at(2**k)[0] for k in (step, step + 1))
        level = low * (high / low) ** (np.log2(n) - step)
        noise, chance = part.some([at]), belief.some([at])
        return min(1.0, float(chance.beyond(*_edge(noise, n, level, more))[0]))

    def _at(self, n: int) -> tuple[float, F64]:
        """Level and chances."""
        if n not in self._known:
            level, chance = self._alpha / max(1, self._tested), np.zeros(self._pairs)
            for _ in range(_STEPS):
                for group, part, belief in self._parts:
                    chance[group] = belief.beyond(*_edge(part, n, level))
                newer = self._alpha / max(1.0, self._tested - float(chance.sum()))
                if abs(newer - level) <= _CLOSE * level:
                    break
                level = newer
            self._known[n] = level, np.minimum(chance, 1.0)
        return self._known[n]


def _edge(spread: GapSpread, n: int, level: float, more: float = 1.0) -> tuple[F64, F64]:
    """How large a difference the test finds with ``n`` items, and the noise of one."""
    noise = spread.variance * spread.design_effect / n * more
    degrees = np.maximum(n / spread.items_per_source - 1, 1.0)
    edge = np.where(spread.exact > 0, ndtri(1 - level / 2), stdtrit(degrees, 1 - level / 2))
    return edge * np.sqrt(noise) + np.where(spread.exact > 0, 1 / n, 0.0), noise
