"""Iterations of a loop: precision and recall, what changed, and areas that fell."""

from __future__ import annotations

from tellapart.codesearch.looping.records import (
    ChangeRecord,
    RegressionStatus,
    Since,
    TrendIteration,
    TrendMeasure,
)
from tellapart.codesearch.metrics.score_tables import measure_in_words
from tellapart.codesearch.page.cells import UNKNOWN, estimate, number, to
from tellapart.codesearch.page.view import View
from tellapart.core.comparison import ALPHA, Comparison, from_json
from tellapart.report import numbers as show
from tellapart.report.tables import Cell, Table, table, undefined

FIRST = "there is no iteration before it"

FALLS = {
    RegressionStatus.WORSE: "worse",
    RegressionStatus.UNCLEAR: "cannot tell",
    RegressionStatus.UNRELIABLE: "unreliable: verdicts are missing",
    RegressionStatus.CIRCULAR: "withheld: judged by its own kind",
}
"""What is known of an area that may have fallen."""


def iterations(view: View) -> tuple[TrendIteration, ...]:
    """What the history says of each iteration; empty outside a loop."""
    return view.history.iterations if view.history else ()


def names(view: View) -> list[str]:
    """Measures of the trend, in order."""
    return list(dict.fromkeys(name for iteration in iterations(view) for name in iteration.measures))


def trend(view: View) -> Table:
    """Precision and recall of each iteration, and the change since the one before."""
    rows: list[list[Cell | str]] = []
    for iteration in iterations(view):
        row: list[Cell | str] = [Cell(str(iteration.iteration), "" if iteration.reliable else "unreliable")]
        for name in names(view):
            row += [_value(iteration.measures.get(name)), _change(iteration.since, name)]
        rows.append([*row, show.count(iteration.conversations), _same(iteration.since)])
    headings = ["Iteration"]
    for name in names(view):
        headings += [show.capital(measure_in_words(name)), "Change"]
    return table(
        "trend",
        "Precision and recall by iteration (95 % interval)",
        [*headings, "Conversations", "The search found"],
        rows,
        note="Changes are over the conversations that both iterations have, each with its interval at the "
        f"level of its test: half of {show.whole_percent(ALPHA)}, since there are two measures. "
        "Where verdicts are missing there is no value; its bounds stand in brackets.",
    )


def regressions_table(view: View) -> Table | None:
    """Areas that fell by more than the limit, or may have; None where none did."""
    regressions = (*view.history.regressions, *view.history.undecided) if view.history else ()
    if not regressions:
        return None
    rows: list[list[Cell | str]] = [
        [
            regression.area,
            measure_in_words(regression.measure),
            FALLS[regression.fall],
            str(regression.against_iteration),
            _difference(regression),
        ]
        for regression in regressions
    ]
    return table(
        "fallen",
        "Areas that got worse, or may have",
        ["Area", "Measure", "Verdict", "Against iteration", "Change"],
        rows,
        words=4,
    )


def comparison(view: View) -> Comparison | None:
    """What `core.comparison` says of the last iteration and the one before."""
    since = _last_change(view)
    return from_json(since.comparison) if since and since.comparison is not None else None


def compared_by(view: View) -> str:
    """The measure of `comparison`, in words."""
    return measure_in_words(measure_compared(view))


def measure_compared(view: View) -> str:
    """The name of the measure of `comparison`; empty without one."""
    since = _last_change(view)
    return since.compared_by if since else ""


def _last_change(view: View) -> Since | None:
    return iterations(view)[-1].since if iterations(view) else None


def got_worse(iteration: TrendIteration, name: str) -> bool:
    """Whether a measure fell beyond chance since the iteration before."""
    change = iteration.since.measures.get(name) if iteration.since else None
    return bool(change and change.beyond_chance and (change.difference or 0) < 0)


def in_words(view: View) -> str:
    """What the trend shows, from the first iteration to the last."""
    shown = iterations(view)
    parts = []
    for name in names(view):
        values = [iteration.measures[name].value for iteration in shown if name in iteration.measures]
        defined = [value for value in values if value is not None]
        if len(defined) > 1:
            parts.append(
                f"{measure_in_words(name)} {show.decimal(defined[0], 2)} to {show.decimal(defined[-1], 2)}"
            )
    stopped = view.history.stopped if view.history else None
    if stopped and stopped.reason == "unreliable":
        return f"The judge failed in iteration {shown[-1].iteration}, so the change cannot be judged"
    moved = f"From iteration {shown[0].iteration} to {shown[-1].iteration}: {show.listed(parts)}"
    regressions = view.history.regressions if view.history else ()
    areas = list(dict.fromkeys(regression.area for regression in regressions))
    if areas:
        return f"{show.listed(areas)} got worse in iteration {shown[-1].iteration}; roll it back"
    if not parts:
        return "No figure is known of two iterations"
    return f"{moved}; {_steps(view)}"


def _steps(view: View) -> str:
    beyond = [
        iteration.iteration
        for iteration in iterations(view)
        for change in (iteration.since.measures if iteration.since else {}).values()
        if change.beyond_chance
    ]
    if not beyond and any(
        change.withheld
        for iteration in iterations(view)
        for change in (iteration.since.measures if iteration.since else {}).values()
    ):
        return "an explorer searches as the system does, so these tell of no step"
    if not beyond:
        return "no step is beyond chance"
    numbers = list(dict.fromkeys(map(str, beyond)))
    return f"the {'step' if len(numbers) == 1 else 'steps'} to {show.listed(numbers)} beyond chance"


def _change(since: Since | None, name: str) -> Cell:
    change = since.measures.get(name) if since else None
    return undefined(FIRST) if change is None else _difference(change)


def _difference(change: ChangeRecord) -> Cell:
    if change.difference is None:
        return undefined("no conversation has it in both iterations")
    shown = number(change.difference).text
    ends = change.interval
    words = {None: "chance not testable", True: "beyond chance", False: "within chance"}
    chance = "no verdict: judged by its own kind" if change.withheld else words[change.beyond_chance]
    detail = [to(ends) if ends else "no interval", chance]
    signed = shown if change.difference < 0 else f"+{shown}"
    return Cell(signed, "; ".join(detail), strong=bool(change.beyond_chance))


def _value(measure: TrendMeasure | None) -> Cell:
    low, high = measure.bounds if measure else (None, None)
    if measure is None or measure.value is not None or low is None or high is None:
        return estimate(measure)
    return undefined(measure.reason or UNKNOWN, f"[{to((low, high))}]")


def _same(since: Since | None) -> str:
    if since is None:
        return ""
    return "just the same files" if since.same_files else "other files"
