"""From scores to a comparison with its gates."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from math import inf

import numpy as np
import polars as pl

from tellapart.audit.cautions import cautions, check
from tellapart.audit.results import finite_ends
from tellapart.compare.results import CompareRecord, FlipRecord, GateRecord
from tellapart.compare.sides import Sides, choose_sides
from tellapart.core.comparison import Comparison, ComparisonSettings, GateOutcome, OnUnclear
from tellapart.core.comparison import compare as compare_models
from tellapart.core.comparison.gates import Gate, check_limit, run_gates
from tellapart.core.gate_outcome import SEVERITY, worst_outcome
from tellapart.core.progress import SILENT, Progress
from tellapart.core.score_grid import ScoreGrid, score_grid
from tellapart.core.scores import ScoreTable
from tellapart.errors import placed
from tellapart.readers import Reading


@dataclass(frozen=True)
class GateOptions:
    """What is asked of the candidates.

    Attributes:
        max_drop: The largest drop that is allowed, in score units; no gate where None.
    """

    max_drop: float | None = None
    on_unclear: OnUnclear = OnUnclear.WARN

    def __post_init__(self) -> None:
        """Check the limit as far as that needs no scores."""
        if self.max_drop is not None:
            check_limit(self.max_drop, "--max-drop", inf)


@dataclass(frozen=True)
class ModelComparison:
    """Candidates held against a baseline.

    Attributes:
        comparison: The pairs of the baseline with each candidate.
        gates: That of each candidate, in ascending order of names; without a limit their figures alone.
        record: Everything, as JSON holds it.
    """

    sides: Sides
    comparison: Comparison
    gates: tuple[Gate, ...]
    record: CompareRecord

    @property
    def outcome(self) -> GateOutcome | None:
        """Of all gates together, with ``on_unclear`` applied; None without a limit."""
        return self.record.outcome

    @property
    def ranked_gates(self) -> list[Gate]:
        """The gates, the one that decides first; of equal ones that with the greatest drop."""
        return sorted(self.gates, key=_severity)


def compare_scores(
    table: ScoreTable,
    sources: Mapping[str, Sequence[str]],
    settings: ComparisonSettings | None = None,
    options: GateOptions | None = None,
    *,
    candidates: Sequence[str] = (),
    progress: Progress = SILENT,
) -> ModelComparison:
    """Hold candidates against a baseline."""
    settings, options = settings or ComparisonSettings(), options or GateOptions()
    sides = choose_sides(sources, settings.baseline, candidates)
    models = (sides.baseline, *sides.candidates)
    table = replace(table, frame=table.frame.filter(pl.col("model").is_in(models)))
    if options.max_drop is not None:
        low, high = table.limits
        check_limit(options.max_drop, "--max-drop", high - low)
    has_limit = options.max_drop is not None
    settings = replace(
        settings,
        baseline=sides.baseline,
        primary_declared=settings.primary_declared or (has_limit and settings.primary is not None),
    )
    grid = score_grid(table)
    check(grid)
    comparison = compare_models(grid, settings, progress=progress)
    with progress.step("running gates", None):
        gates = run_gates(grid, options.max_drop or 0.0, settings)
    record = _record(grid, comparison, gates, (sides.baseline, *sides.candidates), options)
    return ModelComparison(sides, comparison, gates, record)


def compare_reading(
    reading: Reading,
    settings: ComparisonSettings | None = None,
    options: GateOptions | None = None,
    *,
    candidates: Sequence[str] = (),
    progress: Progress = SILENT,
) -> ModelComparison:
    """Hold candidates against a baseline in scores as they were read; see `compare_scores`."""
    with placed(reading.where):
        compared = compare_scores(
            reading.table, reading.sources, settings, options, candidates=candidates, progress=progress
        )
    origin = {"sources": reading.forms, "notes": tuple(reading.notes)}
    return replace(compared, record=compared.record.model_copy(update=origin))


def _record(
    grid: ScoreGrid,
    comparison: Comparison,
    gates: Sequence[Gate],
    models: Sequence[str],
    options: GateOptions,
) -> CompareRecord:
    has_limit = options.max_drop is not None
    deciding = min(gates, key=_severity)
    return CompareRecord(
        comparison=comparison,
        gate=GateRecord.of(deciding, has_limit=has_limit),
        other_gates=tuple(GateRecord.of(gate, has_limit=has_limit) for gate in gates if gate is not deciding),
        on_unclear=options.on_unclear,
        outcome=worst_outcome((gate.outcome for gate in gates), options.on_unclear) if has_limit else None,
        flips=tuple(
            FlipRecord(item=flip.item, a=flip.baseline, b=flip.candidate, candidate=gate.candidate)
            for gate in gates
            for flip in gate.flips
        ),
        models=tuple(models),
        means={model: _mean(grid, model) for model in models},
        missing=grid.missing,
        warnings=cautions(grid),
        limits=finite_ends(grid.limits),
        sources={},
        notes=(),
    )


def _severity(gate: Gate) -> tuple[int, float]:
    return SEVERITY.index(gate.outcome), inf if gate.change is None else gate.change


def _mean(grid: ScoreGrid, model: str) -> float | None:
    scores = grid.scores[grid.models.index(model)]
    return None if np.isnan(scores).all() else float(np.nanmean(scores))
