"""Selection bias: how much a model suffers from distractors that it chose itself."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import fsum

import numpy as np
import polars as pl
from pydantic import Field

from tellapart.contrastive.answers import Ends
from tellapart.core.arrays import F64
from tellapart.core.record import Record
from tellapart.core.stats import bca_statistic
from tellapart.errors import InputError


class SelfEffect(Record):
    """What a selector does to the accuracy of its own model; None with a ``reason``."""

    effect: float | None
    ci: Ends | None
    reason: str | None


class SelectionBias(Record):
    """Accuracy by selector, then model, over the same ``n`` rows, and ``self`` by selector."""

    self_effects: dict[str, SelfEffect] = Field(alias="self")
    accuracy: dict[str, dict[str, float]]
    n: int


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
