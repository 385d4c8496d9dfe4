"""The original four-distractor method, its first repair and all levels, on the same units and models."""

from __future__ import annotations

from dataclasses import dataclass, replace

import polars as pl

from tellapart.contrastive.answers import score_rows
from tellapart.contrastive.benchmark import Benchmark
from tellapart.contrastive.building import item_rows
from tellapart.contrastive.confidence import GapResult, gap_result
from tellapart.contrastive.figures import ByModel, by_model, mean_similarity
from tellapart.contrastive.selection.candidates import Candidates, DistractorSet
from tellapart.contrastive.selection.levels import declared, in_order
from tellapart.contrastive.selection.original import BASELINE, PHASE1, choose_by_original_method
from tellapart.core.comparison import Comparison, compare_scored
from tellapart.core.record import Record
from tellapart.core.score_notes import ScoreNotes
from tellapart.core.scores import ScoreTable

ORIGINAL = (BASELINE, PHASE1)


class SetUp(Record):
    """One way of choosing distractors, on the same targets and models as the others, compared on its own."""

    models: ByModel
    confidence_gap: dict[str, GapResult]
    mean_distractor_similarity: float | None
    comparison: Comparison | None


class SetUps(Record):
    """The original method, its repair and the levels; the comparison has every set-up as detail."""

    baseline: SetUp | None = None
    phase1: SetUp | None = None
    phase2: dict[str, SetUp]
    comparison: Comparison | None


@dataclass(frozen=True)
class Validation:
    """What each set-up shows, and every answer as a score table whose ``difficulty`` names the set-up."""

    setups: SetUps
    scores: ScoreTable


def with_original_sets(benchmark: Benchmark, candidates: Candidates) -> Benchmark:
    """Add the items of the original method and of its repair, for the targets of a benchmark."""
    targets = benchmark.sets["target"].unique().sort().to_list()
    seed, parts = benchmark.header.seed, []
    for method in ORIGINAL:
        chosen = choose_by_original_method(candidates, targets, method, seed=seed)
        parts.append(item_rows(candidates, [item for item in chosen if isinstance(item, DistractorSet)]))
    return replace(benchmark, sets=pl.concat([*parts, benchmark.sets]))


def compare_setups(items: pl.DataFrame, sets: pl.DataFrame) -> Validation:
    """Say what each set-up shows about the same targets and models."""
    names = in_order(set(sets["level"]))
    primary = declared(names)
    scores = ScoreTable.from_frame(
        score_rows(items), notes=ScoreNotes(by="difficulty", primary=("difficulty", primary))
    )
    whole = compare_scored(scores)
    comparisons = {
        name: _alone(compare_scored(ScoreTable.from_frame(scores.frame.filter(difficulty=name))))
        for name in names
        if name != primary
    }
    comparisons[primary] = _alone(whole)
    setups = {
        name: _setup(items.filter(level=name), sets.filter(level=name), comparisons[name]) for name in names
    }
    original = [method.name for method in ORIGINAL]
    record = {
        **{name: setups[name] for name in original if name in setups},
        "phase2": {name: setups[name] for name in names if name not in original},
        "comparison": whole,
    }
    return Validation(SetUps.model_validate(record), scores)


def _alone(comparison: Comparison | None) -> Comparison | None:
    return comparison and replace(comparison, secondary=None)


def _setup(items: pl.DataFrame, sets: pl.DataFrame, comparison: Comparison | None) -> SetUp:
    models = sorted(set(items["model"]))
    return SetUp(
        models=by_model(items),
        confidence_gap={model: gap_result(items.filter(model=model)) for model in models},
        mean_distractor_similarity=next(iter(mean_similarity(sets).values()), None),
        comparison=comparison,
    )
