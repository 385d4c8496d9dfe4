"""Whether the loop goes on after an iteration."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from tellapart.codesearch.config import LoopConfig
from tellapart.codesearch.looping.history import in_words
from tellapart.codesearch.looping.records import (
    RegressionRecord,
    RegressionStatus,
    StopRecord,
    TrendIteration,
)
from tellapart.codesearch.looping.regression import EVERYWHERE, ROUNDING
from tellapart.codesearch.metrics.aggregate import WITHOUT_VERDICTS
from tellapart.codesearch.metrics.score_tables import measure_in_words
from tellapart.core.comparison import GateOutcome
from tellapart.report.comparison import about

Reason = Literal[
    "regression",
    "unreliable",
    "circular",
    "unclear",
    "thresholds",
    "unchanged",
    "converged",
    "max_iterations",
]

_OUTCOMES: Mapping[Reason, GateOutcome] = {
    "regression": GateOutcome.FAILED,
    "unreliable": GateOutcome.UNCLEAR,
    "circular": GateOutcome.UNCLEAR,
    "unclear": GateOutcome.UNCLEAR,
}


@dataclass(frozen=True)
class Stop:
    """Why the loop stops.

    Attributes:
        text: For people, one paragraph.
    """

    reason: Reason
    iteration: int
    text: str

    @property
    def outcome(self) -> GateOutcome:
        """Whether the iteration may stay: failed after a regression, unclear where that cannot be said."""
        return _OUTCOMES.get(self.reason, GateOutcome.PASSED)

    def record(self) -> StopRecord:
        """The same as it is stored."""
        return StopRecord(reason=self.reason, iteration=self.iteration, text=self.text)


def stop_after(
    iterations: Sequence[TrendIteration], fallen: Sequence[RegressionRecord], loop: LoopConfig
) -> Stop | None:
    """Decide whether to stop.

    A regression stops at once, and so does what leaves open whether there is one: verdicts that are missing,
    and falls that noise could explain. Thresholds, a system that does not change and convergence stop from
    ``min_iterations`` on, and ``max_iterations`` in any case.
    """
    number = len(iterations)
    last = iterations[-1].iteration
    for reason, decide in _GATES.items():
        text = decide(iterations[-1], fallen, loop.regression)
        if text:
            return Stop(reason, last, text)
    if number >= loop.min_iterations:
        for check in (_thresholds, _unchanged, _converged):
            stop = check(iterations, loop)
            if stop:
                return stop
    if number >= loop.max_iterations:
        return Stop(
            "max_iterations", last, f"These were {number} iterations, as many as 'max_iterations' allows."
        )
    return None


def _worse(last: TrendIteration, fallen: Sequence[RegressionRecord], limit: float) -> str:
    reasons = _of(fallen, RegressionStatus.WORSE)
    number = last.iteration
    return reasons and (
        f"FAILED: iteration {number} is worse than an earlier one by more than {limit:g}, beyond noise: "
        f"{reasons}. Roll back what was changed before iteration {number}, and run the next iteration alone "
        "(--next) to see that it is as it was."
    )


def _unreliable(last: TrendIteration, fallen: Sequence[RegressionRecord], limit: float) -> str:
    """Missing verdicts decide whether an area fell, or leave a measure open by more than the limit."""
    wide = [
        f"{measure_in_words(name)} is {low:.3f} to {high:.3f}"
        for name, figure in last.measures.items()
        for low, high in [[0.0 if end is None else end for end in figure.bounds]]
        if figure.reason == WITHOUT_VERDICTS and high - low > limit + ROUNDING
    ]
    reasons = "; ".join(wide) or _of(fallen, RegressionStatus.UNRELIABLE)
    number = last.iteration
    return reasons and (
        f"Unreliable: the judge gave no verdict on many files of iteration {number}, so the change cannot be "
        f"judged: {reasons}. The system is not to blame: do not roll back. Once the judge works, run the "
        "same command again: it asks only for the verdicts that are missing."
    )


def _circular(last: TrendIteration, fallen: Sequence[RegressionRecord], limit: float) -> str:
    reasons = _of(fallen, RegressionStatus.CIRCULAR)
    return reasons and (
        f"Cannot be told: iteration {last.iteration} fell by more than {limit:g}, but only by explorers that "
        f"search as the system does: {reasons}. Do not roll back for that: configure another explorer, or "
        "start again with --gold FILE."
    )


def _unclear(last: TrendIteration, fallen: Sequence[RegressionRecord], limit: float) -> str:
    reasons = _of(fallen, RegressionStatus.UNCLEAR)
    return reasons and (
        f"Unclear: iteration {last.iteration} may be worse than an earlier one by more than {limit:g}, "
        f"but so few conversations cannot rule out chance: {reasons}. Check them; then roll back or run the "
        "next iteration alone (--next)."
    )


_GATES: Mapping[Reason, Callable[[TrendIteration, Sequence[RegressionRecord], float], str]] = {
    "regression": _worse,
    "unreliable": _unreliable,
    "circular": _circular,
    "unclear": _unclear,
}


def _of(fallen: Sequence[RegressionRecord], fall: RegressionStatus) -> str:
    return "; ".join(_described(regression) for regression in fallen if regression.fall is fall)


def _described(regression: RegressionRecord) -> str:
    where = regression.area if regression.area == EVERYWHERE else repr(regression.area)
    name = measure_in_words(regression.measure)
    text = f"in {where} {name} against iteration {regression.against_iteration}: {in_words(regression)}"
    needed = regression.settle_items
    if regression.fall is RegressionStatus.UNCLEAR and needed and needed > regression.n:
        text += f"; about {about(needed)} conversations would settle it"
    return text


def _thresholds(iterations: Sequence[TrendIteration], loop: LoopConfig) -> Stop | None:
    last = iterations[-1]
    limits = (loop.precision_threshold, loop.recall_threshold)
    # Where verdicts are missing, what is reached without them is reached.
    reached = [
        figure.bounds[0] if figure.reason == WITHOUT_VERDICTS else figure.value
        for figure in last.measures.values()
    ]
    if any(value is None or value < limit - ROUNDING for value, limit in zip(reached, limits, strict=True)):
        return None
    shown = " and ".join(
        f"{measure_in_words(name)} {value:.3f} (threshold {limit:g})"
        for name, value, limit in zip(last.measures, reached, limits, strict=True)
    )
    return Stop("thresholds", last.iteration, f"The thresholds are reached: {shown}.")


def _unchanged(iterations: Sequence[TrendIteration], loop: LoopConfig) -> Stop | None:
    since = iterations[-1].since
    if loop.improve is not None or since is None or not since.same_files:
        return None
    return Stop(
        "unchanged",
        iterations[-1].iteration,
        f"Nothing changed, converged: the system returned just the files of iteration {since.iteration}. "
        "Change it, or name a command that does as 'loop.improve'.",
    )


def _converged(iterations: Sequence[TrendIteration], loop: LoopConfig) -> Stop | None:
    steps, most = loop.convergence.iterations, loop.convergence.change
    if len(iterations) <= steps:
        return None
    recent = [list(iteration.measures.items()) for iteration in iterations[-steps - 1 :]]
    for before, after in zip(recent, recent[1:], strict=False):
        for (old_name, old), (new_name, new) in zip(before, after, strict=True):
            if old_name != new_name or old.value is None or new.value is None:
                return None
            if abs(new.value - old.value) > most + ROUNDING:
                return None
    return Stop(
        "converged",
        iterations[-1].iteration,
        f"Converged: precision and recall changed by at most {most:g} in each of the last {steps} steps.",
    )
