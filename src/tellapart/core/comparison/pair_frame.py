"""Pairs of models as a frame."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import polars as pl

from tellapart.core.comparison.pairs import PairComparison

_SCHEMA = {
    "a": pl.String,
    "b": pl.String,
    "verdict": pl.String,
    "better": pl.String,
    "worse": pl.String,
    "difference": pl.Float64,
    "low": pl.Float64,
    "high": pl.Float64,
    "p": pl.Float64,
    "p_adjusted": pl.Float64,
    "items_needed": pl.Int64,
    "n": pl.Int64,
    "clusters": pl.Int64,
    "test": pl.String,
    "reason": pl.String,
}


def pair_frame(pairs: Sequence[PairComparison], **further: Sequence[str]) -> pl.DataFrame:
    """Lay pairs out, one row each, with further columns of text.

    ``better`` and ``worse`` are null where neither is, ``difference`` is a - b, ``low`` and ``high`` are the
    ends of its interval, and ``reason`` is also why a verdict is withheld; where the pairs are of strata,
    ``stratum`` comes first. What is undefined is null.
    """
    columns: Mapping[str, list[object]] = {name: [] for name in _SCHEMA}
    for pair in pairs:
        low, high = pair.interval or (None, None)
        better, worse = (pair.ahead, pair.behind) if pair.is_separated else (None, None)
        ends = {"low": low, "high": high, "better": better, "worse": worse}
        values = {
            **vars(pair),
            **ends,
            "items_needed": pair.items_needed.value,
            "reason": pair.withheld or pair.reason,
        }
        for name, column in columns.items():
            column.append(values[name])
    frame = pl.DataFrame(columns, schema=_SCHEMA).with_columns(
        pl.Series(name, values, dtype=pl.String) for name, values in further.items()
    )
    strata = [pair.stratum for pair in pairs if pair.stratum is not None]
    if len(strata) < len(pairs) or not strata:
        return frame
    return frame.select(pl.Series("stratum", strata, dtype=pl.String), pl.all())
