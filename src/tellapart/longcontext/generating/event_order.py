"""Events whose order is asked for: which of two came first, and how many of several came before one."""

from __future__ import annotations

from tellapart.longcontext.generating.questions import Draft, Placed, TaskQuestion

HAPPENED = "A storm struck {e}."
FIRST = "Which storm was reported first, the one at {one} or the one at {other}?"
BEFORE = "Of the storms at {names}, how many were reported before that at {e}?"

SEVERAL = 4
"""Events of a question that asks how many came before."""


def event_order(draft: Draft) -> list[TaskQuestion]:
    """Ask for the order in which events were told; the first stands at the depth, the others behind it.

    The two questions take turns. Places are named in an order that is drawn, and one or more storms come
    before the one that is asked for.
    """
    questions = []
    for index, depth in enumerate(draft.depths()):
        count = (2, SEVERAL)[(index + draft.number) % 2]
        places = [draft.unused.name() for _ in range(count)]
        named = [places[i] for i in draft.rng.permutation(count).tolist()]
        sentences = tuple(HAPPENED.format(e=place) for place in places)
        if count == 2:
            text, answer, rule = FIRST.format(one=named[0], other=named[1]), places[0], "facts"
        else:
            before = int(draft.rng.integers(1, count))
            text = BEFORE.format(names=f"{', '.join(named[:-1])} and {named[-1]}", e=places[before])
            answer, rule = str(before), "count"
        placed = tuple(map(Placed, draft.after(depth, count), sentences))
        questions.append(TaskQuestion(text, answer, "Event order", rule, sentences, placed))
    return questions
