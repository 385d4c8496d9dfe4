"""Why there is no exploration, no verdict, no assessment."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tellapart.llm.questions import Failure

RECORDED = "recorded"
"""Kind of a failure of which only another pipeline's message is known."""


@dataclass(frozen=True)
class Failed:
    """A failure of one call or one exploration.

    Attributes:
        cause: As a score table counts it, one of ``core.scores.CAUSES``.
        kind: What happened exactly; those of ``llm.questions.Kind``, ``RECORDED``, and ``turns`` for an agent
            that used up its turns.
        detail: In the words of whoever noticed.
    """

    cause: str
    kind: str
    detail: str

    @classmethod
    def of(cls, failure: Failure) -> Failed:
        """Take over what became of a question to a model."""
        return cls(failure.cause, failure.kind, failure.detail)
