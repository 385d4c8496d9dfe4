"""Iterations of a loop: precision and recall, what changed, and areas that fell."""

from __future__ import annotations

from tellapart.codesearch.figures import MeasureSummary
from tellapart.codesearch.looping.trend import History, TrendIteration, change_since, gate_in_words
from tellapart.codesearch.metrics.score_tables import measure_in_words
from tellapart.codesearch.page.tables import UNKNOWN, Rows, number, span
from tellapart.core.comparison import Comparison, GateOutcome, from_json
from tellapart.report import numbers as show
from tellapart.report.tables import Cell, Table, table, undefined


def iterations(history: History) -> Table:
    """Precision and recall of each iteration, and the change since the one before."""
    names = list(dict.fromkeys(name for each in history.iterations for name in each.measures))
    rows: Rows = []
    for iteration in history.iterations:
        same = {None: "", True: "just the same files", False: "other files"}[iteration.same_files]
        rows.append(
            [
                Cell(str(iteration.iteration), "" if iteration.reliable else "unreliable"),
                *(_value(iteration.measures.get(name)) for name in names),
                _change(iteration),
                show.count(iteration.conversations),
                same,
            ]
        )
    changes = (
        f"Changes are in {by}, over the conversations that both have. "
        if (by := compared_by(history))
        else ""
    )
    headings = ["Iteration", *(show.capital(measure_in_words(name)) for name in names)]
    return table(
        "trend",
        "Precision and recall by iteration (95 % interval)",
        [*headings, "Change", "Conversations", "The search found"],
        rows,
        note=f"{changes}Where verdicts are missing there is no value; its bounds stand in brackets.",
    )


def _change(iteration: TrendIteration) -> Cell:
    """The change since the iteration before, with its interval; empty for the first."""
    if iteration.comparison is None:
        return Cell("")
    _, difference, interval, verdict = change_since(iteration)
    if difference is None:
        return undefined("no conversation has it in both")
    ends = f"{interval.low:+.3f} to {interval.high:+.3f}; " if interval else ""
    change, detail = (text.replace("-", show.MINUS) for text in (f"{difference:+.3f}", f"{ends}{verdict}"))
    return Cell(change, detail)


def gates(history: History) -> Table | None:
    """Areas that fell by more than the limit, or may have; None where none did."""
    rows: Rows = [
        [
            gate.area,
            measure_in_words(gate.measure),
            "worse" if gate.outcome is GateOutcome.FAILED else f"cannot tell: {gate.reason}",
            str(gate.against_iteration),
            gate_in_words(gate),
        ]
        for gate in history.gates
    ]
    title = "Areas that got worse, or may have"
    headings = ["Area", "Measure", "Verdict", "Against iteration", "Change"]
    return table("fallen", title, headings, rows, words=4) if rows else None


def comparison(history: History) -> Comparison | None:
    """What `core.comparison` says of the last iteration and the one before."""
    compared = history.iterations[-1].comparison
    return None if compared is None else from_json(compared)


def compared_by(history: History) -> str:
    """The measure of `comparison`, in words."""
    return measure_in_words(history.iterations[-1].compared_by)


def _value(measure: MeasureSummary | None) -> Cell:
    if measure is None:
        return undefined("it was not measured")
    if measure.macro is not None:
        return number(measure.macro, detail=span(measure.interval))
    return undefined(measure.interval_reason or UNKNOWN, f"[{span(measure.bounds)}]")
