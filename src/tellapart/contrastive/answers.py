"""Answers: where each model ranks the target of an item, under its summary and under the controls."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Literal

import numpy as np
import polars as pl

from tellapart.contrastive.benchmark import Benchmark
from tellapart.contrastive.selection.levels import POOL, in_order
from tellapart.contrastive.summaries import identifier_summary
from tellapart.contrastive.swaps import Swap, swaps_of
from tellapart.core.randomness import generator
from tellapart.core.ranking import OptionRanks
from tellapart.embed.lineups import Lineups
from tellapart.embed.protocol import Matcher
from tellapart.embed.similarity import embed

Ends = tuple[float, float]
"""The low and the high end of an interval."""

Condition = Literal["summary", "identifier", "shuffled"]

CONTROLS: tuple[Condition, ...] = ("identifier", "shuffled")
"""Questions that check the evaluation itself: the words of the target's name, and another unit's summary."""

SHUFFLES = 5
"""Foreign summaries that each item is asked with: one alone is mostly noise."""

ITEM_SCHEMA = pl.Schema(
    {
        **dict.fromkeys(("model", "condition"), pl.String),
        **dict.fromkeys(("replicate", "order"), pl.Int64),
        **dict.fromkeys(("method", "matcher", "source", "item", "level"), pl.String),
        "target": pl.Int64,
        **dict.fromkeys(("path", "language", "unit_type"), pl.String),
        "options": pl.Int64,
        **dict.fromkeys(("correct", "top3", "top5"), pl.Float64),
        **dict.fromkeys(("rank", "ties"), pl.Int64),
        **dict.fromkeys(("expected_rank", "reciprocal_rank", "confidence_gap", "margin"), pl.Float64),
        **dict.fromkeys(("best_distractor", "slot", "picked_slot"), pl.Int64),
        **dict.fromkeys(("confidence", "difficulty_score"), pl.Float64),
        **dict.fromkeys(("difficulty", "missing", "failure"), pl.String),
        "repaired": pl.Boolean,
    }
)
"""One row a model, condition, replicate and item; the rank is null just where ``missing`` gives a cause.

