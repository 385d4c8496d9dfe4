"""Why answers to items are missing: for want of a summary, or since a model failed to give them."""

from __future__ import annotations

import polars as pl

from tellapart.contrastive.page.record import View
from tellapart.report.missing_reasons import reasons

NO_SUMMARY = "no summary, so not asked"


def reasons_of(view: View, model: str) -> list[tuple[str, str | None, int]]:
    """Count why answers of a model are missing, as ``tellapart.report.missing_reasons.reasons`` does.

    A language model is not asked about a target without a summary: what happened is then ``NO_SUMMARY``.
    """
    rows = view.items.filter(pl.col("model") == model)
    if model in view.llms:
        # Whoever was asked was shown the target in a slot.
        unasked = pl.col("slot").is_null()
        rows = rows.with_columns(
            pl.when(unasked).then(pl.lit(NO_SUMMARY)).otherwise("failure").alias("failure")
        )
    return reasons(rows)
