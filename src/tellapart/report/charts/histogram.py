"""Histograms: bars from one value to another, filled or hollow, upwards and downwards."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import polars as pl

from tellapart.report.charts.axes import Axis, columns_for, heading, in_panels, of
from tellapart.report.charts.picture import Drawing, alt
from tellapart.report.palette import MUTED, PAPER

_AXIS = 62


@dataclass(frozen=True)
class Bin:
    """A bar.

    Attributes:
        count: How high it is; below 0 it points down.
        colour: Of its edge, and of what is filled.
        panel: The panel that it stands in, by its title.
    """

    low: float
    high: float
    count: float
    colour: str
    hollow: bool = False
    panel: str = ""


def histogram(bins: Sequence[Bin], width: int, x: Axis, y: Axis) -> Drawing:
    """Draw bars, in panels as they come; later ones over earlier ones."""
    frame = pl.DataFrame(
        [{**vars(one), "zero": 0.0, "fill": PAPER if one.hollow else one.colour} for one in bins]
    )
    titles = frame["panel"].unique(maintain_order=True).to_list()
    columns, room = columns_for(width, len(titles), 230)
    plot = room - _AXIS

    def draw(panel: str) -> alt.LayerChart:
        across, up = x.x("low", plot), y.y("count")
        base = alt.Chart(frame.filter(panel=panel))
        bars = base.mark_bar(strokeWidth=1.2, binSpacing=1).encode(
            x=across,
            x2=alt.X2("high:Q"),
            y=up,
            y2=alt.Y2("zero:Q"),
            fill=alt.Fill("fill:N", scale=None, legend=None),
            stroke=alt.Stroke("colour:N", scale=None, legend=None),
        )
        zero = base.mark_rule(color=MUTED).encode(y=of(up, "zero"))
        return alt.LayerChart(layer=[bars, zero], width=plot, height=220, title=heading(panel, room))

    return in_panels(titles, columns, draw)