``target`` and ``best_distractor`` are numbers of units. ``order``, ``slot`` (the target's, from 1),
``picked_slot`` (what the model put first), ``confidence`` (as it said), ``failure`` (finer than the cause)
and ``repaired`` (by a second attempt) are of language models, ``confidence_gap`` and ``margin`` of others.
"""

SWAP_SCHEMA = pl.Schema(
    {
        "model": pl.String,
        "target": pl.Int64,
        **dict.fromkeys(("path", "kind", "true", "false"), pl.String),
        "preferred": pl.Float64,
        "missing": pl.String,
    }
)
"""One row a model and swap; ``preferred`` is null just where ``missing`` gives a cause."""


def answer(
    benchmark: Benchmark,
    matcher: Matcher,
    *,
    several_matchers: bool = True,
    controls: Sequence[Condition] = CONTROLS,
) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Let a matcher answer all items with each source's summaries, and their controls and swaps.

    What is compared is the matcher when there is one source, the source when there is one matcher, else both.
    """
    items, swaps = [], [SWAP_SCHEMA.to_frame()]
    for source in benchmark.sources:
        label = model_label(matcher.name, source, several_matchers, len(benchmark.sources) > 1)
        asked = pl.concat(queries(benchmark, condition, source) for condition in ("summary", *controls))
        items.append(match(benchmark, matcher, asked, model=label, source=source))
        if controls:
            swaps.append(match_swaps(benchmark, matcher, swaps_of(benchmark, source), model=label))
    return pl.concat(items), pl.concat(swaps)


def queries(benchmark: Benchmark, condition: Condition, source: str) -> pl.DataFrame:
    """The text that each item is asked with, null where there is none; a pool has no ``shuffled`` query."""
    texts = benchmark.texts[source]
    by_row = [texts.get(unit.id) for unit in benchmark.units]
    sets = benchmark.sets.with_row_index("number").select("number", "item", "level", "target", "distractors")
    if condition == "summary":
        texts_by_replicate = [[by_row[target] for target in sets["target"]]]
    elif condition == "identifier":
        texts_by_replicate = [[identifier_summary(benchmark.units[target]) for target in sets["target"]]]
    else:
        sets = sets.filter(pl.col("level") != POOL.name)
        texts_by_replicate = list(_foreign(sets, by_row, benchmark.header.seed))
    return pl.concat(
        sets.select(
            "number",
            "item",
            condition=pl.lit(condition),
            replicate=pl.lit(replicate, pl.Int64),
            query=pl.Series(chosen, dtype=pl.String),
        )
        for replicate, chosen in enumerate(texts_by_replicate)
    )


def _foreign(sets: pl.DataFrame, texts: Sequence[str | None], seed: int) -> Iterator[list[str | None]]:
    """For each draw, texts about targets that describe none of the item's options."""
    distinct = sorted({text for target in sets["target"] if (text := texts[target]) is not None})
    rows = list(sets.select("item", "target", "distractors").iter_rows())
    described = [{texts[unit] for unit in (target, *distractors)} for _, target, distractors in rows]
    for draw in range(SHUFFLES):
        chosen = []
        for (item, _, _), own in zip(rows, described, strict=True):
            order = generator(seed, "shuffled", str(draw), item).permutation(len(distinct))
            chosen.append(next((distinct[i] for i in order if distinct[i] not in own), None))
        yield chosen


def match(
    benchmark: Benchmark, matcher: Matcher, asked: pl.DataFrame, *, model: str, source: str
) -> pl.DataFrame:
    """Let a matcher rank the options of the items that are asked; see ``queries``."""
    feasible = asked.filter(pl.col("query").is_not_null())
    flat, offsets = benchmark.options()
    units, document = np.unique(flat, return_inverse=True)
    distinct = feasible["query"].unique(maintain_order=True)
    whole = Lineups(np.zeros(len(offsets) - 1, dtype=np.int64), document, offsets)
    lineups = whole.take(feasible["number"].cast(pl.Int64).to_numpy())
    number = dict(zip(distinct, range(len(distinct)), strict=True))
    query = np.array([number[text] for text in feasible["query"]], dtype=np.int64)
    lineups = Lineups(query, lineups.options, lineups.offsets)
    contents = [benchmark.units[unit].content for unit in units]
    ranking = lineups.rank(embed(matcher, distinct.to_list(), contents).similarity)
    best = units[lineups.options[ranking.best_distractor]]
    key = ["number", "condition", "replicate"]
    answers = pl.concat([feasible.select(key), rank_columns(ranking, best)], how="horizontal")
    return with_facts(
        benchmark,
        asked.join(answers, on=key, how="left", maintain_order="left"),
        model=model,
        method="embedding",
        matcher=matcher.name,
        source=source,
    )


def rank_columns(ranking: OptionRanks, best_distractor: np.ndarray) -> pl.DataFrame:
    """A ranking as columns of ``ITEM_SCHEMA``."""
    return pl.DataFrame(
        {
            "correct": ranking.top(1),
            "top3": ranking.top(3),
            "top5": ranking.top(5),
            "rank": ranking.rank,
            "ties": ranking.ties,
            "expected_rank": ranking.expected_rank,
            "reciprocal_rank": ranking.reciprocal_rank,
            "confidence_gap": ranking.confidence_gap,
            "margin": ranking.margin,
            "best_distractor": best_distractor,
        },
        schema_overrides={"best_distractor": pl.Int64},
    )


def with_facts(
    benchmark: Benchmark, answers: pl.DataFrame, *, model: str, method: str, matcher: str, source: str
) -> pl.DataFrame:
    """Give answers the facts of their items, the causes of what is missing, and all of ``ITEM_SCHEMA``."""
    causes = benchmark.summary_missing(source)
    by_row = {benchmark.position[unit]: cause for unit, cause in causes.items()}
    # A control lacks its query for reasons of its own.
    no_query = (
        pl.when(pl.col("condition") == "summary")
        .then(pl.col("target").replace_strict(by_row, default="infeasible", return_dtype=pl.String))
        .otherwise(pl.lit("infeasible"))
    )
    stated = ["missing"] if "missing" in answers.columns else []
    rows = answers.join(item_facts(benchmark), on="item", how="left", maintain_order="left").with_columns(
        model=pl.lit(model),
        method=pl.lit(method),
        matcher=pl.lit(matcher),
        source=pl.lit(source),
        missing=pl.when(pl.col("rank").is_null()).then(pl.coalesce(*stated, no_query)),
    )
    return rows.select(
        (pl.col(name) if name in rows.columns else pl.lit(None).alias(name)).cast(kind)
        for name, kind in ITEM_SCHEMA.items()
    )


def item_facts(benchmark: Benchmark) -> pl.DataFrame:
    """What is known of each item before a model sees it, one row an item in the benchmark's order."""
    targets = [benchmark.units[target] for target in benchmark.sets["target"]]
    return benchmark.sets.select(
        "item",
        "level",
        "target",
        "difficulty_score",
        "difficulty",
        options=pl.col("distractors").list.len() + 1,
        path=pl.Series([unit.path for unit in targets], dtype=pl.String),
        language=pl.Series([unit.language for unit in targets], dtype=pl.String),
        unit_type=pl.Series([unit.type for unit in targets], dtype=pl.String),
    )


def match_swaps(benchmark: Benchmark, matcher: Matcher, swaps: Sequence[Swap], *, model: str) -> pl.DataFrame:
    """Score the true and the false twin of each swapped summary against the target's code."""
    texts = [text for swap in swaps for text in (swap.true, swap.false)]
    units = [benchmark.units[swap.target] for swap in swaps]
    pairs = np.arange(len(texts))
    flat = matcher.score_pairs(texts, [unit.content for unit in units], pairs, pairs // 2) if swaps else pairs
    scores = flat.reshape(-1, 2)
    return pl.DataFrame(
        {
            "model": [model] * len(swaps),
            "target": [swap.target for swap in swaps],
            "path": [unit.path for unit in units],
            "kind": [swap.kind for swap in swaps],
            "true": [swap.true for swap in swaps],
            "false": [swap.false for swap in swaps],
            "preferred": (np.sign(scores[:, 0] - scores[:, 1]) + 1) / 2,
            "missing": [None] * len(swaps),
        },
        schema=SWAP_SCHEMA,
    )


MEANS = ("correct", "top3", "top5", "expected_rank", "reciprocal_rank", "confidence_gap")

_FACTS = ("level", "path", "language", "unit_type", "options")


def once(rows: pl.DataFrame) -> pl.DataFrame:
    """Give each item of each model one row: the means over its answers, and ``correct`` at worst and best."""
    counted = rows.select(
        "model",
        "item",
        *_FACTS,
        *MEANS,
        low=pl.col("correct").fill_null(0.0),
        high=pl.col("correct").fill_null(1.0),
        tied=(pl.col("ties") > 0).fill_null(False),
    )
    if not counted.select("model", "item").is_duplicated().any():
        return counted
    return counted.group_by("model", "item", maintain_order=True).agg(
        pl.first(*_FACTS), *map(steady_mean, (*MEANS, "low", "high")), pl.any("tied")
    )


def steady_mean(column: str) -> pl.Expr:
    """The mean of a group, in the same bits whatever the order of its rows; nulls are left out."""
    return pl.col(column).sort().mean()


def groups(frame: pl.DataFrame, column: str) -> list[tuple[str, pl.DataFrame]]:
    """Groups by ``column``, ascending; levels by difficulty, see ``in_order``."""
    by_value = {str(key[0]): group for key, group in frame.group_by(column, maintain_order=True)}
    ordered = in_order(by_value) if column == "level" else sorted(by_value)
    return [(value, by_value[value]) for value in ordered]


def by_name(frame: pl.DataFrame) -> list[tuple[str, pl.DataFrame]]:
    """The rows of each model, in ascending order of names."""
    return groups(frame, "model")


_SCORE_FACTS = {"cluster": "path", "difficulty": "level", "language": "language", "unit_type": "unit_type"}


def score_rows(items: pl.DataFrame) -> pl.DataFrame:
    """Answers as a score table: the reciprocal rank of the target, clustered on the file."""
    facts: Mapping[str, pl.Expr] = {name: pl.col(column) for name, column in _SCORE_FACTS.items()}
    return items.select(
        "model", "item", score="reciprocal_rank", missing="missing", replicate="replicate", **facts
    )


def compared_rows(items: pl.DataFrame) -> pl.DataFrame:
    """Give the score table of a run: what is compared is whatever there are several of."""
    if items["source"].n_unique() < 2 or items["matcher"].n_unique() < 2:
        return score_rows(items)
    facts = [pl.first("path", "level", "language", "unit_type"), pl.min("missing")]
    by_item = items.group_by("source", "item", "matcher").agg(*facts, steady_mean("reciprocal_rank"))
    # An item counts for a writer only where every matcher has a score.
    score = pl.when(pl.col("reciprocal_rank").null_count() == 0).then(steady_mean("reciprocal_rank"))
    crossed = by_item.group_by("source", "item").agg(*facts, score.alias("score")).sort("source", "item")
    return crossed.select(
        model="source",
        item="item",
        score="score",
        missing=pl.when(pl.col("score").is_null()).then("missing"),
        replicate=pl.lit(0, pl.Int64),
        **{name: pl.col(column) for name, column in _SCORE_FACTS.items()},
    )


def model_label(matcher: str, source: str, several_matchers: bool, several_sources: bool) -> str:
    """Name what is compared: matcher, source of summaries, or both, whichever there are several of."""
    if not several_sources:
        return matcher
    return f"{source} | {matcher}" if several_matchers else source
