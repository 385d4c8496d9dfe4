"""Embedding models put to the test: where each one ranks the target among its item's options."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import polars as pl

from tellapart.contrastive.benchmark import Benchmark
from tellapart.contrastive.controls import CONTROLS, Condition, queries
from tellapart.contrastive.item_table import ITEM_SCHEMA, SWAP_SCHEMA, item_facts, model_label, why_no_summary
from tellapart.contrastive.swaps import Swap, swaps_of
from tellapart.core.arrays import I64
from tellapart.core.ranking import Ranking
from tellapart.embed.lineups import Lineups
from tellapart.embed.protocol import Matcher
from tellapart.embed.similarity import embed


def answer(
    benchmark: Benchmark,
    matcher: Matcher,
    *,
    several_matchers: bool = True,
    controls: Sequence[Condition] = CONTROLS,
) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Rows of one matcher: items under all conditions, and swaps, for each source of summaries.

    What is compared is the matcher when there is one source, the source when there is one matcher, else both.
    """
    items, swaps = [], []
    for source in benchmark.sources:
        label = model_label(matcher.name, source, several_matchers, len(benchmark.sources) > 1)
        conditions: tuple[Condition, ...] = ("summary", *controls)
        texts_of = {condition: queries(benchmark, condition, source) for condition in conditions}
        items.append(match(benchmark, matcher, texts_of, model=label, source=source))
        if controls:
            swaps.append(match_swaps(benchmark, matcher, swaps_of(benchmark, source), model=label))
    return pl.concat(items), pl.concat(swaps) if swaps else pl.DataFrame()


_OF_LANGUAGE_MODELS = ("order", "slot", "picked_slot", "confidence", "failure", "repaired")


def match(
    benchmark: Benchmark,
    matcher: Matcher,
    texts_of: Mapping[Condition, Sequence[str | None]],
    *,
    model: str,
    source: str,
) -> pl.DataFrame:
    """Let a matcher rank the options of every item, under all conditions in one call."""
    queries = [query for texts in texts_of.values() for query in texts]
    repeats = len(queries) // max(benchmark.sets.height, 1)
    feasible = np.array([query is not None for query in queries], dtype=bool)
    flat, offsets = benchmark.options()
    sizes = np.tile(np.diff(offsets), repeats)
    shown = np.tile(flat, repeats)[np.repeat(feasible, sizes)]
    ranking = _rank(
        benchmark, matcher, [query for query in queries if query is not None], shown, sizes[feasible]
    )
    best = [benchmark.units[i].id for i in shown[ranking.best_distractor]]
    return (
        _unanswered_rows(benchmark, texts_of)
        .join(
            _ranking_columns(ranking, np.flatnonzero(feasible), best),
            on="row",
            how="left",
            maintain_order="left",
        )
        .with_columns(
            pl.lit(model).alias("model"),
            pl.lit("embedding").alias("method"),
            pl.lit(matcher.name).alias("matcher"),
            pl.lit(source).alias("source"),
            pl.when(pl.col("rank").is_null()).then(_why_no_query(benchmark, source)).alias("missing"),
        )
        .select(
            (pl.lit(None).alias(name) if name in _OF_LANGUAGE_MODELS else pl.col(name)).cast(kind)
            for name, kind in ITEM_SCHEMA.items()
        )
    )


def _unanswered_rows(
    benchmark: Benchmark, texts_of: Mapping[Condition, Sequence[str | None]]
) -> pl.DataFrame:
    """What is known of each row before a model sees it, numbered in ``row``."""
    items = item_facts(benchmark)
    rows = pl.concat(
        items.with_columns(pl.lit(condition).alias("condition"), pl.lit(replicate).alias("replicate"))
        for condition, texts in texts_of.items()
        for replicate in range(len(texts) // max(items.height, 1))
    )
    return rows.with_columns(pl.int_range(pl.len()).alias("row"))


def _ranking_columns(ranking: Ranking, rows: I64, best_distractors: Sequence[str]) -> pl.DataFrame:
    """Columns of the ranked rows, whose numbers are ``rows``."""
    return pl.DataFrame(
        {
            "row": rows,
            "correct": ranking.top(1),
            "top3": ranking.top(3),
            "top5": ranking.top(5),
            "rank": ranking.rank,
            "ties": ranking.ties,
            "expected_rank": ranking.expected_rank,
            "reciprocal_rank": ranking.reciprocal_rank,
            "confidence_gap": ranking.confidence_gap,
            "margin": ranking.margin,
            "best_distractor": best_distractors,
        },
        schema_overrides={"best_distractor": pl.String},
    )


def _rank(benchmark: Benchmark, matcher: Matcher, queries: Sequence[str], shown: I64, sizes: I64) -> Ranking:
    """Rank options that lie item after item in ``shown``, each item's target first: the items as bundles."""
    distinct: dict[str, int] = {}
    query_of = np.array([distinct.setdefault(query, len(distinct)) for query in queries], dtype=np.int64)
    units, document = np.unique(shown, return_inverse=True)
    lineups = Lineups(query_of, document, np.concatenate([[0], np.cumsum(sizes)]))
    contents = [benchmark.units[i].content for i in units]
    return lineups.rank(embed(matcher, list(distinct), contents).similarity)


def match_swaps(benchmark: Benchmark, matcher: Matcher, swaps: Sequence[Swap], *, model: str) -> pl.DataFrame:
    """Score the true and the false twin of each swapped summary against the target's code."""
    texts = [text for swap in swaps for text in (swap.true, swap.false)]
    units = [benchmark.units[benchmark.position[swap.unit]] for swap in swaps]
    pairs = np.arange(len(texts))
    # A matcher is not bothered with none.
    flat = matcher.score_pairs(texts, [unit.content for unit in units], pairs, pairs // 2) if swaps else pairs
    scores = flat.reshape(-1, 2)
    return pl.DataFrame(
        {
            "model": [model] * len(swaps),
            "target": [swap.unit for swap in swaps],
            "path": [unit.path for unit in units],
            "kind": [swap.kind for swap in swaps],
            "true": [swap.true for swap in swaps],
            "false": [swap.false for swap in swaps],
            "preferred": (np.sign(scores[:, 0] - scores[:, 1]) + 1) / 2,
            "missing": [None] * len(swaps),
        },
        schema=SWAP_SCHEMA,
    )


def _why_no_query(benchmark: Benchmark, source: str) -> pl.Expr:
    # A control lacks its query for reasons of its own.
    summary = pl.col("condition") == "summary"
    return pl.when(summary).then(why_no_summary(benchmark, source)).otherwise(pl.lit("infeasible"))
