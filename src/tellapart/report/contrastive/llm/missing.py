"""Answers that are missing: how many, why, and what accuracy could be if they were known."""

from __future__ import annotations

import polars as pl

from tellapart.report import numbers as show
from tellapart.report.contrastive.llm.reasons import reasons
from tellapart.report.contrastive.record import View
from tellapart.report.contrastive.tables import rate
from tellapart.report.contrastive.verdict import askings_missing
from tellapart.report.tables import Cell, Table, table, undefined

SAYS_IT = "the cause says it"


def missing_tables(view: View) -> list[Table]:
    """What is missing, where there are language models and something is missing or was repaired."""
    incomplete = any(map(askings_missing, view.figures["overall"].values()))
    repaired = any((view.figures.get("repaired") or {}).values())
    if not view.llms or not (incomplete or repaired):
        return []
    return [bounds(view), *([causes(view)] if incomplete else [])]


def bounds(view: View) -> Table:
    """Accuracy beside what it would be if all missing answers were wrong, and if all were right."""
    repaired = view.figures.get("repaired") or {}
    rows: list[list[Cell | str]] = []
    for model in view.models:
        found = view.figures["overall"][model]
        low, high = found["accuracy_bounds"] or (None, None)
        again = show.count(repaired[model]) if model in repaired else undefined("no language model")
        counts = map(show.count, (found["n"], found["missing"], askings_missing(found)))
        rows.append([model, rate(found["accuracy"]), rate(low), rate(high), *counts, again])
    return table(
        "bounds",
        "Accuracy over all levels, and at worst and at best, %",
        [
            "model",
            "accuracy",
            "if all missing were wrong",
            "if all were right",
            "items scored",
            "items missing",
            "answers missing",
            "answers repaired",
        ],
        rows,
        note="A missing answer is no wrong answer, and an item is missing where every answer to it is. "
        "Repaired: a second request brought the reply into the form that was asked for.",
    )


def causes(view: View) -> Table:
    """How often what went wrong, by model."""
    rows: list[list[Cell | str]] = []
    for model in view.models:
        asked = view.items.filter(pl.col("model") == model).height
        rows += [
            [model, cause, what or undefined(SAYS_IT), show.count(number), show.rate(number / asked)]
            for cause, what, number in reasons(view, model)
        ]
    headings = ["model", "cause", "what happened", "answers", "of all, %"]
    return table("causes", "Why answers are missing", headings, rows, words=3)
