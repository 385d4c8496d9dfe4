"""Variable tracking: chains of assignments, and which variables hold a value in the end.

Source: Hsieh et al. 2024, "RULER: What's the Real Context Size of Your Long-Context Language Models?",
section 3.
Deviations: the sentences are others, there is no worked example before the text, the question does not say
how many variables there are, and a conversation has a chain for each depth.
"""

from __future__ import annotations

from itertools import pairwise

from tellapart.longcontext.generating.questions import Draft, TaskQuestion

HOPS = 4
"""Assignments of a chain after the first, as published; a chain has one variable more."""

FIRST = "The variable {name} is set to {value}."
COPIED = "The variable {name} is set to the value of {source}."
ASKED = "Which variables hold the value {value}, directly or through other variables?"


def variables(draft: Draft, depth: float, _: int) -> TaskQuestion:
    """Ask for all variables of a chain; it begins at the depth and goes on in order anywhere behind it."""
    value = draft.unused.identifier("00000")
    names = [draft.unused.identifier("AAAAA") for _ in range(HOPS + 1)]
    stated = (
        FIRST.format(name=names[0], value=value),
        *(COPIED.format(name=name, source=source) for source, name in pairwise(names)),
    )
    question, answer = ASKED.format(value=value), ", ".join(names)
    return TaskQuestion(question, answer, "Variable tracking", "match", stated, draft.after(depth, stated))
