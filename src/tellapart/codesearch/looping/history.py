"""The trend over iterations, as JSON and as lines for people."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tellapart.codesearch.looping.change import changes, names_of
from tellapart.codesearch.looping.records import ChangeRecord, Since, TrendIteration, TrendMeasure
from tellapart.codesearch.metrics.aggregate import WITHOUT_VERDICTS, areas_of, mean_of, measured
from tellapart.codesearch.metrics.explorations import explorer_names
from tellapart.codesearch.metrics.independence import warnings_of
from tellapart.codesearch.metrics.judge import MOST_FAILED, share_failed
from tellapart.codesearch.metrics.paired_cases import share_cases
from tellapart.codesearch.metrics.score_tables import (
    default_measure,
    free_measure,
    measure_in_words,
    rests_on,
)
from tellapart.codesearch.model import Case, Evaluation
from tellapart.core.comparison import ALPHA
from tellapart.core.seed import SEED


def trend(evaluations: Sequence[Evaluation], *, seed: int = SEED) -> list[TrendIteration]:
    """Give the figures of each iteration, and what changed since the one before."""
    before: list[Evaluation | None] = [None, *evaluations]
    return [
        _iteration(
            evaluation,
            names_of(evaluation, among=evaluations),
            None if last is None else since(last, evaluation, seed=seed),
        )
        for last, evaluation in zip(before, evaluations, strict=False)
    ]


def _iteration(evaluation: Evaluation, names: Sequence[str], since: Since | None) -> TrendIteration:
    return TrendIteration(
        iteration=evaluation.iteration,
        explorers=explorer_names(evaluation.cases),
        conversations=len(evaluation.cases),
        reliable=(share_failed(evaluation.cases) or 0) <= MOST_FAILED,
        measures={name: _mean(evaluation.cases, name) for name in names},
        areas={
            area: {name: _mean(cases, name).value for name in names} | {"count": len(cases)}
            for area, cases in areas_of(evaluation.cases).items()
        },
        since=since,
    )


def _mean(cases: Sequence[Case], name: str) -> TrendMeasure:
    mean = mean_of(measured(cases, name))
    low, high = mean.interval or (None, None)
    return TrendMeasure(
        value=mean.value, low=low, high=high, bounds=mean.bounds, n=mean.n, reason=mean.reason
    )


def since(before: Evaluation, now: Evaluation, *, seed: int = SEED) -> Since:
    """Compare an iteration with the one before, on the conversations that both have."""
    shared = share_cases(before.cases, now.cases)
    names = names_of(before, now)
    changed = {name: changes(before, now, name, seed=seed) for name in names}
    measure = default_measure([before, now])
    if rests_on(measure):
        measure = free_measure([before, now]) or measure
    comparison = changes(before, now, measure, alpha=ALPHA, seed=seed).comparison
    return Since(
        iteration=before.iteration,
        conversations=len(shared),
        same_files=same_files(before, now),
        same_explorers=shared.same_explorers,
        same_ground_truth=not shared.areas_of_other_truth,
        measures={name: change.whole for name, change in changed.items()},
        compared_by=measure,
        comparison=None if comparison is None else comparison,
    )


def notes_on_independence(evaluations: Sequence[Evaluation]) -> list[str]:
    """Say what a loop can tell where an explorer searches as the system does; empty where none does."""
    warnings = dict.fromkeys(line for evaluation in evaluations for line in warnings_of(evaluation))
    if not warnings:
        return []
    free = free_measure(evaluations)
    advice = (
        f"Whether a change made it worse is told by {measure_in_words(free)}."
        if free
        else "So no change can be told: configure another explorer, or start again with --gold FILE."
    )
    return [*warnings, advice]


def same_files(before: Evaluation, now: Evaluation) -> bool:
    """Whether the system returned just the same files, in the same order, for the same conversations."""
    files = [{case.id: case.files for case in evaluation.cases} for evaluation in (before, now)]
    return files[0] == files[1]


def lines(iterations: Sequence[TrendIteration]) -> Iterator[str]:
    """Put a trend in words."""
    for iteration in iterations:
        shown = ", ".join(
            f"{measure_in_words(name)} {_estimate(measure)}" for name, measure in iteration.measures.items()
        )
        doubt = "" if iteration.reliable else "; unreliable: too many verdicts failed"
        yield f"iteration {iteration.iteration}: {shown} ({_counted(iteration.conversations)}){doubt}"
        if iteration.since:
            yield from _since_lines(iteration.since)


def _since_lines(since: Since) -> Iterator[str]:
    for name, change in since.measures.items():
        yield f"  {measure_in_words(name)} since iteration {since.iteration}: {in_words(change)}"
    if since.same_files:
        yield "  the system returned just the same files"
    if not since.same_explorers:
        yield "  the explorers changed, and with them the ground truth: no change is held against the limit"
    elif not since.same_ground_truth:
        yield "  explorations found other files, so a change may come from them"


def in_words(change: ChangeRecord) -> str:
    """Put a change in words."""
    n, open_ = change.n, change.open
    if change.difference is None or change.before is None or change.after is None:
        why = f", since verdicts are missing in {_counted(open_)}" if open_ else ""
        return f"no conversation has it in both iterations{why}"
    ends = "" if change.interval is None else f"{change.interval[0]:+.3f} to {change.interval[1]:+.3f}; "
    left = f", {open_} left out for want of verdicts" if open_ else ""
    few = "one conversation cannot rule out chance" if n == 1 else "too few to rule out chance"
    chance = {None: few, True: "beyond chance", False: "within chance"}[change.beyond_chance]
    if change.verdict == "withheld":
        chance = (
            "no verdict: judged by its own kind" if change.withheld else "missing verdicts could reverse this"
        )
    return (
        f"{change.difference:+.3f}, from {change.before:.3f} to {change.after:.3f} "
        f"({ends}{_counted(n)}{left}, {chance})"
    )


def _estimate(measure: TrendMeasure) -> str:
    if measure.reason == WITHOUT_VERDICTS:
        low, high = ("undefined" if end is None else f"{end:.3f}" for end in measure.bounds)
        if low == high:
            return f"{low} whatever the missing verdicts say"
        return f"unknown, {low} to {high} by what the missing verdicts could say"
    if measure.value is None:
        return "undefined"
    ends = "" if measure.low is None else f" ({measure.low:.3f} to {measure.high:.3f})"
    return f"{measure.value:.3f}{ends}"


def _counted(n: int) -> str:
    return f"{n} conversation{'s' * (n != 1)}"
