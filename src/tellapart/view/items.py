"""Items on which two models differ: which, how many, and in which order."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tellapart.core.arrays import F64
from tellapart.core.comparison.compare import sorting_columns
from tellapart.core.score_grid import ScoreGrid
from tellapart.errors import UsageError, near_match
from tellapart.report.browser import HIGHER_OR_LOWER, ORDERS, RIGHT_OR_WRONG
from tellapart.view.loaded import Loaded

ANY = "any"

OUTCOMES = (ANY, *dict.fromkeys((*RIGHT_OR_WRONG, *HIGHER_OR_LOWER)))
"""How two models may stand on an item; ``about`` has the words of those that fit the scores."""

_DIGITS = 12
"""Differences beyond are those of rounding."""


@dataclass(frozen=True)
class ItemQuery:
    """Which items are wanted.

    Attributes:
        b: Another; None for A alone.
        cause: Why A or B has no score; empty for any.
        text: What the id must contain, in any case; empty for all.
        order: One of ``ORDERS``: the largest gap first, by id, or by the mean over all models.
    """

    a: str
    b: str | None = None
    outcome: str = ANY
    strata: Mapping[str, str] | None = None
    cause: str = ""
    text: str = ""
    order: str = "gap"
    offset: int = 0
    limit: int = 100


def find_items(loaded: Loaded, grid: ScoreGrid, query: ItemQuery) -> dict[str, Any]:
    """Find items."""
    a = _place(query.a, grid.models, "model")
    b = None if query.b is None else _place(query.b, grid.models, "model")
    _place(query.outcome, OUTCOMES, "outcome")
    _place(query.order, tuple(ORDERS), "order")
    fits = np.ones(len(grid.items), dtype=np.bool_)
    for column, value in (query.strata or {}).items():
        _place(column, tuple(grid.strata), "column")
        stratum = grid.strata[column]
        fits &= stratum.codes == _place(value, stratum.values, f"value of {column}")
    if query.text:
        wanted = query.text.casefold()
        fits &= np.fromiter((wanted in item.casefold() for item in grid.items), np.bool_, len(grid.items))
    if query.cause:
        fits &= _with_cause(loaded, grid, [query.a] if query.b is None else [query.a, query.b], query.cause)
    first = grid.scores[a]
    second = grid.scores[b] if b is not None else np.full(len(first), np.nan)
    standing = _standing(first, second, alone=b is None)
    counts = {name: int((fits & standing[name]).sum()) for name in OUTCOMES}
    fits &= standing[query.outcome]
    places = np.flatnonzero(fits)
    places = places[np.argsort(_key(grid, first, second, query.order)[places], kind="stable")]
    after = query.offset + query.limit
    shown = places[query.offset : after]
    differing = np.flatnonzero(standing["differ"][places[after:]])
    return {
        "total": len(places),
        "counts": counts,
        "items": [_row(loaded, grid, int(index), a, b) for index in shown],
        "next_differing": after + int(differing[0]) if len(differing) else None,
    }


def about(loaded: Loaded, grid: ScoreGrid) -> dict[str, Any]:
    """What items can be chosen by."""
    outcomes = RIGHT_OR_WRONG if loaded.is_binary else HIGHER_OR_LOWER
    return {
        "models": list(grid.models),
        "columns": {name: list(grid.strata[name].values) for name in sorting_columns(grid)},
        "causes": sorted({cause for model in grid.models for cause in grid.missing.get(model, {})}),
        "outcomes": {ANY: "any", **outcomes},
        "orders": ORDERS,
        "binary": loaded.is_binary,
    }


def check_name(name: str, names: Collection[str], what: str) -> None:
    """Refuse a name that is not among those there are."""
    if name not in names:
        raise UsageError(f"there is no {what} {name!r}", next_step=near_match(name, names))


def _place(name: str, names: tuple[str, ...], what: str) -> int:
    check_name(name, names, what)
    return names.index(name)


def _standing(first: F64, second: F64, *, alone: bool) -> dict[str, NDArray[np.bool_]]:
    missing = np.isnan(first) | (np.isnan(second) if not alone else False)
    with np.errstate(invalid="ignore"):
        a, b = first > second, first < second
        same = np.zeros_like(a) if alone else first == second
    return {
        ANY: np.ones_like(a),
        "differ": a | b,
        "a": a,
        "b": b,
        "right": same & (first >= 1),
        "wrong": same & (first < 1),
        "same": same,
        "missing": missing,
    }


def _key(grid: ScoreGrid, first: F64, second: F64, order: str) -> F64:
    """What items are sorted by, ascending; ids are ascending already."""
    if order == "id":
        return np.zeros(len(first))
    if order == "gap":
        gaps = np.round(np.abs(first - second), _DIGITS)
        return np.asarray(-np.nan_to_num(gaps, nan=-1.0), dtype=np.float64)
    counts = (~np.isnan(grid.scores)).sum(axis=0)
    means = np.divide(
        np.nansum(grid.scores, axis=0), counts, out=np.full(len(first), np.nan), where=counts > 0
    )
    means = np.round(means, _DIGITS)
    return np.asarray(np.nan_to_num(means if order == "hard" else -means, nan=np.inf), dtype=np.float64)


def _with_cause(loaded: Loaded, grid: ScoreGrid, models: list[str], cause: str) -> NDArray[np.bool_]:
    items = {
        loaded.grid.items[index]
        for model in models
        for index, why in loaded.causes.get(model, {}).items()
        if why == cause
    }
    return np.fromiter((item in items for item in grid.items), np.bool_, len(grid.items))


def _row(loaded: Loaded, grid: ScoreGrid, index: int, a: int, b: int | None) -> dict[str, Any]:
    item = str(grid.items[index])
    of_all = loaded.place_of[item]
    return {
        "item": item,
        "strata": {name: s.values[s.codes[index]] for name, s in grid.strata.items() if s.codes[index] >= 0},
        "a": cell(loaded, grid.models[a], of_all),
        "b": None if b is None else cell(loaded, grid.models[b], of_all),
    }


def cell(loaded: Loaded, model: str, index: int) -> dict[str, Any]:
    """Score of a model on an item, or why there is none."""
    score = float(loaded.grid.scores[loaded.grid.models.index(model), index])
    if np.isnan(score):
        return {"score": None, "missing": loaded.causes.get(model, {}).get(index, "not asked")}
    return {"score": score}
