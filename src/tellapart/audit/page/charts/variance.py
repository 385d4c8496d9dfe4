"""The budget of the variance: which part of it a design could lower."""

from __future__ import annotations

import altair as alt
import polars as pl

from tellapart.audit.page.record import View
from tellapart.audit.page.summaries import variance_shares
from tellapart.audit.page.words import PARTS
from tellapart.report import numbers as show
from tellapart.report.charts import Chart, Drawing
from tellapart.report.palette import INK, MUTED, PAPER, looks

_BAR, _ROW = 34, 19
_LETTER = 8


def variance_chart(view: View) -> Chart | None:
    """A bar of the shares of the variance; None where no part is known or nothing varies."""
    if not variance_shares(view):
        return None
    unknown = [PARTS[name] for name, value in view.variance.parts.items() if value is None]
    left_out = f" Not recorded, and held by the part before it: {show.listed(unknown)}." if unknown else ""
    description = (
        "The variance of a single score, split into what differs between models, between items, between what "
        f"models find hard, between answers to one item and between gradings of one answer.{left_out}"
    )
    return Chart("variance", _conclusion(view), description, lambda width: _draw(view, width))


def _conclusion(view: View) -> str:
    shares = variance_shares(view)
    noise = {name: share for name, share in shares.items() if name != "model"}
    if not noise:
        return "All variance is between models"
    largest = max(noise, key=noise.__getitem__)
    advice = {
        "item": "items differ, so comparisons on the same items gain most",
        "model_item": "models find different items hard, so more items help most",
        "replicate": "answers differ from run to run, so more answers an item help most",
        "grading": "gradings differ, so grading again helps most",
    }
    return f"{show.whole_percent(shares[largest])} of the variance is {PARTS[largest]}: {advice[largest]}"


def _draw(view: View, width: int) -> Drawing:
    shares = variance_shares(view)
    style = looks(list(shares))
    room = width - 20
    ends = [0.0]
    for share in shares.values():
        ends.append(ends[-1] + share * room)
    x, y = alt.X("x:Q", scale=None, axis=None), alt.Y("y:Q", scale=None, axis=None)
    layers = []
    for i, (name, share) in enumerate(shares.items()):
        top = _BAR + 16 + i * _ROW
        told = show.percent(share)
        frame = pl.DataFrame(
            {
                "x": [ends[i]],
                "x2": [ends[i + 1]],
                "y": [0.0],
                "y2": [float(_BAR)],
                "middle": [(ends[i] + ends[i + 1]) / 2],
                "told": [told],
                "name": [f"{PARTS[name]}: {told}"],
            }
        )
        base, colour = alt.Chart(frame), style[name].colour
        layers.append(
            base.mark_rect(fill=colour, stroke=PAPER, strokeWidth=1).encode(x=x, x2="x2:Q", y=y, y2="y2:Q")
        )
        if ends[i + 1] - ends[i] > len(told) * _LETTER + 6:
            middle = alt.X("middle:Q", scale=None, axis=None)
            text = base.mark_text(color=PAPER, fontWeight="bold")
            layers.append(text.encode(x=middle, y=alt.value(_BAR / 2 + 1), text="told:N"))
        layers += [
            base.mark_point(filled=True, shape="square", size=110, color=colour, opacity=1).encode(
                x=alt.value(7), y=alt.value(top)
            ),
            base.mark_text(align="left", color=INK).encode(
                x=alt.value(20), y=alt.value(top + 1), text="name:N"
            ),
        ]
    unknown = [PARTS[name] for name, value in view.variance.parts.items() if value is None]
    for i, part in enumerate(unknown, len(shares)):
        height = alt.value(_BAR + 17 + i * _ROW)
        text = alt.Chart(pl.DataFrame({"name": [f"{part}: not recorded"]})).mark_text(
            align="left", color=MUTED
        )
        layers.append(text.encode(x=alt.value(20), y=height, text="name:N"))
    rows = len(shares) + len(unknown)
    return alt.LayerChart(layer=layers, width=room, height=_BAR + 16 + rows * _ROW)
