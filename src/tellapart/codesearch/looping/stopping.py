"""Whether the loop goes on after an iteration."""

from __future__ import annotations

from collections.abc import Sequence

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
    and falls that noise, or explorers of the system's own kind, could explain. Thresholds, a system that does
    not change and convergence stop from ``min_iterations`` on, and ``max_iterations`` in any case.
    """
    number, last = len(iterations), iterations[-1].iteration
    texts: dict[Reason, str] = {
        "regression": _worse(last, gates, loop.regression),
        "unreliable": _unreliable(iterations[-1], loop.regression),
        "unclear": _unclear(last, gates, loop.regression),
    }
    if number >= loop.min_iterations:
        texts["thresholds"] = _thresholds(iterations[-1], loop)
        texts["unchanged"] = _unchanged(iterations, loop)
        texts["converged"] = _converged(iterations, loop)
    if number >= loop.max_iterations:
        texts["max_iterations"] = f"These were {number} iterations, as many as 'max_iterations' allows."
    return next(
        (Stop(reason=reason, iteration=last, text=text) for reason, text in texts.items() if text), None
    )


def _worse(last: int, gates: Sequence[AreaGate], limit: float) -> str:
    reasons = "; ".join(_described(gate) for gate in gates if gate.outcome is GateOutcome.FAILED)
    return reasons and (
        f"FAILED: iteration {last} is worse than an earlier one by more than {limit:g}, beyond noise: "
        f"{reasons}. Roll back what was changed before iteration {last}, and run the next iteration alone "
        "(--next) to see that it is as it was."
    )


def _unreliable(last: TrendIteration, limit: float) -> str:
    """Missing verdicts leave a measure open by more than the limit."""
    wide = [
        f"{measure_in_words(name)} is {low:.3f} to {high:.3f}"
        for name, figure in last.measures.items()
        for low, high in [[0.0 if end is None else end for end in figure.bounds]]
        if figure.interval_reason == WITHOUT_VERDICTS and high - low > limit + ROUNDING
    ]
    if not wide:
        return ""
    return (
        f"Unreliable: the judge gave no verdict on many files of iteration {last.iteration}, so the change "
        f"cannot be judged: {'; '.join(wide)}. The system is not to blame: do not roll back. Once the judge "
        "works, run the same command again: it asks only for the verdicts that are missing."
    )


def _unclear(last: int, gates: Sequence[AreaGate], limit: float) -> str:
    reasons = "; ".join(f"{_described(gate)}; {gate.reason}" for gate in gates)
    return reasons and (
        f"Unclear: iteration {last} may be worse than an earlier one by more than {limit:g}: {reasons}. "
        "Check these conversations; then roll back or run the next iteration alone (--next)."
    )


def _described(gate: AreaGate) -> str:
    where = gate.area if gate.area == EVERYWHERE else repr(gate.area)
    name = measure_in_words(gate.measure)
    text = f"in {where} {name} against iteration {gate.against_iteration}: {gate_in_words(gate)}"
    needed = gate.items_needed
    return text + (f"; about {about(needed)} conversations would settle it" if needed else "")


def _thresholds(last: TrendIteration, loop: LoopConfig) -> str:
    limits = (loop.precision_threshold, loop.recall_threshold)
    # Where verdicts are missing, what is reached without them is reached.
    reached = [
        figure.bounds[0] if figure.interval_reason == WITHOUT_VERDICTS else figure.macro
        for figure in last.measures.values()
    ]
    if any(value is None or value < limit - ROUNDING for value, limit in zip(reached, limits, strict=True)):
        return ""
    shown = " and ".join(
        f"{measure_in_words(name)} {value:.3f} (threshold {limit:g})"
        for name, value, limit in zip(last.measures, reached, limits, strict=True)
    )
    return f"The thresholds are reached: {shown}."


def _unchanged(iterations: Sequence[TrendIteration], loop: LoopConfig) -> str:
    if loop.improve is not None or not iterations[-1].same_files:
        return ""
    return (
        "Nothing changed, converged: the system returned just the files of iteration "
        f"{iterations[-2].iteration}. Change it, or name a command that does as 'loop.improve'."
    )


def _converged(iterations: Sequence[TrendIteration], loop: LoopConfig) -> str:
    steps, most = loop.convergence.iterations, loop.convergence.change
    recent = [iteration.measures for iteration in iterations[-steps - 1 :]]
    if len(recent) <= steps or any(each.keys() != recent[0].keys() for each in recent):
        return ""
    for name in recent[0]:
        values = [each[name].macro for each in recent]
        for before, after in zip(values, values[1:], strict=False):
            if before is None or after is None or abs(after - before) > most + ROUNDING:
                return ""
    return f"Converged: precision and recall changed by at most {most:g} in each of the last {steps} steps."
