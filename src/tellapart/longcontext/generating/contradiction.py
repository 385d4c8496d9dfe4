"""Two statements about the same thing that contradict each other, without a word of correction."""

from __future__ import annotations

from tellapart.longcontext.generating.questions import Draft, TaskQuestion

STATEMENTS = (
    ("The toll of the {e} bridge is {v} crowns.", "the toll of the {e} bridge"),
    ("The {e} choir has {v} singers.", "the size of the {e} choir"),
)
ASKED = "Two statements on {what} contradict each other. Which number does the later one give?"


def contradiction(draft: Draft, depth: float, index: int) -> TaskQuestion:
    """Ask which of two statements is right now: the later one, which stands at the depth."""
    statement, what = STATEMENTS[(index + draft.number) % len(STATEMENTS)]
    entity = draft.unused.name()
    early, late = (draft.unused.number(100, 1_000) for _ in range(2))
    stated = tuple(statement.format(e=entity, v=value) for value in (early, late))
    question = ASKED.format(what=what.format(e=entity))
    placed = draft.before(depth, stated)
    return TaskQuestion(question, late, "Contradiction", "updated", stated, placed, early)
