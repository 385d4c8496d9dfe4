"""Ways of choosing distractors, compared: the original method, its repair and the levels; selection bias."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from math import fsum

import numpy as np
import polars as pl
from pydantic import Field

from tellapart.contrastive.answers import Ends, answer, score_rows
from tellapart.contrastive.benchmark import Benchmark
from tellapart.contrastive.building import item_rows, selection_texts
from tellapart.contrastive.figures import ByModel, GapResult, by_model, gap_result, mean_similarity
from tellapart.contrastive.models import Models, opened, require_models, require_selectors
from tellapart.contrastive.selection.candidates import Candidates, DistractorSet
from tellapart.contrastive.selection.distractors import choose_distractors
from tellapart.contrastive.selection.levels import declared, in_order, level_called
from tellapart.contrastive.selection.original import BASELINE, PHASE1, choose_by_original_method
from tellapart.contrastive.selection.selectors import FUSION
from tellapart.core.arrays import F64
from tellapart.core.comparison import Comparison, compare_scored
from tellapart.core.progress import SILENT, Progress, counted
from tellapart.core.randomness import generator
from tellapart.core.record import Record
from tellapart.core.score_notes import ScoreNotes
from tellapart.core.scores import ScoreTable
from tellapart.core.stats import bca_statistic
from tellapart.embed.similarity import VectorMatcher
from tellapart.errors import InputError

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


class SelfEffect(Record):
    """What a selector does to the accuracy of its own model; None with a ``reason``."""

    effect: float | None
    ci: Ends | None
    reason: str | None


class SelectionBias(Record):
    """Accuracy by selector, then model, over the same ``n`` items; and ``self`` by selector."""

    self_effects: dict[str, SelfEffect] = Field(alias="self")
    accuracy: dict[str, dict[str, float]]
    n: int
    targets: int


def selection_bias(
    accuracy: Mapping[str, pl.DataFrame], *, rng: np.random.Generator, resamples: int = 2000
) -> SelectionBias:
    """Fit accuracy = mean + model + selector + self, over targets that all answered, by least squares."""
    selectors = sorted(accuracy)
    models = sorted(set(accuracy[selectors[0]]["model"]))
    names = [name for name in selectors if name in models]
    shared = set.intersection(*(set(rows["target"]) for rows in accuracy.values()))
    if not shared:
        raise InputError(f"no target has enough distractors under each of the selectors {selectors}")
    is_shared = pl.col("target").is_in(sorted(shared))
    cells = np.stack([_by_file(accuracy[selector].filter(is_shared), models) for selector in selectors])
    table = cells[..., 0].sum(axis=2) / cells[..., 1].sum(axis=2)
    return SelectionBias.model_validate(
        {
            "self": _self_effects(
                cells, _design(selectors, models, names), names, rng=rng, resamples=resamples
            ),
            "accuracy": {
                selector: dict(zip(models, row.tolist(), strict=True))
                for selector, row in zip(selectors, table, strict=True)
            },
            "n": int(cells[0, 0, :, 1].sum()),
            "targets": len(shared),
        }
    )


def _self_effects(
    cells: F64, design: F64, both: Sequence[str], *, rng: np.random.Generator, resamples: int
) -> dict[str, SelfEffect]:
    """The last ``len(own)`` coefficients of the fit, with intervals over resampled files."""
    if not both:
        return {}
    if np.linalg.matrix_rank(design) < design.shape[1]:
        reason = (
            "cannot be separated from the models' and the selectors' own effects; add a model or a selector"
        )
        return {name: SelfEffect(effect=None, ci=None, reason=reason) for name in both}
    solve = np.linalg.pinv(design)[-len(both) :]

    def effects(weights: F64) -> F64:
        totals = np.einsum("rf,smfk->rsmk", weights, cells)
        rates: F64 = totals[..., 0] / totals[..., 1]
        # What is exactly 0 is 1e-15 after the least squares, and another 1e-15 on another machine.
        fitted: F64 = rates.reshape(len(weights), -1) @ solve.T
        return fitted.round(12) + 0.0

    estimates = bca_statistic(effects, cells.shape[2], rng=rng, resamples=resamples)
    return {
        name: SelfEffect(effect=estimate.value, ci=estimate.interval, reason=estimate.reason)
        for name, estimate in zip(both, estimates, strict=True)
    }


def _by_file(rows: pl.DataFrame, models: Sequence[str]) -> F64:
    """Sum and count of ``correct`` where scored; shape (models, files, 2), files in ascending order."""
    files = rows.group_by("model", "path").agg(pl.col("correct").drop_nulls()).sort("path")
    by_model = [files.filter(pl.col("model") == model)["correct"] for model in models]
    return np.array([[(fsum(scored), len(scored)) for scored in column] for column in by_model])


def _design(selectors: Sequence[str], models: Sequence[str], both: Sequence[str]) -> F64:
    """One row a cell, selector by selector; columns: mean, models, selectors, self effects."""
    rows = [
        [1.0]
        + [float(model == other) for other in models[1:]]
        + [float(selector == other) for other in selectors[1:]]
        + [float(model == selector == name) for name in both]
        for selector in selectors
        for model in models
    ]
    return np.array(rows)


def validate(
    benchmark: Benchmark,
    models: Sequence[str],
    *,
    base_url: str | None = None,
    loaded: Models | None = None,
    progress: Progress = SILENT,
) -> Validation:
    """Hold the original four-distractor method, its repair and the benchmark's levels beside one another."""
    names = list(dict.fromkeys(models))
    require_models(names)
    with opened(loaded, base_url, progress) as models_by_name:
        whole = with_original_sets(
            benchmark, _candidates(benchmark, models_by_name, benchmark.header.selector)
        )
        rows = []
        for name in names:
            progress(f"{name} answers {whole.sets.height} items of the set-ups compared")
            matcher = models_by_name.matcher(name, benchmark.units)
            with progress.step(f"{name} answers", None):
                rows.append(answer(whole, matcher, several_matchers=len(names) > 1, controls=())[0])
    with progress.step("comparing set-ups", None):
        return compare_setups(pl.concat(rows), whole.sets)


