"""Gates: whether a candidate's mean fell by more than is allowed; passed, failed or unclear."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import ceil, isfinite, log, log1p

import numpy as np

from tellapart.core.comparison.compare import check_models, primary_family, with_notes, within_primary
from tellapart.core.comparison.decision import could_be_undone
from tellapart.core.comparison.pairs import PairComparison, Primary, Verdict
from tellapart.core.comparison.plan import Spread, whole
from tellapart.core.comparison_settings import ALPHA, ComparisonSettings
from tellapart.core.estimate import Interval
from tellapart.core.gate_outcome import GateOutcome
from tellapart.core.score_grid import ScoreGrid
from tellapart.core.stats.paired import mcnemar_exact, mcnemar_interval
from tellapart.errors import UsageError

WITHIN_NOISE = "within noise, the drop may be smaller or larger than the limit"
"""The reason of a gate that could pass or fail with these items, and does neither."""


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
        scope: The items: ``all items``, or ``COLUMN=VALUE``.
        outcome: Passed where the interval lies below the limit and no failure that is too rare to be seen
            could make it up, failed where it lies above, unchanged where no item scores otherwise, else
            unclear. None without a limit, like all that follows from one.
        limit: The largest drop that is allowed, in score units.
        drop: Mean of baseline - candidate on the items that both have scores on, or None.
        interval: Of the drop: its ends are one-sided tests at ``alpha``, corrected for the other candidates.
        level: Of the interval: .9 at the default ``alpha`` of .05 and with one candidate.
        n: These items.
        detectable: The smallest change that they find with the planned power, or None.
        items_needed: Items, these included, that find a change of the limit with it; None where there are as
            many, or the gate is clear.
        can_fire: Whether the worst candidate there could be would fail.
        reason: Why it is unclear; or empty.
        flips: Items on which the two differ, the largest differences first, losses before gains, then by id.
    """

    candidate: str
    baseline: str
    scope: str
    outcome: GateOutcome | None
    limit: float | None
    drop: float | None = None
    interval: Interval | None = None
    level: float | None = None
    n: int = 0
    detectable: float | None = None
    items_needed: int | None = None
    can_fire: bool | None = None
    reason: str = ""
    flips: tuple[Flip, ...] = ()


def check_limit(value: float, name: str, most: float = 1.0) -> float:
    """Check the limit of a gate, in score units, given by an option; differences are at most ``most``."""
    if isfinite(value) and 0 <= value < most:
        return value
    expected = f"a number from 0 up to, but not including, {most:g}" if isfinite(most) else "0 or more"
    step = None
    if most == 1.0:
        points = value if isfinite(value) and 1 <= value < 100 else 2
        written = f"{name}{' ' if name.startswith('-') else '='}{points / 100:g}"
        step = f"For {points:g} percentage point{'' if points == 1 else 's'} write {written}"
    raise UsageError(f"{name} is {value!r}, expected {expected}", next_step=step)


def judge_drop(interval: Interval | None, limit: float) -> GateOutcome:
    """Decide on a drop by its interval: below the limit, above it, or neither."""
    if interval is None:
        return GateOutcome.UNCLEAR
    if interval.low > limit:
        return GateOutcome.FAILED
    return GateOutcome.PASSED if interval.high < limit else GateOutcome.UNCLEAR


def run_gates(grid: ScoreGrid, limit: float | None, settings: ComparisonSettings) -> tuple[Gate, ...]:
    """Hold every candidate against the baseline; without a limit the drops are measured alone.

    A gate for each other model, in ascending order of names, is two one-sided tests at ``alpha``, so that its
    interval is at ``1 - 2 alpha``, corrected for the other models.
    """
    settings = with_notes(settings, grid)
    check_models(grid, settings.baseline)
    family = primary_family(grid, settings)
    same = {(pair.a, pair.b) for pair in family.pairs if pair.verdict is Verdict.EQUIVALENT}
    same = same if limit is not None and settings.least <= limit else set()
    settings = replace(settings, alpha=min(2 * settings.alpha, settings.power))
    family = primary_family(grid, settings)
    part = _without_looks(within_primary(grid, settings))
    return tuple(
        _gate(part, family, pair, limit, settings, is_same=(pair.a, pair.b) in same) for pair in family.pairs
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
    limit: float | None,
    settings: ComparisonSettings,
    *,
    is_same: bool,
) -> Gate:
    baseline = settings.baseline or pair.a
    candidate = pair.b if pair.a == baseline else pair.a
    drop, interval = pair.of(baseline)
    spread = Spread.of([pair], part.limits[1] - part.limits[0])
    level = pair.level or settings.alpha
    gate = Gate(
        candidate=candidate,
        baseline=baseline,
        scope=family.scope,
        outcome=None,
        limit=limit,
        drop=drop,
        interval=interval,
        level=pair.level and 1 - pair.level,
        n=pair.n,
        detectable=spread.gap(pair.n, level, settings.power),
        flips=flips(part, candidate, baseline),
    )
    if limit is None:
        return gate
    outcome, reason = _outcome(part, pair, gate, limit, is_same=is_same)
    families = len(family.pairs)
    can_fire = outcome in (GateOutcome.FAILED, GateOutcome.UNCHANGED) or _can_fire(
        part, candidate, settings, families, limit
    )
    needed = None
    if pair.withheld:
        outcome, reason = GateOutcome.UNCLEAR, pair.withheld
    elif not can_fire:
        outcome, reason = GateOutcome.UNCLEAR, _why_it_cannot_fire(part, baseline, pair, limit)
    elif outcome is not GateOutcome.UNCLEAR:
        if _missing_could_turn(part, pair, candidate, settings, families, (outcome, limit)):
            outcome, reason = GateOutcome.UNCLEAR, "missing scores could reverse this result"
    else:
        reason = reason or pair.reason or WITHIN_NOISE
        needed = whole(float(spread.items(limit, level, settings.power)[0])) if spread.is_known(0) else None
    return replace(
        gate,
        outcome=outcome,
        can_fire=can_fire,
        items_needed=needed if needed and needed > pair.n else None,
        reason=reason,
    )


