"""Score by where the evidence stands and how long the context is."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import altair as alt
import polars as pl

from tellapart.longcontext.page.lengths import models_of
from tellapart.longcontext.page.tokens import about
from tellapart.longcontext.page.view import Figures, View
from tellapart.report import numbers as show
from tellapart.report.charts import GUTTER, Chart, Drawing, columns_for
from tellapart.report.palette import GRID, INK, looks

_ROW, _NAMES = 34, 74
_PALEST, _FULLEST = 0.04, 0.46
CLEAR = 0.1
"""The title names the parts of a conversation that score lowest where the others score higher by as much."""

_Part = tuple[float, float]


def depths_chart(view: View) -> Chart | None:
    """A panel a model, a row a part of the conversation, a column a length; None without graded evidence."""
    models = [one for one in models_of(view) if any(cell["value"] is not None for cell in one["heatmap"])]
    if not models:
        return None
    description = (
        "Score of the probes whose evidence stands in each part of the conversation before the question, by "
        "the length of the context. The fuller a cell, the higher the score; below it the number of distinct "
        "questions. An empty cell was not asked."
    )
    least = view.record["effective_length"]["minimum_items"]
    title = "; ".join(_conclusion(one, least) for one in models[:2])
    return Chart("score-by-depth", title, description, lambda width: _draw(models, width))


def _conclusion(one: Figures, least: int) -> str:
    rows: dict[_Part, list[Figures]] = {}
    for cell in one["heatmap"]:
        if cell["value"] is not None:
            rows.setdefault((cell["low_depth"], cell["high_depth"]), []).append(cell)
    if len(rows) < 2:
        return f"All evidence that {one['model']} was asked for stands in one part of the conversation"
    if min(sum(cell["n"] for cell in cells) for cells in rows.values()) < least:
        return f"{one['model']} was asked too little to compare parts of the conversation"
    means = {row: _mean(cells) for row, cells in rows.items()}
    worst = [row for row, mean in means.items() if mean - min(means.values()) < CLEAR]
    here = _mean([cell for row in worst for cell in rows[row]])
    rest = [cell for row, cells in rows.items() if row not in worst for cell in cells]
    if not rest or _mean(rest) - here < CLEAR:
        span = show.between(list(means.values()), show.whole_percent)
        return f"{one['model']} scores {span} on every part of the conversation"
    return (
        f"{one['model']} scores {show.whole_percent(here)} on evidence {_parts(_joined(worst))}, "
        f"{show.whole_percent(_mean(rest))} elsewhere"
    )


def _mean(cells: Sequence[Figures]) -> float:
    """Mean score of several cells, by their questions."""
    total: float = sum(cell["value"] * cell["n"] for cell in cells)
    questions: int = sum(cell["n"] for cell in cells)
    return total / questions


def _joined(parts: Sequence[_Part]) -> list[_Part]:
    """Parts of the conversation from its beginning on, neighbours as one."""
    found: list[_Part] = []
    for low, high in sorted(parts):
        if found and math.isclose(found[-1][1], low):
            low = found.pop()[0]
        found.append((low, high))
    return found


def _parts(parts: Sequence[_Part]) -> str:
    if len(parts) > 1:
        spans = [f"{100 * low:.0f}–{show.whole_percent(high)}" for low, high in parts]
        return f"at {show.listed(spans)} of the conversation"
    low, high = parts[0]
    if low == 0:
        return f"in the first {show.whole_percent(high)} of the conversation"
    if high == 1:
        return f"in the last {show.whole_percent(1 - low)} of the conversation"
    return f"at {100 * low:.0f}–{show.whole_percent(high)} of the conversation"


def _draw(models: Sequence[Figures], width: int) -> Drawing:
    columns, room = columns_for(width, len(models), 300)
    panels = [_panel(one, min(room, 620) - _NAMES) for one in models]
    return alt.concat(*panels, columns=columns, spacing={"column": GUTTER, "row": 28})


def _panel(one: Figures, width: int) -> alt.LayerChart:
    frame = pl.DataFrame([_shown(cell, _full(cell)) for cell in one["heatmap"]], schema=_SCHEMA)
    lengths = list(dict.fromkeys(frame["length"]))
    parts = list(dict.fromkeys(frame["part"]))
    x = alt.X("length:N").sort(lengths).title("Context, tokens").scale(domain=lengths, paddingInner=0.04)
    y = alt.Y("part:N").sort(parts).title("Evidence stands at").scale(domain=parts, paddingInner=0.06)
    x = x.axis(labelAngle=0, domain=False, ticks=False, labelOverlap=True)
    base = alt.Chart(frame).encode(x=x, y=y.axis(domain=False, ticks=False))
    colour = looks(("score", "other"))["score"].colour
    asked = base.transform_filter("isValid(datum.value)")
    layers = [
        base.mark_rect(fill="transparent", stroke=GRID),
        asked.mark_rect(fill=colour).encode(opacity=alt.Opacity("full:Q").scale(None)),
        asked.mark_text(dy=-5, fontSize=12, fontWeight="bold", color=INK).encode(text="text:N"),
        asked.mark_text(dy=8, fontSize=10, color=INK).encode(text="n:N"),
        base.transform_filter("!isValid(datum.value) && datum.asked")
        .mark_text(color=INK)
        .encode(text=alt.value(show.DASH)),
    ]
    title = alt.TitleParams(one["model"], limit=width)
    return alt.LayerChart(layer=layers, width=width, height=_ROW * len(parts), title=title)


_SCHEMA = {
    "length": pl.String,
    "part": pl.String,
    "value": pl.Float64,
    "full": pl.Float64,
    "text": pl.String,
    "n": pl.String,
    "asked": pl.Boolean,
}


def _full(cell: Figures) -> float:
    return _PALEST + (_FULLEST - _PALEST) * (cell["value"] or 0.0)


def _shown(cell: Figures, full: float) -> dict[str, Any]:
    value = cell["value"]
    return {
        "length": about(cell["tokens"]).removeprefix("~"),
        "part": f"{100 * cell['low_depth']:.0f}–{100 * cell['high_depth']:.0f} %",
        "value": value,
        "full": full,
        "text": "" if value is None else f"{100 * value:.0f}",
        "n": f"n {cell['n']}",
        "asked": cell["n"] + cell["n_missing"] > 0,
    }
