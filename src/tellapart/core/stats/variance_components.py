"""Where the variance of scores comes from: models, items, their interaction, answers and gradings."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tellapart.core.arrays import F64, I64
from tellapart.core.stats.paired_parts import Cells, within_cells


@dataclass(frozen=True)
class VarianceComponents:
    """Estimates by expected mean squares; an estimate below 0 stays so, None is what was not recorded.

    Attributes:
        model_item: Interaction; holds the noise of single answers where ``answer`` is None.
        answer: Between answers of a model to an item; holds the gradings' where ``grading`` is None.
        grading: Between gradings of an answer.
    """

    model: float | None
    item: float | None
    model_item: float | None
    answer: float | None
    grading: float | None


def variance_components(cells: Cells) -> VarianceComponents:
    """Estimate the parts of the variance under a crossed random-effects model.

    score = mean + model + item + interaction + answer + grading, each with a variance of its own. The mean
    squares are those of least squares (each of model and item adjusted for the other) and are set equal to
    their expectations, so that missing cells and unequal numbers of answers leave every estimate unbiased.
    Models and items without any score are left out.

    Returns:
        ``model``, ``item`` and ``model_item`` are None where no two models share two items (more exactly, no
        degree of freedom is left for the interaction). Within a cell, numbers of gradings that differ
        between answers count as their mean.

    Source:
        Henderson 1953, "Estimation of variance and covariance components", method 3; Brennan 2001,
        "Generalizability Theory", for the designs and for estimates below 0 entering the others as they are.
    """
    present = ~np.isnan(cells.scores)
    answer, grading = within_cells(cells, present)
    if not present.any():
        return VarianceComponents(None, None, None, None, None)
    models, items = present.any(axis=1), present.any(axis=0)
    present = present[np.ix_(models, items)]
    scores = cells.scores[np.ix_(models, items)]
    noise = _noise(cells, answer, grading)[np.ix_(models, items)]
    model, item, model_item = _crossed(scores, present, noise)
    return VarianceComponents(model, item, model_item, answer, grading)


def _noise(cells: Cells, answer: float | None, grading: float | None) -> F64:
    """Variance of each cell's mean around its expectation; of no meaning where nothing was scored."""
    return ((answer or 0.0) + (grading or 0.0) / cells.gradings) / np.maximum(cells.answers, 1)


def _crossed(
    scores: F64, present: NDArray[np.bool_], noise: F64
) -> tuple[float | None, float | None, float | None]:
    """Components of model, item and interaction; every row and column has a known cell."""
    n_cells, (n_models, n_items) = int(np.count_nonzero(present)), present.shape
    an_item, a_model = np.count_nonzero(present, axis=0), np.count_nonzero(present, axis=1)[:, None]
    centred = np.where(present, scores - scores[present].mean(), 0.0)
    by_model = np.where(present, centred - centred.sum(axis=1, keepdims=True) / a_model, 0.0)
    by_item = np.where(present, centred - centred.sum(axis=0) / an_item, 0.0)
    inverse, rank = _swept(_information(present, an_item))
    effects = np.where(present, (inverse * by_item.sum(axis=1)).sum(axis=1)[:, None], 0.0)
    residual = np.where(present, by_item - effects + effects.sum(axis=0) / an_item, 0.0)
    freedom = n_cells - n_items - rank
    if freedom == 0:
        return None, None, None
    residual_squares = float(np.square(residual).sum())
    # Shares of the cells' noise that land in the three sums of squares.
    share = _leverage(present, an_item, inverse) if np.ptp(noise[present]) else rank / n_cells
    noise = np.where(present, noise, 0.0)
    in_models, in_items = (
        float((noise * share).sum()),
        float((noise * (1 / an_item + share - 1 / a_model)).sum()),
    )
    in_left = float((noise * (1 - 1 / an_item - share)).sum())
    model_item = (residual_squares - in_left) / freedom
    item = (
        float(np.square(by_model).sum())
        - residual_squares
        - in_items
        - (n_items + rank - n_models) * model_item
    )
    model = float(np.square(by_item).sum()) - residual_squares - in_models - rank * model_item
    return model / (n_cells - n_items), item / (n_cells - n_models), model_item


def _information(present: NDArray[np.bool_], an_item: I64) -> F64:
    """What the cells tell of the models' effects, adjusted for items; shape (models, models)."""
    information = np.diag(np.count_nonzero(present, axis=1).astype(np.float64))
    for n in np.unique(an_item):
        shared = present[:, an_item == n].astype(np.float64)
        information -= (shared @ shared.T) / n
    return information


def _swept(matrix: F64) -> tuple[F64, int]:
    """A generalised inverse of a symmetric matrix without negative eigenvalues, and its rank.

    Source:
        Goodnight 1979, "A tutorial on the SWEEP operator".
    """
    matrix, rank = matrix.copy(), 0
    least = 1e-9 * float(np.diag(matrix).max())
    kept = np.zeros(len(matrix), dtype=bool)
    for k in range(len(matrix)):
        pivot = matrix[k, k]
        if pivot <= least:
            continue
        row = matrix[k] / pivot
        column = matrix[:, k].copy()
        matrix -= column[:, None] * row
        matrix[k] = row
        matrix[:, k] = -column / pivot
        matrix[k, k] = 1 / pivot
        kept[k] = True
        rank += 1
    return np.where(kept[:, None] & kept, matrix, 0.0), rank


def _leverage(present: NDArray[np.bool_], an_item: I64, inverse: F64) -> F64:
    """How far each cell's score moves its fitted value through the models' effects; (models, items)."""
    seen = present.astype(np.float64)
    through = np.stack([(row[:, None] * seen).sum(axis=0) for row in inverse])
    share: F64 = np.diag(inverse)[:, None] - 2 * through / an_item + (seen * through).sum(axis=0) / an_item**2
    return share
