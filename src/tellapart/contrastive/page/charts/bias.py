"""Selection bias: what a selector does to its own model."""

from __future__ import annotations

import altair as alt
import polars as pl

from tellapart.contrastive.page.view import Figures
from tellapart.report import numbers as show
from tellapart.report.charts import Chart, Drawing
from tellapart.report.palette import INK, MUTED

_FIGURES, _SHORT = 170, 50
"""Pixels on the right for the figures, and for those without intervals."""


def bias_chart(figures: Figures) -> Chart | None:
    """Effect of each selector on its own model, with its interval; None where no effect is determined."""
    known = {name: effect for name, effect in figures["self"].items() if effect["effect"] is not None}
    if not known:
        return None
    description = (
        f"Change in accuracy, in percentage points with 95 % intervals, of {show.listed(list(known))} "
        "on distractors that the model chose itself. Below zero the model punishes itself."
    )
    return Chart("selection-bias", _conclusion(known), description, lambda width: _draw(known, width))


def _conclusion(known: Figures) -> str:
    sure = {name: effect["effect"] for name, effect in known.items() if _excludes_zero(effect)}
    if not sure:
        return "No model is shown to be helped or hurt by distractors of its own choice"
    parts = [
        f"{name} {'loses' if effect < 0 else 'gains'} {show.points(abs(effect))[1:]} points"
        for name, effect in sorted(sure.items(), key=lambda pair: pair[1])
    ]
    advice = ": choose distractors with a neutral selector" if min(sure.values()) < 0 else ""
    return f"On distractors of its own choice {show.listed(parts)}{advice}"


def _excludes_zero(effect: Figures) -> bool:
    return effect["ci"] is not None and not effect["ci"][0] <= 0 <= effect["ci"][1]


def _draw(known: Figures, width: int) -> Drawing:
    room = _FIGURES if width >= 500 else _SHORT
    rows = []
    for name, effect in known.items():
        low, high = effect["ci"] or (effect["effect"], effect["effect"])
        span = f" ({show.points_range(effect['ci'])})" if effect["ci"] and room == _FIGURES else ""
        text = show.points(effect["effect"]) + span
        rows.append(
            {
                "selector": name,
                "effect": 100 * effect["effect"],
                "low": 100 * low,
                "high": 100 * high,
                "text": text,
            }
        )
    plot = width - room - 100
    base = alt.Chart(pl.DataFrame(rows)).encode(
        y=alt.Y("selector:N")
        .title("Selector")
        .sort(list(known))
        .axis(domain=False, ticks=False, labelLimit=90),
    )
    x = (
        alt.X("effect:Q")
        .title("Effect on its own accuracy, points")
        .scale(padding=14)
        .axis(tickCount=5, domain=False)
    )
    layers = [
        alt.Chart(pl.DataFrame({"effect": [0.0]})).mark_rule(color=MUTED, strokeDash=[3, 3]).encode(x=x),
        base.mark_rule(color=MUTED, strokeWidth=2).encode(x=alt.X("low:Q"), x2="high:Q"),
        base.mark_point(filled=True, size=70, color=INK, opacity=1).encode(x=x),
        base.mark_text(align="left").encode(x=alt.value(plot + 10), text="text:N"),
    ]
    return alt.LayerChart(layer=layers, width=plot, height=30 * len(rows))
