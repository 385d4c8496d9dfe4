"""Results about language models: order of the options, repeats, combined rank, summaries."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

import numpy as np
import polars as pl

from tellapart.contrastive.answers import Ends, groups, once, steady_mean
from tellapart.contrastive.benchmark import Benchmark
from tellapart.core.arrays import F64, I64
from tellapart.core.randomness import generator
from tellapart.core.record import Record
from tellapart.core.stats import block_permutation, clustered_mean, clustered_rate, mean_once


class FlipResult(Record):
    """Share of the ``items`` with several answers whose picks differ."""

    items: int
    flip_rate: float
    ci: Ends | None


class CombinedRank(Record):
    """Mean reciprocal rank by embedding models, by language models, and the mean of the two."""

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


class Fifth(Record):
    """A fifth of the list: ``n`` answers whose target stands here, and how often it was picked first."""

    n: int
    right: float | None
    right_ci: Ends | None
    picked: float | None
    picked_ci: Ends | None


class SlotTest(Record):
    """A permutation test that accuracy does not depend on the target's slot; see ``slot_test``."""

    p: float | None
    z: dict[str, float | None]
    draws: int
    reason: str | None


class SlotResult(Record):
    """What the place of the target in the list does to a language model's answers."""

    fifths: tuple[Fifth, ...]
    test: SlotTest


def summary_results(benchmark: Benchmark) -> dict[str, WrittenSummaries]:
    """What language models wrote about the targets; empty where none wrote."""
    if not benchmark.by_models:
        return {}
    targets = [unit.id for unit in benchmark.targets]
    results = {}
    for source in benchmark.sources:
        texts, causes = benchmark.texts[source], benchmark.summary_missing(source)
        lengths = [len(texts[target]) for target in targets if target in texts]
        missing = Counter(causes.get(target, "infeasible") for target in targets if target not in texts)
        results[source] = WrittenSummaries(
            n=len(lengths), missing=dict(sorted(missing.items())), mean_characters=mean_once(lengths)
        )
    return results


def combined_results(real: pl.DataFrame) -> dict[str, CombinedRank] | None:
    """Mean reciprocal rank by embedding matchers and by language models, and the mean of the two.

    Source: recommendation 4.1 of "Contrastive Evaluation Analysis"; here over items that both kinds answered.
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


FIFTHS = 5

CONTRASTS = ("first", "last", "trend", "ends")
"""The first slot, the last one, the later the better, both ends against the middle."""


def contrasts(slot: I64, options: I64) -> F64:
    """Shape (n, 4): what ``CONTRASTS`` are at slots, from 1, of lists with so many options, at least 2."""
    position = (slot - 1) / (options - 1)
    columns = np.column_stack([slot == 1, slot == options, position, np.square(2 * position - 1)])
    return columns.astype(np.float64)


DRAWS = 2000


def slot_result(rows: pl.DataFrame, *, seed: int, model: str) -> SlotResult:
    """Accuracy of one language model by slot, and a test that the slot does not matter."""
    scored = rows.filter(pl.col("correct").is_not_null())
    return SlotResult(
        fifths=tuple(by_fifth(scored)),
        test=slot_test(scored, rng=generator(seed, "slots", model)),
    )


def slot_test(scored: pl.DataFrame, *, rng: np.random.Generator, draws: int = DRAWS) -> SlotTest:
    """Test that accuracy does not depend on the target's slot; the p is of the largest of four contrasts.

    Slots are permuted among an item's own orders, or where it was asked in one, among a level's items.
    """
    orders = _orders(scored)
    right, slot, options = (orders[name].to_numpy() for name in ("correct", "slot", "options"))
    test = block_permutation(right, contrasts(slot, options), orders["block"], rng=rng, draws=draws)
    z = dict(zip(CONTRASTS, test.z, strict=True))
    return SlotTest(p=test.p, z=z, draws=test.draws, reason=test.reason)


def by_fifth(scored: pl.DataFrame) -> Iterator[Fifth]:
    """Accuracy and first choices by fifth of the list, over all levels and orders."""
    fifths = scored.with_columns((pl.col("slot", "picked_slot") - 1) * FIFTHS // pl.col("options"))
    for fifth in range(FIFTHS):
        here = fifths.filter(slot=fifth)
        rate = clustered_rate(here["correct"].to_numpy(), here["path"].to_numpy())
        first = clustered_rate((fifths["picked_slot"] == fifth).to_numpy(), fifths["path"].to_numpy())
        yield Fifth(
            n=here.height,
            right=rate.value,
            right_ci=rate.interval,
            picked=first.value,
            picked_ci=first.interval,
        )


def _orders(scored: pl.DataFrame) -> pl.DataFrame:
    """One row an item and order, with the block in which it is exchanged for others."""
    orders = scored.group_by("item", "order").agg(
        steady_mean("correct"), pl.first("level", "slot", "options")
    )
    several = pl.len().over("item") > 1
    # Items have their level's name in front; that of a level alone is no item's.
    block = pl.when(several).then(pl.format("item {}", "item")).otherwise(pl.format("level {}", "level"))
    return orders.with_columns(block.alias("block"))
