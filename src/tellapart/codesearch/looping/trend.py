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
from tellapart.codesearch.figures import MeasureSummary
from tellapart.codesearch.metrics.judge import MOST_FAILED, share_failed
from tellapart.codesearch.metrics.measures import WITHOUT_VERDICTS, precision_and_recall, summary
from tellapart.codesearch.metrics.score_tables import AREA, default_measure, joint_scores_of, share_cases
from tellapart.core.comparison import (
    ALPHA,
    Comparison,
    ComparisonSettings,
    Gate,
    GateOutcome,
    compare,
    run_gates,
)
from tellapart.core.estimate import Interval
from tellapart.core.record import StoredRecord
from tellapart.core.score_grid import score_grid
from tellapart.core.scores import ScoreTable
from tellapart.core.seed import SEED
from tellapart.report.comparison import about
from tellapart.report.figures import in_words
from tellapart.report.numbers import plural

EVERYWHERE = "all conversations"  # In place of an area, where all of them together fell
ROUNDING = 1e-9  # A figure that misses a limit by no more than this reaches it


class AreaGate(StoredRecord):
    """A measure of an area, or of ``EVERYWHERE``, that fell by more than the limit."""

    area: str
    measure: str
    gate: Gate

    @property
    def drop(self) -> float:
        """How far it fell."""
        assert self.gate.drop is not None
        return self.gate.drop

    @property
    def fall(self) -> str:
        """The fall, with its interval."""
        ends = self.gate.interval and f"{-self.gate.interval.high:+.3f} to {-self.gate.interval.low:+.3f}; "
        return f"{-self.drop:+.3f} ({ends or ''}{plural(self.gate.n, 'conversation')})"


class TrendIteration(StoredRecord):
    """One iteration, and how it compares with the one before it on the conversations that both have."""

    iteration: int
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


class History(StoredRecord):
    """The whole trend; ``gates`` are those of the last iteration that failed, or are unclear."""

    iterations: tuple[TrendIteration, ...]
    gates: tuple[AreaGate, ...] = ()
    notes: tuple[str, ...] = ()
    stopped: Stop | None = None

    @property
    def outcome(self) -> GateOutcome:
        """Whether the last iteration may stay: failed after a regression, unclear where nobody can say."""
        reason = self.stopped.reason if self.stopped else ""
        if reason == "regression":
            return GateOutcome.FAILED
        return GateOutcome.UNCLEAR if reason in ("unreliable", "unclear") else GateOutcome.PASSED


def trend(evaluations: Sequence[Evaluation], *, seed: int = SEED) -> list[TrendIteration]:
    """Give the figures of each iteration, and compare it with the one before."""
    names = precision_and_recall(*(each.cases for each in evaluations))
    before: list[Evaluation | None] = [None, *evaluations]
    iterations = []
    for last, now in zip(before, evaluations, strict=False):
        iteration = TrendIteration(
            iteration=now.iteration,
            conversations=len(now.cases),
            reliable=(share_failed(now.cases) or 0) <= MOST_FAILED,
            measures={name: summary(name, now.cases) for name in names},
        )
        since = {} if last is None else _since(last, now, seed)
        iterations.append(iteration.model_copy(update=since))
    return iterations


def _since(before: Evaluation, now: Evaluation, seed: int) -> dict[str, object]:
    """How an iteration compares with the one before."""
    shared = share_cases(before.cases, now.cases)
    measure = default_measure([before, now])
    scores = _scores(before, now, measure)
    old, new = ({case.id: case.files for case in each.cases} for each in (before, now))
    return {
        "same_files": old == new,
        "same_explorers": shared.same_explorers,
        "same_ground_truth": not shared.other_truths,
        "compared_by": measure,
        "comparison": compare(scores, ComparisonSettings(seed=seed)) if scores else None,
    }


def _named(number: int) -> str:
    return f"iteration {number}"


