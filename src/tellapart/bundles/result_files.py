"""Files of results: scoreboards with the scores behind them, and JSON lists of figures from anywhere."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import polars as pl

from tellapart.bundles.figures import FIGURES, MARGINS, Summary, TierStats
from tellapart.bundles.recorded import Recorded, is_recorded, read_recorded
from tellapart.bundles.results import Scoreboard, read_scoreboard, scores_path
from tellapart.bundles.scoreboards import Scored, load_scored
from tellapart.bundles.tier_stats import one_row_a_query, tier_and_figure, why_margins_differ
from tellapart.errors import InputError, Refused, UsageError
from tellapart.files import read_json

_COUNTS = ("n", "correct", "queries", "ties", "ci95")
_ALLOW = (
    "Score all of them on one eval, or look at them all the same with --allow-fingerprint-mismatch, "
    "which marks the result as exploratory"
)


@dataclass(frozen=True)
class ResultFile:
    """What a file holds.

    Attributes:
        path: Of the file; ``-`` is standard input.
        rows: Objects of its list, or the one object that it is; empty of a scoreboard.
        board: The scoreboard that it is, or None.
        recorded: What another program recorded, or None.
    """

    path: Path
    rows: tuple[dict[str, Any], ...]
    board: Scoreboard | None = None
    recorded: Recorded | None = None


def read_results(path: Path) -> ResultFile:
    """Read a scoreboard, a sweep, a JSON list of objects, or one object."""
    value = read_json(path)
    if isinstance(value, dict):
        if is_recorded(value):
            return ResultFile(path, (), recorded=read_recorded(value, path))
        if "eval_header" in value:
            return ResultFile(path, (), read_scoreboard(path))
        return ResultFile(path, (value,))
    if not isinstance(value, list):
        raise InputError(
            f"this is a JSON {_kind(value)}, expected a list of objects or a scoreboard", where=path
        )
    for i, row in enumerate(value, start=1):
        if not isinstance(row, dict):
            raise InputError(f"entry {i} is {row!r:.60}, expected an object", where=path)
    return ResultFile(path, tuple(value))


def board_figures(board: Scoreboard) -> dict[str, float]:
    """Figures of a scoreboard by name: ``pass_rate``, ``tier3_adversarial_pass_rate`` …; counts are none."""
    return {
        f"{prefix}{name}": value
        for prefix, stats in _prefixed(board)
        for name, value in stats.model_dump(exclude=set(_COUNTS)).items()
        if value is not None
    }


def board_intervals(board: Scoreboard) -> dict[str, list[float]]:
    """95 % intervals of those figures that have one, by the same names."""
    return {
        f"{prefix}{name}": interval
        for prefix, stats in _prefixed(board)
        for name, interval in stats.ci95.items()
        if interval is not None
    }


def one_eval(files: Sequence[ResultFile], *, allow_mismatch: bool) -> tuple[str, ...]:
    """See that all scoreboards are of one eval."""
    prints = ((_fingerprint(file), file.path) for file in reversed(files))
    first = {fingerprint: path for fingerprint, path in prints if fingerprint}
    if len(first) > 1 and not allow_mismatch:
        evals = "; ".join(f"{first[print_]}: EVAL_FINGERPRINT: {print_}" for print_ in sorted(first))
        raise Refused(f"these scoreboards are of different evals: {evals}", next_step=_ALLOW)
    return tuple(sorted(first))


def _fingerprint(file: ResultFile) -> str:
    if file.board is not None:
        return file.board.eval_header.fingerprint
    return file.recorded.fingerprint if file.recorded else ""


def number(value: object, what: str, where: object) -> float:
    """Take a JSON value as a finite number."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise InputError(f"{what} is {value!r:.60}, expected a number", where=where)
    try:
        converted = float(value)
    except OverflowError:
        converted = float("inf")
    if converted - converted != 0:
        raise InputError(f"{what} is {value!r:.60}, expected a finite number", where=where)
    return converted


def interval_around(value: float, pair: object, what: str, where: object) -> tuple[float, float]:
    """Take a JSON value as the interval of another."""
    if not isinstance(pair, list) or len(pair) != 2:
        raise InputError(f"{what} is {pair!r:.60}, expected [low, high]", where=where)
    low, high = (number(end, what, where) for end in pair)
    if not low <= value <= high:
        raise InputError(f"{what} is [{low!r}, {high!r}], expected an interval around {value!r}", where=where)
    return low, high


def _prefixed(board: Scoreboard) -> list[tuple[str, TierStats]]:
    return [("", board.overall), *((f"{tier}_", stats) for tier, stats in board.by_tier.items())]


def _kind(value: object) -> str:
    return {str: "string", bool: "boolean", type(None): "null"}.get(type(value), "number")


def read_item_scores(paths: Sequence[Path]) -> tuple[list[Scored], str]:
    """Read scoreboards with the scores beside them, sorted by bundle."""
    lacking = sum(not scores_path(path).exists() for path in paths)
    if lacking:
        return [], f"{lacking} of {len(paths)} scoreboards have no scores of bundles beside them"
    read = [load_scored(path) for path in paths]
    boards = [replace(scored, scores=scored.scores.sort("item")) for scored in read]
    if any(not scored.scores["item"].equals(boards[0].scores["item"]) for scored in boards):
        return [], "the scoreboards are of different bundles"
    return boards, ""


def scores_behind(frames: Sequence[pl.DataFrame], metric: str) -> list[pl.DataFrame]:
    """Give ``item``, ``score`` and ``cluster`` of the bundles whose mean a metric is.

    Of a figure of queries these are one bundle of each query.
    """
    tier, name = tier_and_figure(metric)
    figure = FIGURES.get(name)
    if figure is None or figure.summary is Summary.QUANTILE or not frames:
        return []
    if tier is not None:
        inside = [frame["tier"].eq_missing(tier) for frame in frames]
        if any(not mask.equals(inside[0]) for mask in inside):
            return []
        frames = [frame.filter(mask) for frame, mask in zip(frames, inside, strict=True)]
    if figure.of_queries:
        frames = [one_row_a_query(frame) for frame in frames]
    if not frames[0].height or any(frame[figure.column].null_count() for frame in frames):
        return []
    chosen = ["item", pl.col(figure.column).cast(pl.Float64).alias("score"), "cluster"]
    return [frame.select(chosen) for frame in frames]


def why_units_differ(boards: Sequence[Scoreboard], metric: str) -> str | None:
    """Say why a metric does not compare between scoreboards: margins of similarities in different units."""
    if tier_and_figure(metric)[1] not in MARGINS:
        return None
    reasons = (why_margins_differ(boards[0], other) for other in boards[1:])
    return next((why for why in reasons if why), None)


def check_units(boards: Sequence[Scoreboard], metric: str) -> None:
    """Raise UsageError where a metric does not compare between scoreboards."""
    why = why_units_differ(boards, metric)
    if why:
        raise UsageError(
            f"{metric!r} does not compare between these scoreboards: {why}",
            next_step="Choose a rate or a rank with --metric",
        )
