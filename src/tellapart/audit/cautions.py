"""What must hold before anything is computed, and what to know before any figure is read."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from tellapart.audit.results import Caution
from tellapart.core.arrays import F64
from tellapart.core.score_grid import ScoreGrid
from tellapart.errors import InputError
from tellapart.report import numbers as show

MUCH_MISSING = 0.03
"""A model that lacks a greater share of its scores than this is named."""

_NAMED = 5


def check(grid: ScoreGrid) -> None:
    """Refuse scores in which there are no two models to compare."""
    if len(grid.models) < 2:
        which = f"one model, {grid.models[0]!r}" if grid.models else "no model"
        raise InputError(
            f"the scores are of {which}; a comparison needs two",
            next_step="Add the scores of another model: several files are read as one table",
        )
    if len(grid.items) < 2:
        raise InputError(f"there is only one item, {grid.items[0]!r}; a comparison needs two or more")
    scored = ~np.isnan(grid.scores)
    with_scores = [grid.models[i] for i in np.flatnonzero(scored.any(axis=1))]
    if len(with_scores) < 2:
        causes: dict[str, int] = {}
        for counts in grid.missing.values():
            for cause, n in counts.items():
                causes[cause] = causes.get(cause, 0) + n
        who = f"only {with_scores[0]!r} has any score" if with_scores else "no model has any score"
        raise InputError(f"{who}; missing: {_counted(causes)}")
    if scored.sum(axis=0).max(initial=0) < 2:
        raise InputError(
            "no item has scores of two models, so none can be compared: each was given different items",
            next_step="Check that the same question has the same item id for every model; there are "
            + " and ".join(f"{grid.items[i]!r} of {grid.models[m]!r}" for m, i in _first_items(scored)[:2]),
        )


def _first_items(scored: NDArray[np.bool_]) -> list[tuple[int, int]]:
    """Each model that has scores, and the place of its first item."""
    return [(model, int(row.argmax())) for model, row in enumerate(scored) if row.any()]


def cautions(grid: ScoreGrid) -> tuple[Caution, ...]:
    """Name what makes figures worth less, or not what they seem."""
    texts = {
        "no_scores": _no_scores(grid),
        "not_asked": _not_asked(grid),
        "no_common_items": _no_common_items(grid),
        "constant": _constant(grid),
        "missing": _missing(grid),
        "no_model_scored": _no_model_scored(grid),
        "uneven_replicates": _uneven_replicates(grid),
        "sorts_no_items": _sorts_no_items(grid),
    }
    return tuple(Caution(kind=kind, text=text) for kind, text in texts.items() if text)


def _no_scores(grid: ScoreGrid) -> str:
    empty = np.flatnonzero(np.isnan(grid.scores).all(axis=1))
    named = [f"{grid.models[i]} ({_counted(grid.missing[grid.models[i]])})" for i in empty]
    return f"No scores: {_few(named)}." if named else ""


def _not_asked(grid: ScoreGrid) -> str:
    n = (~grid.attempted).sum(axis=1)
    lacking = sorted(np.flatnonzero(n), key=lambda i: (-n[i], i))
    named = [f"{grid.models[i]} {n[i]}" for i in lacking]
    if not named:
        return ""
    return (
        f"The models were not given the same items. Of {len(grid.items)} items, not given: {_few(named)}. "
        "Pairs are compared on their common items; means and ranks cover different items."
    )


def _no_common_items(grid: ScoreGrid) -> str:
    scored = (~np.isnan(grid.scores)).astype(np.int32)
    common = scored @ scored.T
    pairs = [
        f"{a} and {b}"
        for (i, a), (j, b) in combinations(enumerate(grid.models), 2)
        if common[i, j] == 0 and common[i, i] and common[j, j]
    ]
    named = _few(pairs, separator="; ")
    return f"No item in common, so they cannot be compared: {named}." if pairs else ""


def _constant(grid: ScoreGrid) -> str:
    least, most = _extremes(grid.scores)
    several = np.count_nonzero(~np.isnan(grid.scores), axis=1) > 1
    named = [f"{grid.models[i]} ({least[i]:g})" for i in np.flatnonzero(several & (least == most))]
    return f"Same score on every item: {_few(named)}." if named else ""


def _missing(grid: ScoreGrid) -> str:
    n_scored = grid.answers.sum(axis=1)
    named, few = [], []
    for i, model in enumerate(grid.models):
        n = sum(grid.missing[model].values())
        if n_scored[i] and n > MUCH_MISSING * (n + n_scored[i]):
            share = 100 * n / (n + n_scored[i])
            named.append(f"{model} {share:.3g} % ({_counted(grid.missing[model])})")
        elif n_scored[i] and n:
            few.append(n)
    if not named:
        return ""
    most = show.whole_percent(MUCH_MISSING)
    others = f"; {len(few)} more with up to {most} each ({sum(few):,} in all)" if few else ""
    return f"Scores are missing: {_few(named, separator='; ')}{others}."


def _no_model_scored(grid: ScoreGrid) -> str:
    empty = grid.items[np.isnan(grid.scores).all(axis=0)]
    if not len(empty):
        return ""
    return f"No model has a score on {len(empty)} of {len(grid.items)} items: {_few(empty.tolist())}."


def _uneven_replicates(grid: ScoreGrid) -> str:
    """Name the models whose items differ in the number of scored answers."""
    scored = grid.answers > 0
    counts = np.where(scored, grid.answers, 0)
    most = counts.max(axis=1, initial=0)
    least = np.where(scored, grid.answers, np.iinfo(np.int64).max).min(axis=1, initial=np.iinfo(np.int64).max)
    has_scores = scored.any(axis=1)
    if not has_scores.any() or (least[has_scores].min() == most[has_scores].max()):
        return ""
    named = [
        f"{grid.models[i]} {least[i]}" + (f" to {most[i]}" if most[i] > least[i] else "")
        for i in np.flatnonzero(has_scores)
    ]
    return (
        f"The number of scored answers per item differs: {_few(named)}. Each item counts once, as the mean "
        "of its answers; items with fewer answers are noisier."
    )


def _sorts_no_items(grid: ScoreGrid) -> str:
    if not grid.answer_strata:
        return ""
    return (
        "Not used to group items, because it differs between answers to the same item: "
        f"{_few(grid.answer_strata)}."
    )


def _extremes(scores: F64) -> tuple[F64, F64]:
    """Least and greatest score of each model; infinite without any."""
    missing = np.isnan(scores)
    return np.where(missing, np.inf, scores).min(axis=1), np.where(missing, -np.inf, scores).max(axis=1)


def _counted(causes: dict[str, int]) -> str:
    return ", ".join(f"{n} {cause}" for cause, n in sorted(causes.items())) or "none asked"


def _few(names: Iterable[str], separator: str = ", ") -> str:
    names = list(names)
    more = f" and {len(names) - _NAMED} more" if len(names) > _NAMED else ""
    return separator.join(names[:_NAMED]) + more
