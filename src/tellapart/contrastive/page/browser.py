"""Every item with its code, to see why a model failed: the data of the browser on the page."""

from __future__ import annotations

from statistics import fmean
from typing import Any

import polars as pl

from tellapart.contrastive.page.view import View
from tellapart.contrastive.selection.levels import POOL
from tellapart.report.browser import Choice, item_browser, pair_choices
from tellapart.report.document import Section
from tellapart.report.missing_reasons import why
from tellapart.store import ItemText

LINES = 120
"""Longer code is cut here, with a note."""


def section(view: View) -> Section:
    """Browse the items of a run by level, model, outcome and text."""
    outcomes = {name: name for name in ("right", "wrong", "missing")} | {"disputed": "models disagree"}
    widget = item_browser(
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
    return Section("items", "The items", widget=widget)


def item_texts(view: View) -> dict[str, tuple[ItemText, ...]]:
    """Give what each item asks, for the audit beside the report: its summary and what that describes."""
    texts = view.benchmark.texts.values()
    summaries = {unit: text for of_source in texts for unit, text in of_source.items()}
    ids = [unit.id for unit in view.benchmark.units]
    return {
        item: (
            *([ItemText("Summary", summaries[ids[target]])] if summaries.get(ids[target]) else []),
            ItemText("Target", ids[target]),
        )
        for item, target in view.benchmark.sets.select("item", "target").iter_rows()
    }


def items_data(view: View) -> dict[str, Any]:
    """Say everything once; units go by their numbers."""
    sets, units, rows = view.benchmark.sets, view.benchmark.units, view.items
    shown = {*sets["target"], *rows["best_distractor"].drop_nulls()}
    named = {*shown, *sets.filter(pl.col("level") != POOL.name)["distractors"].explode().drop_nulls()}
    strategies = sorted({name for counts in view.report.strategies.values() for name in counts})
    targets = {units[target].id: target for target in sets["target"].unique()}
    return {
        "models": list(view.models),
        "sources": [view.sources[model] for model in view.models],
        "levels": list(view.levels),
        "strategies": strategies,
        "units": {row: units[row].id for row in sorted(named)},
        "code": {row: _code(view, row) for row in sorted(shown)},
        "summaries": {
            source: {
                targets[unit]: text for unit, text in view.benchmark.texts[source].items() if unit in targets
            }
            for source in view.benchmark.sources
        },
        "items": _items(view, strategies),
        "answers": [_answers(view, model) for model in view.models],
        **(
            {"askings": [_askings(view, model) if model in view.llms else None for model in view.models]}
            if view.llms
            else {}
        ),
    }


def _code(view: View, row: int) -> list[Any]:
    unit = view.benchmark.units[row]
    lines = unit.content.splitlines()
    cut = "\n".join(lines[:LINES]), max(0, len(lines) - LINES)
    return [*cut, unit.path, unit.start_line, unit.end_line, unit.language]


def _items(view: View, strategies: list[str]) -> list[list[Any]]:
    """Of each item its id, level, target, distractors and number of options."""
    # Of a whole pool only what some model put first.
    best = view.items.group_by("item").agg(pl.col("best_distractor").drop_nulls().unique())
    first = {item: set(units) for item, units in best.iter_rows()}
    number = {name: i for i, name in enumerate(strategies)}
    level = {name: i for i, name in enumerate(view.levels)}
    columns = ("item", "level", "target", "distractors", "strategies", "similarities")
    return [
        [
            item,
            level[at],
            target,
            [[unit, number[POOL.name], None] for unit in distractors if unit in first[item]]
            if at == POOL.name
            else [
                [unit, number[strategy], _rounded(similarity)]
                for unit, strategy, similarity in zip(distractors, chosen, similar, strict=True)
            ],
            len(distractors) + 1,
        ]
        for item, at, target, distractors, chosen, similar in view.benchmark.sets.select(columns).iter_rows()
        if at in level
    ]


def _answers(view: View, model: str) -> list[list[Any] | str]:
    """Give one answer an item: correct, rank, ties, gap, margin and best distractor, or why there is none.

    Of several askings the first two are means; the rest is of the first asking that came out as most did.
    """
    by_item: dict[str, list[Any] | str] = {}
    is_llm = model in view.llms
    for (item,), rows in _rows(view, model).group_by(["item"], maintain_order=True):
        read = rows.filter(pl.col("missing").is_null())
        if read.is_empty():
            missing, failure = rows.select("missing", "failure").row(0)
            by_item[str(item)] = why(missing, failure) if is_llm else missing
            continue
        correct = float(fmean(read["correct"]))
        typical = read.filter((pl.col("correct") > 0.5) == (correct > 0.5)).row(0, named=True)
        rank = float(f"{fmean(read['rank']):.3g}") if is_llm else typical["rank"]
        gap, margin = (_rounded(typical[name]) for name in ("confidence_gap", "margin"))
        by_item[str(item)] = [
            _rounded(correct),
            rank,
            typical["ties"],
            gap,
            margin,
            typical["best_distractor"],
        ]
    return _in_order(view, by_item, "not asked")


def _in_order(view: View, by_item: dict[str, Any], otherwise: Any) -> list[Any]:
    sets = view.benchmark.sets.filter(pl.col("level").is_in(view.levels))
    return [by_item.get(item, otherwise) for item in sets["item"]]


def _rounded(value: float | None) -> float | None:
    return None if value is None else float(f"{value:.4g}")


def _askings(view: View, model: str) -> list[list[list[Any]]]:
    """Give a list for each item, in the order of the sets, of a list for each replicate."""
    repeats = view.run.record.config.get("plan", {}).get("repeats", 1)
    columns = ("item", "replicate", "slot", "picked_slot", "rank", "confidence", "missing", "failure")
    by_item: dict[str, list[list[Any]]] = {}
    for item, replicate, *answer, missing, failure in _rows(view, model).select(columns).iter_rows():
        cause = None if missing is None else why(missing, failure)
        by_item.setdefault(item, []).append([*divmod(replicate, repeats), *answer, cause])
    return _in_order(view, by_item, [])


def _rows(view: View, model: str) -> pl.DataFrame:
    return view.items.filter(pl.col("model") == model).sort("replicate", maintain_order=True)
