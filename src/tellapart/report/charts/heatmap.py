"""Heatmaps: tiles in rows and columns, each with its figure or sign, so that no colour says a thing alone."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import polars as pl

from tellapart.report.charts.axes import columns_for, heading, in_panels, name_axis, room_for
from tellapart.report.charts.picture import Drawing, alt
from tellapart.report.palette import GRID, INK

_LARGEST = (96, 34)
"""Pixels of a tile."""


@dataclass(frozen=True)
class Tile:
    """A tile.

    Attributes:
        below: A smaller second line.
        colour: Of the ground; empty for none.
        full: How strong the ground is, up to 1.
        panel: The panel that it stands in, by its title.
    """

    row: str
    column: str
    text: str = ""
    below: str = ""
    colour: str = ""
    full: float = 1.0
    panel: str = ""


def heatmap(
    tiles: Sequence[Tile],
    width: int,
    *,
    rows: Sequence[str],
    columns: Sequence[str],
    titles: tuple[str | None, str | None] = (None, None),
) -> Drawing:
    """Draw tiles, in panels as they come."""
    frame = pl.DataFrame(
        [{**vars(tile), "name": tile.row, "fill": tile.colour or "transparent"} for tile in tiles]
    )
    panels = frame["panel"].unique(maintain_order=True).to_list()
    across, room = columns_for(width, len(panels), 300)
    plot = min(room - room_for(rows, room) - (22 if titles[1] else 0) - 14, _LARGEST[0] * len(columns))
    axis = alt.Axis(
        labelAngle=0, domain=False, ticks=False, labelOverlap=True, labelLimit=plot / len(columns)
    )
    scale = alt.Scale(domain=list(columns), paddingInner=0.04)
    x = alt.X("column:N", title=titles[0], sort=list(columns), scale=scale, axis=axis)
    y = name_axis(rows, room, titles[1], 0.06)
    two = (frame["below"] != "").any()

    def draw(panel: str) -> alt.LayerChart:
        base = alt.Chart(frame.filter(panel=panel)).encode(x=x, y=y)
        filled = base.mark_rect(cornerRadius=2).encode(
            fill=alt.Fill("fill:N", scale=None, legend=None),
            opacity=alt.Opacity("full:Q", scale=None, legend=None),
        )
        text = base.mark_text(dy=-5 if two else 1, fontWeight="bold", color=INK)
        layers = [base.mark_rect(stroke=GRID, fill="transparent"), filled, text.encode(text="text:N")]
        if two:
            layers.append(base.mark_text(dy=8, fontSize=10, color=INK).encode(text="below:N"))
        height = _LARGEST[1] * len(rows)
        return alt.LayerChart(layer=layers, width=plot, height=height, title=heading(panel, plot))

    return in_panels(panels, across, draw)
