"""Evidence of each source about the writers, unit by unit, from what runs hold."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial

import polars as pl

from tellapart.contrastive.benchmark import Benchmark
from tellapart.contrastive.crossing import by_unit, cross_matchers
from tellapart.contrastive.ranking.combined import Evidence
from tellapart.contrastive.retrieval.evidence import item_id, retrieval_evidence
from tellapart.contrastive.retrieval.figures import OF_THE_CODE
from tellapart.contrastive.retrieval.offline_queries import offline_queries
from tellapart.core.progress import SILENT, Progress
from tellapart.embed import load_matcher
from tellapart.embed.protocol import Matcher
from tellapart.report import numbers as show

OFFLINE = ("bm25", "tfidf", "lsa")
"""Matchers that are fitted on the summaries themselves and need nothing else."""


def crossed_evidence(rows: pl.DataFrame, cautions: Sequence[str] = (), how: str = "") -> Evidence:
    """Evidence of matchers: an item or a query counts by the mean over all of them."""
    matchers = show.listed(rows["matcher"].unique().sort().to_list())
    return Evidence(by_unit(cross_matchers(rows)), f"{matchers}{how}", tuple(dict.fromkeys(cautions)))


def retrieval_rows(scores: pl.DataFrame) -> pl.DataFrame:
    """Scores of a run of queries, as rows that `cross_matchers` takes: a part is a query."""
    behind = pl.col("matcher").str.len_chars() + len(item_id("", ""))
    return scores.select(
        pl.col("model").alias("writer"),
        pl.col("target").alias("unit"),
        pl.col("cluster").alias("path"),
        pl.col("item").str.head(pl.col("item").str.len_chars() - behind).alias("part"),
        "matcher",
        "score",
        "missing",
    )


def offline_retrieval(
    benchmark: Benchmark, matchers: Sequence[str], *, progress: Progress = SILENT
) -> Evidence | None:
    """Search the summaries with queries from the code itself, by the offline ones among some matchers."""
    queries = offline_queries(benchmark)
    if not queries.by_id:
        return None
    names = [name for name in OFFLINE if name in matchers] or list(OFFLINE[:1])
    fits = {name: partial(_fitted, name) for name in names}
    rows = retrieval_evidence(benchmark, fits, queries, progress=progress)
    return crossed_evidence(retrieval_rows(rows), [OF_THE_CODE], how=" with queries from the code")


def judged_evidence(
    runs: Sequence[pl.DataFrame], family_writers: Mapping[str, Sequence[str]], cautions: Sequence[str]
) -> Evidence:
    """Evidence of judges: a unit's score is the mean over the runs that have one."""
    scores = pl.concat(runs).with_columns(pl.col("score").clip(0.0, 1.0))
    bounds = scores.with_columns(
        pl.col("score").fill_null(0.0).alias("low"), pl.col("score").fill_null(1.0).alias("high")
    )
    notes = [
        f"{judge} does not count for {show.listed(writers)}, of its own family."
        for judge, writers in sorted(family_writers.items())
        if writers
    ]
    return Evidence(
        by_unit(bounds),
        show.listed(sorted(family_writers)),
        tuple(dict.fromkeys(cautions)),
        notes=tuple(notes),
    )


def _fitted(name: str, texts: Sequence[str]) -> Matcher:
    return load_matcher(name, corpus=texts)
