"""Events whose order is asked for: how many of several came before one."""

from __future__ import annotations

from tellapart.longcontext.generating.questions import Draft, TaskQuestion

HAPPENED = "A storm struck {e}."
BEFORE = "Of the storms at {names}, how many were reported before that at {e}?"

SEVERAL = 4
"""Events of a question."""


def event_order(draft: Draft, depth: float, _: int) -> TaskQuestion:
    """Ask for the order in which events were told; the first stands at the depth, the others behind it.

    Places are named in an order that is drawn, and one or more storms come before the one that is asked for.
    """
    places = [draft.unused.name() for _ in range(SEVERAL)]
    named = [places[i] for i in draft.rng.permutation(SEVERAL).tolist()]
    stated = tuple(HAPPENED.format(e=place) for place in places)
    before = int(draft.rng.integers(1, SEVERAL))
    text = BEFORE.format(names=f"{', '.join(named[:-1])} and {named[-1]}", e=places[before])
    return TaskQuestion(text, str(before), "Event order", "count", stated, draft.after(depth, stated))
