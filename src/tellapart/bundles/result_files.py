"""Files of results: scoreboards of this suite, and JSON lists of figures from anywhere."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tellapart.bundles.scoreboard import Scoreboard, read_scoreboard
from tellapart.bundles.tier_stats import TierStats
from tellapart.errors import InputError, Refused

_COUNTS = ("n", "correct", "ties", "ci95")
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
    """

    path: Path
    rows: tuple[dict[str, Any], ...]
    board: Scoreboard | None = None


def read_results(path: Path) -> ResultFile:
    """Read a scoreboard, a JSON list of objects, or one object.

    Raises:
        InputError: It is missing or nothing of the kind.
    """
    value = _json(path)
    if isinstance(value, dict):
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
    """See that all scoreboards are of one eval.

    Args:
        files: Lists say nothing about their eval and are taken as they are.
        allow_mismatch: Go on where they are not.

    Returns:
        Their fingerprints, each once, sorted; two or more make a result exploratory.

    Raises:
        Refused: They are of several, and that is not allowed.
    """
    first = {
        file.board.eval_header.fingerprint: file.path for file in reversed(files) if file.board is not None
    }
    if len(first) > 1 and not allow_mismatch:
        found = "; ".join(f"{first[print_]}: EVAL_FINGERPRINT: {print_}" for print_ in sorted(first))
        raise Refused(f"these scoreboards are of different evals: {found}", next_step=_ALLOW)
    return tuple(sorted(first))


def number(value: object, what: str, where: object) -> float:
    """Take a JSON value as a finite number.

    Raises:
        InputError: It is none; begins with ``what``.
    """
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise InputError(f"{what} is {value!r:.60}, expected a number", where=where)
    try:
        found = float(value)
    except OverflowError:
        found = float("inf")
    if found - found != 0:
        raise InputError(f"{what} is {value!r:.60}, expected a finite number", where=where)
    return found


def _prefixed(board: Scoreboard) -> list[tuple[str, TierStats]]:
    return [("", board.overall), *((f"{tier}_", stats) for tier, stats in board.by_tier.items())]


def _json(path: Path) -> Any:
    try:
        data = sys.stdin.buffer.read() if str(path) == "-" else path.read_bytes()
        return json.loads(data)
    except OSError as error:
        raise InputError(f"cannot read this file: {error.strerror}", where=path) from None
    except UnicodeDecodeError:
        raise InputError("this file is not UTF-8 text", where=path) from None
    except json.JSONDecodeError as error:
        raise InputError(f"this is no JSON: {error.msg}", where=f"{path}:{error.lineno}") from None


def _kind(value: object) -> str:
    return {str: "string", bool: "boolean", type(None): "null"}.get(type(value), "number")
