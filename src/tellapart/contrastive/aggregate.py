"""From rows of items to the results of a report; see ``results``."""

from __future__ import annotations

from math import fsum

import numpy as np
import polars as pl
from scipy.special import comb

from tellapart.contrastive.benchmark import Benchmark
from tellapart.contrastive.confidence import gap_result
from tellapart.contrastive.controls import MARGIN
from tellapart.contrastive.item_table import (
    by_name,
    groups,
    once,
    share_of_item,
)
from tellapart.contrastive.llm_figures import llm_results
from tellapart.contrastive.results import (
    ByModel,
    ControlResult,
    MissesByStrategy,
    ModelResult,
    Report,
    StrategyMisses,
    SwapKind,
    SwapResult,
)
from tellapart.contrastive.selection.levels import POOL
from tellapart.core.arrays import F64, I64
from tellapart.core.comparison import CHANCE_LEVEL, judge_chance
from tellapart.core.stats import (
    ClusteredEstimate,
    clustered_rate,
    mean_once,
)


def report_results(benchmark: Benchmark, items: pl.DataFrame, swaps: pl.DataFrame) -> Report:
    """Compute everything that a report shows, except the items themselves."""
    real = items.filter(pl.col("condition") == "summary")
    return Report(
        fingerprint=benchmark.header.fingerprint,
        overall=by_model(real),
        by_difficulty=_split(real, "level"),
        by_language=_split(real, "language"),
        by_unit_type=_split(real, "unit_type"),
        by_distractor_count={
            level: _by_distractor_count(group) for level, group in groups(real, "level") if level != POOL.name
        },
        controls={
            condition: {
                model: _control(group)
                for model, group in by_name(items.filter(pl.col("condition") == condition))
            }
            for condition in sorted(set(items["condition"]) - {"summary"})
        },
        swap_accuracy={model: _swap_accuracy(group) for model, group in by_name(swaps)},
        mean_distractor_similarity=mean_similarity(benchmark.sets),
        strategies=_strategies(benchmark.sets),
        misses=misses_by(benchmark.sets, real, "strategies"),
        confidence_gap={model: gap_result(group) for model, group in by_name(real)},
        **llm_results(benchmark, real),
    )


def by_model(items: pl.DataFrame) -> ByModel:
    """Counts, accuracy, top-3, top-5 and MRR of each model over ``items``."""
    return {model: model_result(group) for model, group in by_name(items)}


def model_result(rows: pl.DataFrame) -> ModelResult:
    """The result of one model over the given items."""
    items = once(rows)
    scored = items.filter(pl.col("correct").is_not_null())
    rate = clustered_rate(scored["correct"].to_numpy(), scored["path"].to_numpy())
    low, high = (fsum(items[end]) for end in ("low", "high"))
    return ModelResult(
        n=scored.height,
        missing=items.height - scored.height,
        askings=rows.height,
        askings_missing=rows["missing"].count(),
        missing_by_cause=dict(
            rows.drop_nulls("missing")["missing"].value_counts().sort("missing").iter_rows()
        ),
        accuracy=rate.value,
        accuracy_ci=rate.interval,
        accuracy_bounds=(low / items.height, high / items.height) if rows.height else None,
        top3=mean_once(scored["top3"]),
        top5=mean_once(scored["top5"]),
        mrr=mean_once(scored["reciprocal_rank"]),
        mean_rank=mean_once(scored["expected_rank"]),
        confidence_gap=mean_once(scored["confidence_gap"].drop_nulls()),
        ties=int(scored["tied"].sum()),
    )


def mean_similarity(sets: pl.DataFrame) -> dict[str, float | None]:
    """Mean selector similarity of the distractors to their target, by level."""
    return {level: mean_once(group["similarities"].explode()) for level, group in groups(sets, "level")}


def _split(items: pl.DataFrame, column: str) -> dict[str, ByModel]:
    return {value: by_model(group) for value, group in groups(items, column)}


