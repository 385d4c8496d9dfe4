"""From scores to a comparison with its gates."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from math import inf

import polars as pl

from tellapart.audit.cautions import cautions, check
from tellapart.audit.ranking import mean_of
from tellapart.audit.results import finite_ends
from tellapart.compare.results import CompareRecord, FlipRecord, GateRecord
from tellapart.core.comparison import Comparison, ComparisonSettings, GateOutcome, OnUnclear
from tellapart.core.comparison import compare as compare_models
from tellapart.core.comparison.gates import Gate, check_limit, run_gates
from tellapart.core.gate_outcome import SEVERITY, worst_outcome
from tellapart.core.progress import SILENT, Progress
from tellapart.core.score_grid import score_grid
from tellapart.core.scores import ScoreTable
from tellapart.errors import UsageError, near_match, option, option_name, placed
from tellapart.readers import Reading
from tellapart.report.numbers import listed

_NAMED = 8
"""So many models are named in an error."""


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
        self.check(inf)

    def check(self, most: float) -> None:
        """Refuse a limit that is not from 0 to ``most``, the widest that differences can be."""
        if self.max_drop is not None:
            check_limit(self.max_drop, option_name("max_drop"), most)


@dataclass(frozen=True)
class ModelComparison:
    """Candidates held against a baseline.

    Attributes:
        comparison: The pairs of the baseline with each candidate.
        gates: That of each candidate, the one that decides first, of equal ones that with the greatest drop;
            without a limit their figures alone.
        record: Everything, as JSON holds it.
    """

    comparison: Comparison
    gates: tuple[Gate, ...]
    record: CompareRecord

    @property
    def outcome(self) -> GateOutcome | None:
        """Of all gates together, with ``on_unclear`` applied; None without a limit."""
        return self.record.outcome


def choose_models(
    sources: Mapping[str, Sequence[str]], baseline: str | None = None, candidates: Sequence[str] = ()
) -> tuple[str, ...]:
    """Choose the baseline, and then the candidates in ascending order; ``sources`` are models by path."""
    first, *others = sources
    models = sources[first]
    if baseline is None and len(models) > 1:
        raise UsageError(
            f"{first} holds {len(models)} models: {listed(list(models), most=_NAMED)}",
            next_step=f"Say which is the baseline, such as {option('baseline', models[0])}",
        )
    chosen = models[0] if baseline is None else _named(baseline, models, "baseline")
    pool = {model for name in others or [first] for model in sources[name]} - {chosen}
    kept = sorted({_named(name, sorted(pool), "candidate") for name in candidates} or pool)
    if not kept:
        raise UsageError(
            f"there is no candidate: {', '.join(sources)} holds {chosen!r} alone",
            next_step="Give the scores of a candidate too, after those of the baseline",
        )
    return (chosen, *kept)


def _named(name: str, models: Sequence[str], role: str) -> str:
    """The model of a name, which may lack the source that was added to tell two runs apart."""
    renamed = [model for model in models if model.startswith(f"{name} (")]
    if name in models or len(renamed) == 1:
        return name if name in models else renamed[0]
    raise UsageError(
        f"the {role} is {name!r}, and there is no such model", next_step=near_match(name, models)
    )


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
    models = choose_models(sources, settings.baseline, candidates)
    table = replace(table, frame=table.frame.filter(pl.col("model").is_in(models)))
    low, high = table.limits
    options.check(high - low)
    has_limit = options.max_drop is not None
    is_declared = settings.primary_declared or (has_limit and settings.primary is not None)
    settings = replace(settings, baseline=models[0], primary_declared=is_declared)
    grid = score_grid(table)
    check(grid)
    comparison = compare_models(grid, settings, progress=progress)
    with progress.step("running gates", None):
        gates = run_gates(grid, options.max_drop or 0.0, settings)
    records = {gate.candidate: GateRecord.of(gate, has_limit=has_limit) for gate in gates}
    ranked = sorted(gates, key=_severity)
    means = dict(zip(grid.models, map(mean_of, grid.scores), strict=True))
    record = CompareRecord(
        comparison=comparison,
        gate=records.pop(ranked[0].candidate),
        other_gates=tuple(records.values()),
        on_unclear=options.on_unclear,
        outcome=worst_outcome((gate.outcome for gate in gates), options.on_unclear) if has_limit else None,
        flips=tuple(
            FlipRecord(item=flip.item, a=flip.baseline, b=flip.candidate, candidate=gate.candidate)
            for gate in gates
            for flip in gate.flips
        ),
        models=models,
        means={model: means[model] for model in models},
        missing=grid.missing,
        warnings=cautions(grid),
        limits=finite_ends(grid.limits),
        sources={},
        notes=(),
    )
    return ModelComparison(comparison, tuple(ranked), record)


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


def _severity(gate: Gate) -> tuple[int, float]:
    return SEVERITY.index(gate.outcome), inf if gate.change is None else gate.change
