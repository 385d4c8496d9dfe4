"""pass^k: how likely k answers of a model to an item are all right, where there are k answers or more."""

from __future__ import annotations

from dataclasses import replace
from math import comb

import polars as pl

from tellapart.core.record import Record
from tellapart.core.scores import FIXED, ScoreTable
from tellapart.core.stats.intervals import clustered_mean
from tellapart.errors import InputError, UsageError, option, option_name


class PassOfModel(Record):
    """How steadily a model is right.

    Attributes:
        mean: Of pass^k over items.
        interval: Of it, at 95 %, over items and their sources; None where there is none.
        items: With k answers or more.
        unsteady: Of these, those that were answered both right and wrong; in ascending order.
    """

    mean: float
    interval: tuple[float, float] | None
    items: int
    unsteady: tuple[str, ...]


class PassK(Record):
    """pass^k of every model."""

    k: int
    models: dict[str, PassOfModel]


def pass_k_of(table: ScoreTable, k: int) -> tuple[ScoreTable, PassK]:
    """Score each item by the chance that k answers are all right; items with fewer answers are missing.

    Source:
        Yao et al. 2024, "τ-bench", pass^k: of n answers, c of them right, C(c, k) / C(n, k), which is
        unbiased for the chance that k fresh answers are all right.
    """
    if k < 2:
        raise UsageError(f"{option_name('pass_k')} is {k}, expected 2 or more")
    if "human" in table.frame.columns:
        raise UsageError(
            f"people labelled single answers, which says nothing about {k} in a row",
            next_step=f"Leave out {option_name('human')} and the column 'human', or {option_name('pass_k')}",
        )
    answers = table.frame.filter(pl.col("score").is_not_null())
    graded = answers.filter(~pl.col("score").is_in([0.0, 1.0]))
    if len(graded):
        model, item, score = graded.select("model", "item", "score").row(0)
        raise InputError(
            f"pass^{k} takes answers that are right or wrong, and {model} has {score:g} on {item}",
            next_step="Give scores of 0 and 1",
        )
    strata = [name for name in table.frame.columns if name not in FIXED]
    items = table.frame.group_by("model", "item", maintain_order=True).agg(
        pl.col("score").sum().cast(pl.Int64).alias("right"),
        pl.col("score").count().alias("answers"),
        pl.col("missing").drop_nulls().first(),
        pl.col("cluster", *strata).first(),
    )
    most = max(items["answers"].to_list(), default=0)
    if most < k:
        raise InputError(
            f"no item has {k} answers of one model; the most are {most}",
            next_step=f"Answer items several times, or give files that repeat each other with "
            f"{option('replicates')}",
        )
    ways = [
        comb(right, k) / comb(n, k) if n >= k else None
        for right, n in items.select("right", "answers").iter_rows()
    ]
    scored = items.with_columns(pl.Series("score", ways, dtype=pl.Float64))
    cause = pl.when(pl.col("score").is_null()).then(pl.col("missing").fill_null("too few answers"))
    frame = scored.with_columns(cause.alias("missing")).drop("right", "answers")
    known = scored.drop_nulls("score")
    models = {name: _of_model(of) for (name,), of in known.group_by("model", maintain_order=True)}
    changed = ScoreTable.from_frame(frame, notes=table.notes)
    return replace(changed, limits=table.limits), PassK(k=k, models=models)


def _of_model(items: pl.DataFrame) -> PassOfModel:
    estimate = clustered_mean(items["score"].to_list(), items["cluster"].to_list())
    unsteady = items.filter(pl.col("right").is_between(1, pl.col("answers") - 1))
    return PassOfModel(
        mean=estimate.value or 0.0,
        interval=estimate.interval and (max(0.0, estimate.interval.low), min(1.0, estimate.interval.high)),
        items=len(items),
        unsteady=tuple(unsteady["item"].sort()),
    )
