"""What charts of every kind have in common: axes, panels, lines that explain, room for names."""

from __future__ import annotations

import json
import textwrap
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, fields
from functools import cache
from math import ceil
from typing import Any, TypeVar

import polars as pl
from rich.cells import cell_len

from tellapart.report.charts.picture import Drawing, sayable
from tellapart.report.charts.vega import alt
from tellapart.report.palette import INK, MUTED
from tellapart.report.plain_text import shortened

GUTTER = 16
"""Pixels between two panels."""

LETTER = 7.8
"""Pixels of a letter of a wide font: a page may have another one than that with which pictures are made."""

_TICK, _TITLE = 34, 180
"""Pixels of the label of a tick, and of a title that may be longer than its axis."""

SAFE = 0.78
"""Share of its room that a name which is cut may take: a page may have a wider font than pictures."""

SHARE = 0.36
"""The most of a width that names may take."""

_LONGEST, _LONGEST_TITLE = 60, 240
"""Characters of a name and of a title that are drawn."""

_DTYPES = {"str": pl.String, "float": pl.Float64, "bool": pl.Boolean}


Channel = TypeVar("Channel", "alt.X", "alt.Y")
Value = TypeVar("Value")


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
        names: Instead of numbers, what stands at 0, 1, 2, …; a second line as a pair.
        below: What the second lines are.
    """

    title: str | None = None
    domain: tuple[float, float] | None = None
    ticks: Sequence[float] | int = 5
    format: str = ""
    label: str = ""
    log: bool = False
    grid: bool = False
    zero: bool = False
    names: Sequence[str | tuple[str, str]] = ()
    below: str = ""

    def x(self, field: str, width: int) -> alt.X:
        """Put a field on the horizontal axis of a plot so many pixels wide."""
        title = self._title()
        if self.below and not self._turned(width):
            title = f"{title} ({self.below} below)"
        limit = max(0.85 * width, _TITLE)
        axis = alt.Axis(**self._labels(width), domain=not self.grid, titleLimit=limit)
        return alt.X(f"{field}:Q", title=title, scale=self._scale(), axis=axis)

    def y(self, field: str, pixels: tuple[float, float] | None = None) -> alt.Y:
        """Put a field on the vertical axis, from and to so many pixels below the top of the plot."""
        scale = self._scale()
        if pixels:
            scale.range = list(pixels)
        axis = alt.Axis(**self._labels(None), domain=False, ticks=False)
        return alt.Y(f"{field}:Q", title=self._title(), scale=scale, axis=axis)

    def _title(self) -> str | None:
        return self.title and shortened(self.title, _LONGEST_TITLE)

    def _scale(self) -> alt.Scale:
        domain = (-0.5, len(self.names) - 0.5) if self.names else self.domain
        scale = alt.Scale(type="log" if self.log else "linear", nice=domain is None, zero=self.zero)
        if domain is not None:
            scale.domain = list(domain)
        return scale

    def _labels(self, width: int | None) -> dict[str, Any]:
        ticks = self.ticks
        labels: dict[str, Any] = {"grid": self.grid or width is None}
        labels |= {"tickCount": ticks} if isinstance(ticks, int) else _values(ticks, width)
        if self.format:
            labels["format"] = self.format
        if self.label:
            labels["labelExpr"] = self.label
        if self.names:
            labels |= self._named(width or 0)
        return labels

    def _turned(self, width: int) -> bool:
        """Whether there is no room for the names side by side; they are then turned, and of one line."""
        return max(map(cell_len, self._first)) * LETTER > width / len(self.names)

    @property
    def _first(self) -> list[str]:
        return [short(name if isinstance(name, str) else name[0]) for name in self.names]

    def _named(self, width: int) -> dict[str, Any]:
        turned = self._turned(width)
        angle = {"labelAngle": -40, "labelAlign": "right"} if turned else {"labelAngle": 0}
        label = f"[{','.join(map(_literal, self._first if turned else self.names))}][datum.value]"
        every = ceil(14 * len(self.names) / max(width, 14))
        values = list(range(len(self.names)))[::-1][::every][::-1]
        return {"labelExpr": label, "labelLimit": 110, "values": values, "tickCount": len(values), **angle}


@dataclass(frozen=True)
class Rule:
    """A broken line from the top of a panel to its foot."""

    at: float
    panel: str


def rule_layers(rules: Iterable[Rule], x: alt.X, span: tuple[float, float]) -> list[alt.Chart]:
    """Draw rules from and to so many pixels below the top."""
    top, bottom = pixel(alt.YValue, span[0]), pixel(alt.Y2Value, span[1])
    lines = [
        alt.Chart(pl.DataFrame({"at": [rule.at]})).mark_rule(color=MUTED, strokeDash=[4, 4], strokeWidth=1.3)
        for rule in rules
    ]
    return [line.encode(x=of(x, "at"), y=top, y2=bottom) for line in lines]


def pixel(kind: Callable[..., Value], at: float) -> Value:
    """Give the place so many pixels from the left or the top of the plot; ``alt.value`` takes far longer."""
    return kind(at)


def of(channel: Channel, field: str) -> Channel:
    """The same axis for another field."""
    other: Channel = channel.copy(deep=False)
    other.shorthand = f"{field}:Q"
    return other


def short(name: str) -> str:
    """Cut a name to what is drawn of it."""
    return shortened(sayable(name), _LONGEST)


def codes(names: Sequence[str]) -> dict[str, str]:
    """Map names to codes, which stand for them in data and scales: Vega looks names up in plain objects.

    A name such as ``constructor``, which every JavaScript object has, would be found there.
    """
    return {name: f"c{i}" for i, name in enumerate(names)}


def label_codes(names: Sequence[str]) -> str:
    """Give the Vega expression that labels ``codes(names)`` with the names."""
    return f"[{','.join(map(_literal, names))}][toNumber(slice(datum.value, 1))]"


def _literal(name: str | tuple[str, str]) -> str:
    """Write a name as a Vega expression, in which no literal may be ``constructor`` either."""
    if isinstance(name, tuple):
        return f"[{','.join(map(_literal, name))}]"
    return f"slice({json.dumps(' ' + short(name))}, 1)"


def room_for(names: Iterable[str], width: float) -> int:
    """Give the pixels that names need beside a plot, up to ``SHARE`` of the whole width."""
    letters = max((cell_len(short(name)) for name in names), default=0)
    return int(min(letters * LETTER + 14, SHARE * width))


def name_axis(
    names: Sequence[str],
    width: int,
    title: str | None = None,
    *,
    padding: float | None = None,
) -> alt.Y:
    """Put the field ``name``, of ``codes(names)``, on the vertical axis, as wide as ``room_for`` gives."""
    room = room_for(names, width)
    limit = room - 8 if room < int(SHARE * width) else SAFE * (room - 8)
    axis = alt.Axis(
        domain=False,
        ticks=False,
        labelExpr=label_codes(names),
        labelLimit=limit,
        minExtent=room - 6,
        labelColor=INK,
        titleAnchor="middle",
    )
    order = list(codes(names).values())
    scale = alt.Scale(domain=order) if padding is None else alt.Scale(domain=order, paddingInner=padding)
    return alt.Y("name:N", title=title, sort=order, axis=axis, scale=scale)


def columns_for(width: int, panels: int, least: int) -> tuple[int, int]:
    """Fit panels of equal width side by side, in rows as even as can be."""
    most = max(1, min(panels, (width + GUTTER) // (least + GUTTER)))
    columns = ceil(panels / ceil(panels / most)) if panels else 1
    return columns, (width - GUTTER * (columns - 1)) // columns


def in_panels(names: Sequence[str], columns: int, draw: Callable[[int, str], alt.LayerChart]) -> Drawing:
    """Draw a panel for each name, in rows; one panel is the whole chart."""
    drawn = [draw(i, name) for i, name in enumerate(names)]
    if len(drawn) == 1:
        return drawn[0]
    return alt.concat(*drawn, columns=columns, spacing={"column": GUTTER, "row": 26})


def heading(text: str, width: float) -> alt.TitleParams:
    """The title of a panel, of up to two lines; what follows a line break stands below it, smaller."""
    text, below = (shortened(part, _LONGEST_TITLE) for part in text.partition("\n")[::2])
    lines = textwrap.wrap(text, max(8, int(width / LETTER)), break_long_words=False)
    return alt.TitleParams(
        lines if len(lines) == 2 else text,
        limit=width,
        subtitle=below,
        subtitleColor=MUTED,
        subtitleFontSize=12,
    )


def frame_of(records: Sequence[Any], kind: type) -> pl.DataFrame:
    """Give records of one dataclass as a frame, whose columns have the types of its fields."""
    return pl.DataFrame([vars(record) for record in records], schema=_schema(kind))


@cache
def _schema(kind: type) -> dict[str, Any]:
    # Annotations are strings such as "float | None".
    return {field.name: _DTYPES[str(field.type).split(" ")[0]] for field in fields(kind)}


def _values(ticks: Sequence[float], width: int | None) -> dict[str, Any]:
    """The ticks that there is room for, the last of them always."""
    every = 1 if width is None else ceil(_TICK * len(ticks) / max(width, _TICK))
    kept = list(ticks)[::-1][::every][::-1]
    return {"values": kept, "tickCount": len(kept)}
