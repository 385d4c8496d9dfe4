"""The figures of a report, from rows of answers."""

from __future__ import annotations

from math import fsum
from typing import Any

import numpy as np
import polars as pl

from tellapart.contrastive.answers import Ends, by_name, groups, once
from tellapart.contrastive.benchmark import Benchmark
from tellapart.contrastive.confidence import GapResult, gap_result
from tellapart.contrastive.llm_figures import (
    Agreement,
    CombinedRank,
    FlipResult,
    StatedConfidence,
    WrittenSummaries,
    llm_results,
)
from tellapart.contrastive.selection.levels import POOL
from tellapart.contrastive.slots import SlotResult
from tellapart.core.comparison import CHANCE_LEVEL, ChanceOutcome, judge_chance
from tellapart.core.record import Record
from tellapart.core.stats import ClusteredEstimate, clustered_rate, mean_once

MARGIN = 0.2
"""How far from chance a control may score, as a share of chance: of 5 %, 3 points would be 60 %."""


class ModelResult(Record):
    """One model over some items; replicates of an item count once, by their mean.

    Attributes:
        n: Items with a score.
        missing: Items without any score.
        askings: Answers that were asked for.
        askings_missing: Answers that are missing; an item asked several times may miss some and have a score.
        accuracy: In [0, 1].
        accuracy_ci: Wilson's interval on the effective number of items, clustered on the file.
        accuracy_bounds: The accuracy if every missing answer were wrong, and if every one were right.
        top3: Share of items whose target is among the first three.
        top5: The same for five.
        mrr: Mean reciprocal rank.
        mean_rank: Mean expected rank, from 1.
        confidence_gap: Mean score of the first option less that of the second.
        ties: Items where another option tied with the target.
    """

    n: int
    missing: int
    askings: int
    askings_missing: int
    missing_by_cause: dict[str, int]
    accuracy: float | None
    accuracy_ci: Ends | None
    accuracy_bounds: Ends | None
    top3: float | None
    top5: float | None
    mrr: float | None
    mean_rank: float | None
    confidence_gap: float | None
    ties: int


ByModel = dict[str, ModelResult]


class Control(Record):
    """Accuracy of a model on some items of a control, beside that of guessing.

    Attributes:
        n: Items with a score.
        value: Accuracy, in [0, 1].
        chance: Accuracy of guessing.
        ratio: ``value`` over ``chance``.
        interval: 95 % interval of ``value``.
        interval_90: The one that ``outcome`` is tested on.
        outcome: Of the test that ``value`` is within ``MARGIN`` of ``chance``.
    """

    n: int
    value: float | None
    chance: float | None
    ratio: float | None
    interval: Ends | None
    interval_90: Ends | None
    outcome: ChanceOutcome


class ControlResult(Control):
    """The same over all levels, and at each."""

    by_level: dict[str, Control]


class SwapKind(Record):
    """Swaps of one kind: how many, and how often the true summary is preferred, with its interval."""

    n: int
    accuracy: float | None
    ci: Ends | None


class SwapResult(Record):
    """How often a model prefers the true summary to one with a term exchanged, over ``n`` swaps.

    ``missing`` swaps have no answer, for these causes.
    """

    n: int
    accuracy: float | None
    ci: Ends | None
    by_kind: dict[str, SwapKind]
    missing: dict[str, int]


class StrategyMisses(Record):
    """How often a strategy's distractors are what a model takes for the target.

    Attributes:
        share: Of the missed items, those whose best distractor the strategy chose.
        ci: 95 % interval of ``share``, clustered on the file.
        expected: What ``share`` were if every distractor of these items were as tempting.
    """

    share: float
    ci: Ends | None
    expected: float


class MissesByStrategy(Record):
    """``n`` items of a level that a model missed, by what chose the distractor that it put first."""

    n: int
    by_strategy: dict[str, StrategyMisses]


class Report(Record):
    """``artifacts/report.json``: all results of a run but the comparison of the models, made from the scores.

    Attributes:
        by_difficulty: By level, then model; so are the other groups.
        controls: By condition, then model.
        lengths: By level, the median characters of the targets and, by strategy, of the distractors.
        mean_distractor_similarity: By level, on the selector's own scale.
        strategies: By level, distractors by what chose them.
        misses: By level of several strategies and model.
        slots: By language model, as are ``failures`` (answers by kind of failure), ``repaired`` (answers that
            a second attempt brought), ``repeats``, ``orders`` and ``confidence``.
        agreement: By source of summaries, language model and embedding model.
        combined: By source; None where no source was ranked by both kinds of models.
        summaries: By source; empty where no language model wrote the summaries.
    """

    fingerprint: str
    overall: ByModel
    by_difficulty: dict[str, ByModel]
    by_language: dict[str, ByModel]
    by_unit_type: dict[str, ByModel]
    controls: dict[str, dict[str, ControlResult]]
    swap_accuracy: dict[str, SwapResult]
    mean_distractor_similarity: dict[str, float | None]
    strategies: dict[str, dict[str, int]]
    lengths: dict[str, dict[str, float]]
    confidence_gap: dict[str, GapResult]
    slots: dict[str, SlotResult]
    failures: dict[str, dict[str, int]]
    repaired: dict[str, int]
    repeats: dict[str, FlipResult]
    orders: dict[str, FlipResult]
    agreement: tuple[Agreement, ...]
    combined: dict[str, CombinedRank] | None
    confidence: dict[str, StatedConfidence]
    summaries: dict[str, WrittenSummaries]
    misses: dict[str, dict[str, MissesByStrategy]]


