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
    models = {str(model).strip().casefold() for model in frame["model"].drop_nulls().unique()}
    reasons: dict[str, str] = {}
    by_item: pl.DataFrame | None = None
    for column in columns:
        of_item = frame.select("item", pl.col(column).alias("value")).drop_nulls().unique()
        texts = {text.strip().casefold() for text in of_item["value"].unique()}
        if texts & models:
            reasons[column] = "its values name models"
        elif len(texts) > 1 and of_item["item"].is_unique().all():
            by_item = _scores_by_item(frame) if by_item is None else by_item
            if _follows(by_item.join(of_item, on="item")):
                reasons[column] = "it follows from the scores"
    return reasons


def _scores_by_item(frame: pl.DataFrame) -> pl.DataFrame:
    """A row per item: its ``item``, and a column of mean scores for each model, called by its number."""
    scores = frame.select(pl.col("model").rank("dense").cast(pl.String), "item", "score")
    return scores.pivot(on="model", index="item", values="score", aggregate_function="mean")


def _follows(rows: pl.DataFrame) -> bool:
    """Whether ``value`` follows from the scores of an item."""
    models = [pl.col(name) for name in rows.columns if name not in ("item", "value")]
    best = pl.max_horizontal(models)
    keys = [models, [model == best for model in models], *([model] for model in models)]
    shares = rows["value"].value_counts()["count"] / rows.height
    match = log(float((shares**2).sum()))
    for key in keys:
        groups = rows.group_by(key).agg(pl.col("value").n_unique())["value"]
        if (groups == 1).all() and (rows.height - len(groups)) * match < _BY_CHANCE:
            return True
    return _in_steps(rows.select("value", mean=pl.mean_horizontal(models)).drop_nulls())


def _in_steps(rows: pl.DataFrame) -> bool:
    """Whether each value has a range of means of its own."""
    sizes = rows["value"].value_counts()["count"].to_list()
    ranges = rows.group_by("value").agg(low=pl.col("mean").min(), high=pl.col("mean").max()).sort("low")
    if not (ranges["low"][1:] > ranges["high"][:-1]).all():
        return False
    orders = lgamma(len(sizes) + 1) + sum(lgamma(n + 1) for n in sizes) - lgamma(rows.height + 1)
    return orders < _BY_CHANCE
