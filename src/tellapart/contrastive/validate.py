"""The source document's testing plan: its original method, its repair and all levels, on the same units."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import polars as pl

from tellapart.contrastive.aggregate import by_model, difficulty_histogram, mean_similarity
from tellapart.contrastive.benchmark import Benchmark, sets_frame
from tellapart.contrastive.build import item_rows
from tellapart.contrastive.gaps import gap_figures
from tellapart.contrastive.pairs import pairs
from tellapart.contrastive.selection.candidates import Candidates
from tellapart.contrastive.selection.original import BASELINE, PHASE1, choose_as_documented

DOCUMENTED = (BASELINE, PHASE1)


@dataclass(frozen=True)
class Validation:
    """Set-ups held beside one another on the same targets and models.

    Attributes:
        figures: Of ``validation_figures``.
        scores: Every answer as a score table, whose stratum ``difficulty`` names the set-up.
    """

    figures: dict[str, Any]
    scores: pl.DataFrame


def with_documented_sets(benchmark: Benchmark, candidates: Candidates) -> Benchmark:
    """Add the items of the document's two methods, for the targets of a benchmark.

    Args:
        benchmark: Built by this suite's levels; it is not changed, and the result is not frozen.
        candidates: Of the same units.

    Returns:
        The benchmark with the levels ``baseline`` and ``phase1`` in front of its own.
    """
    targets = sorted({benchmark.position[target] for target in benchmark.sets["target"]})
    rows: list[dict[str, Any]] = []
    for method in DOCUMENTED:
        sets, _ = choose_as_documented(candidates, targets, method, seed=benchmark.header.seed)
        rows += item_rows(benchmark.units, sets)
    return replace(benchmark, sets=pl.concat([sets_frame(rows), benchmark.sets]))


def validation_figures(items: pl.DataFrame, sets: pl.DataFrame) -> dict[str, Any]:
    """What each set-up shows about the same targets and models.

    Args:
        items: Rows of ``ITEM_SCHEMA`` under the condition ``summary``, for every level in ``sets``.
        sets: Distractor sets of ``baseline``, ``phase1`` and any of this suite's levels.

    Returns:
        ``baseline`` and ``phase1``: accuracy and the like of each model, gap figures, the histogram of
        difficulty labels, mean similarity and pairs; ``phase2``: the same for each level; ``items_needed``:
        for each set-up and pair the items that would separate it at 80 % power, None where no number would.
    """
    names = list(dict.fromkeys(sets["level"]))
    setups = {name: _setup(items.filter(level=name), sets.filter(level=name)) for name in names}
    documented = [method.name for method in DOCUMENTED]
    return {
        **{name: setups[name] for name in documented if name in setups},
        "phase2": {name: setups[name] for name in names if name not in documented},
        "items_needed": {name: _needed(setup["pairs"]) for name, setup in setups.items()},
    }


def _setup(items: pl.DataFrame, sets: pl.DataFrame) -> dict[str, Any]:
    return {
        "models": by_model(items),
        "confidence_gap": {
            model: gap_figures(items.filter(model=model)) for model in sorted(set(items["model"]))
        },
        "difficulty_histogram": difficulty_histogram(sets),
        "mean_distractor_similarity": next(iter(mean_similarity(sets).values()), None),
        "pairs": pairs(items),
    }


def _needed(found: Sequence[dict[str, Any]]) -> dict[str, int | None]:
    return {f"{pair['a']} vs {pair['b']}": pair["items_needed"] for pair in found}
