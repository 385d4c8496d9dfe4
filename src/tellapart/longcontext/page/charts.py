"""Charts of graded conversations."""

from __future__ import annotations

import math
from collections.abc import Sequence

from tellapart.longcontext.page.lengths import (
    DEFINITIONS,
    NOT_DETERMINED,
    models_of,
    scored_cells,
    settings_of,
)
from tellapart.longcontext.page.tokens import name_of
from tellapart.longcontext.page.view import View
from tellapart.longcontext.results import Axis as By
from tellapart.longcontext.results import (
    ConversationRecord,
    Definition,
    EffectiveLength,
    HeatCell,
    ModelLengths,
    StepTokens,
)
from tellapart.longcontext.token_ranges import thousands
from tellapart.report import numbers as show
from tellapart.report.charts import Axis, Chart, Drawing, Point, Row, Rule, Tile, curves, heatmap, rows
from tellapart.report.palette import MUTED, Look, looks

MOST_MODELS, MOST_CONVERSATIONS = 12, 9
"""What is drawn: models in the order of the record; conversations with truncations first, then others."""

_THOUSANDS = "datum.value >= 1000 ? format(datum.value / 1000, '~r') + 'K' : format(datum.value, 'd')"
_FIRST = 125
_PALEST, _FULLEST = 0.04, 0.46
_PANELS: dict[By, tuple[str, str]] = {
    "by_distance": ("Distance of the nearest evidence", "tokens from evidence to question"),
    "by_length": ("Length of the context", "tokens"),
}
_SHAPES = {"determined": "circle", "at_least": "triangle-right", "below": "triangle-left"}


def curves_chart(view: View) -> Chart | None:
    """Two panels, a line a model; None where no score has a length or a distance."""
    panels = {by: of for by in _PANELS if (of := _points(view, by))}
    if not panels:
        return None
    reading = (
        "Left: how many tokens stand between the nearest evidence and the question; right: how long the "
        "whole context is. Both axes are logarithmic."
        if len(panels) > 1
        else "The axis is logarithmic."
    )
    points = [point for of in panels.values() for point in of]
    axes = {_PANELS[by][0]: token_axis(_PANELS[by][1], [p.x for p in of]) for by, of in panels.items()}
    scale = Axis(None, (-0.03, 1.05), [0, 0.25, 0.5, 0.75, 1], label="format(100 * datum.value, 'd') + ' %'")
    lines = looks(list(dict.fromkeys(point.line for point in points)))
    return Chart(
        "score-curves",
        f"Score by {' and by '.join(_PANELS[by][0].lower() for by in panels)}",
        "Mean score over distinct questions, with 95 % intervals where there is more than one conversation. "
        f"{reading}",
        lambda width: curves(points, width, axes, scale, looks=lines, least=290, widest=620),
    )


def _points(view: View, by: By) -> list[Point]:
    return [
        Point(
            max(1, cell.tokens),
            cell.score,
            model.model,
            cell.interval.low if cell.interval else None,
            cell.interval.high if cell.interval else None,
            panel=_PANELS[by][0],
        )
        for model in models_of(view)
        for cell in scored_cells(model.curve(by))
    ]


def token_axis(title: str, values: Sequence[float]) -> Axis:
    """A logarithmic axis of numbers of tokens, with ticks at powers of two times 125."""
    low, high = max(1, min(values)), max(values)
    ends = (low / 1.35, high * 1.35)
    powers = range(math.floor(math.log2(low / _FIRST)), math.ceil(math.log2(high / _FIRST)) + 1)
    ticks = [tick for tick in (round(_FIRST * 2.0**power) for power in powers) if ends[0] <= tick <= ends[1]]
    return Axis(title, ends, ticks or [low], label=_THOUSANDS, log=True)


def depths_chart(view: View) -> Chart | None:
    """A panel a model, a row a part of the conversation, a column a length; None without graded evidence."""
    models = [model for model in models_of(view) if any(cell.value is not None for cell in model.heatmap)]
    if not models:
        return None
    tiles = [_tile(model.model, cell) for model in models for cell in model.heatmap]
    parts, lengths = (list(dict.fromkeys(getattr(tile, of) for tile in tiles)) for of in ("row", "column"))
    titles = ("Context, tokens", "Evidence stands at")
    return Chart(
        "score-by-depth",
        "Score by depth of the evidence and by length of the context",
        "Score of the probes whose evidence stands in each part of the conversation before the question, by "
        "the length of the context. The fuller a cell, the higher the score; below it the number of distinct "
        "questions. An empty cell was not asked.",
        lambda width: heatmap(tiles, width, rows=parts, columns=lengths, titles=titles),
    )


def _tile(model: str, cell: HeatCell) -> Tile:
    part, tokens = f"{100 * cell.low_depth:.0f}–{100 * cell.high_depth:.0f} %", thousands(cell.tokens)
    if cell.value is None:
        return Tile(part, tokens, show.DASH if cell.n + cell.n_missing else "", panel=model)
    colour = looks(("score", "other"))["score"].colour
    full = _PALEST + (_FULLEST - _PALEST) * cell.value
    return Tile(part, tokens, f"{100 * cell.value:.0f}", f"n {cell.n}", colour, full, panel=model)


