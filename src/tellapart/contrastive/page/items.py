"""Every item with its code, to see why a model failed: the data of the browser on the page."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import polars as pl

from tellapart.contrastive.page.llm.askings import askings, llm_answers
from tellapart.contrastive.page.record import View
from tellapart.report.document import Widget
from tellapart.report.page import asset

LINES = 120
"""Longer code is cut here, with a note."""

_PACKAGE = "tellapart.contrastive.page"
_BEGINS = "  browse({"


def items_widget(view: View) -> Widget:
    """Browse the items of a run by level, model, outcome and text."""
    script, style = asset(_PACKAGE, "items.js"), asset("tellapart.report", "browser.css")
    return Widget(
        "items",
        asset(_PACKAGE, "items.html"),
        style + asset(_PACKAGE, "askings.css") if view.of_language_models else style,
        asset("tellapart.report", "browser.js") + (_with_askings(script) if view.llms else script),
        items_data(view),
    )


def items_data(view: View) -> dict[str, Any]:
    """Say everything once, with positions in place of repeated names.

    Returns:
        ``models``, ``levels``, ``strategies``: names. ``units``: ids of all targets and distractors.
        ``code``: by position of a unit that is a target or a best distractor: text, lines cut, path, first
        and last line, language. ``summaries``: by source and position of the target. ``sources``: one a
        model. ``items``: id, level, target, difficulty score, its label, and the distractors as [unit,
        strategy, similarity]. ``answers``: by model, one an item: [correct, rank, ties, gap, margin, best
        distractor], or the cause that it is missing; of a language model the mean of correct and the first
        answer's rank. ``askings``, where there are language models: see ``askings``; None for other models.
    """
    rows = view.items
    names = sorted({*view.sets["target"], *view.sets["distractors"].explode().drop_nulls()})
    position = {name: i for i, name in enumerate(names)}
    strategies = sorted(set(view.sets["strategies"].explode().drop_nulls()))
    sources = dict(rows.select("model", "source").unique().iter_rows())
    shown = {*rows["target"], *rows["best_distractor"].drop_nulls()}
    return {
        "models": list(view.models),
        "sources": [sources[model] for model in view.models],
        "levels": list(view.levels),
        "strategies": strategies,
        "units": names,
        "code": _code(view.units, shown, position),
        "summaries": _summaries(view, position),
        "items": _items(view, position, strategies),
        "answers": [
            (llm_answers if model in view.llms else _answers)(view, model, position) for model in view.models
        ],
        **({"askings": [_askings(view, model) for model in view.models]} if view.llms else {}),
    }


def _askings(view: View, model: str) -> list[list[list[Any]]] | None:
    return askings(view, model) if model in view.llms else None


def _with_askings(script: str) -> str:
    """Put what shows askings inside the browser's own scope, before it begins."""
    browser, begins, start = script.rpartition(_BEGINS)
    return f"{browser}{asset(_PACKAGE, 'askings.js')}{begins}{start}"


def _code(units: pl.DataFrame, shown: set[str], position: dict[str, int]) -> dict[int, list[Any]]:
    columns = ("id", "content", "path", "start_line", "end_line", "language")
    found = units.filter(pl.col("id").is_in(list(shown))).select(columns)
    return {position[name]: [*_cut(content), *rest] for name, content, *rest in found.iter_rows()}


def _cut(content: str) -> tuple[str, int]:
    lines = content.splitlines()
    return "\n".join(lines[:LINES]), max(0, len(lines) - LINES)


def _summaries(view: View, position: dict[str, int]) -> dict[str, dict[int, str]]:
    targets = set(view.sets["target"])
    found: dict[str, dict[int, str]] = {}
    for unit, source, text in view.summaries.select("unit", "source", "text").iter_rows():
        if unit in targets:
            found.setdefault(source, {})[position[unit]] = text
    return found


def _items(view: View, position: dict[str, int], strategies: Sequence[str]) -> list[list[Any]]:
    code = {name: i for i, name in enumerate(strategies)}
    level = {name: i for i, name in enumerate(view.levels)}
    columns = (
        "item",
        "level",
        "target",
        "difficulty_score",
        "difficulty",
        "distractors",
        "strategies",
        "similarities",
    )
    return [
        [
            item,
            level[at],
            position[target],
            _rounded(score),
            label,
            [
                [position[d], code[s], _rounded(x)]
                for d, s, x in zip(distractors, chosen, similar, strict=True)
            ],
        ]
        for item, at, target, score, label, distractors, chosen, similar in view.sets.select(
            columns
        ).iter_rows()
    ]


def _answers(view: View, model: str, position: dict[str, int]) -> list[list[Any] | str]:
    columns = ("item", "missing", "correct", "rank", "ties", "confidence_gap", "margin", "best_distractor")
    rows = view.items.filter(pl.col("model") == model).select(columns)
    found: dict[str, list[Any] | str] = {}
    for item, missing, correct, rank, ties, gap, margin, best in rows.iter_rows():
        figures = [_rounded(correct), rank, ties, _rounded(gap), _rounded(margin)]
        found[item] = missing if missing is not None else [*figures, position[best]]
    return [found.get(item, "not asked") for item in view.sets["item"]]


def _rounded(value: float | None) -> float | None:
    return None if value is None else float(f"{value:.4g}")