def report_results(benchmark: Benchmark, items: pl.DataFrame, swaps: pl.DataFrame) -> Report:
    """Compute everything that a report shows, except the items themselves."""
    real = items.filter(pl.col("condition") == "summary")
    return Report(
        fingerprint=benchmark.header.fingerprint,
        overall=by_model(real),
        by_difficulty=_split(real, "level"),
        by_language=_split(real, "language"),
        by_unit_type=_split(real, "unit_type"),
        controls={
            condition: {
                model: control_result(group)
                for model, group in by_name(items.filter(pl.col("condition") == condition))
            }
            for condition in sorted(set(items["condition"]) - {"summary"})
        },
        swap_accuracy={model: _swap_accuracy(group) for model, group in by_name(swaps)},
        mean_distractor_similarity=mean_similarity(benchmark.sets),
        strategies=_strategies(benchmark.sets),
        lengths=_lengths(benchmark),
        misses=misses_by(benchmark.sets, real),
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
    return {
        level: mean_once(group["similarities"].explode().drop_nulls())
        for level, group in groups(sets, "level")
    }


def _split(items: pl.DataFrame, column: str) -> dict[str, ByModel]:
    return {value: by_model(group) for value, group in groups(items, column)}


def control_result(rows: pl.DataFrame) -> ControlResult:
    """Accuracy of a control beside that of guessing; the replicates of an item count once, by their mean."""
    by_level = {level: Control(**_control(group)) for level, group in groups(rows, "level")}
    return ControlResult(**_control(rows), by_level=by_level)


def _control(rows: pl.DataFrame) -> dict[str, Any]:
    items = once(rows).filter(pl.col("correct").is_not_null())
    correct, paths = items["correct"].to_numpy(), items["path"].to_numpy()
    rate, tested = clustered_rate(correct, paths), clustered_rate(correct, paths, level=CHANCE_LEVEL)
    chance = mean_once(1 / items["options"])
    return {
        "n": items.height,
        "value": rate.value,
        "chance": chance,
        "ratio": None if rate.value is None or chance is None else rate.value / chance,
        "interval": rate.interval,
        "interval_90": tested.interval,
        "outcome": judge_chance(tested.interval, chance, MARGIN * (chance or 0.0)),
    }


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
    counts = {}
    for level, group in groups(sets, "level"):
        if level == POOL.name:
            counts[level] = {POOL.name: int(group["distractors"].list.len().sum())}
        else:
            chosen = group["strategies"].explode().value_counts().sort("strategies")
            counts[level] = dict(chosen.iter_rows())
    return counts


def _lengths(benchmark: Benchmark) -> dict[str, dict[str, float]]:
    """Longer code has more of any summary's words, so a strategy whose distractors are longer is unfair."""
    characters = np.array([len(unit.content) for unit in benchmark.units])

    def median(units: pl.Series) -> float:
        return float(np.median(characters[units.to_numpy()]))

    lengths = {}
    for level, sets in groups(benchmark.sets, "level"):
        lengths[level] = {"target": median(sets["target"])}
        if level == POOL.name:
            lengths[level][POOL.name] = median(sets["distractors"].explode())
        else:
            chosen = sets.select("strategies", "distractors").explode("strategies", "distractors")
            for name, group in groups(chosen, "strategies"):
                lengths[level][name] = median(group["distractors"])
    return lengths


def misses_by(sets: pl.DataFrame, items: pl.DataFrame) -> dict[str, dict[str, MissesByStrategy]]:
    """By the strategy of the distractor that is ranked first, where that is not the target."""
    several = [level for level, counts in _strategies(sets).items() if len(counts) > 1]
    mixed = sets.filter(pl.col("level").is_in(several))
    missed = (
        items.filter(correct=0.0)
        .drop_nulls("best_distractor")
        .join(
            mixed.select("item", "distractors", "strategies"), on="item", how="inner", maintain_order="left"
        )
    )
    return {
        level: {model: _misses(rows) for model, rows in by_name(group)}
        for level, group in groups(missed, "level")
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
