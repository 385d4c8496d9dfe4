"""Results about language models: combined rank, repeats, summaries."""

from __future__ import annotations

from collections import Counter

import polars as pl

from tellapart.contrastive.answers import Ends, by_name, groups, once, steady_mean
from tellapart.contrastive.benchmark import Benchmark
from tellapart.contrastive.slots import SlotResult, slot_result
from tellapart.core.record import Record
from tellapart.core.stats import clustered_mean, clustered_rate, mean_once


class FlipResult(Record):
    """Share of the ``items`` with several answers whose picks differ."""

    items: int
    flip_rate: float
    ci: Ends | None


class CombinedRank(Record):
    """Mean reciprocal rank by embedding models, by language models, and the mean of the two.

    ``n`` items stand in all three, ``missing`` ones in none; ``ci`` is the 95 % interval of ``combined``,
    clustered on the file.
    """

    embedding: float
    llm: float
    combined: float
    ci: Ends | None
    n: int
    missing: int


class WrittenSummaries(Record):
    """Summaries of one writer: how many, why others are missing, and how long they are."""

    n: int
    missing: dict[str, int]
    mean_characters: float | None


class LlmFigures(Record):
    """What a report says of language models.

    Attributes:
        slots: By language model, as are ``repeats`` and ``orders``.
        combined: By source; None where no source was ranked by both kinds of models.
        summaries: By source; empty where no language model wrote the summaries.
    """

    slots: dict[str, SlotResult]
    repeats: dict[str, FlipResult]
    orders: dict[str, FlipResult]
    combined: dict[str, CombinedRank] | None
    summaries: dict[str, WrittenSummaries]


def llm_figures(benchmark: Benchmark, real: pl.DataFrame) -> LlmFigures:
    """Results of language models as matchers and as authors of summaries."""
    llms = by_name(real.filter(pl.col("method") == "llm"))
    flips = {model: flip_results(rows) for model, rows in llms}
    return LlmFigures(
        slots={model: slot_result(rows, seed=benchmark.header.seed, model=model) for model, rows in llms},
        repeats={model: same for model, (same, _) in flips.items() if same is not None},
        orders={model: others for model, (_, others) in flips.items() if others is not None},
        combined=combined_results(real),
        summaries=summary_results(benchmark),
    )


def summary_results(benchmark: Benchmark) -> dict[str, WrittenSummaries]:
    """What language models wrote about the targets."""
    if not benchmark.by_models:
        return {}
    targets = [unit.id for unit in benchmark.targets]
    return {source: _of_source(benchmark, source, targets) for source in benchmark.sources}


def _of_source(benchmark: Benchmark, source: str, targets: list[str]) -> WrittenSummaries:
    texts = benchmark.texts[source]
    written = [target for target in targets if target in texts]
    causes = benchmark.summary_missing(source)
    missing = Counter(causes.get(target, "infeasible") for target in targets if target not in texts)
    return WrittenSummaries(
        n=len(written),
        missing=dict(sorted(missing.items())),
        mean_characters=mean_once([len(texts[target]) for target in written]),
    )


def combined_results(real: pl.DataFrame) -> dict[str, CombinedRank] | None:
    """Mean reciprocal rank by embedding matchers and by language models, and the mean of the two.

    Source:
        ``combined`` of recommendation 4.1 in the source document. Deviations: the same items stand in both
        means, and a missing answer is left out, not 0.
    """
    combined = {}
    for source, group in groups(real, "source"):
        by_item = [_by_item(group.filter(method=method)) for method in ("embedding", "llm")]
        both = by_item[0].join(by_item[1], on="item", suffix="_llm")
        mean_of = [mean_once(both[name]) for name in ("reciprocal_rank", "reciprocal_rank_llm")]
        if mean_of[0] is not None and mean_of[1] is not None:
            n_items = group["item"].n_unique()
            of_both = (both["reciprocal_rank"] + both["reciprocal_rank_llm"]) / 2
            ends = clustered_mean(of_both.to_numpy(), both["path"].to_numpy()).interval
            combined[source] = CombinedRank(
                embedding=mean_of[0],
                llm=mean_of[1],
                combined=(mean_of[0] + mean_of[1]) / 2,
                ci=ends and ends.within(0.0, 1.0),
                n=both.height,
                missing=n_items - both.height,
            )
    return combined or None


def _by_item(rows: pl.DataFrame) -> pl.DataFrame:
    """Mean reciprocal rank of each item over the matchers that have a score for it."""
    scored = once(rows).filter(pl.col("reciprocal_rank").is_not_null())
    return scored.group_by("item", maintain_order=True).agg(steady_mean("reciprocal_rank"), pl.first("path"))


PICK = pl.when(pl.col("correct") == 1).then("target").otherwise("best_distractor")
"""The option that a language model put first, by its id, wherever it stood."""


def flip_results(rows: pl.DataFrame) -> tuple[FlipResult | None, FlipResult | None]:
    """How often a model picks another option when it is asked the same item again."""
    scored = rows.filter(pl.col("correct").is_not_null()).with_columns(PICK.alias("pick"))
    within = _pairs(scored, ["item", "order"]).group_by("item").agg(pl.sum("pairs", "alike"))
    across = _pairs(scored, ["item"]).join(within, on="item", suffix="_within")
    across = across.select(
        "item", pl.col("pairs") - pl.col("pairs_within"), pl.col("alike") - pl.col("alike_within")
    )
    paths = scored.group_by("item").agg(pl.first("path"))
    return _flips(within.join(paths, on="item")), _flips(across.join(paths, on="item"))


def _pairs(scored: pl.DataFrame, together: list[str]) -> pl.DataFrame:
    """Pairs of askings that share the columns ``together``, and those among them with the same pick."""
    counts = scored.group_by(*together, "pick").len()
    two_of = pl.col("len") * (pl.col("len") - 1) // 2
    alike = counts.with_columns(two_of.alias("alike")).group_by(together).agg(pl.sum("len", "alike"))
    return alike.with_columns(two_of.alias("pairs"))


def _flips(items: pl.DataFrame) -> FlipResult | None:
    repeated = items.filter(pl.col("pairs") > 0).sort("item")
    differ = 1 - repeated["alike"].to_numpy() / repeated["pairs"].to_numpy()
    rate = clustered_rate(differ > 0, repeated["path"].to_numpy())
    if rate.value is None:
        return None
    return FlipResult(
        items=repeated.height,
        flip_rate=rate.value,
        ci=rate.interval,
    )