def bias(
    benchmark: Benchmark,
    models: Sequence[str],
    *,
    selectors: Sequence[str] | None = None,
    level: str = "adversarial",
    base_url: str | None = None,
    loaded: Models | None = None,
    progress: Progress = SILENT,
) -> SelectionBias:
    """Measure how much models suffer from distractors of their own choice."""
    require_models(models)
    require_selectors(selectors or ())
    targets = benchmark.sets["target"].unique().sort().to_list()
    accuracy = {}
    with opened(loaded, base_url, progress) as models_by_name:
        matchers = [models_by_name.matcher(name, benchmark.units) for name in dict.fromkeys(models)]
        embedders = [matcher.name for matcher in matchers if isinstance(matcher, VectorMatcher)]
        for name in selectors or [FUSION, *embedders]:
            progress(f"{name} chooses {level} distractors for {len(targets)} targets")
            candidates = _candidates(benchmark, models_by_name, name)
            sets, _ = choose_distractors(
                candidates,
                targets,
                [level_called(level)],
                seed=benchmark.header.seed,
                progress=progress,
            )
            chosen = replace(benchmark, sets=item_rows(candidates, sets))
            answering = counted(matchers, progress, f"answering with distractors of {name}", unit="models")
            rows = pl.concat([answer(chosen, matcher, controls=())[0] for matcher in answering])
            accuracy[name] = rows.with_columns(pl.col("matcher").alias("model"))
    return selection_bias(accuracy, rng=generator(benchmark.header.seed, "bias"))


def _candidates(benchmark: Benchmark, models: Models, selector: str) -> Candidates:
    """The units of a benchmark as candidates for one another, ranked by ``selector``."""
    texts = selection_texts(benchmark.units, benchmark.summaries, by_models=benchmark.by_models)
    return Candidates(
        benchmark.units,
        texts,
        models.selector(selector, benchmark.units, texts),
        cross_language=benchmark.header.choices.cross_language,
    )
