"""Heatmaps: tiles in rows and columns, each with its figure or sign, so that no colour says a thing alone."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import polars as pl

from tellapart.report.charts.axes import (
    codes,
    columns_for,
    frame_of,
    heading,
    in_panels,
    label_codes,
    name_axis,
    room_for,
)
from tellapart.report.charts.picture import Drawing
from tellapart.report.charts.vega import alt
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
    least: int = 300,
) -> Drawing:
    """Draw tiles, in panels as they come."""
    frame = (
        frame_of(tiles, Tile)
        .rename({"row": "name"})
        .with_columns(
            fill=pl.when(pl.col("colour") == "").then(pl.lit("transparent")).otherwise("colour"),
            name=pl.col("name").replace_strict(codes(rows), return_dtype=pl.String),
            column=pl.col("column").replace_strict(codes(columns), return_dtype=pl.String),
        )
    )
    panels = frame["panel"].unique(maintain_order=True).to_list()
    across, room = columns_for(width, len(panels), least)
    names = room_for(rows, room) + (22 if titles[1] else 0)
    plot = min(room - names - 14, _LARGEST[0] * len(columns))
    order = list(codes(columns).values())
    x = alt.X(
        "column:N",
        title=titles[0],
        sort=order,
        scale=alt.Scale(domain=order, paddingInner=0.04),
        axis=alt.Axis(
            labelAngle=0,
            domain=False,
            ticks=False,
            labelExpr=label_codes(columns),
            labelOverlap=True,
            labelLimit=plot / len(columns),
        ),
    )
    y = name_axis(rows, room, titles[1], padding=0.06)

    def draw(_: int, panel: str) -> alt.LayerChart:
        base = alt.Chart(frame.filter(panel=panel)).encode(x=x, y=y)
        two = (frame["below"] != "").any()
        layers = [
            base.mark_rect(stroke=GRID, fill="transparent"),
            base.mark_rect(cornerRadius=2).encode(
                fill=alt.Fill("fill:N", scale=None, legend=None),
                opacity=alt.Opacity("full:Q", scale=None, legend=None),
            ),
            base.mark_text(dy=-5 if two else 1, fontWeight="bold", color=INK).encode(text=alt.Text("text:N")),
        ]
        if two:
            layers.append(base.mark_text(dy=8, fontSize=10, color=INK).encode(text=alt.Text("below:N")))
        return alt.LayerChart(
            layer=layers, width=plot, height=_LARGEST[1] * len(rows), title=heading(panel, plot)
        )

    return in_panels(panels, across, draw)
