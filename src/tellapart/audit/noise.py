"""How much of a pair's difference is luck of answers and gradings, and what more of them would do."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, dataclass

from tellapart.audit.evidence import Plan
from tellapart.audit.results import Variance
from tellapart.core.score_grid import ScoreGrid
from tellapart.core.stats.paired_parts import PairedParts
from tellapart.core.stats.variance_components import VarianceComponents, variance_components

_WORDS = {
    "model": "models",
    "item": "items",
    "model_item": "model × item",
    "answer": "answers",
    "grading": "gradings",
}


def components(grid: ScoreGrid) -> Variance:
    """Split the variance of the scores; see `tellapart.core.stats.variance_components`."""
    estimates = variance_components(grid)
    parts = {name: None if part is None else max(0.0, part) for name, part in asdict(estimates).items()}
    return Variance(
        model=parts["model"],
        item=parts["item"],
        model_item=parts["model_item"],
        replicate=parts["answer"],
        grading=parts["grading"],
        reason="; ".join([*_not_recorded(estimates), *_below_zero(estimates)]),
    )


def _not_recorded(estimates: VarianceComponents) -> list[str]:
    reasons = []
    if estimates.model_item is None:
        reasons.append(
            "cannot separate models from items: that takes two models scored on the same two items"
        )
    if estimates.answer is None and estimates.grading is None:
        reasons.append(
            "no item was answered or graded twice, so model × item includes the noise of single answers"
        )
    elif estimates.answer is None:
        reasons.append("no item was answered twice, so model × item includes the noise of single answers")
    elif estimates.grading is None:
        reasons.append("no answer was graded twice, so the noise of answers includes that of gradings")
    return reasons


def _below_zero(estimates: VarianceComponents) -> list[str]:
    below = [_WORDS[name] for name, part in asdict(estimates).items() if part is not None and part < 0]
    return [f"the estimate for {name} is below 0 and is given as 0" for name in below]


MOST_ANSWERS = 64
"""More further answers an item, or gradings an answer, than this are not advised."""

MOSTLY = 2 / 3
"""Share of the variance from which luck is the cause, whatever the number of items."""


@dataclass(frozen=True)
class PairNoise:
    """Variance over items of the difference between two models' mean scores, in squared score units.

    Attributes:
        items: Of the difference between expected scores, with what clusters add; holds the noise that was
            not recorded.
        answers: Of luck between answers to one item; holds the graders' where it was not recorded.
        gradings: Of luck between gradings of one answer.
        answered_again: Whether an item was answered twice by one of the two.
        graded_again: Whether an answer was graded twice.
    """

    items: float
    answers: float
    gradings: float
    answered_again: bool
    graded_again: bool
    parts: PairedParts

    @property
    def total(self) -> float:
        """The whole variance."""
        return self.items + self.answers + self.gradings

    @property
    def share(self) -> float:
        """Share of the variance that is luck, in [0, 1]; 0 where nothing varies."""
        return (self.answers + self.gradings) / self.total if self.total else 0.0

    def with_more(self, *, answers: int = 0, gradings: int = 0) -> float:
        """Give the variance with more answers an item, or more gradings an answer, of both models."""
        cells = (self.parts.a, self.parts.b)
        return self.items + sum(
            cell.of_mean(cell.answers + answers, cell.gradings + gradings) for cell in cells
        )


def noise_in(parts: PairedParts, design_effect: float) -> PairNoise:
    """Split the variance of a pair's difference."""
    noise = parts.a.of_mean() + parts.b.of_mean()
    cells = (parts.a, parts.b)
    gradings = sum((cell.grading or 0.0) / (cell.answers * cell.gradings) for cell in cells)
    return PairNoise(
        items=max(0.0, parts.variance * design_effect - noise),
        answers=noise - gradings,
        gradings=gradings,
        answered_again=any(cell.answer is not None for cell in cells),
        graded_again=any(cell.grading is not None for cell in cells),
        parts=parts,
    )


def is_the_cause(noise: PairNoise, plan: Plan, n: int) -> bool:
    """Check whether luck is what keeps n items from settling a pair.

    It is where at least ``MOSTLY`` of the variance is luck, so that without it a third of the items would
    do; and where half of it is and n items would do if there were none.
    """
    if noise.share < 0.5:
        return False
    needed = plan.items(noise.items / plan.design_effect)
    return noise.share >= MOSTLY or (needed is not None and needed <= n)


def more_answers(noise: PairNoise, plan: Plan, n: int) -> int | None:
    """Give the fewest further answers an item with which n items settle a pair; None where none would do."""
    return _fewest(lambda more: noise.with_more(answers=more), plan, n)


def more_gradings(noise: PairNoise, plan: Plan, n: int) -> int | None:
    """Give the fewest further gradings an answer with which n items settle a pair; None where none do."""
    if not noise.gradings:
        return None
    return _fewest(lambda more: noise.with_more(gradings=more), plan, n)


def _fewest(variance: Callable[[int], float], plan: Plan, n: int) -> int | None:
    for more in range(1, MOST_ANSWERS + 1):
        needed = plan.items(variance(more) / plan.design_effect)
        if needed is not None and needed <= n:
            return more
    return None
