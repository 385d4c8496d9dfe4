"""Rows that hold the means or sums of the others, as spreadsheets have them at the foot."""

from __future__ import annotations

import polars as pl

_NAMES = (
    *("mean", "average", "avg", "avg.", "overall", "overall average", "overall mean", "macro average"),
    *("macro avg", "total", "totals", "sum", "all", "score", "accuracy", "grand total"),
)
_ROUNDED = 0.0051
"""So far may a mean be from that of the others: two decimals are usual."""


def without_summary_rows(frame: pl.DataFrame, name: str) -> tuple[pl.DataFrame, list[str]]:
    """Leave out rows without an item, or named like a summary, that hold each model's mean or sum.

    An item that is merely called ``mean`` stays, for its scores are not the means.

    Args:
        frame: ``model``, ``item`` and ``score``, a number.
        name: What messages call the file.

    Returns:
        The frame without them, and a note on what was left out.
    """
    label = frame["item"].cast(pl.String, strict=False).str.strip_chars().str.to_lowercase()
    named = label.is_null() | label.is_in(["", *_NAMES])
    if not named.any() or not frame["score"].dtype.is_numeric():
        return frame, []
    rows = frame.select("model", "score").with_columns(label=label.fill_null(""), named=named)
    others = rows.filter(~pl.col("named") & pl.col("score").is_finite()).group_by("model")
    totals = others.agg(mean=pl.col("score").mean(), sum=pl.col("score").sum())
    near = [
        (pl.col("score") - pl.col(of)).abs() <= _ROUNDED * pl.max_horizontal(1.0, pl.col(of).abs() * scale)
        for of, scale in (("mean", 0.0), ("sum", 0.01))
    ]
    held = rows.filter("named").join(totals, on="model", how="left")
    fits = held.group_by("label").agg(
        *(near[i].fill_null(False).all().alias(of) for i, of in enumerate(("means", "sums"))),
        several=pl.len() > 1,
    )
    summaries = fits.filter((pl.col("means") | pl.col("sums")) & pl.col("several"))
    if summaries.is_empty():
        return frame, []
    gone = rows["named"] & rows["label"].is_in(summaries["label"].to_list())
    shown = ", ".join(repr(one) if one else "one without a name" for one in sorted(summaries["label"]))
    what = "means" if summaries["means"].all() else "sums"
    return frame.filter(~gone), [f"{name}: a row that holds the {what} of the others is left out: {shown}."]
