"""Entries of several kinds all over the conversation: how many are of a kind, and which kind leads."""

from __future__ import annotations

from tellapart.longcontext.generating.questions import Draft, TaskQuestion

WARES = ("salt", "wool", "iron", "timber")
ENTRY = "The carrier {v} brought {ware} to {e}."
HOW_MANY = "How many carriers brought {ware} to {e}?"
MORE = "Which ware was brought to {e} by more carriers, {one} or {other}?"

FEWEST, MOST, LEAD = 3, 6, 2
"""Entries of a ware that does not lead, and how many more than any of them the leading one has."""


def distribution(draft: Draft) -> list[TaskQuestion]:
    """Ask about all entries at once; they stand anywhere, so that no part of the text has the answer."""
    place = draft.unused.name()
    lead, *others = [WARES[i] for i in draft.rng.permutation(len(WARES)).tolist()]
    counts = {ware: int(draft.rng.integers(FEWEST, MOST + 1)) for ware in others}
    counts[lead] = max(counts.values()) + LEAD
    questions = []
    entries = {}
    for ware in WARES:
        entries[ware] = tuple(
            ENTRY.format(v=draft.unused.name(), ware=ware, e=place) for _ in range(counts[ware])
        )
        text, placed = HOW_MANY.format(ware=ware, e=place), tuple(map(draft.anywhere, entries[ware]))
        mode = "Distribution - number"
        questions.append(TaskQuestion(text, str(counts[ware]), mode, "count", entries[ware], placed))
    pair = [lead, max(others, key=lambda ware: counts[ware])]
    named = [pair[i] for i in draft.rng.permutation(2).tolist()]
    text = MORE.format(e=place, one=named[0], other=named[1])
    evidence = entries[pair[0]] + entries[pair[1]]
    return [*questions, TaskQuestion(text, lead, "Distribution - most frequent", "facts", evidence)]
