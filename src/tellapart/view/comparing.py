"""Runs compared: the verdict in words, the figures of a comparison, means by stratum, and flips."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from math import comb, inf, isqrt
from typing import Any
from urllib.parse import urlencode

import numpy as np

from tellapart.audit.analysis import analyse_grid
from tellapart.audit.options import AuditOptions
from tellapart.audit.page import sentences
from tellapart.audit.ranking import rank
from tellapart.audit.results import Ranked
from tellapart.core.comparison import compare
from tellapart.core.comparison.compare import secondary_column, sorting_columns, with_notes
from tellapart.core.comparison.pairs import from_json, to_json
from tellapart.core.comparison.plan import GapSpread, whole
from tellapart.core.comparison_settings import ComparisonSettings
from tellapart.core.score_grid import ScoreGrid
from tellapart.errors import InputError, UsageError
from tellapart.report.comparison import VERDICTS, headline_sentences, outlook
from tellapart.report.document import opening
from tellapart.report.figures import FIGURES, cell
from tellapart.report.numbers import Scale, capital
from tellapart.report.screen import differences, interval_head, ranking
from tellapart.report.tables import Column, Spans
from tellapart.view.loaded import Loaded

MOST_PAIRS = 20_000
"""So many pairs of models are compared while a reader waits."""

MOST_RUNS = 200
"""So many runs are read together: of a model each, they make as many pairs."""


_HEADS = ("mean", "items", "missing", "difference", "p_adjusted", "items_needed")
"""Figures whose heads the page takes from the one table."""


def compared(
    loaded: Loaded, grid: ScoreGrid, settings: ComparisonSettings, *, secondary: bool = True
) -> dict[str, Any]:
    """Compare models; one alone is named as ``only``, since its items are all that can be looked at."""
    if len(grid.models) == 1:
        return {"only": grid.models[0]}
    _check_pairs(len(grid.models), settings.baseline)
    scale = Scale.of(grid.limits)
    if grid.human is None:
        comparison = compare(grid, settings, secondary=secondary)
        headline, advice = headline_sentences(comparison, scale=scale), outlook(comparison, scale)
    else:
        # Labels change what would help, so that an audit looks for it.
        findings = analyse_grid(grid, AuditOptions(**vars(settings)))
        comparison, headline = findings.comparison, sentences.headline_sentences(findings)
        judged = [sentences.judge(findings.labels, scale)] if findings.labels else []
        advice = [*sentences.advice(findings), *(f"{capital(one)}." for one in judged)]
    column = secondary_column(grid, with_notes(settings, grid))
    strata = []
    for code, value in enumerate(grid.strata[column].values if column else ()):
        part = grid.only(grid.strata[column or ""].codes == code)
        cells = _cells(part, rank(part, ()).models)
        strata.append({"value": value, "items": len(part.items), "cells": cells})
    strata.sort(key=_hardness)
    title, rest = opening(headline)
    places = rank(grid, comparison.primary.pairs if comparison.primary.declared else ()).models
    return {
        "headline": title,
        "sentences": [*rest, *advice],
        "ranking": drawn(
            with_columns(ranking(places, scale), {"cost": loaded.costs, "seconds": loaded.seconds})
        ),
        "differences": drawn(differences(comparison, scale, lambda a, b: urlencode({"a": a, "b": b}))),
        "comparison": to_json(comparison),
        "heads": {name: FIGURES[name].label for name in _HEADS} | {"interval": interval_head()},
        "verdict_words": {str(verdict): word for verdict, word in VERDICTS.items()},
        "models": [
            {"model": model, "missing": grid.missing.get(model, {}), **cell}
            for model, cell in zip(grid.models, _cells(grid, places), strict=True)
        ],
        "columns": sorting_columns(grid),
        "by": column,
        "strata": strata,
        "items": len(grid.items),
        "binary": loaded.is_binary,
        "rates": grid.limits == (0.0, 1.0),
        "limits": [end if np.isfinite(end) else None for end in grid.limits],
        "notes": list(loaded.notes),
    }


def with_columns(spans: Spans | None, columns: Mapping[str, Mapping[str, float]]) -> Spans | None:
    """A ranking with further figures of each model, by their names, where any model has them."""
    for name, of_model in columns.items():
        if spans is not None and of_model:
            rows = tuple(
                replace(row, cells=(*row.cells, cell(name, of_model.get(row.cells[0].text))))
                for row in spans.rows
            )
            spans = replace(spans, columns=(*spans.columns, Column(FIGURES[name].axis)), rows=rows)
    return spans


def drawn(spans: Spans | None) -> dict[str, Any] | None:
    """A table with its pictures as the page draws it: every place in percent of the axis."""
    if spans is None:
        return None
    plain = spans.table()

    def at(value: float | None) -> float | None:
        return None if value is None else spans.at(value)

    return {
        "name": spans.name,
        "title": spans.title,
        "note": " ".join(filter(None, [spans.note, *plain.notes()])),
        "letters": spans.letters,
        "columns": [asdict(column) for column in spans.columns],
        "rows": [
            {
                "cells": [
                    {"text": plain.shown(one), "strong": one.strong, "link": one.link} for one in row.cells
                ],
                "value": at(row.value),
                "ends": row.ends and [at(end) for end in row.ends],
                "strong": row.strong,
            }
            for row in spans.rows
        ],
        "ticks": [[at(value), text] for value, text in spans.ticks],
        "band": spans.band and [at(end) for end in spans.band],
        "rules": [at(value) for value in spans.rules],
    }


def _check_pairs(models: int, baseline: str | None) -> None:
    pairs = comb(models, 2) if baseline is None else models - 1
    if pairs > MOST_PAIRS:
        # n (n - 1) / 2 pairs are at most as many as the limit.
        most = (1 + isqrt(1 + 8 * MOST_PAIRS)) // 2
        raise InputError(
            f"{models:,} models make {pairs:,} pairs, expected at most {MOST_PAIRS:,}, those of {most}",
            next_step="Add &model=NAME to the address for each of fewer models, or &baseline=NAME",
        )


def _hardness(stratum: dict[str, Any]) -> float:
    """The lower the mean over all models, the later it comes."""
    means = [cell["mean"] for cell in stratum["cells"] if cell["mean"] is not None]
    return -sum(means) / len(means) if means else float("inf")


def _cells(grid: ScoreGrid, places: Sequence[Ranked]) -> list[dict[str, Any]]:
    """The models' means with their intervals, as an audit has them."""
    ranked = {place.model: place for place in places}
    return [
        {"n": ranked[model].n, "mean": ranked[model].mean, "interval": ranked[model].ci}
        for model in grid.models
    ]


def planned(figures: dict[str, Any], a: str, b: str, gap: float) -> dict[str, Any]:
    """Say how many items would show a gap between two models, were their scores to spread as they do."""
    comparison = from_json(figures["comparison"])
    pair = next((pair for pair in comparison.primary.pairs if {pair.a, pair.b} == {a, b}), None)
    if pair is None:
        raise UsageError(f"{a!r} and {b!r} are not compared here")
    if not gap > 0:
        raise UsageError(f"the gap is {gap:g}, expected more than 0")
    if not pair.sd:
        spread = "their difference is the same on every item, so how it varies is unknown"
        raise InputError(f"nothing can be planned: {pair.reason or spread}")
    low, high = figures["limits"]
    range_ = inf if low is None or high is None else high - low
    needed = GapSpread.of([pair], range_).items(gap, pair.planned_level, comparison.power)
    return {"a": pair.a, "b": pair.b, "gap": gap, "n": pair.n, "items": whole(float(needed[0]))}