def _outcome(
    part: ScoreGrid, pair: PairComparison, gate: Gate, limit: float, *, is_same: bool
) -> tuple[GateOutcome, str]:
    """How a gate ends by the scores there are, and why it cannot pass."""
    if pair.n and not gate.flips:
        return GateOutcome.UNCHANGED, ""
    if is_same:
        return GateOutcome.PASSED, ""
    outcome = judge_drop(gate.interval, limit)
    too_few = _too_few(part, pair, gate.candidate, limit) if outcome is GateOutcome.PASSED else ""
    return (GateOutcome.UNCLEAR, too_few) if too_few else (outcome, "")


def _too_few(part: ScoreGrid, pair: PairComparison, candidate: str, limit: float) -> str:
    """Why a gate cannot pass: too few items, or sources, to rule out rare ones that are lost wholly."""
    share = could_be_undone(part, pair, candidate, limit)
    if not share:
        return ""
    what = "items" if pair.clusters == pair.n else "sources"
    needed = ceil(log((pair.level or ALPHA) / 2) / log1p(-share)) if share < 1 else None
    enough = f"; {needed:,} would be enough" if needed else ""
    return f"{pair.clusters:,} {what} are too few to rule out a rare complete failure{enough}"


def flips(
    grid: ScoreGrid, candidate: str, baseline: str, weights: Sequence[float] | None = None
) -> tuple[Flip, ...]:
    """List the items on which two models differ, by ``weights``, or else by how far the scores are apart."""
    new, old = (grid.scores[grid.models.index(name)] for name in (candidate, baseline))
    gaps = new - old
    size = np.abs(gaps) if weights is None else np.abs(np.asarray(weights, dtype=np.float64))
    differing = np.flatnonzero(~np.isnan(gaps) & (gaps != 0)).tolist()
    differing.sort(key=lambda i: (-size[i], gaps[i] > 0, str(grid.items[i])))
    return tuple(Flip(str(grid.items[i]), float(old[i]), float(new[i])) for i in differing)


def fewest_losses(n: int, limit: float) -> int | None:
    """Count the items of ``n`` that must be lost, without a gain, before a gate on passes and fails fails.

    None where not even the loss of all of them is beyond noise.
    """

    def fails(losses: int) -> bool:
        return _least_drop(losses, 0, n, 2 * ALPHA) > limit

    at = bisect_left(range(1, n + 1), True, key=fails)
    return at + 1 if at < n else None


def _least_drop(losses: int, gains: int, n: int, level: float) -> float:
    """The lower end of the interval of a drop, as the exact McNemar test gives it."""
    rejects = mcnemar_exact(losses, gains) <= level
    low, _ = mcnemar_interval([losses], [gains], [n], [level], [rejects])
    return float(low[0])


def _can_fire(
    part: ScoreGrid, candidate: str, settings: ComparisonSettings, candidates: int, limit: float
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
    human = two.human
    if human is not None:
        human = human.copy()
        human[row] = np.where(np.isnan(human[row]), np.nan, low)
    (pair,) = primary_family(replace(two, scores=scores, low=scores, high=scores, human=human), alone).pairs
    drop, interval = pair.of(baseline)
    if interval is None and pair.p is not None and pair.p <= alone.alpha and drop is not None:
        # The same fall on every item: nothing varies, and the fall is what it is.
        return drop > limit
    return judge_drop(interval, limit) is GateOutcome.FAILED


def _why_it_cannot_fire(part: ScoreGrid, baseline: str, pair: PairComparison, limit: float) -> str:
    scores = part.scores[part.models.index(baseline)]
    mean = None if np.isnan(scores).all() else float(np.nanmean(scores))
    if not pair.n or mean is None:
        return "this gate cannot fail: there is no item on which both have a score"
    if mean - part.limits[0] <= limit:
        return (
            f"this gate cannot fail: {baseline} is at {mean:.3g} itself, so nothing can fall by more than "
            f"{limit:g}"
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
    outcome, limit = gate
    baseline = pair.b if candidate == pair.a else pair.a
    if pair.bounds is None or pair.bounds[0] == pair.bounds[1]:
        return False
    outcome = GateOutcome.PASSED if outcome is GateOutcome.UNCHANGED else outcome
    if part.human is not None:
        drop, interval = pair.of(baseline)
        if drop is None or interval is None:
            return True
        ends = pair.bounds if pair.a == baseline else (-pair.bounds[1], -pair.bounds[0])
        moved = (ends[1] if outcome is GateOutcome.PASSED else ends[0]) - drop
        return judge_drop(Interval(interval.low + moved, interval.high + moved), limit) is not outcome
    two = part.of_models(sorted(part.models.index(name) for name in (pair.a, pair.b)))
    against, other = (two.low, two.high) if outcome is GateOutcome.PASSED else (two.high, two.low)
    scores = other.copy()
    row = two.models.index(candidate)
    scores[row] = against[row]
    if not np.isfinite(scores[~np.isnan(scores)]).all():
        return True
    alone = replace(settings, primary=None, by=None, alpha=settings.alpha / max(1, candidates))
    (filled,) = primary_family(replace(two, scores=scores, low=scores, high=scores), alone).pairs
    drop, interval = filled.of(baseline)
    if interval is None and drop is not None:
        return (drop > limit) != (outcome is GateOutcome.FAILED)
    return judge_drop(interval, limit) is not outcome
