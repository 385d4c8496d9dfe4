"""What makes two models' scores differ from item to item: the items, answers and gradings."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

from tellapart.core.arrays import F64, I64

Pick: TypeAlias = NDArray[np.bool_] | tuple[int, NDArray[np.bool_]]


class Cells(Protocol):
    """Scores of models (down) on items (across); every array has the shape (models, items).

    `tellapart.core.score_grid.ScoreGrid` is one.
    """

    @property
    def scores(self) -> F64:
        """Mean over the answers of a cell; NaN where nothing was scored."""

    @property
    def answers(self) -> I64:
        """How many answers were scored."""

    @property
    def answer_variance(self) -> F64:
        """Variance (n - 1) between the answers of a cell; NaN below two."""

    @property
    def grading_variance(self) -> F64:
        """Mean over answers of the variance (n - 1) between gradings; NaN where none was graded twice."""

    @property
    def gradings(self) -> F64:
        """Mean number of gradings an answer; NaN where nothing was scored."""


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

        As many answers and gradings as recorded, where None.

        Returns:
            What is not recorded counts 0, as it is then part of something else.
        """
        graded = (self.grading or 0.0) / (gradings or self.gradings)
        return ((self.answer or 0.0) + graded) / (answers or self.answers)


@dataclass(frozen=True)
class PairedParts:
    """Parts of the variance over items of the difference between two models' scores.

    Attributes:
        n: Items that both have scores on.
        variance: Of the difference (n - 1), as observed.
        item: omega^2, variance of the difference between expected scores: ``variance`` less the noise of
            both, at least 0. Holds the noise that was not recorded.
        a: Noise of the first model on these items.
        b: Noise of the second.
    """

    n: int
    variance: float
    item: float
    a: CellNoise
    b: CellNoise


def paired_parts(cells: Cells, i: int, j: int) -> PairedParts | None:
    """Split the variance of the difference between models i and j, on the items that both have scores on.

    omega^2 + sigma_A^2 / K_A + sigma_B^2 / K_B, the factor of (z_{alpha/2} + z_beta)^2 / delta^2 in the
    number of items needed.

    Returns:
        None below two common items.

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


def within_cells(cells: Cells, pick: Pick) -> tuple[float | None, float | None]:
    """Give the variance between answers of a cell and between gradings of an answer.

    Pooled by degrees of freedom. ``pick`` has shape (models, items), or is a row and shape (items,); each
    cell of it has a score.

    Returns:
        None where no cell has two answers, and where no answer has two gradings. The former, less the noise
        of gradings, may be below 0.
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


def _noise_of(cells: Cells, row: int, chosen: NDArray[np.bool_]) -> CellNoise:
    answer, grading = within_cells(cells, (row, chosen))
    per_answer = 1.0 / cells.answers[row, chosen]
    answers = 1.0 / float(per_answer.mean())
    return CellNoise(
        answer=None if answer is None else max(0.0, answer),
        grading=grading,
        answers=answers,
        gradings=1.0 / (answers * float((per_answer / cells.gradings[row, chosen]).mean())),
    )
