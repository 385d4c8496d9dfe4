"""Judgements: the one frame of all verdicts, and what it says of single summaries and of pairs."""

from __future__ import annotations

import polars as pl

from tellapart.writers.evidence import group_means

WEIGHTS = {
    "accuracy": 0.25,
    "completeness": 0.20,
    "semantic_richness": 0.25,
    "abstraction": 0.15,
    "conciseness": 0.15,
}
"""The five criteria, and what each weighs in a summary's score."""

LEAST, MOST = 1, 5
"""Ends of the scale of each criterion."""

POINTWISE, PAIRWISE = "pointwise", "pairwise"

JUDGEMENTS = pl.Schema(
    {
        **dict.fromkeys(("judge", "method", "target", "path", "writer", "opponent"), pl.String),
        **dict.fromkeys(WEIGHTS, pl.Int64),
        "score": pl.Float64,
        **dict.fromkeys(("reasoning", "missing", "failure"), pl.String),
        "repaired": pl.Boolean,
    }
)
"""One row a judge and showing, and one for each summary that there is not, where ``repaired`` is null.

``score`` is null just where ``missing`` gives the cause. It is pointwise the weighted score of the five
criteria, from 1 to 5; pairwise what ``writer``, whose summary stood first, gets against ``opponent``: 1 for a
win, 0.5 for a tie, 0 for a loss.
"""

POINTS = {"first": 1.0, "tie": 0.5, "second": 0.0}


def as_share(score: pl.Expr) -> pl.Expr:
    """Put scores from 1 to 5 on the scale from 0 to 1."""
    return (score - LEAST) / (MOST - LEAST)


def both_orders(judgements: pl.DataFrame) -> pl.DataFrame:
    """Join the two orders of each pair: what ``a``, the first by name, gets first and second."""
    keys = ["judge", "target", "writer", "opponent"]
    pairs = judgements.filter(method=PAIRWISE)
    second = pairs.filter(pl.col("writer") > pl.col("opponent"))
    joined = pairs.filter(pl.col("writer") < pl.col("opponent")).join(
        second.select(*keys, "score", "missing"),
        left_on=keys,
        right_on=["judge", "target", "opponent", "writer"],
        how="left",
        maintain_order="left",
        suffix="_second",
    )
    return joined.select(
        "judge",
        "target",
        "path",
        a=pl.col("writer"),
        b=pl.col("opponent"),
        a_first=pl.col("score"),
        a_second=1 - pl.col("score_second"),
        missing=pl.coalesce("missing", "missing_second"),
    )


def point_shares(orders: pl.DataFrame, *keys: str) -> pl.DataFrame:
    """Give each writer's share of the points on each unit, in which each opponent weighs the same."""
    share = pl.when(pl.col("missing").is_null()).then((pl.col("a_first") + pl.col("a_second")) / 2)
    sides = [
        orders.select(
            *keys, "target", "path", "missing", writer=pl.col(side), opponent=pl.col(other), score=points
        )
        for side, other, points in (("a", "b", share), ("b", "a", 1 - share))
    ]
    unit = [*keys, "writer", "target", "path"]
    against = group_means(pl.concat(sides), [*unit, "opponent"], ["score"])
    return group_means(against, unit, ["score"])


def judge_scores(judgements: pl.DataFrame) -> pl.DataFrame:
    """Give the verdicts as a score table has them."""
    columns = ["judge", "method", "writer", "target", "path", "score", "missing"]
    pointwise = judgements.filter(method=POINTWISE).with_columns(as_share(pl.col("score")))
    shares = point_shares(both_orders(judgements), "judge").with_columns(method=pl.lit(PAIRWISE))
    absent = judgements.filter(pl.col("repaired").is_null(), method=PAIRWISE)
    pairwise = pl.when(pl.col("method") == PAIRWISE).then(pl.lit(f" | {PAIRWISE}")).otherwise(pl.lit(""))
    return pl.concat(part.select(columns) for part in (pointwise, shares, absent)).select(
        pl.col("writer").alias("model"),
        (pl.format("{} | {}", "target", "judge") + pairwise).alias("item"),
        "score",
        "missing",
        pl.col("path").alias("cluster"),
        "target",
        "judge",
        "method",
    )
