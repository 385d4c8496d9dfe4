"""Entries of several kinds all over the conversation: how many are of a kind."""

from __future__ import annotations

from tellapart.longcontext.generating.questions import Draft, TaskQuestion

WARES = ("salt", "wool", "iron", "timber")
ENTRY = "The carrier {v} brought {ware} to {e}."
HOW_MANY = "How many carriers brought {ware} to {e}?"

FEWEST, MOST = 3, 8
"""Entries of a ware."""


def distribution(draft: Draft) -> list[TaskQuestion]:
    """Ask about all entries at once; they stand anywhere, so that no part of the text has the answer."""
    town = draft.unused.name()
    counts = {ware: int(draft.rng.integers(FEWEST, MOST + 1)) for ware in WARES}
    questions = []
    for ware, count in counts.items():
        stated = tuple(ENTRY.format(v=draft.unused.name(), ware=ware, e=town) for _ in range(count))
        text, placed = HOW_MANY.format(ware=ware, e=town), tuple(map(draft.anywhere, stated))
        questions.append(TaskQuestion(text, str(count), "Distribution - number", "count", stated, placed))
    return questions
