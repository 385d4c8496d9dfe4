"""A logarithmic axis of tokens."""

from __future__ import annotations

import math
from collections.abc import Sequence

import altair as alt

LABEL = "datum.value >= 1000 ? format(datum.value / 1000, '~r') + 'K' : format(datum.value, 'd')"
FIRST = 125


def doubling(values: Sequence[int], width: int) -> tuple[list[int], list[float]]:
    """Ticks and ends of an axis that shows these numbers of tokens.

    Args:
        values: At least one, above 0.
        width: Pixels there are; a tick takes 50 or more.

    Returns:
        Ticks, each a power of two times 125, as many as there is room for; the ends, a little beyond
        the least and the greatest value.
    """
    low, high = max(1, min(values)), max(values)
    ends = [low / 1.35, high * 1.35]
    powers = range(math.floor(math.log2(low / FIRST)), math.ceil(math.log2(high / FIRST)) + 1)
    ticks = [round(FIRST * 2.0**power) for power in powers]
    inside = [tick for tick in ticks if ends[0] <= tick <= ends[1]] or [low]
    every = math.ceil(len(inside) / max(2, width // 50))
    return inside[::-1][::every][::-1], ends


def token_axis(field: str, title: str | None, values: Sequence[int], width: int) -> alt.X:
    """A logarithmic axis of a field that holds tokens."""
    ticks, ends = doubling(values, width)
    x = alt.X(f"{field}:Q").title(title).scale(type="log", domain=ends, nice=False)
    return x.axis(values=ticks, labelExpr=LABEL, domain=False, grid=False, tickCount=len(ticks))
