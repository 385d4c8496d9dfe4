"""The original four-distractor method, its first repair and all levels, on the same units and models."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TypedDict

import polars as pl

from tellapart.contrastive.answers import score_rows
from tellapart.contrastive.assembly import item_rows
from tellapart.contrastive.benchmark import Benchmark
from tellapart.contrastive.confidence import GapResult, gap_result
from tellapart.contrastive.figures import ByModel, by_model, mean_similarity
from tellapart.contrastive.selection.candidates import Candidates
from tellapart.contrastive.selection.levels import declared, in_order
from tellapart.contrastive.selection.original import BASELINE, PHASE1, choose_by_original_method
from tellapart.core.comparison import Comparison, ItemsNeeded, compare_scored
from tellapart.core.record import Record
from tellapart.core.score_notes import ScoreNotes
from tellapart.core.scores import ScoreTable

ORIGINAL = (BASELINE, PHASE1)


class SetUp(Record):
    """One way of choosing distractors, on the same targets and models as the others.

    ``comparison`` is that of an experiment of its own; absent of fewer than two models.
    """

    models: ByModel
    confidence_gap: dict[str, GapResult]
    mean_distractor_similarity: float | None
    comparison: Comparison | None = None


class SetUps(Record):
    """The original method, its repair and the levels of this suite beside one another.

    Attributes:
        baseline: The original method.
        items_needed: By set-up and pair of models.
        comparison: Of the level that a verdict is about, with every set-up as detail.
    """

    baseline: SetUp | None = None
    phase1: SetUp | None = None
    phase2: dict[str, SetUp]
    items_needed: dict[str, dict[str, ItemsNeeded]]
    comparison: Comparison | None = None


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
    targets = benchmark.sets["target"].unique().sort().to_list()
    parts = []
    for method in ORIGINAL:
        sets, _ = choose_by_original_method(candidates, targets, method, seed=benchmark.header.seed)
        parts.append(item_rows(candidates, sets))
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
        name: _alone(compare_scored(setup_scores(scores, name))) for name in names if name != primary
    }
    comparisons[primary] = _alone(whole)
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
