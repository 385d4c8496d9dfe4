"""Confidence gaps of right and of wrong answers."""

from __future__ import annotations

import altair as alt
import numpy as np
import polars as pl

from tellapart.contrastive.page.view import View
from tellapart.report import numbers as show
from tellapart.report.charts import GUTTER, Chart, Drawing, columns_for
from tellapart.report.palette import MUTED, PAPER, looks

_BINS = 24
_HEIGHT, _AXIS = 220, 62
_TAIL = 0.98
"""Share of the gaps that the axis spans; the last bar holds the rest, which may lie far out."""

_USEFUL, _STRONG = 0.6, 0.75
"""From these AUROCs on, the heading says that the gap helps, and that it helps a lot."""


def gaps_chart(view: View) -> Chart:
    """How far the first option is ahead of the second, for right and for wrong answers, a panel a model."""
    description = (
        f"For {show.listed(view.embedders)}, a histogram of the score of the first option minus the score of "
        "the second: items answered right above the axis, filled; items answered wrong below it, hollow. The "
        "last bar holds all wider gaps."
    )
    return Chart("gap-distribution", _conclusion(view), description, lambda width: _draw(view, width))


def _conclusion(view: View) -> str:
    found = {model: view.figures["confidence_gap"][model] for model in view.embedders}
    known = [figures["auroc"] for figures in found.values() if figures["auroc"] is not None]
    if not known:
        return "Answers are all right or all wrong: the confidence gap has nothing to tell apart"
    shown = f"AUROC {show.between(known, lambda value: f'{value:.2f}')}"
    who = (
        f"every {'embedding model' if view.llms else 'model'}"
        if len(known) == len(found)
        else f"the {len(known)} of {len(found)} models it is known of"
    )
    if min(known) >= _STRONG:
        return f"A wide gap means a right answer, for {who} ({shown}); wrong answers crowd near zero"
    if min(known) >= _USEFUL:
        return f"A wide gap makes a right answer likelier, for {who} ({shown})"
    return f"The gap says little about being right, at least for some models ({shown}; 0.5 is nothing)"


def _draw(view: View, width: int) -> Drawing:
    columns, panel = columns_for(width, len(view.embedders), 230)
    bars = {model: _bars(view, model) for model in view.embedders}
    counts = np.concatenate([found["items"].to_numpy() for found, _ in bars.values()])
    scale = alt.Scale(domain=[min(int(counts.min()), 0), max(int(counts.max()), 1)])
    charts = [
        _panel(model, looks(view.models)[model].colour, *bars[model], scale, panel - _AXIS)
        for model in view.embedders
    ]
    return alt.concat(*charts, columns=columns, spacing={"column": GUTTER, "row": 26})


def _panel(
    model: str, colour: str, bars: pl.DataFrame, end: float, scale: alt.Scale, width: int
) -> alt.LayerChart:
    x = alt.X("low:Q").title("Gap between first and second").axis(grid=False, tickCount=4)
    x = x.scale(domain=[0, end], nice=False)
    y = alt.Y("items:Q").title("Items (wrong ones below)").scale(scale)
    y = y.axis(labelExpr="format(abs(datum.value), ',')", tickCount=6, domain=False, ticks=False)
    base = alt.Chart(bars).encode(x=x, x2="high:Q", y=y, y2=alt.datum(0))
    layers = [
        base.transform_filter("datum.right").mark_bar(color=colour, binSpacing=1),
        base.transform_filter("!datum.right").mark_bar(fill=PAPER, stroke=colour, strokeWidth=1.2),
        alt.Chart(pl.DataFrame({"zero": [0]})).mark_rule(color=MUTED).encode(y="zero:Q"),
        *(_total(bars, right, width) for right in (True, False)),
    ]
    title = alt.TitleParams(model, color=colour, limit=width)
    return alt.LayerChart(layer=layers, width=width, height=_HEIGHT, title=title)


def _total(bars: pl.DataFrame, right: bool, width: int) -> alt.Chart:
    items = abs(int(bars.filter(right=right)["items"].sum()))
    text = pl.DataFrame({"text": [f"{'right' if right else 'wrong'} {show.count(items)}"]})
    mark = alt.Chart(text).mark_text(align="right", baseline="top" if right else "bottom")
    total: alt.Chart = mark.encode(
        x=alt.value(width), y=alt.value(2 if right else _HEIGHT - 6), text="text:N"
    )
    return total


def _bars(view: View, model: str) -> tuple[pl.DataFrame, float]:
    """Counts by bin, wrong ones negative, and the end of the axis; right is a chance above one half."""
    rows = view.items.filter((pl.col("model") == model) & pl.col("missing").is_null())
    gap, right = rows["confidence_gap"].to_numpy(), (rows["correct"] > 0.5).to_numpy()
    end = float(np.quantile(gap, _TAIL)) if len(gap) else 1.0
    edges = np.linspace(0.0, end if end > 0 else 1.0, _BINS + 1)
    clipped = np.minimum(gap, edges[-1])
    frames = [
        pl.DataFrame(
            {"low": edges[:-1], "high": edges[1:], "items": sign * np.histogram(clipped[mask], edges)[0]}
        ).with_columns(right=pl.lit(sign > 0))
        for sign, mask in ((1, right), (-1, ~right))
    ]
    return pl.concat(frames), float(edges[-1])
