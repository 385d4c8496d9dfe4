"""Columns that are outcomes of the scores; to group items by one would choose groups by their result."""

from __future__ import annotations

from collections.abc import Sequence
from math import lgamma, log

import polars as pl

_BY_CHANCE = log(1e-6)
"""Below this log-probability it is no accident that a column fits the scores."""


def outcome_columns(frame: pl.DataFrame, columns: Sequence[str]) -> dict[str, str]:
    """Find the columns of text that say how the models did, and not what the items are.

    Such a column has models among its values, as a column of winners does; or it follows from the scores
    without an exception: from those of all models, from one model's, from who is best, or from their mean in
    steps, as a difficulty that was computed from them does. Items whose scores differ from those of all
    others show nothing, so a column is kept where its fit might be an accident, as with few items.
    """
    names = {str(model).strip().casefold() for model in frame["model"].drop_nulls().unique()}
    models = pl.col("model").rank("dense").cast(pl.String)
    scores = frame.select(models, "item", "score") if columns else frame.clear()
    by_item = scores.pivot(on="model", index="item", values="score", aggregate_function="mean")
    reasons: dict[str, str] = {}
    for column in columns:
        of_item = frame.select("item", pl.col(column).alias("value")).drop_nulls().unique()
        texts = {text.strip().casefold() for text in of_item["value"].unique()}
        if texts & names:
            reasons[column] = "its values name models"
        elif (
            len(texts) > 1
            and of_item["item"].is_unique().all()
            and _follows(by_item.join(of_item, on="item"))
        ):
            reasons[column] = "it follows from the scores"
    return reasons


def _follows(rows: pl.DataFrame) -> bool:
    """Whether ``value`` follows from the scores of an item."""
    models = [pl.col(name) for name in rows.columns if name not in ("item", "value")]
    best = pl.max_horizontal(models)
    sizes = rows["value"].value_counts()["count"]
    match = log(float(((sizes / rows.height) ** 2).sum()))
    for key in [models, [model == best for model in models], *([model] for model in models)]:
        groups = rows.group_by(key).agg(pl.col("value").n_unique())["value"]
        if (groups == 1).all() and (rows.height - len(groups)) * match < _BY_CHANCE:
            return True
    means = rows.select("value", mean=pl.mean_horizontal(models)).drop_nulls()
    ranges = means.group_by("value").agg(n=pl.len(), low=pl.col("mean").min(), high=pl.col("mean").max())
    ranges = ranges.sort("low")
    orders = lgamma(ranges.height + 1) + sum(lgamma(n + 1) for n in ranges["n"]) - lgamma(means.height + 1)
    return bool((ranges["low"][1:] > ranges["high"][:-1]).all()) and orders < _BY_CHANCE
