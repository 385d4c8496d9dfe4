"""What makes two models' scores differ from item to item: the items, answers and gradings."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from tellapart.core.arrays import F64, I64
from tellapart.core.score_grid import ScoreGrid

_LEAST = 1e-9
"""Share of the greatest eigenvalue below which one is taken for 0."""

Pick: TypeAlias = NDArray[np.bool_] | tuple[int, NDArray[np.bool_]]


@dataclass(frozen=True)
class CellNoise:
    """How one model's score on an item would vary if the item were asked again.

    Attributes:
        answer: sigma^2, variance of a single answer within an item, mean over items, >= 0; None where no item
            was answered twice. Holds the gradings' where ``grading`` is None.
        grading: Variance between gradings of one answer, >= 0; None where no answer was graded twice.
        answers: K, answers an item (harmonic mean).
        gradings: Gradings an answer (harmonic mean, an answer's weight being 1 / answers).
    """

    answer: float | None
    grading: float | None
    answers: float
    gradings: float

    def of_mean(self, answers: float | None = None, gradings: float | None = None) -> float:
        """Variance of the mean of an item's answers: (answer + grading / gradings) / answers.

        As many answers and gradings as recorded, where None; a part that was not recorded counts 0.
        """
        graded = (self.grading or 0.0) / (gradings or self.gradings)
        return ((self.answer or 0.0) + graded) / (answers or self.answers)


@dataclass(frozen=True)
class PairedParts:
    """Parts of the variance over the ``n`` items of the difference between two models' scores.

    ``variance`` is as observed (n - 1), and ``item``, omega^2, is that of the difference between expected
    scores: ``variance`` less the noise of both, at least 0. It holds the noise that was not recorded.
    """

    n: int
    variance: float
    item: float
    a: CellNoise
    b: CellNoise


def paired_parts(cells: ScoreGrid, i: int, j: int) -> PairedParts | None:
    """Split the variance of the difference between models i and j, on the items that both have scores on.

    omega^2 + sigma_A^2 / K_A + sigma_B^2 / K_B, the factor of (z_{alpha/2} + z_beta)^2 / delta^2 in the
    number of items needed. None below two common items.

    Source:
        Miller 2024, "Adding Error Bars to Evals", law of total variance for paired differences; sigma^2 / K
        apart into answers and gradings as in Brennan 2001, "Generalizability Theory".
    """
    both = ~(np.isnan(cells.scores[i]) | np.isnan(cells.scores[j]))
    n = int(np.count_nonzero(both))
    if n < 2:
        return None
    variance = float((cells.scores[i, both] - cells.scores[j, both]).var(ddof=1))
    a, b = (_noise_of(cells, row, both) for row in (i, j))
    return PairedParts(n, variance, max(0.0, variance - a.of_mean() - b.of_mean()), a, b)


def within_cells(cells: ScoreGrid, pick: Pick) -> tuple[float | None, float | None]:
    """Give the variance between answers of a cell and between gradings of an answer, by degrees of freedom.

    ``pick`` has shape (models, items), or is a row and shape (items,); each cell of it has a score. None
    where no cell has two answers, and where no answer has two gradings. The former, less the noise of
    gradings, may be below 0.
    """
    answers, gradings = cells.answers[pick], cells.gradings[pick]
    between_gradings, between_answers = cells.grading_variance[pick], cells.answer_variance[pick]
    graded, answered = ~np.isnan(between_gradings), ~np.isnan(between_answers)
    answer = grading = None
    if graded.any():
        weights = answers[graded] * (gradings[graded] - 1)
        grading = float((weights * between_gradings[graded]).sum() / weights.sum())
    if answered.any():
        weights = answers[answered] - 1.0
        answer = float((weights * between_answers[answered]).sum() / weights.sum())
        if grading is not None:
            answer -= grading * float((weights / gradings[answered]).sum() / weights.sum())
    return answer, grading


def _noise_of(cells: ScoreGrid, row: int, chosen: NDArray[np.bool_]) -> CellNoise:
    answer, grading = within_cells(cells, (row, chosen))
    per_answer = 1.0 / cells.answers[row, chosen]
    answers = 1.0 / float(per_answer.mean())
    gradings = 1.0 / (answers * float((per_answer / cells.gradings[row, chosen]).mean()))
    return CellNoise(None if answer is None else max(0.0, answer), grading, answers, gradings)


@dataclass(frozen=True)
class VarianceComponents:
    """Estimates by expected mean squares; an estimate below 0 stays so, None is what was not recorded.

    ``model_item`` is of models that differ in what they find hard, and holds the noise of single answers
    where there is no ``replicate``; that is between answers of a model to an item, and holds the noise
    between gradings where there is no ``grading``.
    """

    model: float | None
    item: float | None
    model_item: float | None
    replicate: float | None
    grading: float | None
    reason: str = ""

    @property
    def parts(self) -> dict[str, float | None]:
        """The parts by name, in the order above."""
        return {name: value for name, value in vars(self).items() if name != "reason"}


def variance_components(cells: ScoreGrid) -> VarianceComponents:
    """Estimate the parts of the variance under a crossed random-effects model.

    score = mean + model + item + interaction + answer + grading, each with a variance of its own. The mean
    squares are those of least squares (each of model and item adjusted for the other) and are set equal to
    their expectations, so that missing cells and unequal numbers of answers leave every estimate unbiased.
    Models and items without any score are left out. ``model``, ``item`` and ``model_item`` are None where no
    two models share two items (more exactly, no degree of freedom is left for the interaction). Within a
    cell, numbers of gradings that differ between answers count as their mean.

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
    # Variance of each cell's mean around its expectation.
    noise = ((answer or 0.0) + (grading or 0.0) / cells.gradings) / np.maximum(cells.answers, 1)
    noise = noise[np.ix_(models, items)]
    model, item, model_item = _crossed(scores, present, noise)
    return VarianceComponents(model, item, model_item, answer, grading)


def _crossed(
    scores: F64, present: NDArray[np.bool_], noise: F64
) -> tuple[float | None, float | None, float | None]:
    """Components of model, item and interaction; every row and column has a known cell."""
    n_cells, (n_models, n_items) = int(np.count_nonzero(present)), present.shape
    an_item, a_model = np.count_nonzero(present, axis=0), np.count_nonzero(present, axis=1)[:, None]
    centred = np.where(present, scores - scores[present].mean(), 0.0)
    by_model = np.where(present, centred - centred.sum(axis=1, keepdims=True) / a_model, 0.0)
    by_item = np.where(present, centred - centred.sum(axis=0) / an_item, 0.0)
    information = _information(present, an_item)
    inverse: F64 = np.linalg.pinv(information, rcond=_LEAST, hermitian=True).astype(np.float64)
    rank = int(np.linalg.matrix_rank(information, tol=_LEAST * n_items, hermitian=True))
    effects = np.where(present, (inverse * by_item.sum(axis=1)).sum(axis=1)[:, None], 0.0)
    residual = np.where(present, by_item - effects + effects.sum(axis=0) / an_item, 0.0)
    freedom = n_cells - n_items - rank
    if freedom == 0:
        return None, None, None
    residual_squares = float(np.square(residual).sum())
    # Shares of the cells' noise that land in the three sums of squares.
    share = _leverage(present, an_item, inverse) if np.ptp(noise[present]) else rank / n_cells
    noise = np.where(present, noise, 0.0)
    in_models, in_items, in_left = (
        float((noise * of).sum())
        for of in (share, 1 / an_item + share - 1 / a_model, 1 - 1 / an_item - share)
    )
    model_item = (residual_squares - in_left) / freedom
    item = float(np.square(by_model).sum()) - residual_squares - in_items
    item -= (n_items + rank - n_models) * model_item
    model = float(np.square(by_item).sum()) - residual_squares - in_models - rank * model_item
    return model / (n_cells - n_items), item / (n_cells - n_models), model_item


def _information(present: NDArray[np.bool_], an_item: I64) -> F64:
    """What the cells tell of the models' effects, adjusted for items; shape (models, models)."""
    information = np.diag(np.count_nonzero(present, axis=1).astype(np.float64))
    for n in np.unique(an_item):
        shared = present[:, an_item == n].astype(np.float64)
        information -= (shared @ shared.T) / n
    return information


def _leverage(present: NDArray[np.bool_], an_item: I64, inverse: F64) -> F64:
    """How far each cell's score moves its fitted value through the models' effects; (models, items)."""
    seen = present.astype(np.float64)
    through = np.stack([(row[:, None] * seen).sum(axis=0) for row in inverse])
    share: F64 = np.diag(inverse)[:, None] - 2 * through / an_item + (seen * through).sum(axis=0) / an_item**2
    return share
