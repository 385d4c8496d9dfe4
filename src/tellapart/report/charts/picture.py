"""A chart with a title that says what to conclude, and its picture, made without a browser or a network."""

from __future__ import annotations

import json
import re
import textwrap
from collections.abc import Callable
from dataclasses import dataclass
from html import escape
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from tellapart.errors import MissingExtra, UsageError
from tellapart.files import write_bytes, write_text
from tellapart.report.palette import GRID, INK, MUTED, PAPER, themed

if TYPE_CHECKING:
    import altair as alt
else:

    class _Altair:
        """Altair, imported when the first chart is drawn: that takes longer than to audit most tables."""

        def __getattr__(self, name: str) -> Any:
            return getattr(_imported("altair"), name)

    alt = _Altair()

__all__ = ["NARROW", "WIDE", "Chart", "Drawing", "alt", "inline_svg", "save"]

WIDE, NARROW = 760, 350
"""Widths in pixels that charts are drawn for: a page, and a telephone."""

_FONT = "Arial, Helvetica, 'Liberation Sans', sans-serif"
_AXIS = {
    "labelColor": MUTED,
    "titleColor": MUTED,
    "gridColor": GRID,
    "domainColor": MUTED,
    "tickColor": GRID,
    "labelFontSize": 12,
    "titleFontSize": 12,
    "titleFontWeight": "normal",
    "titlePadding": 8,
    "labelPadding": 5,
    "labelFlush": False,
    "labelOverlap": False,
    "tickSize": 4,
}
_CONFIG: dict[str, Any] = {
    "font": _FONT,
    "padding": 9,
    # A picture has one name and one description; a label a mark would be read out mark by mark.
    "aria": False,
    "axis": _AXIS,
    "view": {"stroke": None},
    "text": {"fontSize": 12, "fill": INK},
    "legend": {"labelFontSize": 12, "labelColor": INK, "symbolOpacity": 1},
    "title": {"anchor": "start", "color": INK, "fontSize": 13, "fontWeight": "bold", "offset": 8},
}
_IDENTIFIER = re.compile(r'(id="|url\(#)(clip|gradient_)')
_UNSAYABLE = re.compile(
    r"\\\\|\\u00[01][0-9a-f]|\\[bf]"
    "|[^\t\n\r\x20-\u2027\u202a-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]"
)
"""In JSON: a backslash that stands for itself, and characters that XML cannot hold or that end a line."""
_OBJECT = re.compile(
    r'(?<=")(?:__\w+__|constructor|hasOwnProperty|isPrototypeOf|propertyIsEnumerable|to(?:Locale)?String|valueOf)'
    r'(?=\\?")'
)
"""In JSON, also inside an expression: a text that every object of JavaScript has as a key, as Vega's do."""
_JOINER = "\N{WORD JOINER}"
"""Nothing that is seen: behind such a text while it is drawn, it makes another key of it."""
# Groups of marks are no pictures of their own.
_GROUP_ROLE = re.compile(r'(<g class="[^"]*") role="graphics-(?:symbol|object)" aria-roledescription="[^"]*"')
_HEAD = re.compile(r'<svg [^>]*?width="([\d.]+)" height="([\d.]+)"[^>]*>')

Drawing: TypeAlias = "alt.LayerChart | alt.ConcatChart"


@dataclass(frozen=True)
class Chart:
    """A chart that can be drawn at any width.

    Attributes:
        name: Of one word, unique in a report; the start of identifiers inside the picture.
        description: What is drawn and how to read it, also for those who cannot see it.
        draw: From a width in pixels, axes included, to Vega-Lite.
    """

    name: str
    title: str
    description: str
    draw: Callable[[int], Drawing]


def inline_svg(chart: Chart, width: int) -> str:
    """Draw for a page, which shows the title itself and decides about the colours."""
    svg = _svg(_specification(chart.draw, width), background=None)
    head = _HEAD.match(svg)
    if head is None:
        raise ValueError(f"this is no picture by vl-convert: {svg[:80]!r}")
    prefix = f"{chart.name}-{width}"
    body = _IDENTIFIER.sub(rf"\g<1>{prefix}-\g<2>", themed(_GROUP_ROLE.sub(r"\1", svg[head.end() :])))
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" role="img" '
        f'viewBox="0 0 {head[1]} {head[2]}" width="{head[1]}" '
        f'aria-labelledby="{prefix}-title {prefix}-desc">'
        f'<title id="{prefix}-title">{escape(chart.title)}</title>'
        f'<desc id="{prefix}-desc">{escape(chart.description)}</desc>{body}'
    )


def save(chart: Chart, path: Path, *, width: int = WIDE, scale: float = 2) -> None:
    """Write a chart with its title as a picture of its own, whole or not at all."""
    lines = textwrap.wrap(chart.title, max(20, width // 8))
    title = alt.TitleParams(lines, fontSize=15, offset=14, anchor="start")
    titled = _specification(lambda width: chart.draw(width).properties(title=title), width)
    if path.suffix == ".svg":
        write_text(path, _svg(titled, background=PAPER))
    elif path.suffix == ".png":
        write_bytes(path, _imported("vl_convert").svg_to_png(_svg(titled, background=PAPER), scale=scale))
    else:
        raise UsageError(f"a picture cannot be {path.suffix!r}", where=path, next_step="Choose .svg or .png")


def _imported(name: str) -> Any:
    """Import what only charts need: Altair, and what draws without a browser (60 MB)."""
    try:
        return import_module(name)
    except ModuleNotFoundError:
        raise MissingExtra("drawing charts", "png") from None


def _specification(draw: Callable[[int], Drawing], width: int) -> dict[str, Any]:
    # Checking every part against the schema takes longer than drawing it; the tests check each kind of chart.
    # The limit on rows is for specifications that are sent to a browser; this one is drawn here.
    with alt.utils.schemapi.debug_mode(False), alt.data_transformers.enable("default", max_rows=None):
        text = json.dumps(draw(width).to_dict(validate=False), ensure_ascii=False)
    # A character that XML cannot hold would end the whole process.
    text = _UNSAYABLE.sub(lambda found: found[0] if found[0] == r"\\" else "\N{REPLACEMENT CHARACTER}", text)
    specification: dict[str, Any] = json.loads(_OBJECT.sub(rf"\g<0>{_JOINER}", text))
    return specification


def _svg(specification: dict[str, Any], *, background: str | None) -> str:
    config = _CONFIG | {"background": background}
    svg = _imported("vl_convert").vegalite_to_svg(specification, config=config, allowed_base_urls=[])
    return str(svg).replace(_JOINER, "")
