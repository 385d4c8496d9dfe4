"""Rows with a name on the left and a figure on the right: intervals, and values as marks."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import polars as pl
from rich.cells import cell_len

from tellapart.report.charts.axes import (
    LETTER,
    Axis,
    Rule,
    codes,
    columns_for,
    frame_of,
    ground,
    heading,
    in_panels,
    name_axis,
    of,
    pixel,
    room_for,
)
from tellapart.report.charts.picture import Drawing
from tellapart.report.charts.vega import alt
from tellapart.report.palette import INK, MUTED, PAPER

_HIGH, _TIGHT, _MANY = 24, 17, 20
"""Pixels of a row, and of a row among many."""


@dataclass(frozen=True)
class Row:
    """What one row shows; a row may be given in several parts, of which each has the same name.

    Attributes:
        name: Stands on the left.
        value: Where the mark is; None for no mark.
        shape: Of the mark, as Vega-Lite names it.
        hollow: Whether the mark is a ring.
        low: Lower end of the interval.
        high: Its upper end.
        broad_low: Lower end of a second interval, drawn broad and pale.
        broad_high: Its upper end.
        fine_low: Lower end of a third interval, drawn dotted.
        fine_high: Its upper end.
        dot: A value of many, drawn as a small ring.
        there: What there is, drawn as a grey stroke.
        colour: Of everything; empty for that of text and axes.
        figure: Text on the right.
        panel: The panel that the row stands in, by its title.
    """

    name: str
    value: float | None = None
    shape: str = "circle"
    hollow: bool = False
    low: float | None = None
    high: float | None = None
    broad_low: float | None = None
    broad_high: float | None = None
    fine_low: float | None = None
    fine_high: float | None = None
    dot: float | None = None
    there: float | None = None
    colour: str = ""
    figure: str = ""
    panel: str = ""


def rows(
    lines: Sequence[Row],
    width: int,
    x: Axis,
    *,
    title: str | None = None,
    rules: Sequence[Rule] = (),
    least: int = 130,
    high: int | None = None,
) -> Drawing:
    """Draw rows and panels as they come; the first panel of a line names the rows."""
    frame = frame_of(lines, Row).with_columns(
        ink=pl.when(pl.col("colour") == "").then(pl.lit(INK)).otherwise("colour"),
        line=pl.when(pl.col("colour") == "").then(pl.lit(MUTED)).otherwise("colour"),
    )
    frame = frame.with_columns(fill=pl.when("hollow").then(pl.lit(PAPER)).otherwise("ink"))
    order = frame["name"].unique(maintain_order=True).to_list()
    frame = frame.with_columns(pl.col("name").replace_strict(codes(order), return_dtype=pl.String))
    panels = frame["panel"].unique(maintain_order=True).to_list()
    title_room = 22 if title else 0
    names = room_for(order, width)
    figures = round(max(map(cell_len, frame["figure"])) * LETTER) + 4
    columns, room = columns_for(width - names - title_room - 14, len(panels), least + figures)
    plot = room - figures
    each = high or (_HIGH if len(order) <= _MANY else _TIGHT)

    def draw(i: int, panel: str) -> alt.LayerChart:
        first = i % columns == 0
        y = name_axis(order, width, title, shown=first)
        here = [rule for rule in rules if rule.panel in (None, panel)]
        height = each * len(order)
        layers = ground((), here, x.x("value", plot), alt.Y("value:Q"), plot, (0, height))
        layers += _layers(frame.filter(panel=panel), x.x("value", plot), y, plot + figures)
        return alt.LayerChart(layer=layers, width=plot, height=height, title=heading(panel, plot + figures))

    return in_panels(panels, columns, draw)


def _layers(frame: pl.DataFrame, x: alt.X, y: alt.Y, right: int) -> list[alt.Chart]:
    def given(field: str) -> alt.Chart:
        return alt.Chart(frame.filter(pl.col(field).is_not_null())).encode(y=y)

    def line(
        low: str, high: str, thick: float, opacity: float = 1, dash: Sequence[int] = (1, 0)
    ) -> alt.Chart:
        mark: alt.Chart = given(low).mark_rule(
            strokeWidth=thick, opacity=opacity, strokeDash=list(dash), strokeCap="butt"
        )
        return mark.encode(
            x=of(x, low), x2=alt.X2(f"{high}:Q"), color=alt.Color("line:N", scale=None, legend=None)
        )

    drawn: dict[str, Callable[[], alt.Chart]] = {
        "broad_low": lambda: line("broad_low", "broad_high", 7, 0.4),
        "fine_low": lambda: line("fine_low", "fine_high", 1.4, dash=(2, 3)),
        "low": lambda: line("low", "high", 2),
        "there": lambda: (
            given("there").mark_tick(color=MUTED, thickness=2, height=15).encode(x=of(x, "there"))
        ),
        "dot": lambda: (
            given("dot")
            .mark_point(size=46, fill=PAPER, strokeWidth=1.5, opacity=1)
            .encode(x=of(x, "dot"), stroke=alt.Stroke("ink:N", scale=None, legend=None))
        ),
        "value": lambda: (
            given("value")
            .mark_point(size=64, strokeWidth=1.6, opacity=1)
            .encode(
                x=x,
                fill=alt.Fill("fill:N", scale=None, legend=None),
                stroke=alt.Stroke("ink:N", scale=None, legend=None),
                shape=alt.Shape("shape:N", scale=None, legend=None),
            )
        ),
    }
    figure = alt.Chart(frame.filter(pl.col("figure") != "")).mark_text(align="right", color=INK)
    some = [layer() for field, layer in drawn.items() if field == "value" or frame[field].count()]
    return [*some, figure.encode(x=pixel(alt.XValue, right), y=y, text=alt.Text("figure:N"))]
