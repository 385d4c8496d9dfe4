"""Relevant files: all there are by estimate, those that are known, and those that we found."""

from __future__ import annotations

import altair as alt
import polars as pl

from tellapart.codesearch.page.completeness import found
from tellapart.codesearch.page.record import View
from tellapart.codesearch.page.verdict import files_between, known_share
from tellapart.report import numbers as show
from tellapart.report.charts import Chart, Drawing
from tellapart.report.palette import GRID, INK, MUTED, looks

_ROW = 42
_FIGURES, _NAMES = 52, 206
_NARROW = 500
_WORDS = {
    "all": "all relevant files, estimate",
    "known": "an exploration found",
    "ours": "we found",
}
_SHORT = {"all": "all, estimate", "known": "explorations", "ours": "we found"}


def completeness_chart(view: View) -> Chart | None:
    """Three bars, one below the other; None where there is no estimate."""
    told = view.block("completeness")
    if not told or told["estimate"]["value"] is None:
        return None
    description = (
        "Files, over the conversations that both runs explored. The line at the end of the first bar "
        "is the 95 % interval of the estimate. Of what we found, the lighter part is what the judge alone "
        "calls relevant."
    )
    return Chart("relevant-files", _conclusion(view), description, lambda width: _draw(view, width))


def _conclusion(view: View) -> str:
    told, ours = view.block("completeness"), found(view)
    size, sure = told["estimate"]["value"], told["known_files"] + ours.alone
    shares = [show.whole_percent(end) for end in told["recall"]["bounds"] if end is not None]
    we = f"we found {show.count(ours.all)}"
    if shares:
        we += f" ({' to '.join(dict.fromkeys(shares))})"
    if ours.unjudged:
        we += f" and {show.count(ours.unjudged)} without a verdict"
    if sure > size:
        return (
            f"{show.count(sure)} files are known to be relevant, more than the {show.count(round(size))} "
            f"that the explorations let expect; they know {show.count(told['known_files'])}, and {we}"
        )
    known = f"the explorations know {show.count(told['known_files'])} of them ({known_share(view)})"
    return f"About {show.count(round(size))} files are relevant ({files_between(view)}); {known}, and {we}"


def _draw(view: View, width: int) -> Drawing:
    told, ours = view.block("completeness"), found(view)
    words = _WORDS if width >= _NARROW else _SHORT
    names = _NAMES if width >= _NARROW else 110
    size = told["estimate"]["value"]
    low, high = (told["estimate"][end] for end in ("low", "high"))
    most = max(size, high or 0, ours.all, low or 0) * (1.0 if high else 1.12)
    plot = width - names - _FIGURES
    colour = looks(("ours", "other"))["ours"].colour
    bars = [
        {"row": words["all"], "from": 0.0, "to": float(size), "colour": GRID, "full": 1.0},
        {"row": words["known"], "from": 0.0, "to": float(told["known_files"]), "colour": MUTED, "full": 1.0},
        {"row": words["ours"], "from": 0.0, "to": float(ours.known), "colour": colour, "full": 1.0},
        {
            "row": words["ours"],
            "from": float(ours.known),
            "to": float(ours.all),
            "colour": colour,
            "full": 0.55,
        },
    ]
    order = list(words.values())
    x = (
        alt.X("from:Q")
        .title("Files")
        .scale(domain=[0, most], nice=False)
        .axis(tickCount=5, domain=False, format=",d")
    )
    y = alt.Y("row:N").sort(order).title(None).scale(domain=order)
    y = y.axis(domain=False, ticks=False, labelLimit=names, minExtent=names - 10)
    base = alt.Chart(pl.DataFrame(bars)).encode(y=y)
    totals = pl.DataFrame(
        {"row": order, "text": [show.count(round(n)) for n in (size, told["known_files"], ours.all)]}
    )
    layers = [
        base.mark_bar(height=20).encode(
            x=x, x2="to:Q", color=alt.Color("colour:N").scale(None), opacity=alt.Opacity("full:Q").scale(None)
        ),
        *_interval(words["all"], low, high, most, y),
        alt.Chart(totals)
        .mark_text(align="left", fontWeight="bold", color=INK)
        .encode(y=y, x=alt.value(plot + 8), text="text:N"),
    ]
    return alt.LayerChart(layer=layers, width=plot, height=_ROW * len(order))


def _interval(row: str, low: float | None, high: float | None, most: float, y: alt.Y) -> list[alt.Chart]:
    """The ends of the estimate; an arrow where there is no upper end."""
    if low is None:
        return []
    end = most if high is None else high
    base = alt.Chart(pl.DataFrame({"row": [row], "low": [float(low)], "high": [float(end)]})).encode(y=y)
    at_high = alt.X("high:Q", title=None)
    tip = base.mark_point(shape="triangle-right", filled=True, size=90, color=INK, opacity=1)
    ends = tip if high is None else base.mark_tick(color=INK, thickness=1.8, size=12)
    return [
        base.mark_rule(color=INK, strokeWidth=1.8).encode(x=alt.X("low:Q", title=None), x2="high:Q"),
        base.mark_tick(color=INK, thickness=1.8, size=12).encode(x=alt.X("low:Q", title=None)),
        ends.encode(x=at_high),
    ]
