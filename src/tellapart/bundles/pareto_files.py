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

Entry = tuple[Path, int | None, dict[str, Any]]
"""File, place in its list from 1, None in a scoreboard, and figures."""


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
        InputError: There is no entry. Or names the one that lacks a name or a metric, has no number there or
            an interval that is none, or bears a name that another bears.
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
    if not entries:
        raise InputError("there is no entry", where=", ".join(map(str, paths)))
    values, intervals = _arrays(entries, names)
    return Points(_names(entries), chosen, values, intervals), fingerprints


def _entries(file: ResultFile) -> list[Entry]:
    if file.board is None:
        return [(file.path, i, row) for i, row in enumerate(file.rows, start=1)]
    intervals = {f"{name}_ci": list(pair) for name, pair in board_intervals(file.board).items()}
    return [(file.path, None, {"name": file.board.model, **board_figures(file.board), **intervals})]


def _where(entry: Entry) -> str:
    path, position, _ = entry
    return str(path) if position is None else f"{path}: entry {position}"


def _names(entries: Sequence[Entry]) -> tuple[str, ...]:
    known: dict[str, Entry] = {}
    for entry in entries:
        name = entry[2].get("name")
        if not isinstance(name, str) or not name:
            raise InputError(f"'name' is {name!r}, expected a name", where=_where(entry))
        if name in known:
            raise InputError(
                f"the name {name!r} is that of {_where(known[name])} as well",
                where=_where(entry),
                next_step="Rename one",
            )
        known[name] = entry
    return tuple(known)


def _arrays(entries: Sequence[Entry], names: Sequence[str]) -> tuple[F64, F64]:
    values = np.empty((len(entries), len(names)))
    intervals = np.full((len(entries), len(names), 2), np.nan)
    for j, name in enumerate(names):
        key = f"{name}_ci"
        for i, entry in enumerate(entries):
            row = entry[2]
            value = row.get(name)
            if type(value) is not float or value - value != 0:
                value = _checked(name, entry)
            values[i, j] = value
            if row.get(key) is not None:
                intervals[i, j] = _interval(row, name, _where(entry))
    return values, intervals


def _checked(name: str, entry: Entry) -> float:
    row = entry[2]
    if name not in row:
        raise _missing(name, row, _where(entry))
    return number(row[name], _what(name, row), _where(entry))


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
    known, _, direction = name.rpartition(":")
    if known and known in row:
        return InputError(
            f"the direction {direction!r} of the metric {known!r} is unknown",
            where=where,
            next_step=f"Write {known}:max or {known}:min",
        )
    numbers = [key for key, value in row.items() if isinstance(value, int | float)]
    return InputError(
        f"{row.get('name', '(no name)')!r} has no metric {name!r}",
        where=where,
        next_step=near_match(name, numbers) if numbers else "It has no numbers at all",
    )


def _what(name: str, row: dict[str, Any]) -> str:
    return f"{name!r} of {row.get('name', '(no name)')!r}"
