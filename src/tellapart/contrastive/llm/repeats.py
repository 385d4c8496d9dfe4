"""How often a language model changes its mind when it is asked again, as before or in another order."""

from __future__ import annotations

import polars as pl

from tellapart.contrastive.figures import Figures, interval
from tellapart.core.stats import clustered_rate, mean_once

PICK = pl.when(pl.col("correct") == 1).then("target").otherwise("best_distractor")
"""The option that a language model put first, by its id, wherever it stood."""


def flip_figures(rows: pl.DataFrame) -> tuple[Figures | None, Figures | None]:
    """How often a model picks another option when it is asked the same item again.

    Args:
        rows: Of ``ITEM_SCHEMA``, of one language model under one condition.

    Returns:
        Over two askings in the same order, and over two in different orders; each None where no item was
        scored in two such askings. ``items`` counts items that were. ``flip_rate`` is the share of these in
        which any two such askings end in different picks, right or wrong, with Wilson's interval ``ci``,
        clustered on the file; it grows with the number of askings. ``disagreement`` does not: the mean over
        items of the share of pairs of askings whose picks differ. Which of two askings came first does not
        matter.
    """
    scored = rows.filter(pl.col("correct").is_not_null()).with_columns(PICK.alias("pick"))
    within = _pairs(scored, ["item", "order"]).group_by("item").agg(pl.sum("pairs", "alike"))
    across = _pairs(scored, ["item"]).join(within, on="item", suffix="_within")
    across = across.select(
        "item", pl.col("pairs") - pl.col("pairs_within"), pl.col("alike") - pl.col("alike_within")
    )
    paths = scored.group_by("item").agg(pl.first("path"))
    return _rate(within.join(paths, on="item")), _rate(across.join(paths, on="item"))


def _pairs(scored: pl.DataFrame, together: list[str]) -> pl.DataFrame:
    """Pairs of askings that share the columns ``together``, and those among them with the same pick."""
    counts = scored.group_by(*together, "pick").len()
    two_of = pl.col("len") * (pl.col("len") - 1) // 2
    alike = counts.with_columns(two_of.alias("alike")).group_by(together).agg(pl.sum("len", "alike"))
    return alike.with_columns(two_of.alias("pairs"))


def _rate(items: pl.DataFrame) -> Figures | None:
    asked = items.filter(pl.col("pairs") > 0).sort("item")
    if asked.is_empty():
        return None
    differ = 1 - asked["alike"].to_numpy() / asked["pairs"].to_numpy()
    rate = clustered_rate(differ > 0, asked["path"].to_numpy())
    return {
        "items": asked.height,
        "flip_rate": rate.rate,
        "ci": interval(rate.interval),
        "disagreement": mean_once(differ),
    }
