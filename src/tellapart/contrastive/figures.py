"""The figures of a report, from rows of answers."""

from __future__ import annotations

from math import fsum
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from tellapart.contrastive.answers import Ends, by_name, groups, once
from tellapart.contrastive.benchmark import Benchmark
from tellapart.contrastive.llm_figures import (
    CombinedRank,
    FlipResult,
    SlotResult,
    WrittenSummaries,
    combined_results,
    flip_results,
    slot_result,
    summary_results,
)
from tellapart.contrastive.selection.levels import POOL
from tellapart.core.arrays import F64
from tellapart.core.comparison import CHANCE_LEVEL, ChanceOutcome, judge_chance
from tellapart.core.record import Record
from tellapart.core.stats import ClusteredEstimate, clustered_rate, mean_once

MARGIN = 0.2
"""How far from chance a control may score, as a share of chance: of 5 %, 3 points would be 60 %."""


class ModelResult(Record):
    """One model over some items; replicates of an item count once, by their mean.

    ``n`` items have a score, ``missing`` have none; ``askings`` counts answers asked for. ``accuracy_ci`` is
    Wilson's, clustered on the file, ``accuracy_bounds`` what it were if every missing answer were wrong, or
    right.
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

NAMES_SUFFICE = 0.9
"""Share of what summaries gain over guessing from which, by names alone, a benchmark mostly tests names."""


class Control(Record):
    """Accuracy of a model on some items of a control, beside that of guessing; ``ratio`` is of the two.

    ``outcome`` is of the test, on ``interval_90``, that the accuracy is within ``MARGIN`` of chance.
    """

    n: int
    value: float | None
    chance: float | None
    ratio: float | None
    interval: Ends | None
    interval_90: Ends | None
    outcome: ChanceOutcome


def gain_of_name(control: Control, summaries: ModelResult) -> float | None:
    """Say what share of the summaries' gain over guessing the name alone brings."""
    if control.value is None or control.chance is None or summaries.accuracy is None:
        return None
    gain = summaries.accuracy - control.chance
    return (control.value - control.chance) / gain if gain > 0 else None


class ControlResult(Control):
    """The same over all levels, and at each."""

    by_level: dict[str, Control]


class SwapKind(Record):
    """Swaps of one kind: how many, and how often the true summary is preferred, with its interval."""

    n: int
    accuracy: float | None
    ci: Ends | None


class SwapResult(Record):
    """How often a model prefers the true summary to one with a term exchanged; ``missing`` by cause."""

    n: int
    accuracy: float | None
    ci: Ends | None
    by_kind: dict[str, SwapKind]
    missing: dict[str, int]


GAP_BINS, FOLDS, CALIBRATION_BINS = 20, 5, 10


class GapHistogram(Record):
    """Confidence gaps: edges of the bins, and items answered right and wrong in each."""

    edges: tuple[float, ...]
    right: tuple[int, ...]
    wrong: tuple[int, ...]


class GapResult(Record):
    """Whether the confidence gap of a model separates right answers from wrong ones."""

    histogram: GapHistogram
    mean_right: float | None
    mean_wrong: float | None
    correlation: float | None
    auroc: float | None
    calibration_error: float | None


class Report(Record):
    """All results of a run but the comparison of the models; groups are by value, then model.

    ``controls`` are by condition, then model; ``lengths`` by level, the median characters of the targets and,
    by strategy, of the distractors; ``slots``, ``repeats`` and ``orders`` by language model; ``combined`` and
    ``summaries`` by source.
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
    repeats: dict[str, FlipResult]
    orders: dict[str, FlipResult]
    combined: dict[str, CombinedRank] | None
    summaries: dict[str, WrittenSummaries]


def report_results(benchmark: Benchmark, items: pl.DataFrame, swaps: pl.DataFrame) -> Report:
    """Compute everything that a report shows, except the items themselves."""
    real = items.filter(pl.col("condition") == "summary")
    llms = by_name(real.filter(pl.col("method") == "llm"))
    flips = {model: flip_results(rows) for model, rows in llms}
    return Report(
        fingerprint=benchmark.header.fingerprint,
        overall=by_model(real),
        by_difficulty=_split(real, "level"),
        by_language=_split(real, "language"),
        by_unit_type=_split(real, "unit_type"),
        controls={
            condition: control_results(items, condition)
            for condition in sorted(set(items["condition"]) - {"summary"})
        },
        swap_accuracy={model: _swap_accuracy(group) for model, group in by_name(swaps)},
        mean_distractor_similarity=mean_similarity(benchmark.sets),
        strategies=_strategies(benchmark.sets),
        lengths=_lengths(benchmark),
        confidence_gap={model: gap_result(group) for model, group in by_name(real)},
        slots={model: slot_result(rows, seed=benchmark.header.seed, model=model) for model, rows in llms},
        repeats={model: same for model, (same, _) in flips.items() if same is not None},
        orders={model: others for model, (_, others) in flips.items() if others is not None},
        combined=combined_results(real),
        summaries=summary_results(benchmark),
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


def control_results(items: pl.DataFrame, condition: str) -> dict[str, ControlResult]:
    """Accuracy of a control beside that of guessing; the replicates of an item count once, by their mean."""
    return {
        model: ControlResult(
            **_control(rows),
            by_level={level: Control(**_control(group)) for level, group in groups(rows, "level")},
        )
        for model, rows in by_name(items.filter(pl.col("condition") == condition))
    }


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


def _chosen(sets: pl.DataFrame) -> pl.DataFrame:
    """The distractors of all items of a level, each with what chose it; all of a pool are ``pool``."""
    if sets["level"][0] == POOL.name:
        return sets.select("distractors", strategies=pl.lit(POOL.name)).explode("distractors")
    return sets.select("distractors", "strategies").explode("distractors", "strategies")


def _strategies(sets: pl.DataFrame) -> dict[str, dict[str, int]]:
    return {
        level: {name: chosen.height for name, chosen in groups(_chosen(group), "strategies")}
        for level, group in groups(sets, "level")
    }


def _lengths(benchmark: Benchmark) -> dict[str, dict[str, float]]:
    """Longer code has more of any summary's words, so a strategy whose distractors are longer is unfair."""
    characters = np.array([len(unit.content) for unit in benchmark.units])

    def median(units: pl.Series) -> float:
        return float(np.median(characters[units.to_numpy()]))

    return {
        level: {"target": median(group["target"])}
        | {name: median(chosen["distractors"]) for name, chosen in groups(_chosen(group), "strategies")}
        for level, group in groups(benchmark.sets, "level")
    }


