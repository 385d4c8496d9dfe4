"""Precision and recall of each product area against the whole."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import altair as alt
import polars as pl

from tellapart.codesearch.page.cells import WORDS, is_open, widest
from tellapart.codesearch.page.record import View
from tellapart.report import numbers as show
from tellapart.report.charts import GUTTER, Chart, Drawing, columns_for
from tellapart.report.palette import GRID, INK, MUTED, PAPER

MOST = 20
"""Areas that are drawn, those with most conversations; the table has all."""

_ROW, _NAMES = 24, 170
_LETTER = 7.8
"""Pixels of a letter of a name, of a wide font."""

_WHOLE = "all"
_SCHEMA = {
    "area": pl.String,
    "value": pl.Float64,
    "low": pl.Float64,
    "high": pl.Float64,
    "least": pl.Float64,
    "most": pl.Float64,
}


def areas_chart(view: View) -> Chart:
    """A panel for precision and one for recall, a row an area, the whole above them."""
    names = _shown(view)
    left_out = len(view.block("areas")) - len(names)
    what = show.listed([WORDS[name] for name in view.names]).capitalize()
    description = (
        f"{what} of {show.plural(len(names), 'product area')} with 95 % intervals (thick lines: what missing "
        "verdicts leave open). The broken line is the mean of all conversations; the dotted one 0.15 below "
        "it is where the source document calls an area an anomaly."
        + (f" {left_out} smaller areas are in the table alone." if left_out else "")
    )
    return Chart("area-figures", _conclusion(view), description, lambda width: _draw(view, names, width))


def _shown(view: View) -> list[str]:
    told = view.block("areas")
    return sorted(sorted(told, key=lambda area: (-told[area]["count"], area))[:MOST])


def _conclusion(view: View) -> str:
    told = view.block("areas")
    if len(told) == 1:
        return f"All conversations are of one product area, {next(iter(told))}: none can stand out"
    sure: list[str] = []
    unsure: list[str] = []
    withheld: list[str] = []
    for area, figures in told.items():
        below = [figures["below_aggregate"][name] for name in view.names]
        if any(one["withheld"] for one in below):
            withheld.append(area)
        elif any(one["anomaly"] and one["beyond_chance"] for one in below):
            sure.append(area)
        elif any(one["anomaly"] for one in below):
            unsure.append(area)
    if sure:
        return f"{_named(sure)} {'is' if len(sure) == 1 else 'are'} far below the whole, beyond chance"
    if withheld:
        return f"Missing verdicts leave open whether {_named(withheld, 'or')} is far below the whole"
    if unsure:
        verb = "looks" if len(unsure) == 1 else "look"
        return f"{_named(unsure)} {verb} far below the whole, but chance does that too"
    return "No product area is far below the whole"


def _named(areas: list[str], last: str = "and") -> str:
    return show.listed(areas, last) if len(areas) < 4 else f"{len(areas)} areas"


def _draw(view: View, names: list[str], width: int) -> Drawing:
    longest = max((len(name) for name in names), default=3)
    room = min(int(longest * _LETTER) + 18, _NAMES)
    columns, panel = columns_for(width, len(view.names), 200 + room)
    charts = [_panel(view, names, name, panel - room - 6, room) for name in view.names]
    return alt.concat(*charts, columns=columns, spacing={"column": GUTTER, "row": 24})


def _panel(view: View, names: list[str], measure: str, width: int, room: int) -> alt.LayerChart:
    whole = view.metrics["measures"][measure]
    rows = [_row(_WHOLE, whole)]
    rows += [_row(name, view.block("areas")[name]["measures"][measure]) for name in names]
    frame = pl.DataFrame(rows, schema=_SCHEMA)
    x = alt.X("value:Q").title(None).scale(domain=[-0.03, 1.03], nice=False)
    x = x.axis(values=[0, 0.25, 0.5, 0.75, 1], tickCount=5, domain=False, format=".2f")
    order = [row["area"] for row in rows]
    y = alt.Y("area:N").sort(order).title(None).scale(domain=order)
    y = y.axis(domain=False, ticks=False, labelLimit=room - 8, minExtent=room)
    base = alt.Chart(frame).encode(y=y)
    known = base.transform_filter("isValid(datum.value)")
    layers = [
        *_rules(whole["macro"]),
        base.transform_filter("isValid(datum.least)")
        .mark_rule(color=GRID, strokeWidth=9)
        .encode(x=alt.X("least:Q", title=None), x2="most:Q"),
        known.transform_filter("isValid(datum.low)")
        .mark_rule(color=MUTED, strokeWidth=1.8)
        .encode(x=alt.X("low:Q", title=None), x2="high:Q"),
        known.transform_filter("isValid(datum.low)")
        .mark_point(filled=True, size=64, color=INK, opacity=1)
        .encode(x=x),
        known.transform_filter("!isValid(datum.low)")
        .mark_point(fill=PAPER, stroke=INK, size=56, opacity=1)
        .encode(x=x),
    ]
    title = alt.TitleParams(WORDS[measure].capitalize(), limit=width)
    return alt.LayerChart(layer=layers, width=width, height=_ROW * len(order), title=title)


def _rules(mean: float | None) -> list[alt.Chart]:
    if mean is None:
        return []
    found = []
    for at, dash in ((mean, [5, 3]), (mean - 0.15, [1, 3])):
        if at > 0:
            rule = alt.Chart(pl.DataFrame({"at": [at]})).mark_rule(
                color=MUTED, strokeDash=dash, strokeWidth=1.2
            )
            found.append(rule.encode(x=alt.X("at:Q", title=None)))
    return found


def _row(area: str, figures: Mapping[str, Any]) -> dict[str, Any]:
    low, high = widest(figures) or (None, None)
    open_ = is_open(figures)
    return {
        "area": area,
        "value": figures["macro"],
        "low": low,
        "high": high,
        "least": figures["low"] if open_ else None,
        "most": figures["high"] if open_ else None,
    }
