"""The cliff of a training: from one step on, what it trains for gets better and what it was not shown worse.

The pass rate on a frozen eval rises while that on an organic eval falls, both beyond noise.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
import polars as pl

from tellapart.bundles.opposed import Course, OpposedChange, Stages, opposed_changes, stage_change
from tellapart.bundles.result_files import scores_behind
from tellapart.bundles.results import CliffRecord
from tellapart.bundles.rounding import rounded
from tellapart.core.arrays import F64
from tellapart.core.estimate import Estimate
from tellapart.errors import InputError
from tellapart.report import numbers as show
from tellapart.report.comparison import Scale, words

RISE, FALL = 0.01, 0.02
"""A cliff is a rise and a fall of at least so much, beyond noise; the original method has only these."""

_AT_END = re.compile(r"(?:step|checkpoint)[-_=]?(\d+)(?:\.[a-z]{1,12})?$", re.IGNORECASE)
_IN_LABEL = re.compile(r"(.*\S)\s+step\s+(\d+)", re.IGNORECASE)
_NAMED = 4
_UNKNOWN = "the scores of bundles are not at hand, so whether that is more than noise is not known"


@dataclass(frozen=True)
class TrainedStep:
    """Which training a model is from, and at which step.

    Attributes:
        model: Its name without the step.
        run: Its checkpoint without the step, or what else tells runs of one model apart; may be empty.
        step: The step; None where neither names one.
    """

    model: str
    run: str = ""
    step: int | None = None


def trained_step(model: str, checkpoint: str = "") -> TrainedStep:
    """Read the step from a name that ends in ``step 120``, or a path that ends in ``step`` or ``checkpoint``.

    ``run/checkpoint-120`` and ``run/epoch=1-step=120.ckpt`` are step 120 of ``run``.
    """
    label, in_path, run = _IN_LABEL.fullmatch(model), None, checkpoint
    directory, _, name = checkpoint.rstrip("/").rpartition("/")
    if match := _AT_END.search(name):
        in_path, run = int(match[1]), directory
    in_label = int(label[2]) if label else in_path
    if in_path is not None and in_label != in_path:
        raise InputError(
            f"the model {model!r} is of step {in_label}, its checkpoint {checkpoint!r} of step {in_path}",
            next_step="Score the checkpoint again with the right --name and --checkpoint",
        )
    return TrainedStep(label[1] if label else model, run, in_label)


@dataclass(frozen=True)
class EvalSteps:
    """A pass rate on one eval over the steps of a training.

    Attributes:
        name: As sentences give it, such as ``organic pass_rate``.
        values: By step and seed the rate, in [0, 1]; scored boards have one seed.
        items: By step, shape (bundles,): the scores of the same bundles, where they are at hand.
        clusters: Shape (bundles,), the sources of the bundles; None where each stands alone.
    """

    name: str
    values: Mapping[int, Mapping[str, float]]
    items: Mapping[int, F64] = field(default_factory=dict)
    clusters: Sequence[str | None] | None = None

    def seeds(self, steps: Sequence[int]) -> list[str]:
        """The seeds that have all of some steps."""
        return [seed for seed in self.values[steps[0]] if all(seed in self.values[step] for step in steps)]

    def stages(self, steps: Sequence[int]) -> Stages:
        """Arrange the rates of some steps, of the seeds that have all of them, for their tests."""
        values = [{seed: self.values[step][seed] for seed in self.seeds(steps)} for step in steps]
        if any(step not in self.items for step in steps):
            return Stages(values)
        return Stages(values, np.stack([self.items[step] for step in steps]), self.clusters)


def scored_steps(name: str, metric: str, frames: Mapping[int, pl.DataFrame]) -> EvalSteps:
    """Take a figure from the scores of each step."""
    ordered = {step: frame.sort("item") for step, frame in sorted(frames.items())}
    first = next(iter(ordered.values()), None)
    if first is None or any(not frame["item"].equals(first["item"]) for frame in ordered.values()):
        return EvalSteps(name, {})
    behind = dict(zip(ordered, scores_behind([*ordered.values()], metric), strict=False))
    if not behind:
        return EvalSteps(name, {})
    items = {step: frame["score"].to_numpy() for step, frame in behind.items()}
    values = {step: {"": float(scores.mean())} for step, scores in items.items()}
    return EvalSteps(name, values, items, behind[min(behind)]["cluster"].to_list())


@dataclass(frozen=True)
class Training:
    """A training by two evals.

    Attributes:
        rising: What it may overfit: the hardest bundles of a frozen eval, say.
        falling: What it may lose meanwhile, such as an organic eval.
    """

    name: str
    rising: EvalSteps
    falling: EvalSteps

    @property
    def steps(self) -> tuple[int, ...]:
        """The steps that both evals have, with some seed of each at all of them; else none."""
        steps = tuple(sorted(set(self.rising.values) & set(self.falling.values)))
        return steps if steps and self.rising.seeds(steps) and self.falling.seeds(steps) else ()


def find_cliffs(trainings: Sequence[Training]) -> tuple[CliffRecord, ...]:
    """Find from which step on a training gets better on one eval and worse on the other.

    A step is over the cliff if, against some earlier step, the one rate is up by ``RISE`` or more and the
    other down by ``FALL`` or more, both beyond noise: see `opposed_changes`. The tests are paired on the
    bundles, or on the seeds where two or more recorded only their rates.

    Source:
        "Crucible Metrics Reference" has no test: there a cliff is +1 % and -2 %.
    """
    shown = [training for training in trainings if len(training.steps) > 1]
    courses = [
        Course(training.rising.stages(training.steps), training.falling.stages(training.steps), (RISE, FALL))
        for training in shown
    ]
    changes = opposed_changes(courses)
    looks = sum(len(training.steps) * (len(training.steps) - 1) // 2 for training in shown)
    return tuple(map(_record, shown, courses, changes, [looks] * len(shown)))


def _record(training: Training, course: Course, changes: Sequence[OpposedChange], looks: int) -> CliffRecord:
    steps = training.steps
    sides = (course.rising, course.falling)
    tested = all(side.items is not None or len(side.values[0]) > 1 for side in sides)
    over = [change for change in changes if change.holds or not tested]
    first = [change for change in over if change.after == over[0].after]
    chosen = max(first, key=lambda change: (course.falling.mean(change.before), -change.before), default=None)
    record = CliffRecord(
        training=training.name,
        rising=training.rising.name,
        falling=training.falling.name,
        steps=steps,
        rising_values=tuple(rounded(course.rising.mean(i)) for i in range(len(steps))),
        falling_values=tuple(rounded(course.falling.mean(i)) for i in range(len(steps))),
        verdict="none_shown" if chosen is None else "cliff" if tested else "not_known",
        looks=looks,
        covers=_covers(sides) if tested else None,
        reason=None if tested else _UNKNOWN,
    )
    if chosen is None:
        return record
    level = chosen.level if tested else None
    rise, change = (stage_change(side, chosen.before, chosen.after, level) for side in sides)
    return record.model_copy(
        update={
            "step": steps[chosen.after],
            "holds_at": tuple(dict.fromkeys(steps[change.after] for change in over)),
            "against": steps[chosen.before],
            "rise": rise.value,
            "rise_interval": rise.interval,
            "fall": _turned(change).value,
            "fall_interval": _turned(change).interval,
            "p": chosen.p if tested else None,
            "p_adjusted": chosen.p_adjusted if tested else None,
            "level": level,
        }
    )


def _covers(sides: Sequence[Stages]) -> str:
    kinds = dict.fromkeys("bundles" if side.items is not None else "seeds" for side in sides)
    return " and ".join(kinds)


def _turned(change: Estimate) -> Estimate:
    """The same change from the other side."""
    low, high = change.interval or (None, None)
    return Estimate(
        None if change.value is None else 0.0 - change.value,
        None if high is None else 0.0 - high,
        None if low is None else 0.0 - low,
        change.n,
        change.reason,
    )


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
    lead = "Cliff" if cliff.verdict == "cliff" else "Perhaps a cliff"
    return (
        f"{lead} in {cliff.training} {_when(cliff)}: {words(cliff.rising)} is up by {rise} on step "
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


def _when(cliff: CliffRecord) -> str:
    later = [step for step in cliff.steps if step >= (cliff.step or 0)]
    if list(cliff.holds_at) == later:
        return f"at step {cliff.step:,}" if len(later) == 1 else f"from step {cliff.step:,} on"
    at = show.listed([f"{step:,}" for step in cliff.holds_at])
    return f"at step{'s' if len(cliff.holds_at) > 1 else ''} {at}, but not at each later step"
