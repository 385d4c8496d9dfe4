"""Gates: whether a candidate's mean fell by more than is allowed; passed, failed or unclear."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import ceil, isfinite, log, log1p

import numpy as np

from tellapart.core.arrays import F64
from tellapart.core.comparison.compare import check_models, primary_family, with_notes, within_primary
from tellapart.core.comparison.decision import could_be_undone
from tellapart.core.comparison.pairs import PairComparison, Primary, Verdict
from tellapart.core.comparison.plan import GapSpread, whole
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
    """An item on which a candidate and the baseline differ, and their scores."""

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
    same = [
        limit is not None and settings.least <= limit and pair.verdict is Verdict.EQUIVALENT
        for pair in family.pairs
    ]
    settings = replace(settings, alpha=min(2 * settings.alpha, settings.power))
    family, part = primary_family(grid, settings), within_primary(grid, settings)
    if grid.notes.looks is not None:
        # Other scores are to be imagined on the items of a run that stopped when models were told apart.
        part = part.only(np.isin(part.items.astype(str), grid.notes.looks.order))
        part = replace(part, notes=part.notes.model_copy(update={"looks": None}))
    return tuple(
        _gate(part, family, pair, limit, settings, is_same=is_same)
        for pair, is_same in zip(family.pairs, same, strict=True)
    )


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
    spread = GapSpread.of([pair], part.span)
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
    two = part.of_models(sorted(part.models.index(name) for name in (candidate, baseline)))
    alone = replace(settings, primary=None, by=None, alpha=settings.alpha / len(family.pairs))
    outcome, reason = _outcome(part, pair, gate, limit, is_same=is_same)
    can_fire = outcome is GateOutcome.FAILED or _can_fire(two, gate, limit, alone)
    needed = None
    if pair.withheld:
        outcome, reason = GateOutcome.UNCLEAR, pair.withheld
    elif not can_fire:
        outcome, reason = GateOutcome.UNCLEAR, _why_it_cannot_fire(part, baseline, pair, limit)
    elif outcome is GateOutcome.UNCLEAR:
        reason = reason or pair.reason or WITHIN_NOISE
        needed = whole(float(spread.items(limit, level, settings.power)[0])) if spread.is_known(0) else None
    elif _missing_could_turn(two, pair, replace(gate, outcome=outcome), limit, alone):
        outcome, reason = GateOutcome.UNCLEAR, "missing scores could reverse this result"
    needed = needed if needed and needed > pair.n else None
    return replace(gate, outcome=outcome, can_fire=can_fire, items_needed=needed, reason=reason)


def _outcome(
    part: ScoreGrid, pair: PairComparison, gate: Gate, limit: float, *, is_same: bool
) -> tuple[GateOutcome, str]:
    """How a gate ends by the scores there are, and why it cannot pass."""
    if pair.n and not gate.flips:
        return GateOutcome.UNCHANGED, ""
    outcome = GateOutcome.PASSED if is_same else judge_drop(gate.interval, limit)
    share = 0.0
    if outcome is GateOutcome.PASSED and not is_same:
        share = could_be_undone(part, pair, gate.candidate, limit)
    if not share:
        return outcome, ""
    what = "items" if pair.clusters == pair.n else "sources"
    needed = ceil(log((pair.level or ALPHA) / 2) / log1p(-share)) if share < 1 else None
    enough = f"; {needed:,} would be enough" if needed else ""
    too_few = f"{pair.clusters:,} {what} are too few to rule out a rare complete failure{enough}"
    return GateOutcome.UNCLEAR, too_few


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
        rejects = mcnemar_exact(losses, 0) <= 2 * ALPHA
        low, _ = mcnemar_interval([losses], [0], [n], [2 * ALPHA], [rejects])
        return float(low[0]) > limit

    at = bisect_left(range(1, n + 1), True, key=fails)
    return at + 1 if at < n else None


def _imagined(two: ScoreGrid, scores: F64, alone: ComparisonSettings, human: F64 | None) -> PairComparison:
    """Compare two models as if these were their scores."""
    grid = replace(two, scores=scores, low=scores, high=scores, human=human)
    (pair,) = primary_family(grid, alone).pairs
    return pair


def _can_fire(two: ScoreGrid, gate: Gate, limit: float, alone: ComparisonSettings) -> bool:
    """Whether a candidate would fail that gets the lowest score on every item on which this one has one.

    Where scores have no lower limit, any fall is possible.
    """
    low, row = two.limits[0], two.models.index(gate.candidate)
    if not isfinite(low):
        return int(np.count_nonzero(~np.isnan(two.scores).any(axis=0))) > 1

    def lowered(values: F64) -> F64:
        values = values.copy()
        values[row] = np.where(np.isnan(values[row]), np.nan, low)
        return values

    pair = _imagined(two, lowered(two.scores), alone, None if two.human is None else lowered(two.human))
    drop, interval = pair.of(gate.baseline)
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
        why = f"{baseline} is at {mean:.3g} itself, so nothing can fall by more than {limit:g}"
        return f"this gate cannot fail: {why}"
    items = f"{pair.n:,} item{'' if pair.n == 1 else 's'}"
    if pair.clusters != pair.n:
        items += f" from {pair.clusters:,} source{'' if pair.clusters == 1 else 's'}"
    return (
        f"this gate cannot fail: with {baseline} at {mean:.3g} on {items}, even a fall to "
        f"{part.limits[0]:g} would be within noise"
    )


def _missing_could_turn(
    two: ScoreGrid, pair: PairComparison, gate: Gate, limit: float, alone: ComparisonSettings
) -> bool:
    """Whether the gate ends otherwise with the values of the missing scores that speak most against it."""
    if pair.bounds is None or pair.bounds[0] == pair.bounds[1]:
        return False
    failed = gate.outcome is GateOutcome.FAILED
    outcome = GateOutcome.FAILED if failed else GateOutcome.PASSED
    if two.human is not None:
        if gate.drop is None or gate.interval is None:
            return True
        ends = pair.bounds if pair.a == gate.baseline else (-pair.bounds[1], -pair.bounds[0])
        moved = (ends[0] if failed else ends[1]) - gate.drop
        low, high = gate.interval
        return judge_drop(Interval(low + moved, high + moved), limit) is not outcome
    against, other = (two.high, two.low) if failed else (two.low, two.high)
    scores, row = other.copy(), two.models.index(gate.candidate)
    scores[row] = against[row]
    if not np.isfinite(scores[~np.isnan(scores)]).all():
        return True
    drop, interval = _imagined(two, scores, alone, None).of(gate.baseline)
    if interval is None and drop is not None:
        return (drop > limit) != failed
    return judge_drop(interval, limit) is not outcome
