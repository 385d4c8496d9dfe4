"""Questions to language models that are made while they are asked."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

from pydantic import BaseModel

from tellapart.llm.questions import Question

Thing = TypeVar("Thing")
Reply = TypeVar("Reply", bound=BaseModel)


@dataclass(frozen=True)
class Questions(Generic[Thing, Reply]):
    """One question about each of ``things``; prompts are long, so none is kept."""

    things: Sequence[Thing]
    question: Callable[[Thing], Question[Reply]]

    def __len__(self) -> int:
        """Count the questions."""
        return len(self.things)

    def __iter__(self) -> Iterator[Question[Reply]]:
        """Make the questions, one thing after the other."""
        return map(self.question, self.things)
