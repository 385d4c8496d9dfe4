"""Where the scores' variance comes from."""

from __future__ import annotations

from dataclasses import asdict

from tellapart.audit.findings import Variance
from tellapart.core.score_grid import ScoreGrid
from tellapart.core.stats import VarianceComponents, variance_components

_WORDS = {
    "model": "models",
    "item": "items",
    "model_item": "model x item",
    "answer": "answers",
    "grading": "gradings",
}


def components(grid: ScoreGrid) -> Variance:
    """Split the variance of the scores; see `tellapart.core.stats.variance_components`.

    Args:
        grid: The scores.

    Returns:
        An estimate below 0 is given as 0 and named in ``reason``, as is what was not recorded. Items that
        share a source count as if they were alone.
    """
    found = variance_components(grid)
    parts = {name: None if part is None else max(0.0, part) for name, part in asdict(found).items()}
    return Variance(
        model=parts["model"],
        item=parts["item"],
        model_item=parts["model_item"],
        replicate=parts["answer"],
        grading=parts["grading"],
        reason="; ".join([*_not_recorded(found), *_below_zero(found)]),
    )


def _not_recorded(found: VarianceComponents) -> list[str]:
    reasons = []
    if found.model_item is None:
        reasons.append(
            "models and items cannot be told apart: that takes two models scored on the same two items"
        )
    if found.answer is None and found.grading is None:
        reasons.append(
            "no item was answered or graded twice, so model x item holds the noise of single answers"
        )
    elif found.answer is None:
        reasons.append("no item was answered twice, so model x item holds the noise of single answers")
    elif found.grading is None:
        reasons.append("no answer was graded twice, so the noise of answers holds that of gradings")
    return reasons


def _below_zero(found: VarianceComponents) -> list[str]:
    below = [_WORDS[name] for name, part in asdict(found).items() if part is not None and part < 0]
    return [f"the estimate for {name} is below 0 and is given as 0" for name in below]
