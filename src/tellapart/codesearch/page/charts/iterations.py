"""What changes from one iteration to the next: precision and recall, and the explorers' overlap."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import altair as alt
import polars as pl

from tellapart.codesearch.page import exploring
from tellapart.codesearch.page.cells import WORDS
from tellapart.codesearch.page.record import View
from tellapart.codesearch.page.trend import fell, in_words, iterations, names
from tellapart.report import numbers as show
from tellapart.report.charts import GUTTER, Chart, Drawing, columns_for
from tellapart.report.palette import INK, MUTED, PAPER

_HEIGHT, _AXIS = 210, 50
_SCHEMA = {
    "iteration": pl.String,
    "value": pl.Float64,
    "low": pl.Float64,
    "high": pl.Float64,
    "fell": pl.Boolean,
    "text": pl.String,
}


@dataclass(frozen=True)
class _Line:
    """A horizontal line with its name."""

    at: float
    name: str


def trend_chart(view: View) -> Chart | None:
    """Precision and recall over iterations, with intervals; None with fewer than two iterations."""
    told = iterations(view)
    if len(told) < 2:
        return None
    worse = {one["measure"] for one in (view.history or {}).get("regressions") or []}
    last = told[-1]["iteration"]
    panels = {
        WORDS.get(name, name).capitalize(): [
            _point(
                one["iteration"],
                one["measures"].get(name),
                fell(one, name) or (one["iteration"] == last and name in worse),
            )
            for one in told
        ]
        for name in names(view)
    }
    description = (
        f"{show.listed(list(panels))} of each iteration, means over conversations with 95 % intervals. A "
        "triangle that points down is a fall beyond chance, or one in an area that stops the loop."
    )
    return Chart("trend-lines", in_words(view), description, lambda width: _draw(panels, (), width))


def overlap_chart(view: View) -> Chart | None:
    """Overlap of run A and run B over iterations, with the threshold; None with fewer than two iterations."""
    found = exploring.overlaps(view)
    decision = view.block("agreement").get("decision") or {}
    if len(found) < 2 or "threshold" not in decision:
        return None
    lines = [_Line(decision["threshold"], "enough")]
    if decision.get("ceiling") is not None:
        lines.append(_Line(decision["ceiling"], "run A with itself"))
    panels = {"Overlap": [_point(n, figure, False) for n, figure in found]}
    description = (
        "Share of run A's files that run B found too, in each iteration by itself, with 95 % intervals. The "
        "broken line is the overlap from which on run B's explorer is enough"
        + ("; the other is run A's overlap with itself." if len(lines) > 1 else ".")
    )
    return Chart(
        "overlap-lines", _overlap_words(view, found), description, lambda width: _draw(panels, lines, width)
    )


def _overlap_words(view: View, found: Sequence[tuple[int, Mapping[str, Any]]]) -> str:
    threshold = view.block("agreement")["decision"]["threshold"]
    values = [figure["value"] for _, figure in found if figure["value"] is not None]
    if not values:
        return "In no iteration is the overlap known"
    shown = show.between(values, show.whole_percent)
    a, b = view.runs["run_a"], view.runs["run_b"]
    over = sum(value >= threshold for value in values)
    enough = f"{show.whole_percent(threshold)} would be enough"
    if over == len(values):
        enough = f"{show.whole_percent(threshold)} or more, as asked for"
    elif over:
        enough = f"enough, {show.whole_percent(threshold)}, in {over} of {len(values)} iterations"
    return f"{b[:1].upper()}{b[1:]} found {shown} of the files of {a}; {enough}"


def _point(n: int, figure: Mapping[str, Any] | None, worse: bool) -> dict[str, Any]:
    found = figure or {}
    value = found.get("value")
    text = "" if value is None else show.decimal(value, 2)
    return {"iteration": str(n), "fell": worse, "text": text} | {
        name: found.get(name) for name in ("value", "low", "high")
    }


def _draw(panels: Mapping[str, Sequence[Mapping[str, Any]]], lines: Sequence[_Line], width: int) -> Drawing:
    columns, room = columns_for(width, len(panels), 260)
    charts = [_panel(title, points, lines, min(room, 560) - _AXIS) for title, points in panels.items()]
    return alt.concat(*charts, columns=columns, spacing={"column": GUTTER, "row": 24})


def _panel(
    title: str, points: Sequence[Mapping[str, Any]], lines: Sequence[_Line], width: int
) -> alt.LayerChart:
    order = [point["iteration"] for point in points]
    x = alt.X("iteration:N").sort(order).title("Iteration").scale(domain=order)
    x = x.axis(labelAngle=0, domain=False, grid=False, labelOverlap=True)
    y = alt.Y("value:Q").title(None).scale(domain=[0, 1.05], nice=False)
    y = y.axis(values=[0, 0.25, 0.5, 0.75, 1], tickCount=5, domain=False, ticks=False, format=".2f")
    base = alt.Chart(pl.DataFrame(list(points), schema=_SCHEMA)).encode(x=x)
    known = base.transform_filter("isValid(datum.value)")
    layers = [
        *(layer for line in lines for layer in _rule(line, width)),
        known.mark_line(color=MUTED, strokeWidth=1.5).encode(y=y),
        known.transform_filter("isValid(datum.low)")
        .mark_rule(color=MUTED, strokeWidth=1.8)
        .encode(y=alt.Y("low:Q", title=None), y2="high:Q"),
        known.transform_filter("!datum.fell")
        .mark_point(filled=True, size=64, color=INK, opacity=1)
        .encode(y=y),
        known.transform_filter("datum.fell")
        .mark_point(filled=True, shape="triangle-down", size=130, color=INK, opacity=1)
        .encode(y=y),
        *_values(known, y, len(order)),
    ]
    head = alt.TitleParams(title, limit=width)
    return alt.LayerChart(layer=layers, width=width, height=_HEIGHT, title=head)


def _values(known: alt.Chart, y: alt.Y, n: int) -> list[alt.Chart]:
    """Figures beside their points, where there is room."""
    if n > 8:
        return []
    text = known.mark_text(align="left", dx=6, dy=-9, fontSize=11, stroke=PAPER, strokeWidth=3).encode(
        y=y, text="text:N"
    )
    return [text, known.mark_text(align="left", dx=6, dy=-9, fontSize=11).encode(y=y, text="text:N")]


def _rule(line: _Line, width: int) -> list[alt.Chart]:
    base = alt.Chart(pl.DataFrame({"at": [line.at], "name": [line.name]}))
    y = alt.Y("at:Q", title=None)
    text = base.mark_text(align="right", baseline="bottom", dy=-3, fontSize=11, color=MUTED)
    return [
        base.mark_rule(color=MUTED, strokeDash=[5, 3], strokeWidth=1.2).encode(y=y),
        text.encode(y=y, x=alt.value(width), text="name:N"),
    ]
