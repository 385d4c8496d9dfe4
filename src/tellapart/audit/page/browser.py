"""Every item with the scores of all models: the data of the browser on the page."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from tellapart.audit.page.sentences import flag_words, scale
from tellapart.audit.results import Findings, ItemScores
from tellapart.report import numbers as show
from tellapart.report.browser import ORDERS, Choice, clipped, fitting, item_browser, pair_choices
from tellapart.report.comparison import words
from tellapart.report.document import Widget
from tellapart.store import ItemText

MOST_SCORES = 400_000
"""Scores that a page holds; with more, it has the items on which models differ most."""

ROOM = 4_000_000
"""Letters that all texts may take on a page."""

LEAST, MOST = 200, 8_000
"""Letters of one text: so many are always shown, and never more."""

MOST_KINDS = 40
"""A column with more values is no choice."""


def items_widget(findings: Findings, scored: ItemScores, texts: Mapping[str, tuple[ItemText, ...]]) -> Widget:
    """Browse the items by pair of models, by kind, by what is the matter and by text."""
    kept = _kept(scored)
    graded = not _is_right_or_wrong(scored)
    ranked = [model.model for model in findings.ranking]
    data = _data(findings, scored, kept, texts)
    kinds = [
        Choice(
            f"in-{column}",
            show.capital(words(column)),
            {value: words(value) for value in sorted({*values} - {None})},
        )
        for column, values in data["strata"].items()
        if 1 < len({*values} - {None}) <= MOST_KINDS
    ]
    causes = data["causes"]
    flags = {
        flag: word for flag, word in data["words"].items() if any(flag in of for of in data["flags"].values())
    }
    limit = (
        f" This page has the {show.count(len(kept))} items on which the models differ most, of "
        f"{show.count(len(scored.grid.items))}; the score table has them all."
        if len(kept) < len(scored.grid.items)
        else ""
    )
    order = {name: word for name, word in ORDERS.items() if name != "id"}
    return item_browser(
        data,
        noun="item",
        choices=(
            Choice.of("model", "Model A", ranked, unset=""),
            *pair_choices(ranked, graded=graded),
            *kinds,
            *([Choice.of("missing", "Missing", causes, "any or none")] if causes else []),
            *([Choice("flag", "Flag", flags, "any or none")] if flags else []),
            Choice("sort", "Order", order, ORDERS["id"]),
        ),
        searched="id or text" if data["texts"] else "id",
        text=f"Choose two models to see the items on which they differ.{limit}",
        package="tellapart.audit.page",
    )


def _kept(scored: ItemScores) -> list[int]:
    """Places of the items that the page has, in ascending order."""
    number = len(scored.grid.items)
    room = max(1, MOST_SCORES // max(1, len(scored.grid.models)))
    if number <= room:
        return list(range(number))
    spread = np.nan_to_num(np.fmax.reduce(scored.grid.scores) - np.fmin.reduce(scored.grid.scores), nan=0.0)
    return sorted(np.argsort(-spread, kind="stable")[:room].tolist())


def _is_right_or_wrong(scored: ItemScores) -> bool:
    return bool(np.isin(scored.grid.scores[~np.isnan(scored.grid.scores)], (0.0, 1.0)).all())


def _data(
    findings: Findings, scored: ItemScores, kept: list[int], texts: Mapping[str, tuple[ItemText, ...]]
) -> dict[str, Any]:
    """Say everything once, with positions in place of repeated names."""
    row_of = {name: i for i, name in enumerate(scored.grid.models)}
    order = [row_of[ranked.model] for ranked in findings.ranking]
    causes = sorted(set(scored.missing.values()))
    at = {item: i for i, item in enumerate(kept)}
    missing: list[dict[int, int]] = [{} for _ in order]
    rank = {model: i for i, model in enumerate(order)}
    for (model, item), cause in scored.missing.items():
        if item in at and model in rank:
            missing[rank[model]][at[item]] = causes.index(cause)
    ids = [str(scored.grid.items[i]) for i in kept]
    flags: dict[str, list[str]] = {}
    for flagged in findings.items_flagged:
        flags.setdefault(flagged.item, []).append(flagged.reason)
    discrimination = dict(findings.item_table.select("item", "discrimination").iter_rows())
    shown = {item: parts for item in ids if (parts := texts.get(item))}
    cut = fitting({part.text for parts in shown.values() for part in parts}, ROOM, LEAST, MOST)
    return {
        "models": [scored.grid.models[i] for i in order],
        "items": ids,
        "binary": _is_right_or_wrong(scored),
        "rates": scale(findings).rates,
        "scores": [[_number(score) for score in scored.grid.scores[i, kept].tolist()] for i in order],
        "causes": causes,
        "missing": missing,
        "strata": {name: [values[i] for i in kept] for name, values in scored.strata.items()},
        "flags": {i: flags[item] for i, item in enumerate(ids) if item in flags},
        "words": dict(flag_words(findings)),
        "discrimination": [_number(discrimination.get(item)) for item in ids],
        "texts": {
            i: [[part.name, clipped(part.text, cut)] for part in shown[item]]
            for i, item in enumerate(ids)
            if item in shown
        },
    }


def _number(value: float | None) -> float | int | None:
    if value is None or np.isnan(value):
        return None
    return int(value) if value == int(value) else float(f"{value:.4g}")
