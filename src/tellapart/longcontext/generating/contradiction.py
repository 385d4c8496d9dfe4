"""Two statements about the same thing that contradict each other, without a word of correction."""

from __future__ import annotations

from tellapart.longcontext.generating.questions import Draft, Placed, TaskQuestion

STATEMENTS = (
    ("The toll of the {e} bridge is {v} crowns.", "the toll of the {e} bridge"),
    ("The {e} choir has {v} singers.", "the size of the {e} choir"),
)
ASKED = "Two statements on {what} contradict each other. Which number does the later one give?"


def contradiction(draft: Draft) -> list[TaskQuestion]:
    """Ask which of two statements is right now: the later one, which stands at the depth."""
    questions = []
    for index, depth in enumerate(draft.depths()):
        statement, what = STATEMENTS[(index + draft.number) % len(STATEMENTS)]
        entity = draft.unused.name()
        values = [draft.unused.number(100, 1_000) for _ in range(2)]
        sentences = tuple(statement.format(e=entity, v=value) for value in values)
        questions.append(
            TaskQuestion(
                ASKED.format(what=what.format(e=entity)),
                values[1],
                "Contradiction",
                "updated",
                sentences,
                tuple(map(Placed, draft.before(depth, 2), sentences)),
                values[0],
            )
        )
    return questions