def _scores(before: Evaluation, now: Evaluation, measure: str) -> ScoreTable | None:
    """The scores of two iterations on the conversations that both have; None where one has no score."""
    lists = share_cases(before.cases, now.cases).lists
    both = {
        _named(each.iteration): replace(each, cases=cases)
        for each, cases in zip((before, now), lists, strict=True)
    }
    scores = joint_scores_of(both, measure)
    return scores if scores.frame.filter(pl.col("score").is_not_null())["model"].n_unique() == 2 else None


def failed_gates(
    earlier: Sequence[Evaluation], now: Evaluation, limit: float, *, seed: int = SEED
) -> list[AreaGate]:
    """Find the areas in which a measure fell by more than ``limit`` since an earlier iteration, or may have.

    Held against all of the same explorers (others have another ground truth), so that an area cannot lose a
    little in each; its deepest fall counts, and one beyond noise before all others. All conversations
    together count only where they fell beyond noise.

    Source:
        The source document, Per-Product-Area Metrics: "prevent oscillating improvements that help one area
        while hurting another".
    """
    found = [gate for before in earlier for gate in _gates_since(before, now, limit, seed)]
    found.sort(key=lambda gate: (gate.gate.outcome is GateOutcome.FAILED, gate.drop))
    deepest = {(gate.area, gate.measure): gate for gate in found}
    return [deepest[key] for key in sorted(deepest)]


def _gates_since(before: Evaluation, now: Evaluation, limit: float, seed: int) -> Iterator[AreaGate]:
    if not share_cases(before.cases, now.cases).same_explorers:
        return
    names = precision_and_recall(before.cases, now.cases)
    for name in names:
        scores = _scores(before, now, name)
        if scores is None:
            continue
        grid = score_grid(scores)
        areas = grid.strata[AREA].values if AREA in grid.strata else ()
        # Precision and recall, each in every area, are that many looks at one change.
        alpha = ALPHA / (len(names) * max(1, len(areas)))
        settings = ComparisonSettings(baseline=_named(before.iteration), alpha=alpha, seed=seed)
        parts: Mapping[str, ComparisonSettings] = {
            area: replace(settings, primary=(AREA, area), primary_declared=True) for area in areas
        }
        if len(areas) != 1:
            parts = {EVERYWHERE: settings, **parts}
        for area, of_part in parts.items():
            (gate,) = run_gates(grid, limit, of_part)
            fell = gate.drop is not None and gate.drop > limit + ROUNDING and area != EVERYWHERE
            if fell or gate.outcome is GateOutcome.FAILED:
                yield AreaGate(area=area, measure=name, gate=gate)


def change_since(iteration: TrendIteration) -> tuple[float | None, Interval | None, str]:
    """How much an iteration has more than the one before, the interval, and whether that is better."""
    assert iteration.comparison is not None
    pair, name = iteration.comparison.primary.pairs[0], _named(iteration.iteration)
    difference, interval = pair.of(name)
    verdict = "better" if pair.ahead == name else "worse"
    return difference, interval, verdict if pair.is_separated else pair.verdict.value.replace("_", " ")


def stop_after(
    iterations: Sequence[TrendIteration], gates: Sequence[AreaGate], loop: LoopConfig
) -> Stop | None:
    """Decide whether to stop.

    A regression stops at once, and so does what leaves open whether there is one: verdicts that are missing,
    and falls that noise, or explorers of the system's own kind, could explain. Thresholds, a system that does
    not change and convergence stop from ``min_iterations`` on, and ``max_iterations`` in any case.
    """
    number, last = len(iterations), iterations[-1].iteration
    failed = [gate for gate in gates if gate.gate.outcome is GateOutcome.FAILED]
    texts: dict[Reason, str] = {
        "regression": _regression(last, failed, loop.regression),
        "unreliable": _unreliable(iterations[-1], loop.regression),
        "unclear": _unclear(last, gates, loop.regression),
    }
    if number >= loop.min_iterations:
        texts["thresholds"] = _thresholds(iterations[-1], loop)
        if loop.improve is None and iterations[-1].same_files:
            texts["unchanged"] = (
                "Nothing changed, converged: the system returned just the files of iteration "
                f"{iterations[-2].iteration}. Change it, or name a command that does as 'loop.improve'."
            )
        texts["converged"] = _converged(iterations, loop)
    if number >= loop.max_iterations:
        texts["max_iterations"] = f"These were {number} iterations, as many as 'max_iterations' allows."
    return next(
        (Stop(reason=reason, iteration=last, text=text) for reason, text in texts.items() if text), None
    )


