"""What a cell of somebody's table means: a number, a blank, a word for right or wrong."""

from __future__ import annotations

import polars as pl

BLANKS = ("", "na", "n/a", "nan", "null", "none", "-", "—")
"""How people write that there is no score, in small letters."""

TRUTH = {"true": 1.0, "false": 0.0}

GRADE_WORDS = (
    {"pass": 1.0, "fail": 0.0},
    {"passed": 1.0, "failed": 0.0},
    {"correct": 1.0, "incorrect": 0.0},
    {"yes": 1.0, "no": 0.0},
)
"""Pairs of words that are read as scores where a column holds nothing else."""


def scores_of(values: pl.Series, *, words: bool = True) -> pl.Series | None:
    """Read a column as scores."""
    if values.dtype != pl.String:
        if not (values.dtype.is_numeric() or values.dtype in (pl.Boolean, pl.Null)):
            return None
        return values.cast(pl.Float64).fill_nan(None)
    texts = _written(values)
    if texts.null_count() == len(texts):
        return pl.Series(values.name, [None] * len(values), dtype=pl.Float64)
    numbers = _numbers(texts)
    if numbers is not None:
        return numbers.fill_nan(None)
    different = set(texts.drop_nulls().unique())
    for pair in (TRUTH, *(GRADE_WORDS if words else ())):
        allowed = pair if pair is not TRUTH else TRUTH | {"0": 0.0, "1": 1.0, "0.0": 0.0, "1.0": 1.0}
        if different <= allowed.keys():
            return texts.replace_strict(allowed, return_dtype=pl.Float64)
    if different & TRUTH.keys():
        mixed = texts.replace(list(TRUTH), ["1", "0"]).cast(pl.Float64, strict=False)
        return mixed if mixed.null_count() == texts.null_count() else None
    return None


def grade_words(values: pl.Series) -> tuple[str, str] | None:
    """Give the words for 1 and 0 that `scores_of` reads a column by; None where it holds numbers."""
    if values.dtype != pl.String:
        return None
    different = set(_written(values).drop_nulls().unique())
    for pair in GRADE_WORDS:
        if different and different <= pair.keys():
            right, wrong = pair
            return right, wrong
    return None


def is_number(values: pl.Series) -> bool:
    """Check whether a column holds numbers or truth values, as such or as text; not one without a value."""
    if values.dtype != pl.String:
        return values.dtype.is_numeric() or values.dtype == pl.Boolean
    texts = _written(values)
    return texts.null_count() < len(texts) and _numbers(texts) is not None


def has_percent_signs(values: pl.Series) -> bool:
    """Check whether a column is read as numbers in percent; see `scores_of`."""
    return values.dtype == pl.String and is_number(values) and values.str.contains("%", literal=True).any()


def blank(values: pl.Series) -> pl.Series:
    """Mark the cells that hold nothing: null, NaN, and text of `BLANKS`."""
    if values.dtype == pl.String:
        return _written(values).is_null()
    return values.fill_nan(None).is_null() if values.dtype.is_float() else values.is_null()


def _numbers(texts: pl.Series) -> pl.Series | None:
    """Text as numbers, of which all or none are in percent; None where some text is something else."""
    rates = texts.str.ends_with("%")
    in_percent = bool(rates.any()) and rates.drop_nulls().all()
    numbers = (texts.str.strip_suffix("%").str.strip_chars() if in_percent else texts).cast(
        pl.Float64, strict=False
    )
    if numbers.null_count() != texts.null_count():
        return None
    return numbers / 100 if in_percent else numbers


def _written(values: pl.Series) -> pl.Series:
    """Text in small letters without blanks around it; null where it says that there is none."""
    texts = values.str.strip_chars().str.to_lowercase()
    return texts.set(texts.is_in(BLANKS).fill_null(False), None)
