"""Every item with its code, to see why a model failed: the data of the browser on the page."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import fmean
from typing import Any

import polars as pl

from tellapart.contrastive.page.view import View
from tellapart.contrastive.selection.levels import POOL
from tellapart.report.browser import Choice, item_browser, pair_choices
from tellapart.report.document import Widget
from tellapart.report.missing_reasons import KINDS
from tellapart.store import ItemText

LINES = 120
"""Longer code is cut here, with a note."""


def items_widget(view: View) -> Widget:
    """Browse the items of a run by level, model, outcome and text."""
    outcomes = {name: name for name in ("right", "wrong", "missing")} | {"disputed": "models disagree"}
    return item_browser(
        items_data(view),
        noun="item",
        choices=(
            Choice.of("model", "Model A" if len(view.models) > 1 else "Model", view.models, unset=""),
            *(pair_choices(view.models) if len(view.models) > 1 else ()),
            Choice.of("level", "Level", view.levels),
            Choice("outcome", "Outcome" if len(view.models) < 2 else "Outcome of A", outcomes),
            Choice("sort", "Order", {"margin": "worst margin first"}, "as built"),
        ),
        searched="summary, name or code",
        text="Every question with its code: the target beside the distractor that the chosen model ranked "
        "highest. Words of the summary are marked.",
        package="tellapart.contrastive.page",
        assets=("items.js", *(["language_models.css"] if view.of_language_models else [])),
    )


def item_texts(view: View) -> dict[str, tuple[ItemText, ...]]:
    """Give what each item asks, for the audit beside the report: its summary and what that describes."""
    summaries = dict(view.summaries.sort("source").select("unit", "text").iter_rows())
    return {
        item: (
            *([ItemText("Summary", summaries[target])] if summaries.get(target) else []),
            ItemText("Target", target),
        )
        for item, target in view.sets.select("item", "target").iter_rows()
    }


def items_data(view: View) -> dict[str, Any]:
    """Say everything once, with positions in place of repeated names."""
    rows = view.items
    shown = {*rows["target"], *rows["best_distractor"].drop_nulls()}
    chosen = view.sets.filter(pl.col("level") != POOL.name)
    names = sorted({*view.sets["target"], *shown, *chosen["distractors"].explode().drop_nulls()})
    position = {name: i for i, name in enumerate(names)}
    strategies = sorted(set(view.sets["strategies"].explode().drop_nulls()))
    sources = dict(rows.select("model", "source").unique().iter_rows())
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
        **({"askings": [_answers_of_llm(view, model) for model in view.models]} if view.llms else {}),
    }


def _answers_of_llm(view: View, model: str) -> list[list[list[Any]]] | None:
    return askings(view, model) if model in view.llms else None


def _code(units: pl.DataFrame, shown: set[str], position: dict[str, int]) -> dict[int, list[Any]]:
    columns = ("id", "content", "path", "start_line", "end_line", "language")
    rows = units.filter(pl.col("id").is_in(list(shown))).select(columns)
    return {position[name]: [*_cut(content), *rest] for name, content, *rest in rows.iter_rows()}


def _cut(content: str) -> tuple[str, int]:
    lines = content.splitlines()
    return "\n".join(lines[:LINES]), max(0, len(lines) - LINES)


def _summaries(view: View, position: dict[str, int]) -> dict[str, dict[int, str]]:
    targets = set(view.sets["target"])
    by_source: dict[str, dict[int, str]] = {}
    for unit, source, text in view.summaries.select("unit", "source", "text").iter_rows():
        if unit in targets:
            by_source.setdefault(source, {})[position[unit]] = text
    return by_source


def _items(view: View, position: dict[str, int], strategies: Sequence[str]) -> list[list[Any]]:
    # Of a whole pool only what some model put first.
    first: dict[str, set[str]] = {}
    for item, best in view.items.select("item", "best_distractor").unique().iter_rows():
        first.setdefault(item, set()).add(best)
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
                if at != POOL.name or d in first[item]
            ],
            len(distractors) + 1,
        ]
        for item, at, target, score, label, distractors, chosen, similar in view.sets.select(
            columns
        ).iter_rows()
    ]


def _answers(view: View, model: str, position: dict[str, int]) -> list[list[Any] | str]:
    columns = ("item", "missing", "correct", "rank", "ties", "confidence_gap", "margin", "best_distractor")
    rows = view.items.filter(pl.col("model") == model).select(columns)
    by_item: dict[str, list[Any] | str] = {}
    for item, missing, correct, rank, ties, gap, margin, best in rows.iter_rows():
        figures = [_rounded(correct), rank, ties, _rounded(gap), _rounded(margin)]
        by_item[item] = missing if missing is not None else [*figures, position[best]]
    return [by_item.get(item, "not asked") for item in view.sets["item"]]


def _rounded(value: float | None) -> float | None:
    return None if value is None else float(f"{value:.4g}")


def askings(view: View, model: str) -> list[list[list[Any]]]:
    """Give a list for each item, in the order of the sets, of a list for each replicate."""
    repeats = view.record.config.get("plan", {}).get("repeats", 1)
    columns = ("item", "replicate", "slot", "picked_slot", "rank", "confidence", "missing", "failure")
    by_item: dict[str, list[list[Any]]] = {}
    for item, replicate, *answer, missing, failure in _rows(view, model).select(columns).iter_rows():
        why = None if missing is None else _why(missing, failure)
        numbers = [replicate // repeats, replicate % repeats]
        by_item.setdefault(item, []).append([*numbers, *answer, why])
    return [by_item.get(item, []) for item in view.sets["item"]]


def llm_answers(view: View, model: str, position: dict[str, int]) -> list[list[Any] | str]:
    """Give one answer an item: [mean of correct, rank, ties, None, None, best distractor].

    The rank is the mean over the askings; the best distractor is that of the first asking that came out as
    most did. Where no asking brought an answer, the reason stands in place of all.
    """
    by_item: dict[str, list[Any] | str] = {}
    for item, rows in _rows(view, model).group_by(["item"], maintain_order=True):
        read = rows.filter(pl.col("missing").is_null())
        if read.is_empty():
            missing, failure = rows.select("missing", "failure").row(0)
            by_item[str(item[0])] = _why(missing, failure)
            continue
        correct, rank = (float(fmean(read[name])) for name in ("correct", "rank"))
        typical = read.filter((pl.col("correct") > 0.5) == (correct > 0.5)).row(0, named=True)
        best = position[typical["best_distractor"]]
        by_item[str(item[0])] = [correct, float(f"{rank:.3g}"), typical["ties"], None, None, best]
    return [by_item.get(item, "not asked") for item in view.sets["item"]]


def _rows(view: View, model: str) -> pl.DataFrame:
    return view.items.filter(pl.col("model") == model).sort("replicate", maintain_order=True)


def _why(missing: str, failure: str | None) -> str:
    return missing if failure is None else f"{missing} ({KINDS.get(failure, failure)})"
