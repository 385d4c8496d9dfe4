"""Accuracy of language models by where the target stands, and where what they put first stands."""

from __future__ import annotations

import json
from collections.abc import Sequence

import altair as alt
import polars as pl

from tellapart.contrastive.page.slots import FIFTHS, Part, parts, preferring
from tellapart.contrastive.page.view import View
from tellapart.core.stats import Interval
from tellapart.report import numbers as show
from tellapart.report.charts import GUTTER, Chart, Drawing, columns_for
from tellapart.report.palette import MUTED, PAPER, Look, looks

_HEIGHT, _AXIS = 140, 62


def slots_chart(view: View) -> Chart:
    """For each language model, accuracy by fifth of the list, and the share of first choices there."""
    description = (
        f"For {show.listed(view.llms)}, the share of items answered right, by the fifth of the list in which "
        "the target stands, and the share of answers whose first choice stands in that fifth, both with 95 % "
        "intervals; the broken grey line is that share if the place did not matter."
    )
    title = ". ".join(preferring(view).values())
    return Chart("by-slot", title, description, lambda width: _draw(view, width))


def _draw(view: View, width: int) -> Drawing:
    columns, panel = columns_for(width, 2, 300)
    found = {model: parts(view, model) for model in view.llms}
    most = max((_high(part.first, part.first_interval) for of in found.values() for part in of), default=0.0)
    top = min(100, 10 * int(10 * most + 1))
    charts = []
    for model, of_model in found.items():
        look, plot = looks(view.models)[model], panel - _AXIS
        right = [(part.right, part.right_interval) for part in of_model]
        first = [(part.first, part.first_interval) for part in of_model]
        charts.append(
            _panel(model, look, "Items answered right, %", "Where the target stands", right, 100, plot)
        )
        second = _panel(
            model, look, "Put first, % of answers", "Where the first choice stands", first, top, plot
        )
        charts.append(_with_even(second, of_model))
    return alt.concat(*charts, columns=columns, spacing={"column": GUTTER, "row": 22})


def _panel(
    model: str,
    look: Look,
    y_title: str,
    x_title: str,
    rates: Sequence[tuple[float | None, Interval | None]],
    top: int,
    width: int,
) -> alt.LayerChart:
    rows = [
        {"place": i, "rate": 100 * rate, "low": 100 * _low(rate, span), "high": 100 * _high(rate, span)}
        for i, (rate, span) in enumerate(rates)
        if rate is not None
    ]
    frame = pl.DataFrame(
        rows, schema={"place": pl.Int64, **dict.fromkeys(("rate", "low", "high"), pl.Float64)}
    )
    axis = alt.Axis(
        values=list(range(len(FIFTHS))), labelExpr=f"{json.dumps(FIFTHS)}[datum.value]", grid=False
    )
    x = alt.X("place:Q").title(f"{x_title}, fifths of the list").axis(axis)
    x = x.scale(domain=[-0.4, len(FIFTHS) - 0.6], nice=False)
    y = alt.Y("rate:Q").title(y_title).scale(domain=[0, top], nice=False)
    y = y.axis(tickCount=4, domain=False, ticks=False)
    base = alt.Chart(frame).encode(x=x, y=y)
    layers = [
        base.mark_line(color=look.colour, strokeWidth=1.6, strokeDash=list(look.dash), opacity=0.75),
        base.mark_rule(color=look.colour, strokeWidth=1.6).encode(y="low:Q", y2="high:Q"),
        base.mark_point(
            filled=True,
            size=64,
            opacity=1,
            shape=look.shape,
            color=look.colour,
            stroke=PAPER,
            strokeWidth=0.7,
        ),
    ]
    title = alt.TitleParams(model, color=look.colour, limit=width)
    return alt.LayerChart(layer=layers, width=width, height=_HEIGHT, title=title)


def _with_even(panel: alt.LayerChart, found: Sequence[Part]) -> alt.LayerChart:
    rows = [
        {"place": i - 0.4, "end": i + 0.4, "rate": 100 * part.even}
        for i, part in enumerate(found)
        if part.even is not None
    ]
    line = alt.Chart(pl.DataFrame(rows)).mark_rule(color=MUTED, strokeWidth=2, strokeDash=[3, 3])
    panel.layer = [line.encode(x="place:Q", x2="end:Q", y="rate:Q"), *panel.layer] if rows else panel.layer
    return panel


def _low(rate: float, interval: Interval | None) -> float:
    return interval.low if interval else rate


def _high(rate: float | None, interval: Interval | None) -> float:
    return interval.high if interval else rate or 0.0
