"""What a probe is worth, and why."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from tellapart.longcontext.case import Expected

Category = Literal[
    "CORRECT",
    "PARTIAL",
    "HALLUCINATED",
    "CONFUSED",
    "REFUSED",
    "ERROR",
    "PASS",
    "FAIL",
    "RECENCY_BIAS_DETECTED",
    "NO_BIAS",
    "EVAL_ERROR",
]

GraderName = Literal["rules", "judge"]
"""Who decides; what needs no model (a banned word, an enumeration, a null response) is decided by rules."""

VALUES: dict[Category, float | None] = {
    "CORRECT": 1.0,
    "PASS": 1.0,
    "NO_BIAS": 1.0,
    "PARTIAL": 0.5,
    "HALLUCINATED": 0.0,
    "CONFUSED": 0.0,
    "REFUSED": 0.0,
    "FAIL": 0.0,
    "RECENCY_BIAS_DETECTED": 0.0,
    "ERROR": None,
    "EVAL_ERROR": None,
}
"""Scores of what is not counted; None where there is none. See ``Grade.value``."""


@dataclass(frozen=True)
class Answered:
    """A response to be graded, with its question, the key, and what messages had shown before."""

    question: str
    response: str
    key: Expected
    material: Sequence[str] = ()


@dataclass(frozen=True)
class Grade:
    """The grade of one response, its category in the original experiment's words.

    ``missing`` is why there is no score, in the words of a score table, and ``failure`` why a judge gave no
    evaluation. Of several entries or strings ``correct`` are right ``of`` all. ``score`` is that of a kind of
    probe that measures one, and ``judging`` which attempt of the judge it is, from 0.
    """

    category: Category
    reason: str
    key_detail: str = ""
    grader: GraderName = "rules"
    missing: str | None = None
    note: str | None = None
    correct: int | None = None
    of: int | None = None
    judging: int = 0
    score: float | None = None
    failure: str | None = None

    @property
    def value(self) -> float | None:
        """The score in [0, 1], of a list the share of its right entries; None where there is none."""
        if self.score is not None:
            return self.score
        value = VALUES[self.category]
        if value is None or self.correct is None or not self.of:
            return value
        return self.correct / self.of


NOT_GRADED = "rules cannot tell"
"""Why an answer is missing that code cannot grade, in the words of a score table."""


def not_graded(why: str) -> Grade:
    """No grade by code; a judge or a person can give one."""
    return Grade("EVAL_ERROR", f"Code cannot grade it: {why}.", missing=NOT_GRADED)
