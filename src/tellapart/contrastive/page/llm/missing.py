"""Answers that are missing: how many, why, and what accuracy could be if they were known."""

from __future__ import annotations

import polars as pl

from tellapart.contrastive.page.checks import askings_missing
from tellapart.contrastive.page.llm.names import matched_by
from tellapart.contrastive.page.llm.reasons import reasons_of
from tellapart.contrastive.page.record import View
from tellapart.contrastive.page.tables import rate
from tellapart.report import numbers as show
from tellapart.report.tables import Cell, Table, table, undefined

SAYS_IT = "the cause says it"


def missing_tables(view: View) -> list[Table]:
    """What is missing, where there are language models and something is missing or was repaired."""
    incomplete = any(map(askings_missing, view.figures["overall"].values()))
    repaired = any((view.figures.get("repaired") or {}).values())
    if not view.of_language_models or not (incomplete or repaired):
        return []
    return [bounds(view), *([causes(view)] if incomplete else [])]


def bounds(view: View) -> Table:
    """Accuracy beside what it would be if all missing answers were wrong, and if all were right."""
    repaired = view.figures.get("repaired") or {}
    rows: list[list[Cell | str]] = []
    for model in view.models:
        found = view.figures["overall"][model]
        rates = map(rate, (found["accuracy"], *(found["accuracy_bounds"] or (None, None))))
        asked = view.items.filter(pl.col("model") == model).height
        counts = [_of(found["n"], found["n"] + found["missing"]), _of(askings_missing(found), asked)]
        again = show.count(repaired[model]) if model in repaired else undefined("no language model")
        rows.append([model, *rates, *counts, again])
    return table(
        "bounds",
        f"Accuracy over all levels with what is missing, %{matched_by(view)}",
        ["model", "accuracy", "at worst", "at best", "items scored", "answers missing", "repaired"],
        rows,
        note="A missing answer is no wrong answer. At worst: if every missing one were wrong; at best: if "
        "every one were right. Repaired: a second request brought the reply into the form asked for.",
    )


def causes(view: View) -> Table:
    """How often what went wrong, by model."""
    rows: list[list[Cell | str]] = []
    for model in view.models:
        asked = view.items.filter(pl.col("model") == model).height
        rows += [
            [model, cause, what or undefined(SAYS_IT), show.count(number), show.rate(number / asked)]
            for cause, what, number in reasons_of(view, model)
        ]
    headings = ["model", "cause", "what happened", "answers", "of all, %"]
    return table("why-missing", f"Why answers are missing{matched_by(view)}", headings, rows, words=3)


def _of(some: int, all_: int) -> str:
    return f"{show.count(some)} of {show.count(all_)}"
