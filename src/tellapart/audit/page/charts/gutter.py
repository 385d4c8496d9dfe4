"""Room for names beside a plot."""

from __future__ import annotations

from collections.abc import Sequence

import altair as alt
import polars as pl
from rich.cells import cell_len

from tellapart.report.comparison import shortened

LETTER = 7.8
"""Pixels of a letter of a name, of a wide font."""

_BESIDE = 14


def room_for(names: Sequence[str], width: int, share: float = 0.36) -> int:
    """Give the pixels that names need beside a plot, up to a share of the whole width.

    Args:
        names: What stands there.
        width: Of the whole, in pixels.
        share: Of it that names may take.
    """
    return int(min(max(map(cell_len, names), default=0) * LETTER + _BESIDE, share * width))


def fitted(name: str, room: int) -> str:
    """Cut a name to the room there is, in pixels."""
    return shortened(name, max(3, int((room - _BESIDE + 4) / LETTER)))


def gutter(width: int) -> alt.Chart:
    """Keep room on the left of a plot: a page's letters may be wider than those it was measured with.

    Args:
        width: In pixels.
    """
    nothing: alt.Chart = (
        alt.Chart(pl.DataFrame({"none": [0]}))
        .mark_rule(opacity=0)
        .encode(x=alt.value(-width), x2=alt.value(0), y=alt.value(0))
    )
    return nothing
