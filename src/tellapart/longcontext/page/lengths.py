"""How far models remember: the effective context length, and scores by length, distance and depth."""

from __future__ import annotations

import math
from collections.abc import Sequence

from tellapart.longcontext.case import thousands
from tellapart.longcontext.page.view import View
from tellapart.longcontext.results import Axis, EffectiveLength, HeatCell, ModelLengths
from tellapart.report import charts
from tellapart.report import numbers as show
from tellapart.report.charts import Chart, Point, Tile
from tellapart.report.document import Section, present
from tellapart.report.figures import cell, headings, interval_cell
from tellapart.report.palette import looks
from tellapart.report.tables import Cell, Table, figure, table, undefined

_DEFINITIONS = {"absolute": "absolute (RULER)", "relative": "relative (NoLiMa)"}
_UNKNOWN = {"below": "below the shortest", "withheld": "withheld"}
"""What is shown where there is no length, by status; else it is not determined."""

_PANELS: dict[Axis, tuple[str, str]] = {
    "by_distance": ("Distance of the nearest evidence", "tokens from evidence to question"),
    "by_length": ("Length of the context", "tokens"),
}
_THOUSANDS = "datum.value >= 1000 ? format(datum.value / 1000, '~r') + 'K' : format(datum.value, 'd')"
_PALEST, _FULLEST = 0.04, 0.46


def lengths_section(view: View) -> Section | None:
    """The effective context length."""
    if not has_curves(view):
        return None
    return Section("lengths", "Effective length", tables=(lengths(view),), in_terminal=True)


def curves_section(view: View) -> Section | None:
    """Scores by distance, length and depth."""
    if not has_curves(view):
        return None
    return Section(
        "remembering",
        "Distance and depth",
        "What counts is the distance of the nearest evidence: a context that repeats it is a short one.",
        charts=present(_curves_chart(view), _depths_chart(view)),
        folded=(curve(view, "by_distance"), curve(view, "by_length")),
    )


def _models(view: View) -> list[ModelLengths]:
    recorded = view.record.effective_length
    return [model for model in recorded.models if model.model in view.models] if recorded else []


def has_curves(view: View) -> bool:
    """Whether any probe has evidence whose length or distance is known."""
    return any(model.by_length or model.by_distance for model in _models(view))


def lengths(view: View) -> Table:
    """Effective context length of each model under both definitions."""
    recorded = view.record.effective_length
    level = show.whole_percent(recorded.level) if recorded else ""
    return table(
        "lengths",
        "Effective context length, in tokens",
        ["Model", "Definition", "Length", f"{level} interval", "Threshold"],
        [
            [model.model, _DEFINITIONS[one.definition], _length(one), _interval(one), _threshold(one)]
            for model in _models(view)
            for one in (model.absolute, model.relative)
        ],
        note="Up to this length every score reaches the threshold. The interval is a pair of tested lengths.",
        words=4,
    )


def _length(length: EffectiveLength) -> Cell:
    if length.tokens is None:
        reason = length.reason if length.reason != length.interval_reason else ""
        return Cell(_UNKNOWN.get(length.status, "not determined"), reason or "")
    more = " or more" if length.status == "at_least" else ""
    return Cell(f"{show.count(length.tokens)}{more}", strong=True)


def _threshold(length: EffectiveLength) -> Cell:
    tokens = " and ".join(map(show.count, length.base_tokens))
    base = "" if length.base is None else f"base {show.percent(length.base)} at {tokens}"
    return figure(length.threshold, show.percent, "there is no base score", base)


def _interval(length: EffectiveLength) -> Cell:
    interval = length.interval
    if interval is None:
        return undefined(length.interval_reason or "it is not known")
    ends = (
        _UNKNOWN["below"] if tokens is None else show.count(tokens)
        for tokens in (interval.low_tokens, interval.high_tokens)
    )
    return Cell(" to ".join(dict.fromkeys(ends)) + (" or more" if interval.open_above else ""))


