"""The effective context length of each model under both definitions."""

from __future__ import annotations

from typing import Any

import altair as alt
import polars as pl

from tellapart.longcontext.page.charts.axis import token_axis
from tellapart.longcontext.page.lengths import DEFINITIONS, NOT_DETERMINED, known, models_of
from tellapart.longcontext.page.view import Figures, View
from tellapart.report import numbers as show
from tellapart.report.charts import Chart, Drawing
from tellapart.report.palette import INK, MUTED

MOST = 12
"""Models that are drawn, in the order of the record; the table has all."""

_ROW, _NARROW, _LETTER = 26, 500, 7.2
_SCHEMA = {
    "row": pl.String,
    "tokens": pl.Int64,
    "low": pl.Int64,
    "high": pl.Int64,
    "status": pl.String,
    "text": pl.String,
}


def lengths_chart(view: View) -> Chart | None:
    """Two rows a model; None where no length was tested."""
    models = [one for one in models_of(view) if known(one["by_length"])][:MOST]
    if not models:
        return None
    level = show.whole_percent(view.record["effective_length"]["level"])
    description = (
        "The longest context at which, and below which, every score reaches the threshold, with its "
        f"{level} interval. A triangle that points right: every tested length passes, so the true one may be "
        "longer; one that points left: not even the shortest passes. The axis spans what was tested."
    )
    return Chart("effective-lengths", _conclusion(models), description, lambda width: _draw(models, width))


def _conclusion(models: list[Figures]) -> str:
    told = [f"{one['model']}: {_short(one['absolute'])}" for one in models[:3]]
    if all(one["absolute"]["status"] == "not_determined" for one in models):
        return f"The effective context length is {NOT_DETERMINED}: {models[0]['absolute']['reason']}"
    return f"Effective context length (absolute) of {'; '.join(told)}"


def _short(found: Figures) -> str:
    if found["tokens"] is None:
        return {"below": "below the shortest tested", "withheld": "withheld"}.get(
            found["status"], NOT_DETERMINED
        )
    return f"{show.count(found['tokens'])} tokens" + (" or more" if found["status"] == "at_least" else "")


def _draw(models: list[Figures], width: int) -> Drawing:
    tested = [cell["tokens"] for one in models for cell in known(one["by_length"])]
    rows = [_row(one, name, min(tested)) for one in models for name in DEFINITIONS]
    order = [row["row"] for row in rows]
    names = min(int(max(map(len, order)) * _LETTER) + 30, 270 if width >= _NARROW else 165)
    plot = width - names - 20
    frame = pl.DataFrame(rows, schema=_SCHEMA)
    x = token_axis("tokens", "tokens", tested, plot)
    y = alt.Y("row:N").sort(order).title(None).scale(domain=order)
    base = alt.Chart(frame).encode(
        y=y.axis(domain=False, ticks=False, labelLimit=names - 30, minExtent=names - 10)
    )
    spans = base.transform_filter("isValid(datum.low) && isValid(datum.high)")
    layers = [
        spans.mark_rule(color=MUTED, strokeWidth=1.8).encode(x=alt.X("low:Q", title=None), x2="high:Q"),
        *(
            base.transform_filter(f"datum.status == '{status}'")
            .mark_point(filled=True, shape=shape, size=90, color=INK, opacity=1)
            .encode(x=x)
            for status, shape in (
                ("determined", "circle"),
                ("at_least", "triangle-right"),
                ("below", "triangle-left"),
            )
        ),
        base.mark_text(align="left", color=MUTED, fontSize=11).encode(x=alt.value(6), text="text:N"),
    ]
    return alt.LayerChart(layer=layers, width=plot, height=_ROW * len(order))


def _row(one: Figures, definition: str, shortest: int) -> dict[str, Any]:
    found = one[definition]
    interval = found["interval"] or {}
    known_status = found["status"] in ("determined", "at_least", "below")
    return {
        "row": f"{one['model']} · {definition}",
        "tokens": shortest if found["status"] == "below" else found["tokens"],
        "low": (interval.get("low_tokens") or shortest) if interval else None,
        "high": (interval.get("high_tokens") or shortest) if interval else None,
        "status": found["status"],
        "text": "" if known_status else found["status"].replace("_", " "),
    }
