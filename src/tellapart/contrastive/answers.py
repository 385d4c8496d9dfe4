"""All that one matcher has to say about a benchmark, and the score table of it."""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl

from tellapart.contrastive.benchmark import Benchmark
from tellapart.contrastive.matching import match, match_swaps
from tellapart.contrastive.queries import CONTROLS, Condition, queries
from tellapart.contrastive.swap import swaps_of
from tellapart.embed.protocol import Matcher


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
        asked = {condition: queries(benchmark, condition, source) for condition in conditions}
        items.append(match(benchmark, matcher, asked, model=label, source=source))
        if controls:
            swaps.append(match_swaps(benchmark, matcher, swaps_of(benchmark, source), model=label))
    return pl.concat(items), pl.concat(swaps) if swaps else pl.DataFrame()


def score_rows(items: pl.DataFrame) -> pl.DataFrame:
    """Item rows as a score table: the probability of a correct answer, clustered on the file."""
    return items.select(
        "model",
        "item",
        pl.col("correct").alias("score"),
        "missing",
        "replicate",
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
