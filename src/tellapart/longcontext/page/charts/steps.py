"""Prompt tokens of each step, and where context was dropped."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import altair as alt
import polars as pl

from tellapart.longcontext.page.tokens import name_of
from tellapart.longcontext.page.view import Figures, View
from tellapart.report import numbers as show
from tellapart.report.charts import GUTTER, Chart, Drawing, columns_for
from tellapart.report.palette import INK, MUTED, PAPER, looks

MOST = 9
"""Conversations that are drawn: those with truncations first, then others."""

_HEIGHT, _AXIS = 180, 66
_KINDS = {
    "message": "message",
    "repeat": "repeated message",
    "probe": "probe",
    "truncated": "context dropped",
}
_SHAPES = {"message": "circle", "repeat": "stroke", "probe": "diamond", "truncated": "triangle-down"}
_SCHEMA = {"place": pl.Int64, "tokens": pl.Int64, "kind": pl.String, "forked": pl.Boolean, "step": pl.String}


def steps_chart(view: View) -> Chart | None:
    """A panel a conversation; None where no step has a count."""
    counted = [one for one in view.playings if any(s["prompt_tokens"] is not None for s in one["tokens"])]
    if not counted:
        return None
    drawn = _drawn(counted)
    left = len(counted) - len(drawn)
    description = (
        "Prompt tokens that the provider counted, step by step: circles are messages, strokes repeated "
        "messages, diamonds probes (beside the line where they were asked from a snapshot). A triangle and a "
        "broken line mark a step that cannot have held the whole conversation."
        + (
            f" {show.plural(left, 'further conversation')} {'is' if left == 1 else 'are'} not drawn; what is "
            "drawn is of all sizes."
            if left
            else ""
        )
    )
    return Chart(
        "prompt-tokens", _conclusion(view, counted), description, lambda width: _draw(view, drawn, width)
    )


def _drawn(counted: Sequence[Figures]) -> list[Figures]:
    """Choose what is drawn: of too many evenly from the smallest to the largest, else all as recorded."""
    cut = [one for one in counted if one["truncations"]]
    whole = [one for one in counted if not one["truncations"]]
    first = _evenly(cut, MOST)
    return first + _evenly(whole, MOST - len(first))


def _evenly(playings: Sequence[Figures], most: int) -> list[Figures]:
    if len(playings) <= most:
        return list(playings)
    ordered = sorted(playings, key=lambda one: one["peak_tokens"] or 0)
    last = len(ordered) - 1
    return [ordered[place * last // max(1, most - 1)] for place in range(most)]


def _conclusion(view: View, counted: Sequence[Figures]) -> str:
    cut = [one for one in counted if one["truncations"]]
    if not cut:
        unknown = len(view.playings) - len(counted)
        told = "Prompt tokens grow as conversations do: nothing was dropped as far as counts can tell"
        return f"{told}; of {show.plural(unknown, 'conversation')} nothing is known" if unknown else told
    first = cut[0]["truncations"][0]
    told = (
        f"{name_of(view, cut[0])} lost context at step {first['step_id']}: "
        f"{show.count(first['prompt_tokens'])} prompt tokens "
        f"after {show.count(first['previous_prompt_tokens'])}"
    )
    return f"{told}; so did {show.plural(len(cut) - 1, 'other conversation')}" if len(cut) > 1 else told


def _draw(view: View, playings: Sequence[Figures], width: int) -> Drawing:
    columns, room = columns_for(width, len(playings), 240)
    panels = [_panel(name_of(view, one), one, min(room, 700) - _AXIS) for one in playings]
    return alt.concat(*panels, columns=columns, spacing={"column": GUTTER, "row": 28})


def _panel(name: str, one: Figures, width: int) -> alt.LayerChart:
    cut = {found["step_id"] for found in one["truncations"]}
    points = [_point(i, step, cut) for i, step in enumerate(one["tokens"], start=1)]
    known = pl.DataFrame([p for p in points if p["tokens"] is not None], schema=_SCHEMA)
    most = max(known["tokens"].to_list())
    x = alt.X("place:Q").title("Step").scale(domain=[0, len(points) + 1], nice=False)
    x = x.axis(domain=False, grid=False, tickMinStep=1, tickCount=5, format="d")
    y = alt.Y("tokens:Q").title(None).scale(domain=[0, 1.15 * max(most, 1)], nice=False)
    y = y.axis(domain=False, ticks=False, tickCount=4, format=",d")
    base = alt.Chart(known).encode(x=x, y=y)
    colours = looks(tuple(_KINDS))
    layers: list[alt.Chart] = [base.transform_filter("!datum.forked").mark_line(color=MUTED, strokeWidth=1.2)]
    for kind, shape in _SHAPES.items():
        marks = base.transform_filter(f"datum.kind == '{kind}'")
        colour = INK if kind == "truncated" else colours[kind].colour
        size = {"truncated": 110, "repeat": 70}.get(kind, 36)
        layers.append(marks.mark_point(shape=shape, size=size, opacity=1, fill=colour, stroke=colour))
    layers += _marked(known, x, width)
    title = alt.TitleParams(name, limit=width)
    return alt.LayerChart(layer=layers, width=width, height=_HEIGHT, title=title)


def _marked(known: pl.DataFrame, x: alt.X, width: int) -> list[alt.Chart]:
    """A broken line through every step that was cut, and the name of the first."""
    cut = known.filter(pl.col("kind") == "truncated")
    if cut.is_empty():
        return []
    first = alt.Chart(cut.head(1)).encode(x=x)
    right = cut["place"][0] < len(known) / 2
    text = first.mark_text(
        align="left" if right else "right", dx=6 if right else -6, fontSize=11, stroke=PAPER, strokeWidth=3
    )
    plain = first.mark_text(align="left" if right else "right", dx=6 if right else -6, fontSize=11, color=INK)
    return [
        alt.Chart(cut).mark_rule(color=INK, strokeDash=[4, 3], strokeWidth=1.1, opacity=0.7).encode(x=x),
        text.encode(text="step:N", y=alt.value(8)),
        plain.encode(text="step:N", y=alt.value(8)),
    ]


def _point(place: int, step: Figures, cut: set[str]) -> dict[str, Any]:
    kind = "repeat" if step["repeat"] else "message" if step["type"] == "message" else "probe"
    return {
        "place": place,
        "tokens": step["prompt_tokens"],
        "kind": "truncated" if step["step"] in cut else kind,
        "forked": bool(step["forked"]),
        "step": step["step"],
    }
