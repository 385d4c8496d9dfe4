"""Something that was never said of a thing of which something else is said."""

from __future__ import annotations

from tellapart.longcontext.generating.needles import NEVER, trap
from tellapart.longcontext.generating.questions import Draft, Placed, TaskQuestion


def abstention(draft: Draft, depth: float, index: int) -> TaskQuestion:
    """Ask for something that was never said; what is said of the thing stands at the depth."""
    never = trap(index + draft.number, draft.design.distractors, draft.unused, draft.rng)
    about, *alike = never.distractors
    placed = (Placed(depth, about), *map(draft.anywhere, alike))
    return TaskQuestion(never.question, NEVER, "Abstention", "abstention", (), placed)
