"""Whether the loop goes on after an iteration."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from tellapart.codesearch.config import LoopConfig
from tellapart.codesearch.looping.trend import (
    EVERYWHERE,
    ROUNDING,
    AreaGate,
    Reason,
    Stop,
    TrendIteration,
    gate_in_words,
)
from tellapart.codesearch.metrics.aggregate import WITHOUT_VERDICTS
from tellapart.codesearch.metrics.score_tables import measure_in_words
from tellapart.core.comparison import GateOutcome
from tellapart.report.comparison import about


def stop_after(
    iterations: Sequence[TrendIteration], gates: Sequence[AreaGate], loop: LoopConfig
) -> Stop | None:
    """Decide whether to stop.

    A regression stops at once, and so does what leaves open whether there is one: verdicts that are missing,
    and falls that noise could explain. Thresholds, a system that does not change and convergence stop from
    ``min_iterations`` on, and ``max_iterations`` in any case.
    """
    number = len(iterations)
    last = iterations[-1].iteration
    for reason, decide in _GATES.items():
        text = decide(iterations[-1], gates, loop.regression)
        if text:
            return Stop(reason=reason, iteration=last, text=text)
    if number >= loop.min_iterations:
        for check in (_thresholds, _unchanged, _converged):
            stop = check(iterations, loop)
            if stop:
                return stop
    if number >= loop.max_iterations:
        return Stop(
            reason="max_iterations",
            iteration=last,
            text=f"These were {number} iterations, as many as 'max_iterations' allows.",
        )
    return None


def _worse(last: TrendIteration, gates: Sequence[AreaGate], limit: float) -> str:
    reasons = _described([gate for gate in gates if gate.outcome is GateOutcome.FAILED])
    number = last.iteration
    return reasons and (
        f"FAILED: iteration {number} is worse than an earlier one by more than {limit:g}, beyond noise: "
        f"{reasons}. Roll back what was changed before iteration {number}, and run the next iteration alone "
        "(--next) to see that it is as it was."
    )


def _unreliable(last: TrendIteration, gates: Sequence[AreaGate], limit: float) -> str:
    """Missing verdicts leave a measure open by more than the limit."""
    wide = [
        f"{measure_in_words(name)} is {low:.3f} to {high:.3f}"
        for name, figure in last.measures.items()
        for low, high in [[0.0 if end is None else end for end in figure.bounds]]
        if figure.interval_reason == WITHOUT_VERDICTS and high - low > limit + ROUNDING
    ]
    number = last.iteration
    if not wide:
        return ""
    return (
        f"Unreliable: the judge gave no verdict on many files of iteration {number}, so the change cannot be "
        f"judged: {'; '.join(wide)}. The system is not to blame: do not roll back. Once the judge works, run "
        "the same command again: it asks only for the verdicts that are missing."
    )


def _circular(last: TrendIteration, gates: Sequence[AreaGate], limit: float) -> str:
    reasons = _described([gate for gate in gates if gate.circular])
    return reasons and (
        f"Cannot be told: iteration {last.iteration} fell by more than {limit:g}, but only by explorers that "
        f"search as the system does: {reasons}. Do not roll back for that: configure another explorer, or "
        "start again with --gold FILE."
    )


def _unclear(last: TrendIteration, gates: Sequence[AreaGate], limit: float) -> str:
    reasons = _described(gates)
    return reasons and (
        f"Unclear: iteration {last.iteration} may be worse than an earlier one by more than {limit:g}, "
        f"but so few conversations cannot rule out chance: {reasons}. Check them; then roll back or run the "
        "next iteration alone (--next)."
    )


_GATES: Mapping[Reason, Callable[[TrendIteration, Sequence[AreaGate], float], str]] = {
    "regression": _worse,
    "unreliable": _unreliable,
    "circular": _circular,
    "unclear": _unclear,
}


def _described(gates: Sequence[AreaGate]) -> str:
    return "; ".join(map(_one, gates))


def _one(gate: AreaGate) -> str:
    where = gate.area if gate.area == EVERYWHERE else repr(gate.area)
    name = measure_in_words(gate.measure)
    text = f"in {where} {name} against iteration {gate.against_iteration}: {gate_in_words(gate)}"
    needed = gate.items_needed
    return text + (f"; about {about(needed)} conversations would settle it" if needed else "")


def _thresholds(iterations: Sequence[TrendIteration], loop: LoopConfig) -> Stop | None:
    last = iterations[-1]
    limits = (loop.precision_threshold, loop.recall_threshold)
    # Where verdicts are missing, what is reached without them is reached.
    reached = [
        figure.bounds[0] if figure.interval_reason == WITHOUT_VERDICTS else figure.macro
        for figure in last.measures.values()
    ]
    if any(value is None or value < limit - ROUNDING for value, limit in zip(reached, limits, strict=True)):
        return None
    shown = " and ".join(
        f"{measure_in_words(name)} {value:.3f} (threshold {limit:g})"
        for name, value, limit in zip(last.measures, reached, limits, strict=True)
    )
    return Stop(reason="thresholds", iteration=last.iteration, text=f"The thresholds are reached: {shown}.")


def _unchanged(iterations: Sequence[TrendIteration], loop: LoopConfig) -> Stop | None:
    if loop.improve is not None or not iterations[-1].same_files:
        return None
    return Stop(
        reason="unchanged",
        iteration=iterations[-1].iteration,
        text=f"Nothing changed, converged: the system returned just the files of iteration "
        f"{iterations[-2].iteration}. "
        "Change it, or name a command that does as 'loop.improve'.",
    )


def _converged(iterations: Sequence[TrendIteration], loop: LoopConfig) -> Stop | None:
    steps, most = loop.convergence.iterations, loop.convergence.change
    if len(iterations) <= steps:
        return None
    recent = [list(iteration.measures.items()) for iteration in iterations[-steps - 1 :]]
    for before, after in zip(recent, recent[1:], strict=False):
        for (old_name, old), (new_name, new) in zip(before, after, strict=True):
            if old_name != new_name or old.macro is None or new.macro is None:
                return None
            if abs(new.macro - old.macro) > most + ROUNDING:
                return None
    return Stop(
        reason="converged",
        iteration=iterations[-1].iteration,
        text=f"Converged: precision and recall changed by at most {most:g} in each of the last {steps} "
        "steps.",
    )
