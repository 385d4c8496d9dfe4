"""The table of answers: one row a model and item. Several answers to an item count once."""

from __future__ import annotations

import polars as pl

from tellapart.contrastive.benchmark import Benchmark
from tellapart.contrastive.crossing import cross_matchers, matcher_answers
from tellapart.contrastive.selection.levels import in_order
from tellapart.core.stats import mean_once

MEANS = ("correct", "top3", "top5", "expected_rank", "reciprocal_rank", "confidence_gap")

_FACTS = ("level", "path", "language", "unit_type", "options")

ITEM_SCHEMA = pl.Schema(
    {
        "model": pl.String,
        "condition": pl.String,
        "replicate": pl.Int64,
        "order": pl.Int64,
        "method": pl.String,
        "matcher": pl.String,
        "source": pl.String,
        "item": pl.String,
        "level": pl.String,
        "target": pl.String,
        "path": pl.String,
        "language": pl.String,
        "unit_type": pl.String,
        "options": pl.Int64,
        "correct": pl.Float64,
        "top3": pl.Float64,
        "top5": pl.Float64,
        "rank": pl.Int64,
        "ties": pl.Int64,
        "expected_rank": pl.Float64,
        "reciprocal_rank": pl.Float64,
        "confidence_gap": pl.Float64,
        "margin": pl.Float64,
        "best_distractor": pl.String,
        "slot": pl.Int64,
        "picked_slot": pl.Int64,
        "confidence": pl.Float64,
        "difficulty_score": pl.Float64,
        "difficulty": pl.String,
        "missing": pl.String,
        "failure": pl.String,
        "repaired": pl.Boolean,
    }
)
"""One row a model, condition, replicate and item; the rank is null just where ``missing`` gives a cause.

``order``, ``slot`` (where the target stood, from 1), ``picked_slot`` (what the model put first),
``confidence`` (as it said), ``failure`` (the kind, finer than the cause) and ``repaired`` (whether the
reply took a second attempt) are of language models, ``confidence_gap`` and ``margin`` of the others; null
elsewhere.
"""

SWAP_SCHEMA = pl.Schema(
    {
        "model": pl.String,
        "target": pl.String,
        "path": pl.String,
        "kind": pl.String,
        "true": pl.String,
        "false": pl.String,
        "preferred": pl.Float64,
        "missing": pl.String,
    }
)
"""One row a model and swap; ``preferred`` is null just where ``missing`` gives a cause."""


def groups(frame: pl.DataFrame, column: str) -> list[tuple[str, pl.DataFrame]]:
    """Groups by ``column``, ascending; levels by difficulty, see ``in_order``."""
    by_value = {str(key[0]): group for key, group in frame.group_by(column, maintain_order=True)}
    ordered = in_order(by_value) if column == "level" else sorted(by_value)
    return [(value, by_value[value]) for value in ordered]


def by_name(frame: pl.DataFrame) -> list[tuple[str, pl.DataFrame]]:
    """The rows of each model, in ascending order of names."""
    return groups(frame, "model")


def once(rows: pl.DataFrame) -> pl.DataFrame:
    """Give each item of each model one row."""
    counted = rows.with_columns(
        (pl.col("ties") > 0).fill_null(False).alias("tied"),
        pl.col("correct").fill_null(0.0).alias("low"),
        pl.col("correct").fill_null(1.0).alias("high"),
    ).select("model", "item", *_FACTS, *MEANS, "low", "high", "tied")
    if not counted.select("model", "item").is_duplicated().any():
        return counted
    # Lists, whose means are rounded once: sums by Polars differ with the threads that it cuts them for.
    listed = counted.group_by("model", "item", maintain_order=True).agg(
        *(pl.first(name) for name in _FACTS),
        *(pl.col(name).drop_nulls() for name in MEANS),
        pl.col("low", "high"),
        pl.any("tied"),
    )
    return listed.with_columns(
        pl.Series(name, [mean_once(values) for values in listed[name].to_list()], dtype=pl.Float64)
        for name in (*MEANS, "low", "high")
    )


def share_of_item(rows: pl.DataFrame) -> pl.Series:
    """What each row weighs, so that all rows of a model's item weigh 1 together."""
    return rows.select(1 / pl.len().over("model", "item")).to_series()


def item_facts(benchmark: Benchmark) -> pl.DataFrame:
    """What is known of each item before a model sees it, one row an item in the benchmark's order."""
    targets = [benchmark.units[benchmark.position[target]] for target in benchmark.sets["target"]]
    return benchmark.sets.select(
        "item",
        "level",
        "target",
        "difficulty_score",
        "difficulty",
        (pl.col("distractors").list.len() + 1).alias("options"),
    ).with_columns(
        pl.Series("path", [unit.path for unit in targets], dtype=pl.String),
        pl.Series("language", [unit.language for unit in targets], dtype=pl.String),
        pl.Series("unit_type", [unit.type for unit in targets], dtype=pl.String),
    )


def why_no_summary(benchmark: Benchmark, source: str) -> pl.Expr:
    """Say by ``target`` why a source has no summary of it, where it has none, as ``missing`` does."""
    return pl.col("target").replace_strict(
        benchmark.summary_missing(source), default="infeasible", return_dtype=pl.String
    )


def score_rows(items: pl.DataFrame) -> pl.DataFrame:
    """Item rows as a score table: the reciprocal rank of the target, clustered on the file."""
    return items.select(
        "model",
        "item",
        pl.col("reciprocal_rank").alias("score"),
        "missing",
        "replicate",
        pl.col("path").alias("cluster"),
        pl.col("level").alias("difficulty"),
        "language",
        "unit_type",
    )


def compared_rows(items: pl.DataFrame) -> pl.DataFrame:
    """Give the score table of a run: what is compared is whatever there are several of."""
    if items["source"].n_unique() < 2 or items["matcher"].n_unique() < 2:
        return score_rows(items)
    facts = items.select("item", "level", "language", "unit_type").unique()
    crossed = cross_matchers(matcher_answers(items, "reciprocal_rank"))
    return crossed.join(facts, left_on="part", right_on="item", how="left", maintain_order="left").select(
        pl.col("writer").alias("model"),
        pl.col("part").alias("item"),
        "score",
        "missing",
        pl.lit(0, pl.Int64).alias("replicate"),
        pl.col("path").alias("cluster"),
        pl.col("level").alias("difficulty"),
        "language",
        "unit_type",
    )


def model_label(matcher: str, source: str, several_matchers: bool, several_sources: bool) -> str:
    """Name what is compared: matcher, source of summaries, or both, whichever there are several of."""
    if not several_sources:
        return matcher
    return f"{source} | {matcher}" if several_matchers else source
