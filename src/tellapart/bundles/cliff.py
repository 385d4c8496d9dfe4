"""The cliff of a training: from one step on, what it trains for gets better and what it was not shown worse.

The pass rate on a frozen eval rises while that on an organic eval falls, both beyond noise.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from math import isnan
from typing import Any, Literal, NamedTuple, TypeAlias

import numpy as np

from tellapart.bundles.figures import FIGURES, Summary
from tellapart.bundles.rounding import rounded
from tellapart.bundles.runs import Runs, scores_behind
from tellapart.bundles.tier_stats import tier_and_figure
from tellapart.core.arrays import F64
from tellapart.core.comparison.effects import paired_effect, states_grid
from tellapart.core.comparison.pair_tests import run_tests
from tellapart.core.comparison_settings import ALPHA, ComparisonSettings
from tellapart.core.record import Record
from tellapart.core.seed import SEED
from tellapart.core.stats import holm_known
from tellapart.core.stats.paired import holm_levels
from tellapart.report import numbers as show
from tellapart.report.comparison import Scale, words

RISE, FALL = 0.01, 0.02
"""A cliff is a rise and a fall of at least so much, beyond noise; the original method has only these."""

_ROUNDING = 1e-12
_NAMED = 4


class CliffRecord(Record):
    """Whether a training fell off a cliff: one pass rate up while another went down, beyond noise.

    The rise and the fall are of ``step``, the first over the cliff, on ``against``, an earlier one;
    ``holds_at`` are all steps over it. ``p`` is the larger of the two tests', two-sided, and ``p_adjusted``
    the same after Holm over ``looks``, the pairs of steps of all trainings; the intervals are at
    ``1 - level``, the level at which Holm tested it.
    """

    training: str
    rising: str
    falling: str
    steps: tuple[int, ...]
    rising_values: tuple[float, ...]
    falling_values: tuple[float, ...]
    verdict: Literal["cliff", "none_shown"]
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


@dataclass(frozen=True)
class EvalSteps:
    """The bundles of an eval at the steps of a training: by step their scores, shape (bundles,).

    ``name`` is as sentences give it, such as ``organic pass_rate``; ``clusters`` are the bundles' sources.
    """

    name: str
    items: Mapping[int, F64]
    clusters: Sequence[str | None] | None = None

    def p_values(self, steps: Sequence[int], part: str, parts: int) -> dict[tuple[int, int], float]:
        """Two-sided p of every two steps that can be tested."""
        grid = states_grid(np.stack([self.items[step] for step in steps]), self.clusters)
        tested = run_tests(grid, ComparisonSettings(seed=SEED), part=(part,), parts=parts)
        every = tested.differences
        return {
            (steps[int(every.first[at])], steps[int(every.second[at])]): p
            for at, p in zip(tested.pairs, tested.p.tolist(), strict=True)
            if not isnan(p)
        }

    def rate(self, step: int) -> float:
        """The share that passes at a step."""
        return float(self.items[step].mean())


class Training(NamedTuple):
    """A training by two evals: what it may overfit, and what it may lose meanwhile."""

    name: str
    rising: EvalSteps
    falling: EvalSteps

    @property
    def steps(self) -> tuple[int, ...]:
        """The steps that both evals have."""
        return tuple(sorted(set(self.rising.items) & set(self.falling.items)))


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
    other down by ``FALL`` or more, both beyond noise, by tests paired on the bundles. Each claim needs two
    tests and its p is the larger of theirs, so neither is corrected for the other. All pairs of steps of all
    trainings are one family: the best earlier step is not known before the scores are.

    Source:
        Berger 1982, "Multiparameter hypothesis testing and acceptance sampling", for the larger p. "Crucible
        Metrics Reference" has no test: there a cliff is +1 % and -2 %.
    """
    shown = [training for training in trainings if len(training.steps) > 1]
    places, p_values = [], []
    for number, training in enumerate(shown):
        sides = (training.rising, training.falling)
        parts = [side.p_values(training.steps, str(number), len(shown)) for side in sides]
        for before, after in combinations(training.steps, 2):
            rise, change = (side.rate(after) - side.rate(before) for side in sides)
            is_opposed = rise >= RISE - _ROUNDING and -change >= FALL - _ROUNDING
            tested = [p for part in parts if (p := part.get((before, after))) is not None]
            places.append((number, after, before, is_opposed))
            p_values.append(None if len(tested) < 2 else max(tested) if is_opposed else 1.0)
    adjusted = holm_known(p_values)
    levels = holm_levels(p_values, adjusted, ALPHA)
    over: list[list[_Change]] = [[] for _ in shown]
    for (number, after, before, is_opposed), p, q, level in zip(
        places, p_values, adjusted, levels, strict=True
    ):
        if is_opposed and q is not None and q <= ALPHA:
            over[number].append(_Change(after, before, p, q, level))
    return tuple(
        _record(training, sorted(changes), len(places)) for training, changes in zip(shown, over, strict=True)
    )


