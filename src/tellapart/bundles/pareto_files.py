"""Points of a Pareto frontier, from files."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import inf
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from tellapart.bundles.difficulty import LevelStep, check_recorded_levels, disorder
from tellapart.bundles.pareto import Metric, Points, z_of
from tellapart.bundles.result_files import (
    ResultFile,
    board_figures,
    board_intervals,
    check_units,
    interval_around,
    number,
    one_eval,
    read_item_scores,
    read_results,
    scores_behind,
)
from tellapart.bundles.scoreboards import Scored
from tellapart.bundles.seed_files import SampledItems, read_seeds, recorded_tiers
from tellapart.bundles.seeds import is_rate, seed_stats
from tellapart.core.arrays import F64
from tellapart.core.comparison import compare
from tellapart.core.score_notes import ScoreNotes
from tellapart.core.scores import ScoreTable
from tellapart.errors import InputError, UsageError, near_match

DEFAULTS = (Metric("frozen_tier3"), Metric("organic_holdout"))
"""Retention and generalisation, as the source document has them."""

Entry = tuple[Path, int | None, dict[str, Any]]
"""File, place in its list from 1, None in a scoreboard, and figures."""


def read_points(
    paths: Sequence[Path], metrics: Sequence[Metric] = (), *, allow_mismatch: bool = False
) -> tuple[Points, tuple[str, ...]]:
    """Read configurations and the figures to compare them by."""
    chosen = tuple(metrics) or DEFAULTS
    names = [metric.name for metric in chosen]
    if len(set(names)) < len(names):
        raise UsageError(f"the metrics are {', '.join(names)}: one occurs twice")
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
    points = _names(entries)
    boards = [file.board for file in files if file.board is not None]
    for name in names:
        check_units(boards, name)
    scored = read_item_scores([file.path for file in files])[0] if len(boards) == len(files) else []
    z = over_items([board.scores for board in scored], points, names)
    return Points(points, chosen, values, intervals, z, _cautions(files, entries, scored)), fingerprints


def _cautions(
    files: Sequence[ResultFile], entries: Sequence[Entry], scored: Sequence[Scored]
) -> tuple[str, ...]:
    """What stays with the scores of scoreboards, or else what their recorded rates by tier show."""
    if scored:
        return ScoreNotes.together(board.notes for board in scored).cautions
    steps: dict[str, tuple[LevelStep, ...]] = {}
    for file in files:
        if file.recorded:
            levels = read_seeds([file.path]).levels
            steps |= {name: check_recorded_levels(runs) for name, runs in levels.items()}
    for _, _, row in entries:
        if str(row["name"]) in steps:
            continue
        values = {name: value for name, value in row.items() if isinstance(value, float)}
        steps[str(row["name"])] = check_recorded_levels([recorded_tiers(values, _sampled(row))])
    inverted = disorder(steps)
    lacks = [
        f"{file.recorded.lacks}: points are means over seeds, with intervals of the noise of seeds only"
        for file in files
        if file.recorded
    ]
    return (*lacks, *([inverted] if inverted else []))


def _sampled(row: dict[str, Any]) -> dict[str, SampledItems]:
    """What the intervals of an entry leave open; those of other figures than were chosen may be anything."""
    sampled = {}
    for name, pair in row.items():
        if name.endswith("_ci") and isinstance(pair, list) and len(pair) == 2:
            low, high = pair
            if isinstance(low, float) and isinstance(high, float) and low <= high:
                sampled[name.removesuffix("_ci")] = SampledItems(None, (high - low) / 2)
    return sampled


def over_items(
    frames: Sequence[pl.DataFrame], points: Sequence[str], metrics: Sequence[str]
) -> dict[int, F64]:
    """Hold scoreboards against each other bundle by bundle."""
    if len(frames) < 2:
        return {}
    z_by_metric = {}
    for j, metric in enumerate(metrics):
        behind = scores_behind(frames, metric)
        if behind:
            rows = [f.with_columns(model=pl.lit(name)) for f, name in zip(behind, points, strict=True)]
            z_by_metric[j] = _z_of(ScoreTable.from_frame(pl.concat(rows), limits=(-inf, inf)), points)
    return z_by_metric


def _z_of(scores: ScoreTable, points: Sequence[str]) -> F64:
    """Shape (n, n): how far one point is above another, by the test that tells models apart."""
    number = {name: i for i, name in enumerate(points)}
    z = np.zeros((len(points), len(points)))
    for pair in compare(scores).primary.pairs:
        i, j = number[pair.a], number[pair.b]
        ahead = np.sign(pair.difference or 0.0)
        z[i, j] = 0.0 if pair.p is None else ahead * z_of(pair.p)
        z[j, i] = -z[i, j]
    return z


def _entries(file: ResultFile) -> list[Entry]:
    if file.recorded is not None:
        return [(file.path, None, row) for row in _conditions(file)]
    if file.board is None:
        return [(file.path, i, row) for i, row in enumerate(file.rows, start=1)]
    intervals = {f"{name}_ci": list(pair) for name, pair in board_intervals(file.board).items()}
    return [(file.path, None, {"name": file.board.model, **board_figures(file.board), **intervals})]


def _conditions(file: ResultFile) -> Iterator[dict[str, Any]]:
    """Means over the seeds of each recorded condition, with their t intervals."""
    recorded = file.recorded.runs if file.recorded else ()
    runs = read_seeds([file.path], sorted({name for run in recorded for name in run.figures}))
    for condition in dict.fromkeys(run.condition for run in recorded):
        row: dict[str, Any] = {"name": condition}
        for metric, by_condition in runs.samples.items():
            values = by_condition[condition]
            rate = is_rate(metric, [value for value in values.values() if value is not None])
            stats = seed_stats(values, rate=rate)
            if stats.mean is not None:
                row[metric] = stats.mean
                row |= {f"{metric}_ci": [*stats.ci95_t]} if stats.ci95_t else {}
        yield row


def _where(entry: Entry) -> str:
    path, position, _ = entry
    return str(path) if position is None else f"{path}: entry {position}"


def _names(entries: Sequence[Entry]) -> tuple[str, ...]:
    first_with: dict[str, Entry] = {}
    for entry in entries:
        name = entry[2].get("name")
        if not isinstance(name, str) or not name:
            raise InputError(f"'name' is {name!r}, expected a name", where=_where(entry))
        if name in first_with:
            raise InputError(
                f"the name {name!r} is that of {_where(first_with[name])} as well",
                where=_where(entry),
                next_step="Rename one",
            )
        first_with[name] = entry
    return tuple(first_with)


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
                intervals[i, j] = interval_around(row[name], row[key], _what(key, row), _where(entry))
    return values, intervals


def _checked(name: str, entry: Entry) -> float:
    row = entry[2]
    if name not in row:
        raise _missing(name, row, _where(entry))
    return number(row[name], _what(name, row), _where(entry))


def _missing(name: str, row: dict[str, Any], where: str) -> InputError:
    metric, _, direction = name.rpartition(":")
    if metric and metric in row:
        return InputError(
            f"the direction {direction!r} of the metric {metric!r} is unknown",
            where=where,
            next_step=f"Write {metric}:max or {metric}:min",
        )
    numbers = [key for key, value in row.items() if isinstance(value, int | float)]
    return InputError(
        f"{row.get('name', '(no name)')!r} has no metric {name!r}",
        where=where,
        next_step=near_match(name, numbers) if numbers else "It has no numbers at all",
    )


def _what(name: str, row: dict[str, Any]) -> str:
    return f"{name!r} of {row.get('name', '(no name)')!r}"
