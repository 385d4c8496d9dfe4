"""Iterations of a loop: precision and recall, what changed, and areas that fell."""

from __future__ import annotations

from tellapart.codesearch.figures import MeasureSummary
from tellapart.codesearch.looping.trend import (
    AreaGate,
    TrendIteration,
    change_in_words,
    gate_in_words,
)
from tellapart.codesearch.metrics.score_tables import measure_in_words
from tellapart.codesearch.page.tables import UNKNOWN, Rows, number, span, to
from tellapart.codesearch.page.view import View
from tellapart.core.comparison import Comparison, GateOutcome, from_json
from tellapart.report import numbers as show
from tellapart.report.tables import Cell, Table, table, undefined


def iterations(view: View) -> tuple[TrendIteration, ...]:
    """The iterations of the history; empty outside a loop."""
    return view.history.iterations if view.history else ()


def names(view: View) -> list[str]:
    """Measures of the trend, in order."""
    return list(dict.fromkeys(name for iteration in iterations(view) for name in iteration.measures))


def trend(view: View) -> Table:
    """Precision and recall of each iteration, and the change since the one before."""
    rows: Rows = []
    for iteration in iterations(view):
        row: list[Cell | str] = [Cell(str(iteration.iteration), "" if iteration.reliable else "unreliable")]
        row += [_value(iteration.measures.get(name)) for name in names(view)]
        changed = change_in_words(iteration) if iteration.comparison else ""
        same = {None: "", True: "just the same files", False: "other files"}[iteration.same_files]
        rows.append([*row, changed, show.count(iteration.conversations), same])
    headings = ["Iteration", *(show.capital(measure_in_words(name)) for name in names(view))]
    return table(
        "trend",
        "Precision and recall by iteration (95 % interval)",
        [*headings, "Change", "Conversations", "The search found"],
        rows,
        note="Changes are over the conversations that both iterations have. Where verdicts are missing there "
        "is no value; its bounds stand in brackets.",
    )


def gates_table(view: View) -> Table | None:
    """Areas that fell by more than the limit, or may have; None where none did."""
    if view.history is None or not view.history.gates:
        return None
    rows: Rows = [
        [
            gate.area,
            measure_in_words(gate.measure),
            _verdict(gate),
            str(gate.against_iteration),
            gate_in_words(gate),
        ]
        for gate in view.history.gates
    ]
    return table(
        "fallen",
        "Areas that got worse, or may have",
        ["Area", "Measure", "Verdict", "Against iteration", "Change"],
        rows,
        words=4,
    )


def _verdict(gate: AreaGate) -> str:
    return "worse" if gate.outcome is GateOutcome.FAILED else f"cannot tell: {gate.reason}"


def comparison(view: View) -> Comparison | None:
    """What `core.comparison` says of the last iteration and the one before."""
    compared = iterations(view)[-1].comparison if iterations(view) else None
    return None if compared is None else from_json(compared)


def compared_by(view: View) -> str:
    """The measure of `comparison`, in words."""
    return measure_in_words(iterations(view)[-1].compared_by) if iterations(view) else ""


def in_words(view: View) -> str:
    """What the trend shows, from the first iteration to the last."""
    shown, history = iterations(view), view.history
    last = shown[-1].iteration
    if history and history.stopped and history.stopped.reason == "unreliable":
        return f"The judge failed in iteration {last}, so the change cannot be judged"
    failed = [gate for gate in (history.gates if history else ()) if gate.outcome is GateOutcome.FAILED]
    if failed:
        areas = show.listed(list(dict.fromkeys(gate.area for gate in failed)))
        return f"{areas} got worse in iteration {last}; roll it back"
    parts = []
    for name in names(view):
        values = [iteration.measures[name].macro for iteration in shown if name in iteration.measures]
        ends = [value for value in values if value is not None]
        if len(ends) > 1:
            parts.append(
                f"{measure_in_words(name)} {show.decimal(ends[0], 2)} to {show.decimal(ends[-1], 2)}"
            )
    if not parts:
        return "No figure is known of two iterations"
    return f"From iteration {shown[0].iteration} to {last}: {show.listed(parts)}"


def _value(measure: MeasureSummary | None) -> Cell:
    if measure is None:
        return undefined("it was not measured")
    if measure.macro is not None:
        return number(measure.macro, detail=span(measure.interval))
    low, high = measure.bounds
    left = "" if low is None or high is None else f"[{to((low, high))}]"
    return undefined(measure.interval_reason or UNKNOWN, left)
