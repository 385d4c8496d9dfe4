"""Points of a Pareto frontier, from files."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from tellapart.bundles.pareto import Metric, Points
from tellapart.bundles.result_files import (
    ResultFile,
    board_figures,
    board_intervals,
    number,
    one_eval,
    read_results,
)
from tellapart.core.stats.samples import F64
from tellapart.errors import InputError, UsageError, near_match

DEFAULTS = (Metric("frozen_tier3"), Metric("organic_holdout"))
"""Retention and generalisation, as the source document has them."""

Entry = tuple[str, dict[str, Any]]


def read_points(
    paths: Sequence[Path], metrics: Sequence[Metric] = (), *, allow_mismatch: bool = False
) -> tuple[Points, tuple[str, ...]]:
    """Read configurations and the figures to compare them by.

    Args:
        paths: Each a JSON list of objects with a ``name``, numbers by metric, and where wanted an interval
            ``METRIC_ci`` of low and high; or a scoreboard, whose model is the name.
        metrics: Two or more; by default ``DEFAULTS``. Others that a file holds are of no concern.
        allow_mismatch: See ``one_eval``.

    Returns:
        The points in the order of the files, and the fingerprints of the evals, where scoreboards name them.

    Raises:
        InputError: Names the entry that lacks a name or a metric, has no number there or an interval that is
            none, or bears a name that another bears.
        Refused: Scoreboards are of different evals.
        UsageError: Fewer than two metrics, or one twice.
    """
    chosen = tuple(metrics) or DEFAULTS
    names = [metric.name for metric in chosen]
    if len(set(names)) < len(names):
        raise UsageError(f"the metrics are {', '.join(names)}: one is there twice")
    if len(chosen) < 2:
        raise UsageError(
            f"there is one metric, {names[0]!r}, expected two or more", next_step="Repeat --metric"
        )
    files = [read_results(path) for path in paths]
    fingerprints = one_eval(files, allow_mismatch=allow_mismatch)
    entries = [entry for file in files for entry in _entries(file)]
    values, intervals = _arrays(entries, names)
    return Points(_names(entries), chosen, values, intervals), fingerprints


def _entries(file: ResultFile) -> list[Entry]:
    """Each with the words that say where it is."""
    if file.board is None:
        return [(f"{file.path}: entry {i}", row) for i, row in enumerate(file.rows, start=1)]
    intervals = {f"{name}_ci": list(pair) for name, pair in board_intervals(file.board).items()}
    return [(str(file.path), {"name": file.board.model, **board_figures(file.board), **intervals})]


def _names(entries: Sequence[Entry]) -> tuple[str, ...]:
    known: dict[str, str] = {}
    for where, row in entries:
        name = row.get("name")
        if not isinstance(name, str) or not name:
            raise InputError(f"'name' is {name!r}, expected a name", where=where)
        if name in known:
            raise InputError(
                f"the name {name!r} is that of {known[name]} as well", where=where, next_step="Rename one"
            )
        known[name] = where
    return tuple(known)


def _arrays(entries: Sequence[Entry], names: Sequence[str]) -> tuple[F64, F64]:
    values = np.empty((len(entries), len(names)))
    intervals = np.full((len(entries), len(names), 2), np.nan)
    for j, name in enumerate(names):
        key = f"{name}_ci"
        for i, (where, row) in enumerate(entries):
            if name not in row:
                raise _missing(name, row, where)
            values[i, j] = number(row[name], _what(name, row), where)
            if row.get(key) is not None:
                intervals[i, j] = _interval(row, name, where)
    return values, intervals


def _interval(row: dict[str, Any], name: str, where: str) -> tuple[float, float]:
    key, pair = f"{name}_ci", row[f"{name}_ci"]
    if not isinstance(pair, list) or len(pair) != 2:
        raise InputError(f"{_what(key, row)} is {pair!r:.60}, expected [low, high]", where=where)
    low, high = (number(end, _what(key, row), where) for end in pair)
    if not low <= row[name] <= high:
        raise InputError(
            f"{_what(key, row)} is [{low!r}, {high!r}], expected an interval around {row[name]!r}",
            where=where,
        )
    return low, high


def _missing(name: str, row: dict[str, Any], where: str) -> InputError:
    numbers = [key for key, value in row.items() if isinstance(value, int | float)]
    return InputError(
        f"{row.get('name', '(no name)')!r} has no metric {name!r}",
        where=where,
        next_step=near_match(name, numbers) if numbers else "It has no numbers at all",
    )


def _what(name: str, row: dict[str, Any]) -> str:
    return f"{name!r} of {row.get('name', '(no name)')!r}"
