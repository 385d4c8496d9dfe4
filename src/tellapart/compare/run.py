"""From scores to a comparison with its gates."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import polars as pl

from tellapart.audit.analysis import cautions, check
from tellapart.audit.ranking import means_of
from tellapart.audit.results import finite_ends
from tellapart.compare.pass_k import pass_k_of
from tellapart.compare.results import CompareRecord, FlipRecord, severity
from tellapart.core.comparison import ComparisonSettings
from tellapart.core.comparison import compare as compare_models
from tellapart.core.comparison.gates import check_limit, run_gates
from tellapart.core.gate_outcome import worst_outcome
from tellapart.core.progress import SILENT, Progress
from tellapart.core.score_grid import score_grid
from tellapart.errors import UsageError, near_match, option, option_name, placed
from tellapart.readers import Reading
from tellapart.report.numbers import listed

_NAMED = 8
"""So many models are named in an error."""


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
    if baseline is not None and chosen in candidates:
        raise UsageError(f"{chosen!r} is both the baseline and a candidate")
    if not pool:
        raise UsageError(
            f"there is no candidate: {', '.join(sources)} holds {chosen!r} alone",
            next_step="Give the scores of a candidate too, after those of the baseline",
        )
    kept = sorted({_named(name, sorted(pool), "candidate") for name in candidates} or pool)
    return (chosen, *kept)


def _named(name: str, models: Sequence[str], role: str) -> str:
    """The model of a name, which may lack the source that was added to tell two runs apart."""
    renamed = [model for model in models if model.startswith(f"{name} (")]
    if name in models or len(renamed) == 1:
        return name if name in models else renamed[0]
    raise UsageError(
        f"the {role} is {name!r}, and there is no such model", next_step=near_match(name, models)
    )


def compare_reading(
    reading: Reading,
    settings: ComparisonSettings | None = None,
    *,
    max_drop: float | None = None,
    candidates: Sequence[str] = (),
    pass_k: int | None = None,
    progress: Progress = SILENT,
) -> CompareRecord:
    """Hold candidates against a baseline, and to the largest drop that is allowed where there is one."""
    with placed(reading.where):
        settings = settings or ComparisonSettings()
        models = choose_models(reading.sources, settings.baseline, candidates)
        table, steadiness = reading.table, None
        table = replace(table, frame=table.frame.filter(pl.col("model").is_in(models)))
        if pass_k is not None:
            table, steadiness = pass_k_of(table, pass_k)
        low, high = table.limits
        if max_drop is not None:
            check_limit(max_drop, option_name("max_drop"), high - low)
        is_declared = settings.primary_declared or (max_drop is not None and settings.primary is not None)
        settings = replace(settings, baseline=models[0], primary_declared=is_declared)
        grid = score_grid(table)
        check(grid)
        comparison = compare_models(grid, settings, progress=progress)
        with progress.step("running gates", None):
            gates = run_gates(grid, max_drop, settings)
    decisive = min(gates, key=severity)
    means = dict(zip(grid.models, means_of(grid), strict=True))
    return CompareRecord(
        comparison=comparison,
        gate=decisive,
        other_gates=tuple(gate for gate in gates if gate is not decisive),
        outcome=worst_outcome(gate.outcome for gate in gates if gate.outcome),
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
        sources=reading.forms,
        notes=tuple(reading.notes),
        pass_k=steadiness,
    )
