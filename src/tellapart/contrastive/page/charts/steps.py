"""A drawing for several charts: accuracy of models at steps, with intervals and the line of chance."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

import altair as alt
import polars as pl

from tellapart.contrastive.page.view import Figures
from tellapart.report.charts import Drawing, spread
from tellapart.report.palette import MUTED, PAPER, looks

_HEIGHT = 340
_LETTER, _WIDE_LETTER = 7.2, 8.4
"""Pixels of a letter in a name, with some to spare, and with much."""


@dataclass(frozen=True)
class Step:
    """One place on the horizontal axis.

    Attributes:
        label: Its name.
        below: A second line below the name; may be empty.
        models: Accuracy and interval by model, as in the record.
        chance: Accuracy of guessing, None where it is not known.
    """

    label: str
    below: str
    models: Figures
    chance: float | None = None

    def accuracy(self, model: str) -> float | None:
        """Accuracy of a model, None where no answer of it was scored."""
        value: float | None = self.models[model]["accuracy"] if model in self.models else None
        return value


def draw_steps(
    steps: Sequence[Step],
    models: Sequence[str],
    width: int,
    *,
    x_title: str,
    below: str = "",
    joined: bool = True,
    names: Mapping[str, str] | None = None,
) -> Drawing:
    """Draw points, intervals and lines by model, named on the right.

    Args:
        steps: From left to right.
        models: In the order of their looks.
        width: In pixels; below 500 the names of the steps are turned and have no second line.
        x_title: What a step is.
        below: What the second line below a step's name is; may be empty.
        joined: Whether lines join the steps, which then follow from one another.
        names: Of the models beside their lines, with room even for a reader whose letters are wider than
            ours; None for the models' own with the room that they need.
    """
    narrow = width < 500
    room = _room(names.values() if names else models, narrow, _WIDE_LETTER if names else _LETTER)
    plot = width - room - 62
    x = (
        alt.X("x:Q")
        .title(x_title if narrow or not below else f"{x_title} ({below} below)")
        .scale(domain=[-0.5, len(steps) - 0.6], nice=False)
        .axis(_axis(steps, narrow))
    )
    y = (
        alt.Y("accuracy:Q")
        .title("Items answered right, %")
        .scale(domain=[0, 100])
        .axis(tickCount=6, domain=False, ticks=False)
    )
    style = looks(models)
    domain, order = list(style), [style[model] for model in style]
    colour = alt.Color("model:N").scale(domain=domain, range=[look.colour for look in order]).legend(None)
    base = alt.Chart(_points(steps, models)).encode(x=x, y=y, color=colour)
    dash = (
        alt.StrokeDash("model:N").scale(domain=domain, range=[list(look.dash) for look in order]).legend(None)
    )
    shape = alt.Shape("model:N").scale(domain=domain, range=[look.shape for look in order]).legend(None)
    layers = [
        *([base.mark_line(strokeWidth=1.6, opacity=0.75).encode(strokeDash=dash)] if joined else []),
        base.mark_rule(strokeWidth=1.6).encode(y="low:Q", y2="high:Q"),
        base.mark_point(filled=True, size=64, opacity=1, stroke=PAPER, strokeWidth=0.7).encode(shape=shape),
        _names(steps, models, plot, room, names).encode(color=colour),
        *([_kept_free(plot + room)] if names else []),
    ]
    if any(step.chance is not None for step in steps):
        layers = [*_chance(steps), *layers]
    return alt.LayerChart(layer=layers, width=plot, height=_HEIGHT)


def _room(names: Collection[str], narrow: bool, letter: float) -> float:
    return min(max(map(len, names), default=0) * letter + 14, 100 if narrow else 200)


def _axis(steps: Sequence[Step], narrow: bool) -> alt.Axis:
    names = [step.label if narrow or not step.below else [step.label, step.below] for step in steps]
    return alt.Axis(
        values=list(range(len(steps))),
        tickCount=len(steps),
        labelExpr=f"{json.dumps(names)}[datum.value]",
        labelAngle=-40 if narrow else 0,
        labelAlign="right" if narrow else "center",
        grid=False,
        labelLimit=110,
    )


def _points(steps: Sequence[Step], models: Sequence[str]) -> pl.DataFrame:
    """One row a step and model, the models of a step beside one another."""
    apart = min(0.13, 0.6 / max(len(models), 1))
    rows = []
    for i, step in enumerate(steps):
        for j, model in enumerate(models):
            rate = step.accuracy(model)
            if rate is not None:
                low, high = step.models[model]["accuracy_ci"] or (rate, rate)
                x = i + apart * (j - (len(models) - 1) / 2)
                rows.append(
                    {"model": model, "x": x, "accuracy": 100 * rate, "low": 100 * low, "high": 100 * high}
                )
    return pl.DataFrame(
        rows, schema={"model": pl.String, **dict.fromkeys(("x", "accuracy", "low", "high"), pl.Float64)}
    )


def _names(
    steps: Sequence[Step], models: Sequence[str], plot: float, room: float, names: Mapping[str, str] | None
) -> alt.Chart:
    last = {
        model: step.accuracy(model) for step in steps for model in models if step.accuracy(model) is not None
    }
    places = spread([100 * (rate or 0.0) for rate in last.values()], 16 * 100 / _HEIGHT)
    frame = pl.DataFrame(
        {"model": list(last), "accuracy": places}, schema={"model": pl.String, "accuracy": pl.Float64}
    )
    if names:
        frame = frame.with_columns(name=pl.col("model").replace_strict(names, return_dtype=pl.String))
    limit = 0.86 * room if names else room
    text = alt.Chart(frame).mark_text(align="left", baseline="middle", fontWeight="bold", limit=limit)
    shown = "name:N" if names else "model:N"
    named: alt.Chart = text.encode(x=alt.value(plot + 4), y="accuracy:Q", text=shown)
    return named


def _kept_free(end: float) -> alt.Chart:
    mark = alt.Chart(pl.DataFrame({"end": [0]})).mark_point(opacity=0)
    kept: alt.Chart = mark.encode(x=alt.value(end), y=alt.value(0))
    return kept


def _chance(steps: Sequence[Step]) -> list[alt.Chart]:
    rows = [
        {"x": i - 0.4, "x2": i + 0.4, "accuracy": 100 * step.chance}
        for i, step in enumerate(steps)
        if step.chance is not None
    ]
    lines = alt.Chart(pl.DataFrame(rows)).mark_rule(color=MUTED, strokeWidth=2, strokeDash=[3, 3])
    name = alt.Chart(pl.DataFrame(rows[:1])).mark_text(
        align="left", baseline="top", dy=5, color=MUTED, text="chance"
    )
    return [lines.encode(x="x:Q", x2="x2:Q", y="accuracy:Q"), name.encode(x="x:Q", y="accuracy:Q")]
