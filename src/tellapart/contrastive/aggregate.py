"""From rows of items to the figures of a report, all JSON-able."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from math import fsum
from typing import Any

import numpy as np
import polars as pl

from tellapart.contrastive.benchmark import Benchmark
from tellapart.contrastive.selection.levels import LEVELS
from tellapart.core.ranking import accuracy_with
from tellapart.core.stats import (
    Interval,
    auroc,
    calibrated_probabilities,
    clustered_rate,
    expected_calibration_error,
    holm_known,
    items_needed,
    items_needed_interval,
    mean_once,
    paired_difference,
    point_biserial,
)

GAP_BINS = 20
FOLDS = 5
_ORDER = [level.name for level in LEVELS]

Figures = dict[str, Any]


def report_figures(benchmark: Benchmark, items: pl.DataFrame, swaps: pl.DataFrame) -> Figures:
    """Everything that a report shows, except the items themselves.

    Args:
        benchmark: What was asked.
        items: Rows of ``ITEM_SCHEMA``: all models, under all conditions.
        swaps: Rows of ``match_swaps``.

    Returns:
        The figures of ``tellapart contrastive report --json``; a figure that is undefined is None.
    """
    real = items.filter(pl.col("condition") == "summary")
    return {
        "fingerprint": benchmark.header.fingerprint,
        "overall": by_model(real),
        "by_difficulty": _split(real, "level"),
        "by_language": _split(real, "language"),
        "by_unit_type": _split(real, "unit_type"),
        "by_distractor_count": {
            level: _by_distractor_count(group) for level, group in _groups(real, "level")
        },
        "controls": {
            condition: {
                model: _control(group)
                for model, group in _models(items.filter(pl.col("condition") == condition))
            }
            for condition in sorted(set(items["condition"]) - {"summary"})
        },
        "swap_accuracy": {model: _swap_accuracy(group) for model, group in _models(swaps)},
        "difficulty_histogram": difficulty_histogram(benchmark.sets),
        "mean_distractor_similarity": mean_similarity(benchmark.sets),
        "strategies": _strategies(benchmark.sets),
        "pairs": {"overall": pairs(real), **{level: pairs(group) for level, group in _groups(real, "level")}},
        "confidence_gap": {model: gap_figures(group) for model, group in _models(real)},
        "combined": None,
    }


def by_model(items: pl.DataFrame) -> Figures:
    """Counts, accuracy, top-3, top-5 and MRR of each model over ``items``."""
    return {model: model_figures(group) for model, group in _models(items)}


def model_figures(rows: pl.DataFrame) -> Figures:
    """Figures of one model over the given items.

    The interval of the accuracy is Wilson's on the effective number of items, clustered on the file. The
    bounds are the accuracy if every missing item were wrong, and if every one were right.
    """
    scored = rows.filter(pl.col("missing").is_null())
    missing = rows.height - scored.height
    rate = clustered_rate(scored["correct"].to_numpy(), scored["path"].to_numpy())
    right = fsum(scored["correct"])
    return {
        "n": scored.height,
        "missing": missing,
        "missing_by_cause": dict(
            rows.drop_nulls("missing")["missing"].value_counts().sort("missing").iter_rows()
        ),
        "accuracy": rate.rate,
        "accuracy_ci": interval(rate.interval),
        "accuracy_bounds": [right / rows.height, (right + missing) / rows.height] if rows.height else None,
        "top3": mean_once(scored["top3"]),
        "top5": mean_once(scored["top5"]),
        "mrr": mean_once(scored["reciprocal_rank"]),
        "mean_rank": mean_once(scored["expected_rank"]),
        "confidence_gap": mean_once(scored["confidence_gap"].drop_nulls()),
        "ties": scored.filter(pl.col("ties") > 0).height,
    }


def pairs(items: pl.DataFrame) -> list[Figures]:
    """Every two models on the items that both have a score for.

    Returns:
        For each pair in ascending order of names: the difference in accuracy (first minus second) with its
        interval, both clustered on the file, its p (by t; exact McNemar beside it where all scores are 0 or
        1), p after Holm over the pairs, and the items needed to separate the two at 80 % power and 5 %, with
        their range over the interval; None stands for "no number of items".
    """
    wide = items.pivot("model", index=["item", "path"], values="correct")
    names = sorted(set(items["model"]))
    found = [_pair(wide, a, b) for a, b in combinations(names, 2)]
    for pair, adjusted in zip(found, holm_known([pair["p"] for pair in found]), strict=True):
        pair["p_holm"] = adjusted
    return found


def _pair(wide: pl.DataFrame, a: str, b: str) -> Figures:
    first, second = (wide[name].cast(pl.Float64).fill_null(np.nan).to_numpy() for name in (a, b))
    difference = paired_difference(first, second, wide["path"].to_numpy())
    known = difference.difference is not None and difference.sd is not None
    needed = items_needed(difference.difference, difference.sd) if known else None  # type: ignore[arg-type]
    span = (
        items_needed_interval(difference.interval, difference.sd)
        if difference.interval is not None and difference.sd is not None
        else (None, None)
    )
    return {
        "a": a,
        "b": b,
        "n": difference.n,
        "difference": difference.difference,
        "ci": interval(difference.interval),
        "p": difference.p_clustered,
        "p_mcnemar": difference.p_mcnemar,
        "p_holm": None,
        "items_needed": needed,
        "items_needed_range": list(span),
    }


def gap_figures(rows: pl.DataFrame) -> Figures:
    """Whether the confidence gap tells right answers from wrong ones.

    Right means a probability of a correct answer above one half, so a tie at the top is wrong. The
    calibration error is that of a logistic curve from gap to probability, each file's from a fit on the
    other files.
    """
    scored = rows.filter(pl.col("missing").is_null(), pl.col("confidence_gap").is_not_null())
    gap, right = scored["confidence_gap"].to_numpy(), (scored["correct"] > 0.5).to_numpy()
    edges = np.linspace(0.0, float(gap.max()) if len(gap) and gap.max() > 0 else 1.0, GAP_BINS + 1)
    return {
        "histogram": {
            "edges": edges.tolist(),
            "right": np.histogram(gap[right], edges)[0].tolist(),
            "wrong": np.histogram(gap[~right], edges)[0].tolist(),
        },
        "mean_right": float(gap[right].mean()) if right.any() else None,
        "mean_wrong": float(gap[~right].mean()) if not right.all() else None,
        "correlation": point_biserial(gap, right),
        "auroc": auroc(gap, right),
        "calibration_error": _calibration_error(gap, right, scored["path"].to_list()),
    }


def difficulty_histogram(sets: pl.DataFrame) -> dict[str, int]:
    """Items by the label that the difficulty score gives, whatever the level asked for."""
    counts = dict(sets["difficulty"].value_counts().iter_rows())
    return {label: counts.get(label, 0) for label in _ORDER}


def mean_similarity(sets: pl.DataFrame) -> dict[str, float | None]:
    """Mean selector similarity of the distractors to their target, by level."""
    return {level: mean_once(group["similarities"].explode()) for level, group in _groups(sets, "level")}


def interval(value: Interval | None) -> list[float] | None:
    """An interval as ``[low, high]``."""
    return None if value is None else [value.low, value.high]


def _split(items: pl.DataFrame, column: str) -> Figures:
    return {value: by_model(group) for value, group in _groups(items, column)}


def _groups(frame: pl.DataFrame, column: str) -> list[tuple[str, pl.DataFrame]]:
    """Groups by ``column``: levels in their order, anything else ascending."""
    found = {key[0]: group for key, group in frame.group_by(column, maintain_order=True)}
    ordered = sorted(found, key=lambda value: (_ORDER.index(value) if value in _ORDER else -1, value))
    return [(str(value), found[value]) for value in ordered]


def _models(frame: pl.DataFrame) -> list[tuple[str, pl.DataFrame]]:
    return _groups(frame, "model")


def _control(rows: pl.DataFrame) -> Figures:
    """Accuracy of a control beside that of guessing; the replicates of an item count once, by their mean."""
    scored = rows.filter(pl.col("missing").is_null())
    items = scored.group_by("item", maintain_order=True).agg("correct", pl.first("path", "options"))
    correct = np.array([mean_once(replicates) for replicates in items["correct"]])
    rate = clustered_rate(correct, items["path"].to_numpy())
    return {
        "n": items.height,
        "accuracy": rate.rate,
        "chance": mean_once(1 / items["options"]),
        "ci": interval(rate.interval),
    }


def _swap_accuracy(rows: pl.DataFrame) -> Figures:
    rate = clustered_rate(rows["preferred"].to_numpy(), rows["path"].to_numpy())
    kinds = {
        kind: {"n": group.height, "accuracy": mean_once(group["preferred"])}
        for kind, group in _groups(rows, "kind")
    }
    return {"n": rows.height, "accuracy": rate.rate, "ci": interval(rate.interval), "by_kind": kinds}


def _strategies(sets: pl.DataFrame) -> Figures:
    return {
        level: dict(group["strategies"].explode().value_counts().sort("strategies").iter_rows())
        for level, group in _groups(sets, "level")
    }


def _by_distractor_count(items: pl.DataFrame) -> dict[str, list[float]]:
    """Accuracy of each model with 1, 2, … of a level's distractors, drawn at random from each item's own."""
    curves = {}
    for model, rows in _models(items.filter(pl.col("missing").is_null())):
        rank, ties, available = (rows[name].to_numpy() for name in ("rank", "ties", "options"))
        counts = range(1, int(available.min()))
        curves[model] = [float(accuracy_with(k, rank, ties, available - 1).mean()) for k in counts]
    return curves


def _calibration_error(gap: np.ndarray, right: np.ndarray, paths: Sequence[str]) -> float | None:
    order = {path: i % FOLDS for i, path in enumerate(sorted(set(paths)))}
    if len(order) < FOLDS:
        return None
    probabilities = calibrated_probabilities(gap, right, [order[path] for path in paths])
    return None if probabilities is None else expected_calibration_error(probabilities, right)
