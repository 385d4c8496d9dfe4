"""One score for each writer and unit, from a run of judges."""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl

from tellapart.contrastive.evidence_kinds import JUDGE, kind_of
from tellapart.contrastive.judging.criteria import LEAST, MOST, PAIRWISE, POINTWISE
from tellapart.contrastive.judging.families import is_same_family
from tellapart.contrastive.judging.figures import adjusted, unit_shares
from tellapart.contrastive.judging.judgements import COUNTS, both_orders
from tellapart.errors import InputError
from tellapart.store import RunDirectory


def judge_evidence(run: RunDirectory, method: str | None = None) -> pl.DataFrame:
    """Give what judges that count say of each writer's summary of each unit."""
    if kind_of(run) != JUDGE:
        raise InputError(
            "this is not a run of judges", where=run.path, next_step="Make one with 'contrastive judge BENCH'"
        )
    methods = run.record.config["methods"]
    chosen = methods[0] if method is None else method
    if chosen not in methods:
        raise InputError(f"this run has no {chosen} verdicts, only {', '.join(methods)}", where=run.path)
    judgements = run.frame("judgements.parquet").filter(counted=COUNTS)
    if chosen == POINTWISE:
        scored = judgements.filter(pl.col("method") == POINTWISE, pl.col("score").is_not_null())
        scores = adjusted(scored, "score").with_columns((pl.col("score") - LEAST) / (MOST - LEAST))
    else:
        orders = both_orders(judgements.filter(method=PAIRWISE))
        scores = unit_shares(orders.filter(pl.col("missing").is_null()))
    return _with_missing(run, chosen, scores)


def own_writers(run: RunDirectory, writers: Sequence[str]) -> dict[str, tuple[str, ...]]:
    """Give the writers for whom each judge of a run does not count, being of its own family; by judge."""
    families = run.record.config["families"]
    return {
        judge["model"]: tuple(name for name in writers if is_same_family(judge["model"], name, families))
        for judge in run.record.config["judges"]
    }


def _with_missing(run: RunDirectory, method: str, scores: pl.DataFrame) -> pl.DataFrame:
    everyone = run.frame("judgements.parquet").filter(method=method).select("writer", "target", "path")
    table = run.frame("scores.parquet").filter(method=method)
    listed = table.select("target", writer=pl.col("model"), path=pl.col("cluster"))
    causes = table.filter(pl.col("missing").is_not_null()).group_by("model", "target").agg(pl.min("missing"))
    pairs = pl.concat([everyone, listed.select("writer", "target", "path")]).unique().sort("writer", "target")
    joined = pairs.join(scores, on=["writer", "target", "path"], how="left", maintain_order="left").join(
        causes.rename({"model": "writer"}), on=["writer", "target"], how="left", maintain_order="left"
    )
    return joined.select(
        "writer",
        pl.col("target").alias("unit"),
        "path",
        "score",
        pl.when(pl.col("score").is_null())
        .then(pl.coalesce("missing", pl.lit("judge")))
        .otherwise(None)
        .alias("missing"),
    )