def _regression(last: int, gates: Sequence[AreaGate], limit: float) -> str:
    if not gates:
        return ""
    return (
        f"FAILED: iteration {last} is worse than an earlier one by more than {limit:g}, beyond noise: "
        f"{'; '.join(map(_described, gates))}. Roll back what was changed before iteration {last}, and run "
        "the next iteration alone (--next) to see that it is as it was."
    )


def _unclear(last: int, gates: Sequence[AreaGate], limit: float) -> str:
    reasons = "; ".join(f"{_described(gate)}; {gate.gate.reason}" for gate in gates)
    return reasons and (
        f"Unclear: iteration {last} may be worse than an earlier one by more than {limit:g}: {reasons}. "
        "Check these conversations; then roll back or run the next iteration alone (--next)."
    )


def _described(gate: AreaGate) -> str:
    where = gate.area if gate.area == EVERYWHERE else repr(gate.area)
    needed = gate.gate.items_needed
    settled = f"; about {about(needed)} conversations would settle it" if needed else ""
    return f"in {where} {in_words(gate.measure)} against {gate.gate.baseline}: {gate.fall}{settled}"


def _unreliable(last: TrendIteration, limit: float) -> str:
    """Missing verdicts leave a measure open by more than the limit."""
    wide = [
        f"{in_words(name)} is {low:.3f} to {high:.3f}"
        for name, figure in last.measures.items()
        for low, high in [[0.0 if end is None else end for end in figure.bounds]]
        if figure.interval_reason == WITHOUT_VERDICTS and high - low > limit + ROUNDING
    ]
    return (
        f"Unreliable: the judge gave no verdict on many files of iteration {last.iteration}, so the change "
        f"cannot be judged: {'; '.join(wide)}. The system is not to blame: do not roll back. Once the judge "
        "works, run the same command again: it asks only for the verdicts that are missing."
        if wide
        else ""
    )


def _thresholds(last: TrendIteration, loop: LoopConfig) -> str:
    limits = (loop.precision_threshold, loop.recall_threshold)
    reached = []
    for (name, figure), limit in zip(last.measures.items(), limits, strict=True):
        # Where verdicts are missing, what is reached without them is reached.
        value = figure.bounds[0] if figure.interval_reason == WITHOUT_VERDICTS else figure.macro
        if value is None or value < limit - ROUNDING:
            return ""
        reached.append(f"{in_words(name)} {value:.3f} (threshold {limit:g})")
    return f"The thresholds are reached: {' and '.join(reached)}."


def _converged(iterations: Sequence[TrendIteration], loop: LoopConfig) -> str:
    steps, most = loop.convergence.iterations, loop.convergence.change
    recent = [iteration.measures for iteration in iterations[-steps - 1 :]]
    if len(recent) <= steps or any(each.keys() != recent[0].keys() for each in recent):
        return ""
    values = [[each[name].macro for each in recent] for name in recent[0]]
    changes = [
        None if a is None or b is None else abs(b - a)
        for of_measure in values
        for a, b in zip(of_measure, of_measure[1:], strict=False)
    ]
    if any(change is None or change > most + ROUNDING for change in changes):
        return ""
    return f"Converged: precision and recall changed by at most {most:g} in each of the last {steps} steps."
