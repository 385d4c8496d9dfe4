"""Numbers that stand for no score, such as -1 where a judge's reply could not be read."""

from __future__ import annotations

import polars as pl

from tellapart.errors import InputError, option

EVERY_NUMBER = "none"
"""What ``--missing`` takes where every number is a score."""

_BELOW = (-1.0, -9.0, -99.0, -100.0, -999.0, -9999.0)
_ABOVE = (99.0, 999.0, 9999.0)


def without_stand_ins(
    frame: pl.DataFrame, stated: str | None, *, ask: bool
) -> tuple[pl.DataFrame, list[str]]:
    """Take the number that stands for no score, and count its rows as missing.

    Args:
        frame: With columns ``score`` and ``missing``.
        stated: The number, or `EVERY_NUMBER`; None where nobody said.
        ask: Whether to ask where nobody said and a number looks like one.

    Raises:
        InputError: One value, known to stand for no score, lies alone outside of all others.
    """
    if stated == EVERY_NUMBER:
        return frame, []
    if stated is None:
        if ask:
            _ask(frame["score"])
        return frame, []
    value = float(stated)
    stands = (frame["score"] == value).fill_null(False)
    if not stands.any():
        return frame, [f"No score is {value:g}, the value of {option('missing', stated)}."]
    score = pl.when(~stands).then("score").alias("score")
    missing = pl.when(stands).then(pl.lit("unknown")).otherwise("missing").alias("missing")
    n = int(stands.sum())
    return frame.with_columns(score, missing), [
        f"{n} of {frame.height} scores {'is' if n == 1 else 'are'} {value:g}, counted as missing (unknown)."
    ]


def _ask(scores: pl.Series) -> None:
    numbers = scores.filter(scores.is_finite().fill_null(False))
    different = numbers.unique().sort()
    if len(different) < 3:
        return
    rest, value = different[1:], float(different[0])
    if not (value in _BELOW and float(rest[0]) >= 0):
        rest, value = different[:-1], float(different[-1])
        if not (value in _ABOVE and value >= float(rest[-1]) + float(rest[-1] - rest[0])):
            return
    n = int((numbers == value).sum())
    raise InputError(
        f"{n} of {len(numbers)} scores {'is' if n == 1 else 'are'} {value:g}, and the others are from "
        f"{float(rest[0]):g} to {float(rest[-1]):g}",
        next_step=f"If {value:g} stands for no score: {option('missing', f'{value:g}')}. If it is a score: "
        f"{option('missing', EVERY_NUMBER)}",
    )