def cautions(items: pl.DataFrame) -> tuple[str, ...]:
    """Say which models are off chance where they must be at chance."""
    off = [
        f"{model} {100 * abs(control.ratio - 1):.0f} % {control.outcome.value}"
        for model, control in control_results(items, "shuffled").items()
        if control.outcome in (ChanceOutcome.ABOVE, ChanceOutcome.BELOW) and control.ratio is not None
    ]
    if not off:
        return ()
    return (
        f"Given another unit's summary, a model must score within {100 * MARGIN:g} % of chance. "
        f"These do not: {', '.join(off)}.",
    )


def gap_result(rows: pl.DataFrame) -> GapResult:
    """Whether the confidence gap tells right answers from wrong ones; a tie at the top is wrong."""
    scored = once(rows).filter(pl.col("correct").is_not_null(), pl.col("confidence_gap").is_not_null())
    gap, right = scored["confidence_gap"].to_numpy(), (scored["correct"] > 0.5).to_numpy()
    edges = np.linspace(0.0, float(gap.max()) if len(gap) and gap.max() > 0 else 1.0, GAP_BINS + 1)
    varies = len(set(gap.tolist())) > 1 and len(set(right.tolist())) > 1
    probabilities = _probabilities(gap, right, scored["path"].to_list())
    return GapResult(
        histogram=GapHistogram(
            edges=tuple(edges.tolist()),
            right=tuple(np.histogram(gap[right], edges)[0].tolist()),
            wrong=tuple(np.histogram(gap[~right], edges)[0].tolist()),
        ),
        mean_right=float(gap[right].mean()) if right.any() else None,
        mean_wrong=float(gap[~right].mean()) if not right.all() else None,
        correlation=float(np.corrcoef(gap, right)[0, 1]) if varies else None,
        auroc=auroc(gap, right),
        calibration_error=None if probabilities is None else expected_calibration_error(probabilities, right),
    )


def auroc(scores: F64, right: NDArray[np.bool_]) -> float | None:
    """Give the chance that a right answer scores above a wrong one, ties counting half; None without both."""
    from sklearn.metrics import roc_auc_score

    return float(roc_auc_score(right, scores)) if len(set(right.tolist())) > 1 else None


def expected_calibration_error(probabilities: F64, right: NDArray[np.bool_]) -> float | None:
    """Give the mean distance between stated probability and observed rate, over bins of equal size.

    Tied items share their mean outcome. Source: Naeini, Cooper and Hauskrecht 2015, "Obtaining well
    calibrated probabilities using Bayesian binning"; bins of equal mass: Nixon et al. 2019, "Measuring
    calibration".
    """
    n = len(probabilities)
    if n == 0:
        return None
    distinct, group, sizes = np.unique(probabilities, return_inverse=True, return_counts=True)
    gaps = np.repeat(distinct - np.bincount(group, weights=right) / sizes, sizes)
    starts = [part[0] for part in np.array_split(np.arange(n), min(CALIBRATION_BINS, n))]
    return float(np.abs(np.add.reduceat(gaps, starts)).sum()) / n


def _probabilities(gap: F64, right: NDArray[np.bool_], files: list[str]) -> F64 | None:
    """Turn gaps into probabilities by a logistic curve that is fitted on other files; None with too few."""
    from sklearn.linear_model import LogisticRegression
    from sklearn.model_selection import GroupKFold, cross_val_predict
    from threadpoolctl import threadpool_limits

    if len(set(files)) < FOLDS:
        return None
    standard = ((gap - gap.mean()) / (gap.std() or 1.0))[:, None]
    folds = list(GroupKFold(FOLDS).split(standard, groups=files))
    if any(right[seen].all() or not right[seen].any() for seen, _ in folds):
        return None
    # A fit this small takes far longer to share among threads, above all on busy cores, than to do.
    with threadpool_limits(1, user_api="blas"):
        fitted = cross_val_predict(LogisticRegression(), standard, right, cv=folds, method="predict_proba")
    return np.asarray(fitted[:, 1], dtype=np.float64)