def curve(view: View, by: Axis) -> Table:
    """Scores by length of the context or by distance of the evidence; items are distinct questions."""
    what = {"by_length": "context length", "by_distance": "distance of the nearest evidence"}[by]
    rows: list[list[Cell | str]] = [
        [
            *(model.model, show.count(one.tokens)),
            "as requested"
            if one.low_tokens == one.high_tokens
            else f"{show.count(one.low_tokens)}–{show.count(one.high_tokens)}",
            cell("measured_tokens", one.measured_tokens),
            interval_cell("score", one.value, one.interval),
            show.count(one.n),
            Cell(
                show.count(sum(one.missing.values())),
                ", ".join(f"{cause} {n}" for cause, n in one.missing.items()),
            ),
            show.rate_range((one.lowest, one.highest)),
        ]
        for model in _models(view)
        for one in getattr(model, by)
    ]
    columns = [
        *("Model", "Tokens", "From–to"),
        *headings(("measured_tokens", "score", "items", "missing", "bounds")),
    ]
    note = "With the score: its 95 % interval. The same question asked again is the same item."
    return table(by.replace("_", "-"), f"Score by {what}, in tokens", columns, rows, note=note)


def _curves_chart(view: View) -> Chart | None:
    """A panel for distance and one for length, a line for each model; None without scored cells."""
    panels = {by: points for by in _PANELS if (points := _points(view, by))}
    if not panels:
        return None
    points = [point for of_panel in panels.values() for point in of_panel]
    axes = {_PANELS[by][0]: _token_axis(_PANELS[by][1], [p.x for p in panels[by]]) for by in panels}
    ticks, label = [0, 0.25, 0.5, 0.75, 1], "format(100 * datum.value, 'd') + ' %'"
    scale = charts.Axis(None, (-0.03, 1.05), ticks, label=label)
    lines = looks(list(dict.fromkeys(point.line for point in points)))
    return Chart(
        "score-curves",
        f"Score by {' and by '.join(panel.lower() for panel in axes)}",
        "Mean score over distinct questions, with 95 % intervals, on logarithmic axes of tokens.",
        lambda width: charts.curves(points, width, axes, scale, looks=lines, least=290, widest=620),
    )


def _points(view: View, by: Axis) -> list[Point]:
    return [
        Point(max(1, one.tokens), one.value, model.model, low, high, panel=_PANELS[by][0])
        for model in _models(view)
        for one in getattr(model, by)
        if one.value is not None
        for low, high in [one.interval or (None, None)]
    ]


def _token_axis(title: str, values: Sequence[float]) -> charts.Axis:
    """A logarithmic axis of tokens, with ticks at powers of two times 125."""
    low, high = min(values), max(values)
    powers = range(math.floor(math.log2(low / 125)), math.ceil(math.log2(high / 125)) + 1)
    ticks = [tick for power in powers if low / 1.35 <= (tick := round(125 * 2.0**power)) <= high * 1.35]
    return charts.Axis(title, (low / 1.35, high * 1.35), ticks or [low], label=_THOUSANDS, log=True)


def _depths_chart(view: View) -> Chart | None:
    """A panel for each model: parts of the conversation by lengths; None without graded evidence."""
    models = [model for model in _models(view) if any(one.value is not None for one in model.heatmap)]
    if not models:
        return None
    tiles = [_tile(model.model, one) for model in models for one in model.heatmap]
    parts, columns = (list(dict.fromkeys(getattr(tile, of) for tile in tiles)) for of in ("row", "column"))
    titles = ("Context, tokens", "Evidence stands at")
    return Chart(
        "score-by-depth",
        "Score by depth of the evidence and by length of the context",
        "The fuller a cell, the higher the score; below it the number of distinct questions.",
        lambda width: charts.heatmap(tiles, width, rows=parts, columns=columns, titles=titles),
    )


def _tile(model: str, one: HeatCell) -> Tile:
    part, tokens = f"{100 * one.low_depth:.0f}–{100 * one.high_depth:.0f} %", thousands(one.tokens)
    if one.value is None:
        return Tile(part, tokens, show.DASH if one.n + one.n_missing else "", panel=model)
    colour = looks(("score", "other"))["score"].colour
    full = _PALEST + (_FULLEST - _PALEST) * one.value
    return Tile(part, tokens, f"{100 * one.value:.0f}", f"n {one.n}", colour, full, panel=model)
