"""The original four-distractor method, its first repair and all levels, on the same units and models."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, TypedDict

import polars as pl

from tellapart.contrastive.aggregate import by_model, mean_similarity
from tellapart.contrastive.assembly import item_rows
from tellapart.contrastive.benchmark import Benchmark, sets_frame
from tellapart.contrastive.confidence import gap_result
from tellapart.contrastive.item_table import score_rows
from tellapart.contrastive.results import SetUp, SetUps
from tellapart.contrastive.selection.candidates import Candidates
from tellapart.contrastive.selection.levels import hardest, in_order
from tellapart.contrastive.selection.original import BASELINE, PHASE1, choose_by_original_method
from tellapart.core.comparison import Comparison, ItemsNeeded, compare_scored
from tellapart.core.score_notes import ScoreNotes
from tellapart.core.scores import ScoreTable

ORIGINAL = (BASELINE, PHASE1)


class _ComparisonField(TypedDict, total=False):
    comparison: Comparison


@dataclass(frozen=True)
class Validation:
    """Set-ups held beside one another on the same targets and models.

    Attributes:
        setups: What each shows; see ``compare_setups``.
        scores: Every answer as a score table, whose stratum ``difficulty`` names the set-up, and whose
            primary part is the set-up that the verdict is about.
    """

    setups: SetUps
    scores: ScoreTable


def with_original_sets(benchmark: Benchmark, candidates: Candidates) -> Benchmark:
    """Add the items of the original method and of its repair, for the targets of a benchmark."""
    targets = sorted({benchmark.position[target] for target in benchmark.sets["target"]})
    rows: list[dict[str, Any]] = []
    for method in ORIGINAL:
        sets, _ = choose_by_original_method(candidates, targets, method, seed=benchmark.header.seed)
        rows += item_rows(candidates, sets)
    return replace(benchmark, sets=pl.concat([sets_frame(rows), benchmark.sets]))


def compare_setups(items: pl.DataFrame, sets: pl.DataFrame) -> Validation:
    """Say what each set-up shows about the same targets and models."""
    names = in_order(set(sets["level"]))
    declared = hardest(names)
    scores = ScoreTable.from_frame(
        score_rows(items), notes=ScoreNotes(by="difficulty", primary=("difficulty", declared))
    )
    whole = compare_scored(scores)
    comparisons = {
        name: _alone(compare_scored(setup_scores(scores, name))) for name in names if name != declared
    }
    comparisons[declared] = _alone(whole)
    setups = {
        name: _setup(items.filter(level=name), sets.filter(level=name), comparisons[name]) for name in names
    }
    original = [method.name for method in ORIGINAL]
    record = {
        **{name: setups[name] for name in original if name in setups},
        "phase2": {name: setups[name] for name in names if name not in original},
        "items_needed": {name: _needed(comparisons[name]) for name in names},
        **_comparison_field(whole),
    }
    return Validation(SetUps.model_validate(record), scores)


def setup_scores(scores: ScoreTable, name: str) -> ScoreTable:
    """Give the scores under one set-up as a table of their own."""
    return ScoreTable.from_frame(scores.frame.filter(difficulty=name))


def _alone(comparison: Comparison | None) -> Comparison | None:
    return comparison and replace(comparison, secondary=None)


def _setup(items: pl.DataFrame, sets: pl.DataFrame, comparison: Comparison | None) -> SetUp:
    models = sorted(set(items["model"]))
    return SetUp(
        models=by_model(items),
        confidence_gap={model: gap_result(items.filter(model=model)) for model in models},
        mean_distractor_similarity=next(iter(mean_similarity(sets).values()), None),
        **_comparison_field(comparison),
    )


def _comparison_field(comparison: Comparison | None) -> _ComparisonField:
    """The field of a record that is left out where nothing could be compared."""
    return {} if comparison is None else {"comparison": comparison}


def _needed(comparison: Comparison | None) -> dict[str, ItemsNeeded]:
    pairs = comparison.primary.pairs if comparison else ()
    return {f"{pair.a} vs {pair.b}": pair.items_needed for pair in pairs}