def _control(rows: pl.DataFrame) -> ControlResult:
    """Accuracy of a control beside that of guessing; the replicates of an item count once, by their mean.

    ``outcome`` is that of the equivalence test within ``MARGIN`` of chance, on ``interval_90``.
    """
    items = once(rows).filter(pl.col("correct").is_not_null())
    correct, paths = items["correct"].to_numpy(), items["path"].to_numpy()
    rate, tested = clustered_rate(correct, paths), clustered_rate(correct, paths, level=CHANCE_LEVEL)
    chance = mean_once(1 / items["options"])
    return ControlResult(
        n=items.height,
        value=rate.value,
        chance=chance,
        ratio=None if rate.value is None or chance is None else rate.value / chance,
        interval=rate.interval,
        interval_90=tested.interval,
        outcome=judge_chance(tested.interval, chance, MARGIN * (chance or 0.0)),
    )


def _swap_accuracy(rows: pl.DataFrame) -> SwapResult:
    scored = rows.drop_nulls("preferred")
    rate, kinds = _preferred(scored), {}
    for kind, group in groups(scored, "kind"):
        of_kind = _preferred(group)
        kinds[kind] = SwapKind(n=group.height, accuracy=of_kind.value, ci=of_kind.interval)
    missing = dict(rows.drop_nulls("missing")["missing"].value_counts().sort("missing").iter_rows())
    return SwapResult(n=scored.height, accuracy=rate.value, ci=rate.interval, by_kind=kinds, missing=missing)


def _preferred(swaps: pl.DataFrame) -> ClusteredEstimate:
    return clustered_rate(swaps["preferred"].to_numpy(), swaps["path"].to_numpy())


def _strategies(sets: pl.DataFrame) -> dict[str, dict[str, int]]:
    return {
        level: dict(group["strategies"].explode().value_counts().sort("strategies").iter_rows())
        for level, group in groups(sets, "level")
    }


def misses_by(sets: pl.DataFrame, items: pl.DataFrame, kind: str) -> dict[str, dict[str, MissesByStrategy]]:
    """By the kind of the distractor that is ranked first, where that is not the target."""
    missed = (
        items.filter(correct=0.0)
        .drop_nulls("best_distractor")
        .join(
            sets.select("item", "distractors", strategies=kind), on="item", how="inner", maintain_order="left"
        )
    )
    return {
        level: {model: _misses(rows) for model, rows in by_name(group)}
        for level, group in groups(missed, "level")
        if sets.filter(level=level)[kind].explode().n_unique() > 1
    }


def _misses(rows: pl.DataFrame) -> MissesByStrategy:
    chosen_by = [
        strategies[distractors.index(best)]
        for best, distractors, strategies in rows.select(
            "best_distractor", "distractors", "strategies"
        ).iter_rows()
    ]
    by_strategy: dict[str, StrategyMisses] = {}
    for strategy in sorted(set(rows["strategies"].explode())):
        rate = clustered_rate([name == strategy for name in chosen_by], rows["path"].to_numpy())
        shares = [strategies.count(strategy) / len(strategies) for strategies in rows["strategies"].to_list()]
        by_strategy[strategy] = StrategyMisses(
            share=rate.value or 0.0, ci=rate.interval, expected=fsum(shares) / len(shares)
        )
    return MissesByStrategy(n=rows.height, by_strategy=by_strategy)


def _by_distractor_count(items: pl.DataFrame) -> dict[str, tuple[float, ...]]:
    """Accuracy of each model with 1, 2, … of a level's distractors, drawn at random from each item's own."""
    curves = {}
    for model, rows in by_name(items.filter(pl.col("missing").is_null())):
        rank, ties, available = (rows[name].to_numpy() for name in ("rank", "ties", "options"))
        share = share_of_item(rows).to_numpy()
        counts = range(1, int(available.min()))
        curves[model] = tuple(
            float(np.average(accuracy_with(k, rank, ties, available - 1), weights=share)) for k in counts
        )
    return curves


def accuracy_with(distractors: int, rank: I64, ties: I64, available: I64) -> F64:
    """Probability that the target comes first among so many of its distractors, drawn at random.

    The mean over tied orders of C(n - ahead, k) / C(n, k), the chance that none of those ahead is drawn.
    """
    # Pascal's rule sums the binomials over the tied orders: C(a + 1, k + 1) - C(b, k + 1).
    highest = available - rank + 1
    ways = comb(highest + 1, distractors + 1) - comb(highest - ties, distractors + 1)
    return np.asarray(ways / (comb(available, distractors) * (ties + 1)))
