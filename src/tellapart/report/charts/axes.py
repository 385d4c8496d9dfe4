"""What charts of every kind have in common: axes, panels, room for names."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from math import ceil
from typing import Any, TypeVar

from rich.cells import cell_len

from tellapart.report.charts.picture import Drawing, alt
from tellapart.report.palette import INK, MUTED
from tellapart.report.plain_text import plain, shortened

GUTTER = 16
"""Pixels between two panels."""

LETTER = 7.8
"""Pixels of a letter of a wide font: a page may have another one than that with which pictures are made."""

_TICK, _TITLE = 34, 180
"""Pixels of the label of a tick, and of a title that may be longer than its axis."""

_SHARE = 0.36
"""The most of a width that names may take."""

_LONGEST, _LONGEST_TITLE = 60, 240
"""Characters of a name and of a title that are drawn."""

Channel = TypeVar("Channel", "alt.X", "alt.Y")


@dataclass(frozen=True)
class Axis:
    """How numbers stand along one side of a plot.

    Attributes:
        title: What they are, with the unit.
        domain: Their ends; None for what the data span.
        ticks: Where labels stand, or about how many.
        format: Of the labels, as d3 writes it.
        label: Vega expression of a label, where a format cannot say it.
        grid: Whether lines run across the plot; along y they always do.
        zero: Whether 0 is on the axis even where the data are far from it.
        names: Instead of numbers, what stands at 0, 1, 2, …; of one line or two.
    """

    title: str | None = None
    domain: tuple[float, float] | None = None
    ticks: Sequence[float] | int = 5
    format: str = ""
    label: str = ""
    log: bool = False
    grid: bool = False
    zero: bool = False
    names: Sequence[str] = ()

    def x(self, field: str, width: int) -> alt.X:
        """Put a field on the horizontal axis of a plot so many pixels wide."""
        limit = max(0.85 * width, _TITLE)
        axis = alt.Axis(**self._labels(width), grid=self.grid, domain=not self.grid, titleLimit=limit)
        return alt.X(f"{field}:Q", title=self._title(), scale=self._scale(), axis=axis)

    def y(self, field: str) -> alt.Y:
        """Put a field on the vertical axis."""
        axis = alt.Axis(**self._labels(None), grid=True, domain=False, ticks=False)
        return alt.Y(f"{field}:Q", title=self._title(), scale=self._scale(), axis=axis)

    def _title(self) -> str | None:
        return self.title and shortened(self.title, _LONGEST_TITLE)

    def _scale(self) -> alt.Scale:
        domain = (-0.5, len(self.names) - 0.5) if self.names else self.domain
        scale = alt.Scale(type="log" if self.log else "linear", nice=domain is None, zero=self.zero)
        if domain is not None:
            scale.domain = list(domain)
        return scale

    def _labels(self, width: int | None) -> dict[str, Any]:
        if self.names:
            return self._named(width or 0)
        labels: dict[str, Any] = {"tickCount": self.ticks}
        if not isinstance(self.ticks, int):
            # Those that there is room for, the last of them always.
            every = 1 if width is None else ceil(_TICK * len(self.ticks) / max(width, _TICK))
            kept = list(self.ticks)[::-1][::every][::-1]
            labels = {"values": kept, "tickCount": len(kept)}
        if self.format:
            labels["format"] = self.format
        if self.label:
            labels["labelExpr"] = self.label
        return labels

    def _named(self, width: int) -> dict[str, Any]:
        """Names side by side; where there is no room for them, turned and in one line."""
        lines = [[short(line) for line in name.split("\n")] for name in self.names]
        values = list(range(len(lines)))
        if max(cell_len(line) for name in lines for line in name) * LETTER <= width / len(lines):
            label = f"{json.dumps(lines)}[datum.value]"
            return {"labelExpr": label, "values": values, "tickCount": len(values), "labelAngle": 0}
        every = ceil(14 * len(lines) / max(width, 14))
        kept = values[::-1][::every][::-1]
        label = f"{json.dumps([', '.join(name) for name in lines])}[datum.value]"
        turned = {"labelAngle": -40, "labelAlign": "right", "labelLimit": 110}
        return {"labelExpr": label, "values": kept, "tickCount": len(kept), **turned}


def of(channel: Channel, field: str) -> Channel:
    """The same axis for another field."""
    other: Channel = channel.copy(deep=False)
    other.shorthand = f"{field}:Q"
    return other


def short(name: str) -> str:
    """Cut a name to what is drawn of it."""
    return shortened(plain(name), _LONGEST)


def room_for(names: Iterable[str], width: float) -> int:
    """Give the pixels that names need beside a plot, up to a part of the whole width."""
    letters = max((cell_len(short(name)) for name in names), default=0)
    return int(min(letters * LETTER + 14, _SHARE * width))


def name_axis(names: Sequence[str], width: int, title: str | None, padding: float) -> alt.Y:
    """Put the field ``name`` on the vertical axis, as wide as `room_for` gives."""
    room = room_for(names, width)
    axis = alt.Axis(domain=False, ticks=False, labelLimit=room - 8, minExtent=room - 6, labelColor=INK)
    scale = alt.Scale(domain=list(names), paddingInner=padding)
    return alt.Y("name:N", title=title, sort=list(names), axis=axis, scale=scale)


def columns_for(width: int, panels: int, least: int) -> tuple[int, int]:
    """Fit panels of equal width side by side, in rows as even as can be."""
    most = max(1, min(panels, (width + GUTTER) // (least + GUTTER)))
    columns = ceil(panels / ceil(panels / most)) if panels else 1
    return columns, (width - GUTTER * (columns - 1)) // columns


def in_panels(names: Sequence[str], columns: int, draw: Callable[[str], alt.LayerChart]) -> Drawing:
    """Draw a panel for each name, in rows; one panel is the whole chart."""
    drawn = [draw(name) for name in names]
    if len(drawn) == 1:
        return drawn[0]
    return alt.concat(*drawn, columns=columns, spacing={"column": GUTTER, "row": 26})


def heading(text: str, width: float) -> alt.TitleParams:
    """The title of a panel; what follows a line break stands below it, smaller."""
    title, below = (shortened(part, _LONGEST_TITLE) for part in text.partition("\n")[::2])
    return alt.TitleParams(title, limit=0.9 * width, subtitle=below, subtitleColor=MUTED, subtitleFontSize=12)
