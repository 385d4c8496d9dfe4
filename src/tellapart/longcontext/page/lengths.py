"""How far models remember: curves by length and distance, and the effective context length."""

from __future__ import annotations

from collections.abc import Sequence

from tellapart.longcontext.page.view import View
from tellapart.longcontext.results import (
    Axis,
    CurveCell,
    Definition,
    EffectiveLength,
    EffectiveLengths,
    ModelLengths,
)
from tellapart.report import numbers as show
from tellapart.report.tables import Cell, Table, figure, table, undefined

DEFINITIONS: dict[Definition, str] = {"absolute": "absolute (RULER)", "relative": "relative (NoLiMa)"}
NOT_DETERMINED = "not determined"
UNKNOWN = {"below": "below the shortest", "withheld": "withheld"}
"""What is shown where there is no length, by status."""


def models_of(view: View) -> list[ModelLengths]:
    """What the record says of each model; empty where it says nothing of any."""
    if view.record.effective_length is None:
        return []
    return [model for model in view.record.effective_length.models if model.model in view.models]


def settings_of(view: View) -> EffectiveLengths:
    """How lengths were determined, of a record that says something of a model."""
    if view.record.effective_length is None:
        raise ValueError("this record has no effective lengths")
    return view.record.effective_length


def has_curves(view: View) -> bool:
    """Whether any probe has evidence whose length or distance is known."""
    return any(model.by_length or model.by_distance for model in models_of(view))


def lengths(view: View) -> Table:
    """Effective context length of each model under both definitions."""
    rows: list[list[Cell | str]] = []
    for model in models_of(view):
        for definition, words in DEFINITIONS.items():
            one = model.length(definition)
            rows.append([model.model, words, _length(one), _interval(one), _threshold(one)])
    level = show.whole_percent(settings_of(view).level)
    return table(
        "lengths",
        "Effective context length, in tokens",
        ["Model", "Definition", "Length", f"{level} interval", "Threshold"],
        rows,
        note="The longest length at which, and below which, every score reaches the threshold: 85.6 % "
        "(absolute), or 85 % of the model's own score at short lengths (relative). An interval is a pair of "
        "tested lengths.",
        words=4,
    )


def _length(length: EffectiveLength) -> Cell:
    if length.tokens is None:
        reason = length.reason if length.reason != length.interval_reason else ""
        return Cell(UNKNOWN.get(length.status, NOT_DETERMINED), reason or "")
    more = " or more" if length.status == "at_least" else ""
    return Cell(f"{show.count(length.tokens)}{more}", strong=True)


def _threshold(length: EffectiveLength) -> Cell:
    if length.threshold is None:
        return undefined("there is no base score")
    where = " and ".join(map(show.count, length.base_tokens))
    base = "" if length.base is None else f"base {show.percent(length.base)} at {where}"
    return Cell(show.percent(length.threshold), base)


def _interval(length: EffectiveLength) -> Cell:
    interval = length.interval
    if interval is None:
        return undefined(length.interval_reason or "it is not known")
    ends = (
        UNKNOWN["below"] if tokens is None else show.count(tokens)
        for tokens in (interval.low_tokens, interval.high_tokens)
    )
    return Cell(" to ".join(dict.fromkeys(ends)) + (" or more" if interval.open_above else ""))


def curve(view: View, by: Axis) -> Table:
    """Scores by length of the context or by distance of the evidence."""
    what = {"by_length": "context length", "by_distance": "distance of the nearest evidence"}[by]
    rows = [[model.model, *_cell(cell)] for model in models_of(view) for cell in model.curve(by)]
    return table(
        by.replace("_", "-"),
        f"Score by {what}, in tokens",
        ["Model", "Tokens", "From–to", "Measured", "Score", "Items", "Missing", "Bounds"],
        rows,
        note="Items are distinct questions; the same question asked again is the same item. With the score: "
        "its 95 % interval. Bounds: missing scores as 0, and as 1.",
    )


def _cell(cell: CurveCell) -> list[Cell | str]:
    ends, measured, value = cell.interval, cell.measured_tokens, cell.value
    span = f"{show.count(cell.low_tokens)}–{show.count(cell.high_tokens)}"
    detail = show.rate_range((ends.low, ends.high)) if ends else "no interval"
    missing = ", ".join(f"{cause} {n}" for cause, n in cell.missing.items())
    return [
        show.count(cell.tokens),
        "as requested" if cell.low_tokens == cell.high_tokens else span,
        figure(measured, show.count, "no usage was recorded"),
        figure(value, show.percent, "no answer was graded", detail),
        show.count(cell.n),
        Cell(show.count(sum(cell.missing.values())), missing),
        show.rate_range((cell.lowest, cell.highest)),
    ]


def scored_cells(cells: Sequence[CurveCell]) -> list[CurveCell]:
    """Cells with a score."""
    return [cell for cell in cells if cell.value is not None]
