"""Gates: whether a candidate's mean fell by more than is allowed; passed, failed or unclear."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import ceil, isfinite, log, log1p

import numpy as np

from tellapart.core.comparison.compare import check_models, primary_family, with_notes, within_primary
from tellapart.core.comparison.decision import could_be_undone
from tellapart.core.comparison.pairs import PairComparison, Primary, Verdict, negated
from tellapart.core.comparison_settings import ALPHA, ComparisonSettings
from tellapart.core.estimate import Interval
from tellapart.core.gate_outcome import GateOutcome
from tellapart.core.score_grid import ScoreGrid
from tellapart.core.stats.paired import PairedTest, mcnemar_exact
from tellapart.core.stats.paired_score import mcnemar_interval
from tellapart.core.stats.power import (
    detectable_difference_t,
    items_needed_t,
    mcnemar_items_needed,
    power_of_mcnemar,
)
from tellapart.errors import UsageError

MOST_ITEMS = 10**9
"""Where settling a gate would take more items than this, no number is given."""

WITHIN_NOISE = "within noise, the drop may be smaller or larger than the limit"
"""The reason of a gate that could pass or fail with these items, and does neither."""

MOST_EXACT = 20_000
"""Items up to which the smallest change that can be found is that of the exact test."""

_STEPS = 1_000


@dataclass(frozen=True)
class Flip:
    """An item on which a candidate and the baseline differ.

    Attributes:
        baseline: The baseline's score.
    """

    item: str
    baseline: float
    candidate: float


@dataclass(frozen=True)
class Gate:
    """Whether a candidate's mean score fell by more than is allowed.

    Attributes:
        baseline: The model that it must not fall behind.
        scope: The items: ``all items``, or ``COLUMN=VALUE``.
        max_drop: The largest fall that is allowed, in score units, >= 0.
        change: Mean of candidate - baseline, or None without a common item.
        interval: Of the change, at the level of the comparison, or None.
        n: Common items.
        outcome: Passed where the interval lies above ``-max_drop`` and no failure that is too rare to be seen
            could make up the limit, failed where it lies below, unchanged where no item scores otherwise,
            else unclear.
        can_fire: Whether the worst candidate there could be would fail.
        items_to_settle: Items, these included, with which a change as observed would be clear with the
            planned power; None where no number would, or where it is clear.
        detectable: The smallest change that ``n`` items find with the planned power, or None.
        items_for_limit: Items that would find a change of ``max_drop`` with it; None for a limit of 0.
        reason: Why it is unclear; or empty.
        flips: Items on which the two differ, the largest differences first, losses before gains, then by id.
    """

    candidate: str
    baseline: str
    scope: str
    max_drop: float
    change: float | None
    interval: Interval | None
    n: int
    outcome: GateOutcome
    can_fire: bool
    items_to_settle: int | None
    reason: str
    flips: tuple[Flip, ...]
    detectable: float | None = None
    items_for_limit: int | None = None

    @property
    def drop(self) -> float | None:
        """Mean of baseline - candidate: ``change`` from the other side, and never -0.0."""
        return None if self.change is None else 0.0 - self.change

    @property
    def drop_interval(self) -> Interval | None:
        """The ends of ``interval`` from the other side: lowest drop, highest drop."""
        return self.interval and negated(self.interval)

    @property
    def items_needed(self) -> int | None:
        """Items that an unclear gate takes: those that find a change of the limit.

        Where there are as many already, those that settle a change as observed. None where the gate is clear,
        or no number would do.
        """
        if self.outcome is not GateOutcome.UNCLEAR or not self.can_fire:
            return None
        if self.items_for_limit is not None and self.items_for_limit > self.n:
            return self.items_for_limit
        return self.items_to_settle


def check_limit(value: float, name: str, most: float = 1.0) -> float:
    """Check the limit of a gate.

    Args:
        value: The limit, in score units.
        name: The option that it came from.
        most: The widest that differences can be; infinite where there is no end.
    """
    if isfinite(value) and 0 <= value < most:
        return value
    expected = f"a number from 0 up to, but not including, {most:g}" if isfinite(most) else "0 or more"
    step = None
    if most == 1.0:
        points = value if isfinite(value) and 1 <= value < 100 else 2
        step = f"For {points:g} percentage point{'' if points == 1 else 's'} write {name} {points / 100:g}"
    raise UsageError(f"{name} is {value!r}, expected {expected}", next_step=step)


def judge_change(interval: Interval | None, max_drop: float) -> GateOutcome:
    """Decide on a change by its interval: below the limit, above it, or neither."""
    if interval is None:
        return GateOutcome.UNCLEAR
    if interval.high < -max_drop:
        return GateOutcome.FAILED
    return GateOutcome.PASSED if interval.low > -max_drop else GateOutcome.UNCLEAR


def run_gates(grid: ScoreGrid, max_drop: float, settings: ComparisonSettings) -> tuple[Gate, ...]:
    """Hold every candidate against the baseline.

    Args:
        grid: The scores.
        max_drop: The largest fall that is allowed, in score units, >= 0.
        settings: With the baseline, and the part of the items that the gate is about, if it is about one.

    Returns:
        A gate for each other model, in ascending order of names. Each is two one-sided tests at ``alpha``, so
        that its interval is at ``1 - 2 alpha``, corrected for the other models.
    """
    settings = with_notes(settings, grid)
    check_models(grid, settings.baseline)
    family = primary_family(grid, settings)
    same = {(pair.a, pair.b) for pair in family.pairs if pair.verdict is Verdict.EQUIVALENT}
    same = same if settings.least <= max_drop else set()
    settings = replace(settings, alpha=min(2 * settings.alpha, settings.power))
    family = primary_family(grid, settings)
    part = _without_looks(within_primary(grid, settings))
    return tuple(
        _gate(part, family, pair, max_drop, settings, is_same=(pair.a, pair.b) in same)
        for pair in family.pairs
    )


def _without_looks(grid: ScoreGrid) -> ScoreGrid:
    """Keep the items that a run asked until models were told apart, to imagine other scores on them."""
    looks = grid.notes.looks
    if looks is None:
        return grid
    in_run = np.isin(grid.items.astype(str), looks.order)
    return replace(grid.only(in_run), notes=grid.notes.model_copy(update={"looks": None}))


def _gate(
    part: ScoreGrid,
    family: Primary,
    pair: PairComparison,
    max_drop: float,
    settings: ComparisonSettings,
    *,
    is_same: bool,
) -> Gate:
    baseline = settings.baseline or pair.a
    candidate = pair.b if pair.a == baseline else pair.a
    change, interval = pair.of(candidate)
    outcome, reason, to_settle = judge_change(interval, max_drop), "", None
    flipped = flips(part, candidate, baseline)
    too_few = "" if is_same else _too_few(part, pair, candidate, max_drop)
    if pair.n and not flipped:
        outcome = GateOutcome.UNCHANGED
    elif is_same:
        outcome = GateOutcome.PASSED
    elif outcome is GateOutcome.PASSED and too_few:
        outcome, reason = GateOutcome.UNCLEAR, too_few
    can_fire = outcome in (GateOutcome.FAILED, GateOutcome.UNCHANGED) or _can_fire(
        part, candidate, settings, len(family.pairs), max_drop
    )
    turn = (part, pair, candidate, settings, len(family.pairs))
    if pair.withheld:
        outcome, reason = GateOutcome.UNCLEAR, pair.withheld
    elif not can_fire:
        outcome, reason = GateOutcome.UNCLEAR, _why_it_cannot_fire(part, baseline, pair, max_drop)
    elif outcome is not GateOutcome.UNCLEAR and _missing_could_turn(*turn, (outcome, max_drop)):
        outcome, reason = GateOutcome.UNCLEAR, "missing scores could reverse this result"
    elif outcome is GateOutcome.UNCLEAR:
        reason = reason or pair.reason or WITHIN_NOISE
        to_settle = _to_settle(pair, candidate, max_drop, settings)
    return Gate(
        candidate=candidate,
        baseline=baseline,
        scope=family.scope,
        max_drop=max_drop,
        change=change,
        interval=interval,
        n=pair.n,
        outcome=outcome,
        can_fire=can_fire,
        items_to_settle=to_settle,
        reason=reason,
        flips=flipped,
        detectable=_detectable(pair, settings),
        items_for_limit=_items_for(max_drop, pair, settings),
    )


def _too_few(part: ScoreGrid, pair: PairComparison, candidate: str, max_drop: float) -> str:
    """Why a gate cannot pass: too few items, or sources, to rule out rare ones that are lost wholly."""
    share = could_be_undone(part, pair, candidate, max_drop)
    if not share:
        return ""
    what = "items" if pair.clusters == pair.n else "sources"
    needed = "" if share >= 1 else f"; {ceil(log((pair.level or ALPHA) / 2) / log1p(-share)):,} or more would"
    return f"{pair.clusters:,} {what} cannot rule out rare ones that are lost wholly{needed}"


def flips(
    grid: ScoreGrid, candidate: str, baseline: str, weights: Sequence[float] | None = None
) -> tuple[Flip, ...]:
    """List the items on which two models differ, the most decisive first.

    Args:
        grid: The scores.
        candidate: A model.
        baseline: Another.
        weights: How decisive each item of the grid is; by default how far the two scores are apart.
    """
    new, old = (grid.scores[grid.models.index(name)] for name in (candidate, baseline))
    gaps = new - old
    size = np.abs(gaps) if weights is None else np.abs(np.asarray(weights, dtype=np.float64))
    differing = np.flatnonzero(~np.isnan(gaps) & (gaps != 0)).tolist()
    differing.sort(key=lambda i: (-size[i], gaps[i] > 0, str(grid.items[i])))
    return tuple(Flip(str(grid.items[i]), float(old[i]), float(new[i])) for i in differing)


def fewest_losses(n: int, max_drop: float, *, alpha: float = 2 * ALPHA) -> int | None:
    """Count the items that a candidate must lose, without a gain, before a gate on passes and fails fails.

    Args:
        n: Independent items, each of which the baseline passes as often as need be.
        max_drop: The limit of the gate, in [0, 1).
        alpha: Two-sided level of the test.

    Returns:
        From 1 to ``n``; None where not even the loss of all of them is beyond noise.
    """

    def fails(losses: int) -> bool:
        return _high_end(losses, 0, n, alpha) < -max_drop

    at = bisect_left(range(1, n + 1), True, key=fails)
    return at + 1 if at < n else None


def _high_end(losses: int, gains: int, n: int, level: float) -> float:
    """The upper end of the interval of a change, as the exact McNemar test gives it."""
    rejects = mcnemar_exact(losses, gains) <= level
    _, high = mcnemar_interval([gains], [losses], [n], [level], [rejects])
    return float(high[0])


def _can_fire(
    part: ScoreGrid, candidate: str, settings: ComparisonSettings, candidates: int, max_drop: float
) -> bool:
    """Whether a candidate would fail that gets the lowest score on every item on which this one has one.

    Where scores have no lower limit, any fall is possible.
    """
    low = part.limits[0]
    baseline = settings.baseline or ""
    two = part.of_models(sorted(part.models.index(name) for name in (candidate, baseline)))
    row = two.models.index(candidate)
    if not isfinite(low):
        return int(np.count_nonzero(~np.isnan(two.scores).any(axis=0))) > 1
    scores = two.scores.copy()
    scores[row] = np.where(np.isnan(scores[row]), np.nan, low)
    alone = ComparisonSettings(
        baseline=baseline, alpha=settings.alpha / max(1, candidates), sesoi=settings.least, seed=settings.seed
    )
    (pair,) = primary_family(replace(two, scores=scores, low=scores, high=scores), alone).pairs
    change, interval = pair.of(candidate)
    if interval is None and pair.p is not None and pair.p <= alone.alpha and change is not None:
        # The same fall on every item: nothing varies, and the fall is what it is.
        return change < -max_drop
    return judge_change(interval, max_drop) is GateOutcome.FAILED


def _why_it_cannot_fire(part: ScoreGrid, baseline: str, pair: PairComparison, max_drop: float) -> str:
    scores = part.scores[part.models.index(baseline)]
    mean = None if np.isnan(scores).all() else float(np.nanmean(scores))
    if not pair.n or mean is None:
        return "this gate cannot fail: there is no item on which both have a score"
    if mean - part.limits[0] <= max_drop:
        return (
            f"this gate cannot fail: {baseline} is at {mean:.3g} itself, so nothing can fall by more than "
            f"{max_drop:g}"
        )
    items = f"{pair.n:,} item{'' if pair.n == 1 else 's'}"
    sources = "" if pair.clusters == pair.n else f" from {pair.clusters:,} source"
    sources += "s" if sources and pair.clusters > 1 else ""
    return (
        f"this gate cannot fail: with {baseline} at {mean:.3g} on {items}{sources}, even a fall to "
        f"{part.limits[0]:g} would be within noise"
    )


def _missing_could_turn(
    part: ScoreGrid,
    pair: PairComparison,
    candidate: str,
    settings: ComparisonSettings,
    candidates: int,
    gate: tuple[GateOutcome, float],
) -> bool:
    """Whether the gate ends otherwise with the values of the missing scores that speak most against it."""
    outcome, max_drop = gate
    if pair.bounds is None or pair.bounds[0] == pair.bounds[1]:
        return False
    outcome = GateOutcome.PASSED if outcome is GateOutcome.UNCHANGED else outcome
    two = part.of_models(sorted(part.models.index(name) for name in (pair.a, pair.b)))
    against, other = (two.low, two.high) if outcome is GateOutcome.PASSED else (two.high, two.low)
    scores = other.copy()
    row = two.models.index(candidate)
    scores[row] = against[row]
    if not np.isfinite(scores[~np.isnan(scores)]).all():
        return True
    alone = replace(settings, primary=None, by=None, alpha=settings.alpha / max(1, candidates))
    (filled,) = primary_family(replace(two, scores=scores, low=scores, high=scores), alone).pairs
    change, interval = filled.of(candidate)
    if interval is None and change is not None:
        return (change < -max_drop) != (outcome is GateOutcome.FAILED)
    return judge_change(interval, max_drop) is not outcome


def _to_settle(
    pair: PairComparison, candidate: str, max_drop: float, settings: ComparisonSettings
) -> int | None:
    """Items with which the change, its spread as observed, would be clear; more than there are."""
    change, _ = pair.of(candidate)
    by_t = None if change is None else _items_to_find(change + max_drop, pair, settings)
    if by_t is None or pair.level is None:
        return None
    needed = max(by_t, pair.n + 1)
    if pair.test is not PairedTest.MCNEMAR or pair.only_a is None or pair.only_b is None:
        return needed
    # Few discordant items have hardly any spread, and yet an interval: where it is clear counts too.
    losses, gains = (pair.only_b, pair.only_a) if candidate == pair.a else (pair.only_a, pair.only_b)
    return _until_clear(losses / pair.n, gains / pair.n, max_drop, pair.level, needed)


def _items_to_find(change: float, pair: PairComparison, settings: ComparisonSettings) -> int | None:
    """Items with which a change of this size would be found, its spread as observed."""
    if pair.sd is None or pair.level is None:
        return None
    return items_needed_t(
        change,
        pair.sd,
        power=settings.power,
        alpha=pair.level,
        design_effect=pair.design_effect or 1.0,
        items_per_cluster=pair.n / pair.clusters,
    )


def _items_for(max_drop: float, pair: PairComparison, settings: ComparisonSettings) -> int | None:
    """Items that would find a drop of just the limit, were flips back and forth as frequent as now."""
    if not max_drop or pair.level is None:
        return None
    noise = _flips_both_ways(pair)
    if noise is None or 2 * noise + max_drop > 1:
        return _items_to_find(max_drop, pair, settings)
    (needed,) = mcnemar_items_needed([noise + max_drop], [noise], power=settings.power, alpha=pair.level)
    return needed


def _detectable(pair: PairComparison, settings: ComparisonSettings) -> float | None:
    """The smallest change that these items find, were flips back and forth as frequent as now."""
    if not pair.sd and pair.test is not PairedTest.MCNEMAR or pair.level is None:
        return None
    noise = _flips_both_ways(pair)
    if noise is None or pair.n > MOST_EXACT:
        return detectable_difference_t(
            pair.n,
            pair.sd or 0.0,
            power=settings.power,
            alpha=pair.level,
            design_effect=pair.design_effect or 1.0,
            items_per_cluster=pair.n / pair.clusters,
        )
    level, width = pair.level, 1 - 2 * noise

    def finds(step: int) -> bool:
        change = width * step / _STEPS
        return power_of_mcnemar(pair.n, noise + change, noise, alpha=level) >= settings.power

    at = bisect_left(range(1, _STEPS + 1), True, key=finds)
    return width * (at + 1) / _STEPS if at < _STEPS else None


def _flips_both_ways(pair: PairComparison) -> float | None:
    """Share of items that flip in the rarer direction, where the exact McNemar test decides; else None."""
    if pair.test is not PairedTest.MCNEMAR or pair.only_a is None or pair.only_b is None:
        return None
    return min(pair.only_a, pair.only_b) / pair.n


def _until_clear(losses: float, gains: float, max_drop: float, level: float, at_least: int) -> int | None:
    """The least n from ``at_least`` at which these shares of losses and gains make the gate clear."""

    def clear(n: int) -> bool:
        lost, gained = round(losses * n), round(gains * n)
        fails = _high_end(lost, gained, n, level) < -max_drop
        return fails or -_high_end(gained, lost, n, level) > -max_drop

    end = at_least
    while not clear(end):
        end *= 2
        if end > MOST_ITEMS:
            return None
    return at_least + bisect_left(range(at_least, end), True, key=clear)
