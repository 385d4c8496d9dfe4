"""One figure up while another goes down: which later stages of a course show both, beyond noise."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from math import isnan

from tellapart.bundles.conditions import ConditionRuns, compare_conditions
from tellapart.core.arrays import F64
from tellapart.core.comparison.decision import run_tests
from tellapart.core.comparison.effects import paired_effect, states_grid
from tellapart.core.comparison_settings import ALPHA, ComparisonSettings
from tellapart.core.estimate import Estimate
from tellapart.core.seed import SEED
from tellapart.core.stats import holm_known
from tellapart.core.stats.multiplicity import holm_levels
from tellapart.core.stats.samples import Clusters

_ROUNDING = 1e-12


@dataclass(frozen=True)
class Stages:
    """A rate at the stages of a course, such as at the checkpoints of a training.

    Attributes:
        values: By stage in order, the rate by seed, in [0, 1]; every stage has the same seeds.
        items: Shape (stages, items), scores in [0, 1] of the same items, whose means are the rates of the one
            seed there is; None where they are not at hand.
        clusters: Shape (items,), the sources of the items; None where each stands alone.
    """

    values: Sequence[Mapping[str, float]]
    items: F64 | None = None
    clusters: Clusters | None = None

    def mean(self, stage: int) -> float:
        """The rate at a stage, over its seeds."""
        values = self.values[stage]
        return sum(values.values()) / len(values)


@dataclass(frozen=True)
class OpposedChange:
    """From an earlier stage to a later one: a rate rises while another falls.

    Attributes:
        before: The earlier stage, from 0.
        p: The larger of the two p-values, each two-sided; None without a test of both.
        p_adjusted: After Holm over all pairs of stages of all courses.
        level: At which Holm tested it, or None.
        holds: Whether both changes are beyond noise; None without a test.
    """

    before: int
    after: int
    p: float | None
    p_adjusted: float | None
    level: float | None
    holds: bool | None


@dataclass(frozen=True)
class Course:
    """Two rates at the same stages.

    Attributes:
        rising: The one that may rise.
        least: How far each must rise and fall to count, >= 0.
    """

    rising: Stages
    falling: Stages
    least: tuple[float, float] = (0.0, 0.0)


def opposed_changes(courses: Sequence[Course], *, seed: int = SEED) -> list[list[OpposedChange]]:
    """Find every two stages between which one rate rises and the other falls, both beyond noise.

    Each claim needs two tests, and its p is the larger of theirs, so neither has to be corrected for the
    other. All pairs of stages of all courses are one family, whichever of them look best: the best earlier
    stage is not known before the scores are. With item scores the tests are paired on the items; of rates of
    two seeds or more they are paired on the seeds. One rate without its items has no test.

    Args:
        courses: Of one family.
        seed: Of the flips of signs, where they are too many to count.

    Returns:
        By course, the pairs of stages between which both rates change by as much as ``least`` in these
        directions, the earliest later stage first and then the earliest earlier one.

    Source:
        Berger 1982, "Multiparameter hypothesis testing and acceptance sampling", for the larger p.
    """
    p_values: list[float | None] = []
    places: list[tuple[int, int, int, bool]] = []
    for number, course in enumerate(courses):
        parts = [_p_values(side, number, len(courses), seed) for side in (course.rising, course.falling)]
        for before, after in combinations(range(len(course.rising.values)), 2):
            both = [part.get((before, after)) for part in parts]
            opposed = _is_opposed(course, before, after)
            places.append((number, before, after, opposed))
            tested = [p for p in both if p is not None]
            p_values.append(None if len(tested) < 2 else max(tested) if opposed else 1.0)
    adjusted = holm_known(p_values)
    levels = holm_levels(p_values, adjusted, ALPHA)
    by_course: list[list[OpposedChange]] = [[] for _ in courses]
    for (number, before, after, opposed), joint, q, level in zip(
        places, p_values, adjusted, levels, strict=True
    ):
        if opposed:
            holds = None if q is None else q <= ALPHA
            by_course[number].append(OpposedChange(before, after, joint, q, level, holds))
    return [sorted(changes, key=lambda change: (change.after, change.before)) for changes in by_course]


def stage_change(
    stages: Stages, before: int, after: int, level: float | None, *, seed: int = SEED
) -> Estimate:
    """Estimate how far a rate rises from one stage to another, with the interval of the test at a level.

    Args:
        stages: The rate.
        before: The earlier stage.
        after: The later one.
        level: 1 - level of the interval; None for no interval.
        seed: As for `opposed_changes`.

    Returns:
        Rate after - rate before; ``n`` is the number of items, or of seeds where only rates are there.
    """
    if level is None:
        gap = stages.mean(after) - stages.mean(before)
        return Estimate(gap, None, None, len(stages.values[after]), "the scores of items are not at hand")
    if stages.items is not None:
        return paired_effect(
            stages.items[after], stages.items[before], clusters=stages.clusters, alpha=level, seed=seed
        )
    runs = ConditionRuns("", {str(stage): stages.values[stage] for stage in (before, after)}, is_rate=True)
    (pair,) = compare_conditions([runs], ComparisonSettings(alpha=level)).pairs
    change, interval = pair.of(str(after))
    low, high = interval or (None, None)
    return Estimate(change, low, high, pair.seeds[0], pair.reason or None)


def _is_opposed(course: Course, before: int, after: int) -> bool:
    rise = course.rising.mean(after) - course.rising.mean(before)
    fall = course.falling.mean(before) - course.falling.mean(after)
    least_rise, least_fall = course.least
    return rise > 0 and fall > 0 and rise >= least_rise - _ROUNDING and fall >= least_fall - _ROUNDING


def _p_values(stages: Stages, number: int, courses: int, seed: int) -> dict[tuple[int, int], float]:
    """Two-sided p of every two stages that can be tested."""
    if len(stages.values) < 2:
        return {}
    if stages.items is not None:
        settings = ComparisonSettings(seed=seed)
        grid = states_grid(stages.items, stages.clusters)
        tested = run_tests(grid, settings, part=(str(number),), parts=courses)
        every = tested.differences
        return {
            (int(every.first[at]), int(every.second[at])): p
            for at, p in zip(tested.pairs, tested.p.tolist(), strict=True)
            if not isnan(p)
        }
    runs = ConditionRuns(
        "", {f"{stage:06}": rates for stage, rates in enumerate(stages.values)}, is_rate=True
    )
    pairs = compare_conditions([runs]).pairs
    return {(int(pair.a), int(pair.b)): pair.p for pair in pairs if pair.p is not None}
