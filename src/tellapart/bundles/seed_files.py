"""Metrics of conditions by seed, from scoreboards and lists."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from tellapart.bundles.result_files import ResultFile, board_figures, number, one_eval, read_results
from tellapart.errors import InputError, UsageError, near_match

BOARD_METRICS = ("pass_rate", "q10_margin", "tier3_adversarial_pass_rate", "tier3_adversarial_q10_margin")
"""What is taken of scoreboards where nobody chooses."""

_PLACES = ("condition", "seed")
_SCORED = "Name the runs of one condition alike and each by its own --checkpoint"

Samples = dict[str, dict[str, dict[str, float | None]]]
Row = tuple[str, str, dict[str, float], str]


def read_seeds(
    paths: Sequence[Path], metrics: Sequence[str] = (), *, allow_mismatch: bool = False
) -> tuple[Samples, tuple[str, ...]]:
    """Read runs of conditions with several seeds.

    Args:
        paths: Each a scoreboard, whose model is the condition and whose checkpoint, or else the file, is the
            seed; or a JSON object or list of objects of ``condition``, ``seed`` and numbers by metric. A
            metric that is null or absent from a run is None there.
        metrics: Which; by default all of the lists, by name, and ``BOARD_METRICS`` of the scoreboards.
        allow_mismatch: See ``one_eval``.

    Returns:
        Values by metric, condition and seed; and the fingerprints of the evals, where scoreboards name them.

    Raises:
        InputError: Names the run that lacks a condition or seed, has one that another has, or a metric that
            is no number.
        Refused: Scoreboards are of different evals.
        UsageError: No run has a metric that was asked for.
    """
    files = [read_results(path) for path in paths]
    fingerprints = one_eval(files, allow_mismatch=allow_mismatch)
    rows = [row for file in files for row in _rows(file)]
    _refuse_repeated(rows)
    listed = sorted({name for file in files if file.board is None for name in _metrics_of(file)})
    boards = BOARD_METRICS if any(file.board for file in files) else ()
    known = {name for _, _, values, _ in rows for name in values}
    chosen = dict.fromkeys(metrics) or dict.fromkeys(name for name in (*listed, *boards) if name in known)
    samples: Samples = {}
    for metric in chosen:
        if metric not in known:
            raise UsageError(f"no run has the metric {metric!r}", next_step=near_match(metric, known))
        samples[metric] = {}
        for condition, seed, values, _ in rows:
            samples[metric].setdefault(condition, {})[seed] = values.get(metric)
    return samples, fingerprints


def _rows(file: ResultFile) -> list[Row]:
    if file.board is not None:
        board = file.board
        return [(board.model, board.checkpoint_path or str(file.path), board_figures(board), str(file.path))]
    found = []
    for i, row in enumerate(file.rows, start=1):
        where = f"{file.path}: entry {i}"
        condition, seed = row.get("condition"), row.get("seed")
        if not isinstance(condition, str) or not condition:
            raise InputError(f"'condition' is {condition!r}, expected a name", where=where)
        if isinstance(seed, bool) or not isinstance(seed, int | str):
            raise InputError(f"'seed' is {seed!r}, expected a number or a name", where=where)
        found.append((condition, str(seed), _values(row, where), where))
    return found


def _values(row: dict[str, Any], where: str) -> dict[str, float]:
    return {
        name: number(value, f"{name!r} of {row['condition']!r}, seed {row['seed']!r}", where)
        for name, value in row.items()
        if name not in _PLACES and value is not None
    }


def _metrics_of(file: ResultFile) -> list[str]:
    return [name for row in file.rows for name in row if name not in _PLACES]


def _refuse_repeated(rows: Sequence[Row]) -> None:
    known: dict[tuple[str, str], str] = {}
    for condition, seed, _, where in rows:
        if (condition, seed) in known:
            raise InputError(
                f"seed {seed!r} of condition {condition!r} is that of {known[condition, seed]} as well",
                where=where,
                next_step="Give each run once" if "entry" in where else _SCORED,
            )
        known[condition, seed] = where
