"""``history.json`` of a loop: the figures of each iteration, its gates, and why it stops.

Whether two iterations differ, and whether an area fell by more than is allowed, is decided by
`core.comparison` on the score tables of the two, as an audit of their runs would.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Literal

import polars as pl

from tellapart.codesearch.config import LoopConfig
from tellapart.codesearch.evaluation import Evaluation
from tellapart.codesearch.figures import Explorers, MeasureSummary, Number
from tellapart.codesearch.figures import Interval as Ends
from tellapart.codesearch.metrics.aggregate import WITHOUT_VERDICTS, precision_and_recall, summary
from tellapart.codesearch.metrics.explorations import explorer_names
from tellapart.codesearch.metrics.judge import MOST_FAILED, share_failed
from tellapart.codesearch.metrics.score_tables import (
    AREA,
    default_measure,
    joint_scores_of,
    measure_in_words,
    share_cases,
)
from tellapart.core.comparison import (
    ALPHA,
    Comparison,
    ComparisonSettings,
    Gate,
    GateOutcome,
    PairComparison,
    compare,
    run_gates,
)
from tellapart.core.estimate import Interval
from tellapart.core.record import StoredRecord
from tellapart.core.score_grid import score_grid
from tellapart.core.scores import ScoreTable
from tellapart.core.seed import SEED
from tellapart.report.comparison import about

EVERYWHERE = "all conversations"
"""In place of an area, where all of them together fell."""

ROUNDING = 1e-9
"""A figure that misses a limit by no more than this reaches it."""


class AreaGate(StoredRecord):
    """A measure of an area, or of ``EVERYWHERE``, that fell by more than the limit; see ``Gate``."""

    area: str
    measure: str
    against_iteration: int
    outcome: GateOutcome
    drop: Number
    interval: Ends = None
    n: int = 0
    items_needed: int | None = None
    reason: str = ""


class TrendIteration(StoredRecord):
    """One iteration, and how it compares with the one before it on the conversations that both have."""

    iteration: int
    explorers: Explorers = Explorers()
    conversations: int
    reliable: bool = True
    measures: dict[str, MeasureSummary]
    same_files: bool | None = None
    same_explorers: bool | None = None
    same_ground_truth: bool | None = None
    compared_by: str = ""
    comparison: Comparison | None = None


Reason = Literal[
    "regression", "unreliable", "unclear", "thresholds", "unchanged", "converged", "max_iterations"
]


class Stop(StoredRecord):
    """Why the loop stops, for programs and for people."""

    reason: Reason
    iteration: int
    text: str

    @property
    def outcome(self) -> GateOutcome:
        """Whether the iteration may stay: failed after a regression, unclear where that cannot be said."""
        if self.reason == "regression":
            return GateOutcome.FAILED
        return GateOutcome.UNCLEAR if self.reason in ("unreliable", "unclear") else GateOutcome.PASSED


class History(StoredRecord):
    """The whole trend; ``gates`` are those of the last iteration that failed, or are unclear."""

    iterations: tuple[TrendIteration, ...]
    gates: tuple[AreaGate, ...] = ()
    notes: tuple[str, ...] = ()
    stopped: Stop | None = None


def trend(evaluations: Sequence[Evaluation], *, seed: int = SEED) -> list[TrendIteration]:
    """Give the figures of each iteration, and compare it with the one before."""
    before: list[Evaluation | None] = [None, *evaluations]
    names = precision_and_recall(*(each.cases for each in evaluations))
    return [
        _iteration(last, evaluation, names, seed)
        for last, evaluation in zip(before, evaluations, strict=False)
    ]


def _iteration(before: Evaluation | None, now: Evaluation, names: Sequence[str], seed: int) -> TrendIteration:
    iteration = TrendIteration(
        iteration=now.iteration,
        explorers=explorer_names(now.cases),
        conversations=len(now.cases),
        reliable=(share_failed(now.cases) or 0) <= MOST_FAILED,
        measures={name: summary(name, now.cases) for name in names},
    )
    if before is None:
        return iteration
    shared = share_cases(before.cases, now.cases)
    measure = default_measure([before, now])
    scores = _scores(before, now, measure)
    return iteration.model_copy(
        update={
            "same_files": {case.id: case.files for case in before.cases}
            == {case.id: case.files for case in now.cases},
            "same_explorers": shared.same_explorers,
            "same_ground_truth": not shared.other_truths,
            "compared_by": measure,
            "comparison": compare(scores, ComparisonSettings(seed=seed)) if scores else None,
        }
    )


def _scores(before: Evaluation, now: Evaluation, measure: str) -> ScoreTable | None:
    """The scores of two iterations on the conversations that both have; None where one has no score."""
    shared = share_cases(before.cases, now.cases)
    names = (f"iteration {before.iteration}", f"iteration {now.iteration}")
    both = [replace(each, cases=cases) for each, cases in zip((before, now), shared.lists, strict=True)]
    scores = joint_scores_of(dict(zip(names, both, strict=True)), measure)
    scored = scores.frame.filter(pl.col("score").is_not_null())["model"].unique().to_list()
    return scores if len(scored) == len(names) else None


def failed_gates(
    earlier: Sequence[Evaluation], now: Evaluation, limit: float, *, seed: int = SEED
) -> list[AreaGate]:
    """Find the areas in which a measure fell by more than ``limit``, or may have.

    Held against every earlier iteration of the same explorers, so that an area cannot lose a little in each;
    the deepest fall of an area counts.

    Source:
        The source document, Per-Product-Area Metrics: "prevent oscillating improvements that help one area
        while hurting another".
    """
    deepest: dict[tuple[str, str], AreaGate] = {}
    for before in earlier:
        if share_cases(before.cases, now.cases).same_explorers:
            for gate in _gates_since(before, now, limit, seed):
                known = deepest.get((gate.area, gate.measure))
                if known is None or gate.drop > known.drop:
                    deepest[gate.area, gate.measure] = gate
    return [deepest[key] for key in sorted(deepest)]


def _gates_since(before: Evaluation, now: Evaluation, limit: float, seed: int) -> Iterator[AreaGate]:
    names = precision_and_recall(before.cases, now.cases)
    for name in names:
        scores = _scores(before, now, name)
        if scores is None:
            continue
        grid = score_grid(scores)
        areas = grid.strata[AREA].values if AREA in grid.strata else ()
        # Precision and recall, each in every area, are that many looks at one change.
        alpha = ALPHA / (len(names) * max(1, len(areas)))
        settings = ComparisonSettings(baseline=f"iteration {before.iteration}", alpha=alpha, seed=seed)
        parts: Mapping[str, ComparisonSettings] = {
            area: replace(settings, primary=(AREA, area), primary_declared=True) for area in areas
        }
        if len(areas) != 1:
            parts = {EVERYWHERE: settings, **parts}
        for area, of_part in parts.items():
            (gate,) = run_gates(grid, limit, of_part)
            if found := _area_gate(gate, area, name, before.iteration):
                yield found


def _area_gate(gate: Gate, area: str, measure: str, against: int) -> AreaGate | None:
    """The gate where the measure fell by more than the limit; all together count only beyond noise."""
    failed = gate.outcome is GateOutcome.FAILED
    fell = gate.drop is not None and gate.limit is not None and gate.drop > gate.limit + ROUNDING
    if gate.drop is None or gate.outcome is None or not (failed or (fell and area != EVERYWHERE)):
        return None
    return AreaGate(
        area=area,
        measure=measure,
        against_iteration=against,
        outcome=gate.outcome,
        drop=gate.drop,
        interval=gate.interval and (gate.interval.low, gate.interval.high),
        n=gate.n,
        items_needed=gate.items_needed,
        reason=gate.reason,
    )


def lines(iterations: Sequence[TrendIteration]) -> Iterator[str]:
    """Put a trend in words."""
    for iteration in iterations:
        shown = ", ".join(
            f"{measure_in_words(name)} {_estimate(measure)}" for name, measure in iteration.measures.items()
        )
        doubt = "" if iteration.reliable else "; unreliable: too many verdicts failed"
        yield f"iteration {iteration.iteration}: {shown} ({counted(iteration.conversations)}){doubt}"
        if iteration.comparison is not None:
            yield f"  {_change_in_words(iteration)}"
        if iteration.same_files:
            yield "  the system returned just the same files"
        if iteration.same_explorers is False:
            yield "  the explorers changed, and with them the ground truth: no change is held to the limit"
        elif iteration.same_ground_truth is False:
            yield "  explorations found other files, so a change may come from them"


def change_since(iteration: TrendIteration) -> tuple[PairComparison, float | None, Interval | None, str]:
    """The pair with the iteration before; how much this one has more, and whether that is better."""
    assert iteration.comparison is not None
    pair = iteration.comparison.primary.pairs[0]
    name = f"iteration {iteration.iteration}"
    difference, interval = pair.of(name)
    verdict = "better" if pair.ahead == name else "worse"
    return pair, difference, interval, verdict if pair.is_separated else pair.verdict.value.replace("_", " ")


def _change_in_words(iteration: TrendIteration) -> str:
    pair, difference, interval, verdict = change_since(iteration)
    before = pair.a if pair.b == f"iteration {iteration.iteration}" else pair.b
    by = measure_in_words(iteration.compared_by)
    if difference is None:
        return f"{by} since {before}: no conversation has it in both"
    ends = f"{interval.low:+.3f} to {interval.high:+.3f}; " if interval else ""
    return f"{by} since {before}: {difference:+.3f} ({ends}{counted(pair.n)}; {verdict})"


def gate_in_words(gate: AreaGate) -> str:
    """A fall, with its interval."""
    ends = gate.interval and f"{-gate.interval[1]:+.3f} to {-gate.interval[0]:+.3f}; "
    return f"{-gate.drop:+.3f} ({ends or ''}{counted(gate.n)})"


def _estimate(measure: MeasureSummary) -> str:
    if measure.interval_reason == WITHOUT_VERDICTS:
        low, high = ("undefined" if end is None else f"{end:.3f}" for end in measure.bounds)
        if low == high:
            return f"{low} whatever the missing verdicts say"
        return f"unknown, {low} to {high} by what the missing verdicts could say"
    if measure.macro is None:
        return "undefined"
    ends = f" ({measure.interval[0]:.3f} to {measure.interval[1]:.3f})" if measure.interval else ""
    return f"{measure.macro:.3f}{ends}"


def counted(n: int) -> str:
    """A number of conversations."""
    return f"{n} conversation{'s' * (n != 1)}"


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
