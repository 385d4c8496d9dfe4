"""What a task puts into a conversation: questions, and the sentences that stand in the text for them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from tellapart.longcontext.design import Design
from tellapart.longcontext.generating.names import Unused


@dataclass(frozen=True)
class Placed:
    """A sentence and how far into the text it is to stand, from 0 to 1."""

    depth: float
    sentence: str


@dataclass(frozen=True)
class TaskQuestion:
    """A question of a task.

    ``mode`` is the failure mode, what the task is called in reports, and ``rule`` the kind of probe.
    ``placed`` are all sentences that stand in the text for it, those of ``evidence`` among them; ``early``
    are values that no longer hold, with semicolons between them.
    """

    text: str
    answer: str
    mode: str
    rule: str
    evidence: tuple[str, ...]
    placed: tuple[Placed, ...] = ()
    early: str | None = None


@dataclass(frozen=True)
class Draft:
    """What the questions of one conversation are made from; its length is in tokens."""

    design: Design
    length: int
    number: int
    messages: int
    rng: np.random.Generator
    unused: Unused

    def depths(self) -> list[float]:
        """The depth of each question."""
        return sorted(self.design.depths)

    def after(self, depth: float, sentences: Sequence[str]) -> tuple[Placed, ...]:
        """Place the first of some sentences at a depth, the others in order behind it."""
        depths = depth + (1 - depth) * self.rng.random(len(sentences) - 1)
        return tuple(map(Placed, [depth, *sorted(depths.tolist())], sentences))

    def before(self, depth: float, sentences: Sequence[str]) -> tuple[Placed, ...]:
        """Place the last of some sentences at a depth, the others in order before it."""
        depths = depth * self.rng.random(len(sentences) - 1)
        return tuple(map(Placed, [*sorted(depths.tolist()), depth], sentences))

    def anywhere(self, sentence: str) -> Placed:
        """Place a sentence at a depth that is drawn."""
        return Placed(float(self.rng.random()), sentence)


Task = Callable[[Draft], list[TaskQuestion]]
"""From what a conversation is made from to its questions; their order does not matter."""

Asked = Callable[[Draft, float, int], TaskQuestion]
"""A question at a depth, and which of the conversation it is."""


def at_each_depth(question: Asked) -> Task:
    """Ask a question of each depth of the design."""
    return lambda draft: [question(draft, depth, i) for i, depth in enumerate(draft.depths())]
