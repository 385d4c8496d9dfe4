"""Rows that sum the others up, as spreadsheets have them at the foot: they are no items."""

from __future__ import annotations

import polars as pl

_SUMMARY = (
    r"\b(mean|average|avg|overall|(sub|grand )?totals?|sum|std|stdev|sd|stderr|variance|median|all"
    r"|accuracy|score|pass rate)\b"
)
_ROUNDED = 0.0051


def rounding(scores: pl.Series) -> float:
    """How far a mean of scores may be off that somebody rounded.

    Two decimals are usual where the greatest score, without its sign, is from 0.1 to 1,000. Below, a mean is
    given with decimals in proportion, and above, with six digits.
    """
    greatest = scores.filter(scores.is_finite()).cast(pl.Float64).abs().max()
    size = greatest if isinstance(greatest, float) else 0.0
    return _ROUNDED * (size / 1000 if size > 1000 else min(1.0, 10 * size))


def without_summary_rows(frame: pl.DataFrame, name: str) -> tuple[pl.DataFrame, list[str]]:
    """Leave out rows that are named like a summary, or not at all, and whose scores can be nothing else.

    They hold each model's mean or sum, and that is no score that the model has elsewhere; or they hold
    fractions where all other scores are 0 and 1. An item that is merely called ``mean`` stays.
    """
    if frame["item"].dtype.is_nested() or frame["model"].dtype.is_nested():
        # Nobody's items or models; whoever reads the columns says so.
        return frame, []
    label = frame["item"].cast(pl.String, strict=False).str.strip_chars().str.to_lowercase().fill_null("")
    named = (label == "") | label.str.contains(_SUMMARY)
    if not named.any() or named.all() or not frame["score"].dtype.is_numeric():
        return frame, []
    rows = frame.select("model", pl.col("score").cast(pl.Float64)).with_columns(label=label, named=named)
    others = rows.filter(~pl.col("named") & pl.col("score").is_finite())
    totals = others.group_by("model").agg(
        mean=pl.col("score").mean(), sum=pl.col("score").sum(), usual=pl.col("score").unique()
    )
    held = rows.filter(pl.col("named") & pl.col("score").is_not_null()).join(totals, on="model", how="left")
    off = rounding(others["score"])
    score, mean, total = pl.col("score"), pl.col("mean"), pl.col("sum")
    held = held.with_columns(
        sums_up=((score - mean).abs() <= off) | ((score - total).abs() <= 0.01 * total.abs()),
        unusual=~score.is_in(pl.col("usual")),
    )
    graded = not set(others["score"].unique()) <= {0.0, 1.0}
    fits = held.group_by("label").agg(
        gone=(pl.col("sums_up").all() & pl.col("unusual").any())
        | (pl.lit(not graded) & pl.col("unusual").any() & (pl.col("label") != "").any())
    )
    gone = fits.filter("gone")["label"].sort().to_list()
    if not gone:
        return frame, []
    shown = ", ".join(repr(row_label) if row_label else "one without a name" for row_label in gone)
    rows_are = "a row that sums the others up is" if len(gone) == 1 else "rows that sum others up are"
    return frame.filter(~(named & label.is_in(gone))), [f"{name}: {rows_are} left out: {shown}."]