def _record(training: Training, over: Sequence[_Change], looks: int) -> CliffRecord:
    found: dict[str, Any] = {}
    if over:
        first = [change for change in over if change.after == over[0].after]
        chosen = max(first, key=lambda change: (training.falling.rate(change.before), -change.before))
        found = {
            "step": chosen.after,
            "holds_at": tuple(dict.fromkeys(change.after for change in over)),
            "against": chosen.before,
            "p": chosen.p,
            "p_adjusted": chosen.p_adjusted,
            "level": chosen.level,
        }
        for what, side, high, low in (
            ("rise", training.rising, chosen.after, chosen.before),
            ("fall", training.falling, chosen.before, chosen.after),
        ):
            effect = paired_effect(
                side.items[high],
                side.items[low],
                clusters=side.clusters,
                alpha=chosen.level or ALPHA,
                seed=SEED,
            )
            found |= {what: effect.value, f"{what}_interval": effect.interval}
    return CliffRecord(
        training=training.name,
        rising=training.rising.name,
        falling=training.falling.name,
        steps=training.steps,
        rising_values=tuple(rounded(training.rising.rate(step)) for step in training.steps),
        falling_values=tuple(rounded(training.falling.rate(step)) for step in training.steps),
        verdict="cliff" if over else "none_shown",
        looks=looks,
        **found,
    )


OnEval: TypeAlias = tuple[Runs, str, str]
"""Runs, the name of their eval, and a figure of them."""


def cliffs_of(rising: OnEval, falling: OnEval) -> tuple[CliffRecord, ...]:
    """Look for cliffs in the trainings that two evals follow: the first figure up, the second down.

    Each seed of a training is looked at by itself; without the scores of bundles none is.
    """
    first, second = (_by_training(*side) for side in (rising, falling))
    names = [name for name, _ in first]
    return find_cliffs(
        [
            Training(f"{name} ({seed})" if names.count(name) > 1 else name, steps, second[name, seed])
            for (name, seed), steps in first.items()
            if (name, seed) in second
        ]
    )


def _by_training(runs: Runs, eval_name: str, figure: str) -> dict[tuple[str, str], EvalSteps]:
    """The bundles of each training and seed by step: of a share of bundles, else of its tier's pass rate."""
    tier, name = tier_and_figure(figure)
    if name in FIGURES and FIGURES[name].summary is not Summary.SHARE:
        figure = f"{tier}_pass_rate" if tier else "pass_rate"
    rows = runs.frame.select("condition", "training", "seed", "step").drop_nulls().unique(maintain_order=True)
    conditions: dict[tuple[str, str], dict[int, str]] = {}
    for condition, training, seed, step in rows.iter_rows():
        if seed in runs.scores.get(condition, {}):
            conditions.setdefault((training, seed), {})[step] = condition
    trainings = {}
    for (training, seed), of_steps in conditions.items():
        behind = scores_behind([runs.scores[name][seed] for name in of_steps.values()], figure)
        if behind:
            items = {step: frame["score"].to_numpy() for step, frame in zip(of_steps, behind, strict=True)}
            clusters = behind[0]["cluster"].to_list()
            trainings[training, seed] = EvalSteps(f"{eval_name} {figure}", items, clusters)
    return trainings


def sentence(cliff: CliffRecord) -> str:
    """Say where a training's cliff is; empty where none is shown. It has no full stop."""
    if cliff.step is None or cliff.rise is None or cliff.fall is None:
        return ""
    scale = Scale()
    rise, fall = (
        scale.size(value) + (f" ({scale.sizes(interval)})" if interval else "")
        for value, interval in ((cliff.rise, cliff.rise_interval), (cliff.fall, cliff.fall_interval))
    )
    later = [step for step in cliff.steps if step >= cliff.step]
    if list(cliff.holds_at) != later:
        at = show.listed([f"{step:,}" for step in cliff.holds_at])
        when = f"at step{'s' if len(cliff.holds_at) > 1 else ''} {at}, but not at each later step"
    else:
        when = f"at step {cliff.step:,}" if len(later) == 1 else f"from step {cliff.step:,} on"
    return (
        f"Cliff in {cliff.training} {when}: {words(cliff.rising)} is up by {rise} on step "
        f"{cliff.against:,}, and {words(cliff.falling)} is down by {fall}, beyond the noise of bundles "
        f"(adjusted p {show.p_value(cliff.p_adjusted or 0.0)}, corrected for "
        f"{show.plural(cliff.looks, 'pair')} of steps)"
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
