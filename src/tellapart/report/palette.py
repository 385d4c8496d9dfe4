"""Colours that keep their order in black and white, each with a shape and a dash, in light and in dark."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

INK, MUTED, GRID, PAPER = "#1b1d22", "#5c626d", "#dfe2e7", "#ffffff"
"""Text and axes, secondary text, grid lines, background: of pictures, and of the page in light."""

_DARK = {INK: "#e9eaee", MUTED: "#a3a9b5", GRID: "#343842", PAPER: "#14161b"}
_NAMES = {INK: "ink", MUTED: "muted", GRID: "grid", PAPER: "paper"}

# Lightness rises from each to the next, and each contrasts 3:1 or more with its background.
_RAMP = ("#0b1f5e", "#6b0f5c", "#8a2f0c", "#0a6259", "#a8326f", "#2670ab", "#c9541c", "#2f9a63")
_DARK_RAMP = ("#5f7fe6", "#d277c4", "#f08a64", "#3fbfae", "#f59ac4", "#86c8f5", "#ffbe80", "#a9e8ba")
_SHAPES = (
    "circle",
    "square",
    "triangle-up",
    "diamond",
    "cross",
    "triangle-down",
    "triangle-right",
    "triangle-left",
)
_DASHES = ((1, 0), (7, 3), (2, 2), (9, 3, 2, 3), (4, 2), (12, 3), (1, 3), (6, 2, 1, 2, 1, 2))


@dataclass(frozen=True)
class Look:
    """How one thing is drawn in every chart: in light, with a shape of Vega-Lite and a dash in pixels."""

    colour: str
    shape: str
    dash: tuple[int, ...]


def looks(names: Sequence[str]) -> dict[str, Look]:
    """Give each name a look, the darkest first and evenly spread; after eight the looks repeat."""
    last = len(_RAMP) - 1
    steps = (
        [round(i * last / max(len(names) - 1, 1)) for i in range(len(names))]
        if len(names) <= last
        else range(len(names))
    )
    return {
        name: Look(_RAMP[step % len(_RAMP)], _SHAPES[i % len(_SHAPES)], _DASHES[i % len(_DASHES)])
        for i, (name, step) in enumerate(zip(names, steps, strict=False))
    }


def themed(svg: str) -> str:
    """Let the page's style decide about the colours of a picture: each becomes a CSS variable."""
    for colour, variable in _variables().items():
        svg = svg.replace(f'"{colour}"', f'"var(--{variable})"')
    return svg


def css() -> str:
    """Values of the variables in light, and in dark on a screen that asks for it; paper is always light."""
    variables = _variables()
    dark = _DARK | dict(zip(_RAMP, _DARK_RAMP, strict=True))
    light = ";".join(f"--{name}:{colour}" for colour, name in variables.items())
    night = ";".join(f"--{name}:{dark[colour]}" for colour, name in variables.items())
    return f":root{{{light}}}\n@media screen and (prefers-color-scheme:dark){{:root{{{night}}}}}\n"


def _variables() -> dict[str, str]:
    return _NAMES | {colour: f"look-{i}" for i, colour in enumerate(_RAMP)}