def lengths_chart(view: View) -> Chart | None:
    """Two rows a model; None where no length was tested."""
    models = [model for model in models_of(view) if scored_cells(model.by_length)][:MOST_MODELS]
    if not models:
        return None
    tested = [cell.tokens for model in models for cell in scored_cells(model.by_length)]
    drawn = [_length(model, name, min(tested)) for model in models for name in DEFINITIONS]
    level = show.whole_percent(settings_of(view).level)
    title = (
        f"The effective context length is {NOT_DETERMINED}: {models[0].absolute.reason}"
        if all(model.absolute.status == "not_determined" for model in models)
        else "Effective context length (absolute) of "
        + "; ".join(f"{model.model}: {_short(model.absolute)}" for model in models[:3])
    )
    return Chart(
        "effective-lengths",
        title,
        "The longest context at which, and below which, every score reaches the threshold, with its "
        f"{level} interval. A triangle that points right: every tested length passes, so the true one may be "
        "longer; one that points left: not even the shortest passes. The axis spans what was tested.",
        lambda width: rows(drawn, width, token_axis("tokens", tested)),
    )


def _short(length: EffectiveLength) -> str:
    if length.tokens is None:
        return {"below": "below the shortest tested"}.get(length.status, length.status.replace("_", " "))
    return f"{show.count(length.tokens)} tokens" + (" or more" if length.status == "at_least" else "")


def _length(model: ModelLengths, definition: Definition, shortest: int) -> Row:
    length = model.length(definition)
    shape, ends = _SHAPES.get(length.status), length.interval
    return Row(
        f"{model.model} · {definition}",
        length.tokens or shortest if shape else None,
        shape=shape or "circle",
        low=(ends.low_tokens or shortest) if ends else None,
        high=(ends.high_tokens or shortest) if ends else None,
        figure="" if shape else length.status.replace("_", " "),
    )


def steps_chart(view: View) -> Chart | None:
    """A panel a conversation; None where no step has a count."""
    counted = [one for one in view.conversations if any(s.prompt_tokens is not None for s in one.tokens)]
    if not counted:
        return None
    drawn = sorted(counted, key=lambda one: not one.truncations)[:MOST_CONVERSATIONS]
    left = len(counted) - len(drawn)
    description = (
        "Prompt tokens that the provider counted, step by step: circles are messages, strokes repeated "
        "messages, diamonds probes (beside the line where they were asked from a snapshot). A triangle and a "
        "broken line mark a step that cannot have held the whole conversation."
        + (f" {show.plural(left, 'further conversation')} not drawn." if left else "")
    )
    return Chart("prompt-tokens", _dropped(view), description, lambda width: _steps(view, drawn, width))


def _dropped(view: View) -> str:
    cut = [conversation for conversation in view.conversations if conversation.truncations]
    if not cut:
        return "Prompt tokens at each step"
    first, others = cut[0].truncations[0], len(cut) - 1
    text = (
        f"{name_of(view, cut[0])} lost context at step {first.step_id}: {show.count(first.prompt_tokens)} "
        f"prompt tokens after {show.count(first.previous_prompt_tokens)}"
    )
    return f"{text}; so did {show.plural(others, 'other conversation')}" if others else text


def _steps(view: View, playings: Sequence[ConversationRecord], width: int) -> Drawing:
    lines: list[Point] = []
    marks: list[Point] = []
    rules, axes = [], {}
    for conversation in playings:
        panel = name_of(view, conversation)
        cut = {truncation.step_id for truncation in conversation.truncations}
        axes[panel] = Axis("Step", (0, len(conversation.tokens) + 1), 5, "d")
        named = False
        for i, step in enumerate(conversation.tokens, start=1):
            if step.prompt_tokens is None:
                continue
            if not step.forked:
                lines.append(Point(i, step.prompt_tokens, "conversation", panel=panel))
            if step.step in cut:
                rules.append(Rule(i, along="y", panel=panel))
            text = step.step if step.step in cut and not named else ""
            named = named or bool(text)
            shape, size = _mark(step, cut)
            marks.append(Point(i, step.prompt_tokens, shape=shape, size=size, text=text, panel=panel))
    return curves(
        lines,
        width,
        axes,
        Axis(None, ticks=4, format=",d", zero=True),
        looks={"conversation": Look(MUTED, "circle", (1, 0))},
        marks=marks,
        rules=rules,
        height=180,
        widest=700,
    )


def _mark(step: StepTokens, cut: set[str]) -> tuple[str, float]:
    if step.step in cut:
        return "triangle-down", 110
    if step.repeat:
        return "stroke", 70
    return ("circle" if step.type == "message" else "diamond"), 36
