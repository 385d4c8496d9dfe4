"""The cliff of a training: from one step on, what it trains for gets better and what it was not shown worse.

The pass rate on a frozen eval rises while that on an organic eval falls, both beyond noise.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from math import isnan
from typing import Any, Literal, NamedTuple, TypeAlias

import numpy as np

from tellapart.bundles.conditions import ConditionRuns, compare_conditions
from tellapart.bundles.figures import FIGURES, Summary
from tellapart.bundles.rounding import rounded
from tellapart.bundles.runs import Runs, scores_behind
from tellapart.bundles.tier_stats import tier_and_figure
from tellapart.core.arrays import F64
from tellapart.core.comparison.decision import run_tests
from tellapart.core.comparison.effects import paired_effect, states_grid
from tellapart.core.comparison_settings import ALPHA, ComparisonSettings
from tellapart.core.estimate import Interval
from tellapart.core.record import Record
from tellapart.core.seed import SEED
from tellapart.core.stats import holm_known
from tellapart.core.stats.multiplicity import holm_levels
from tellapart.report import numbers as show
from tellapart.report.comparison import Scale, words

RISE, FALL = 0.01, 0.02
"""A cliff is a rise and a fall of at least so much, beyond noise; the original method has only these."""

_ROUNDING = 1e-12
_NAMED = 4
_UNKNOWN = "the scores of bundles are not at hand, so whether that is more than noise is not known"


class CliffRecord(Record):
    """Whether a training fell off a cliff: one pass rate up while another went down.

    The verdict is ``not_known`` where the rates have the pattern and nothing says what their noise is. The
    rise and the fall are of ``step``, the first over the cliff, on ``against``, an earlier one; ``holds_at``
    are all steps over it. ``p`` is the larger of the two tests', two-sided, and ``p_adjusted`` the same after
    Holm over ``looks``, the pairs of steps of all trainings; the intervals are at ``1 - level``, the level at
    which Holm tested it. ``covers`` is the noise that the tests allow for: of bundles, seeds or both.
    """

    training: str
    rising: str
    falling: str
    steps: tuple[int, ...]
    rising_values: tuple[float, ...]
    falling_values: tuple[float, ...]
    verdict: Literal["cliff", "none_shown", "not_known"]
    step: int | None = None
    holds_at: tuple[int, ...] = ()
    against: int | None = None
    rise: float | None = None
    rise_interval: tuple[float, float] | None = None
    fall: float | None = None
    fall_interval: tuple[float, float] | None = None
    p: float | None = None
    p_adjusted: float | None = None
    level: float | None = None
    looks: int
    covers: str | None
    reason: str | None


@dataclass(frozen=True)
class EvalSteps:
    """A pass rate on one eval over the steps of a training: by step and seed, scored boards having one seed.

    ``items`` has by step the scores of the same bundles, shape (bundles,), where they are at hand, and
    ``clusters`` their sources. ``name`` is as sentences give it, such as ``organic pass_rate``.
    """

    name: str
    values: Mapping[int, Mapping[str, float]]
    items: Mapping[int, F64] = field(default_factory=dict)
    clusters: Sequence[str | None] | None = None

    def seeds(self, steps: Sequence[int]) -> list[str]:
        """The seeds that have all of some steps."""
        return [seed for seed in self.values[steps[0]] if all(seed in self.values[step] for step in steps)]

    def rates(self, step: int, steps: Sequence[int]) -> dict[str, float]:
        """The rates at a step, of the seeds that have all of ``steps``."""
        return {seed: self.values[step][seed] for seed in self.seeds(steps)}

    def mean(self, step: int, steps: Sequence[int]) -> float:
        """Their mean."""
        rates = self.rates(step, steps).values()
        return sum(rates) / len(rates)

    def is_tested(self, steps: Sequence[int]) -> bool:
        """Whether anything says what the noise is: the scores of bundles, or several seeds."""
        return bool(self.items) or len(self.seeds(steps)) > 1


@dataclass(frozen=True)
class Training:
    """A training by two evals: what it may overfit, and what it may lose meanwhile."""

    name: str
    rising: EvalSteps
    falling: EvalSteps

    @property
    def sides(self) -> tuple[EvalSteps, EvalSteps]:
        """Both evals."""
        return self.rising, self.falling

    @property
    def steps(self) -> tuple[int, ...]:
        """The steps that both evals have, with some seed of each at all of them; else none."""
        steps = tuple(sorted(set(self.rising.values) & set(self.falling.values)))
        return steps if steps and all(side.seeds(steps) for side in self.sides) else ()


class _Change(NamedTuple):
    """From an earlier step to a later one the one rate rises and the other falls; ``p`` is the larger one."""

    after: int
    before: int
    p: float | None
    p_adjusted: float | None
    level: float | None


def find_cliffs(trainings: Sequence[Training]) -> tuple[CliffRecord, ...]:
    """Find from which step on a training gets better on one eval and worse on the other.

    A step is over the cliff if, against some earlier step, the one rate is up by ``RISE`` or more and the
    other down by ``FALL`` or more, both beyond noise. Each claim needs two tests and its p is the larger of
    theirs, so neither is corrected for the other. All pairs of steps of all trainings are one family: the
    best earlier step is not known before the scores are. The tests are paired on the bundles, or on the seeds
    where two or more recorded only their rates; one rate without its bundles has no test.

    Source:
        Berger 1982, "Multiparameter hypothesis testing and acceptance sampling", for the larger p. "Crucible
        Metrics Reference" has no test: there a cliff is +1 % and -2 %.
    """
    shown = [training for training in trainings if len(training.steps) > 1]
    places, p_values = [], []
    for number, training in enumerate(shown):
        steps = training.steps
        parts = [_p_values(side, steps, number, len(shown)) for side in training.sides]
        for before, after in combinations(steps, 2):
            rise, change = (side.mean(after, steps) - side.mean(before, steps) for side in training.sides)
            is_opposed = rise >= RISE - _ROUNDING and -change >= FALL - _ROUNDING
            tested = [p for part in parts if (p := part.get((before, after))) is not None]
            places.append((number, after, before, is_opposed))
            p_values.append(None if len(tested) < 2 else max(tested) if is_opposed else 1.0)
    adjusted = holm_known(p_values)
    levels = holm_levels(p_values, adjusted, ALPHA)
    changes: list[list[_Change]] = [[] for _ in shown]
    for (number, after, before, is_opposed), *tests in zip(places, p_values, adjusted, levels, strict=True):
        if is_opposed:
            changes[number].append(_Change(after, before, *tests))
    return tuple(
        _record(training, of_training, len(places))
        for training, of_training in zip(shown, changes, strict=True)
    )


def _p_values(
    side: EvalSteps, steps: Sequence[int], number: int, trainings: int
) -> dict[tuple[int, int], float]:
    """Two-sided p of every two steps that can be tested."""
    if side.items:
        grid = states_grid(np.stack([side.items[step] for step in steps]), side.clusters)
        tested = run_tests(grid, ComparisonSettings(seed=SEED), part=(str(number),), parts=trainings)
        every = tested.differences
        return {
            (steps[int(every.first[at])], steps[int(every.second[at])]): p
            for at, p in zip(tested.pairs, tested.p.tolist(), strict=True)
            if not isnan(p)
        }
    rates = {f"{i:06}": side.rates(step, steps) for i, step in enumerate(steps)}
    compared = compare_conditions([ConditionRuns("", rates, is_rate=True)])
    return {(steps[int(pair.a)], steps[int(pair.b)]): pair.p for pair in compared.pairs if pair.p is not None}


def _record(training: Training, changes: Sequence[_Change], looks: int) -> CliffRecord:
    steps = training.steps
    is_tested = all(side.is_tested(steps) for side in training.sides)
    over = sorted(
        change
        for change in changes
        if not is_tested or (change.p_adjusted is not None and change.p_adjusted <= ALPHA)
    )
    found: dict[str, Any] = {}
    if over:
        first = [change for change in over if change.after == over[0].after]
        chosen = max(first, key=lambda change: (training.falling.mean(change.before, steps), -change.before))
        level = chosen.level if is_tested else None
        rise, rise_interval = _estimated(training.rising, chosen.before, chosen.after, steps, level)
        fall, fall_interval = _estimated(training.falling, chosen.after, chosen.before, steps, level)
        found = {
            "step": chosen.after,
            "holds_at": tuple(dict.fromkeys(change.after for change in over)),
            "against": chosen.before,
            "rise": rise,
            "rise_interval": rise_interval,
            "fall": fall,
            "fall_interval": fall_interval,
            "p": chosen.p if is_tested else None,
            "p_adjusted": chosen.p_adjusted if is_tested else None,
            "level": level,
        }
    noise = dict.fromkeys("bundles" if side.items else "seeds" for side in training.sides)
    return CliffRecord(
        training=training.name,
        rising=training.rising.name,
        falling=training.falling.name,
        steps=steps,
        rising_values=tuple(rounded(training.rising.mean(step, steps)) for step in steps),
        falling_values=tuple(rounded(training.falling.mean(step, steps)) for step in steps),
        verdict="none_shown" if not over else "cliff" if is_tested else "not_known",
        looks=looks,
        covers=" and ".join(noise) if is_tested else None,
        reason=None if is_tested else _UNKNOWN,
        **found,
    )


def _estimated(
    side: EvalSteps, before: int, after: int, steps: Sequence[int], level: float | None
) -> tuple[float | None, Interval | None]:
    """How far a rate rises from one step to another, with the interval of the test at a level."""
    if level is None:
        return side.mean(after, steps) - side.mean(before, steps), None
    if side.items:
        items = side.items[after], side.items[before]
        effect = paired_effect(*items, clusters=side.clusters, alpha=level, seed=SEED)
        return effect.value, effect.interval
    runs = ConditionRuns("", {str(step): side.rates(step, steps) for step in (before, after)}, is_rate=True)
    (pair,) = compare_conditions([runs], ComparisonSettings(alpha=level)).pairs
    return pair.of(str(after))


OnEval: TypeAlias = tuple[Runs, str, str]
"""Runs, the name of their eval, and a figure of them."""

_Rates: TypeAlias = dict[str, dict[int, float]]
"""The rate of a training by seed and step."""


def cliffs_of(rising: OnEval, falling: OnEval) -> tuple[CliffRecord, ...]:
    """Look for cliffs in the trainings that two evals follow: the first figure up, the second down."""
    sides = [(runs, name, _pass_rate(figure)) for runs, name, figure in (rising, falling)]
    first, second = (_by_training(runs, rate) for runs, _, rate in sides)
    trainings = (_trainings(name, sides, (first[name], second[name])) for name in first if name in second)
    return find_cliffs([training for of_name in trainings for training in of_name])


def _by_training(runs: Runs, rate: str) -> dict[str, _Rates]:
    rows = runs.frame.filter(metric=rate).drop_nulls("step").select("training", "seed", "step", "value")
    trainings: dict[str, _Rates] = {}
    for training, seed, step, value in rows.iter_rows():
        if 0 <= value <= 1:
            trainings.setdefault(training, {}).setdefault(seed, {})[step] = value
    return trainings


def _trainings(name: str, sides: Sequence[OnEval], rates: tuple[_Rates, _Rates]) -> Iterator[Training]:
    """Each seed whose bundles are at hand is a training; the others, by their rates alone, are one."""
    unscored = []
    for seed in (seed for seed in rates[0] if seed in rates[1]):
        scored = [_scored(name, seed, side, sorted(of[seed])) for side, of in zip(sides, rates, strict=True)]
        if all(steps.items for steps in scored):
            yield Training(f"{name} ({seed})" if len(rates[0]) > 1 else name, *scored)
        else:
            unscored.append(seed)
    if unscored:
        recorded = []
        for (_, eval_name, rate), of in zip(sides, rates, strict=True):
            values: dict[int, dict[str, float]] = {}
            for seed in unscored:
                for step, value in of[seed].items():
                    values.setdefault(step, {})[seed] = value
            recorded.append(EvalSteps(f"{eval_name} {rate}", values))
        yield Training(name, *recorded)


def _scored(training: str, seed: str, side: OnEval, steps: Sequence[int]) -> EvalSteps:
    """Take a figure from the scores of each step; without any where they are not at hand."""
    runs, name, rate = side
    frames = [runs.scores.get(f"{training} step {step}", {}).get(seed) for step in steps]
    behind = scores_behind([frame for frame in frames if frame is not None], rate)
    if not behind or len(behind) < len(steps):
        return EvalSteps(name, {})
    items = {step: frame["score"].to_numpy() for step, frame in zip(steps, behind, strict=True)}
    values = {step: {"": float(scores.mean())} for step, scores in items.items()}
    return EvalSteps(f"{name} {rate}", values, items, behind[0]["cluster"].to_list())


def _pass_rate(figure: str) -> str:
    """The figure itself if it is a share of bundles, else the pass rate of its tier."""
    tier, name = tier_and_figure(figure)
    if name not in FIGURES or FIGURES[name].summary is Summary.SHARE:
        return figure
    return f"{tier}_pass_rate" if tier else "pass_rate"


def sentence(cliff: CliffRecord) -> str:
    """Say where a training's cliff is; empty where none is shown. It has no full stop."""
    if cliff.step is None or cliff.rise is None or cliff.fall is None:
        return ""
    scale = Scale()
    rise, fall = (
        scale.size(value) + (f" ({scale.sizes(interval)})" if interval else "")
        for value, interval in ((cliff.rise, cliff.rise_interval), (cliff.fall, cliff.fall_interval))
    )
    sure = (
        f"; {cliff.reason}"
        if cliff.reason
        else f", beyond the noise of {cliff.covers} (adjusted p {show.p_value(cliff.p_adjusted or 0.0)}, "
        f"corrected for {show.plural(cliff.looks, 'pair')} of steps)"
    )
    later = [step for step in cliff.steps if step >= cliff.step]
    if list(cliff.holds_at) != later:
        at = show.listed([f"{step:,}" for step in cliff.holds_at])
        when = f"at step{'s' if len(cliff.holds_at) > 1 else ''} {at}, but not at each later step"
    else:
        when = f"at step {cliff.step:,}" if len(later) == 1 else f"from step {cliff.step:,} on"
    lead = "Cliff" if cliff.verdict == "cliff" else "Perhaps a cliff"
    return (
        f"{lead} in {cliff.training} {when}: {words(cliff.rising)} is up by {rise} on step "
        f"{cliff.against:,}, and {words(cliff.falling)} is down by {fall}{sure}"
    )


def cliff_lines(cliffs: Sequence[CliffRecord]) -> list[str]:
    """Say where the cliffs of several trainings are, and of which trainings none is shown."""
    lines = [f"{text}." for text in map(sentence, cliffs) if text]
    none = [cliff for cliff in cliffs if cliff.verdict == "none_shown"]
    if none:
        names = show.listed([cliff.training for cliff in none], most=_NAMED)
        pairs = show.plural(none[0].looks, "pair")
        lines.append(
            f"No cliff is shown in {names}: between no two steps is {words(none[0].rising)} up and "
            f"{words(none[0].falling)} down beyond noise ({pairs} of steps)."
        )
    return lines
