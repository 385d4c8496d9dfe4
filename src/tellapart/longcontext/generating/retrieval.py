"""Needles with several keys, values or questions.

Source: Hsieh et al. 2024, "RULER: What's the Real Context Size of Your Long-Context Language Models?",
section 3.
Deviations: the sentences are others, keys are made-up names, and a conversation asks one question for each
depth, so that it has the keys of all of them.
"""

from __future__ import annotations

from tellapart.longcontext.generating.questions import Draft, Placed, TaskQuestion

KEYS = VALUES = QUERIES = 4
"""Keys in the text for each question, values of a key, keys that are asked for at once: as published."""

STATED = "The deposit number of {key} is {value}."
ALSO = "One deposit number of {key} is {value}."
ASKED = "What is the deposit number of {key}?"
ALL_VALUES = "What are all the deposit numbers of {key}?"
ALL_KEYS = "What are the deposit numbers of {keys}?"

_VALUE = "0000000"


def multi_key(draft: Draft, depth: float, _: int) -> TaskQuestion:
    """Ask for the value of one key out of several; its sentence stands at the depth, the others anywhere."""
    key, value = draft.unused.name(), draft.unused.identifier(_VALUE)
    evidence = STATED.format(key=key, value=value)
    others = [
        draft.anywhere(STATED.format(key=draft.unused.name(), value=draft.unused.identifier(_VALUE)))
        for _ in range(KEYS - 1)
    ]
    placed = (Placed(depth, evidence), *others)
    return TaskQuestion(ASKED.format(key=key), value, "Multi-key needles", "match", (evidence,), placed)


def multi_value(draft: Draft, depth: float, _: int) -> TaskQuestion:
    """Ask for all values of one key; the first stands at the depth, the others anywhere behind it."""
    key = draft.unused.name()
    values = [draft.unused.identifier(_VALUE) for _ in range(VALUES)]
    stated = tuple(ALSO.format(key=key, value=value) for value in values)
    question, answer = ALL_VALUES.format(key=key), ", ".join(values)
    return TaskQuestion(question, answer, "Multi-value needles", "match", stated, draft.after(depth, stated))


def multi_query(draft: Draft, depth: float, _: int) -> TaskQuestion:
    """Ask for the values of several keys at once; the first stands at the depth, the others behind it."""
    keys = [draft.unused.name() for _ in range(QUERIES)]
    values = {key: draft.unused.identifier(_VALUE) for key in keys}
    stated = tuple(STATED.format(key=key, value=value) for key, value in values.items())
    names = [keys[i] for i in draft.rng.permutation(QUERIES).tolist()]
    question = ALL_KEYS.format(keys=f"{', '.join(names[:-1])} and {names[-1]}")
    answer = ", ".join(values[name] for name in names)
    return TaskQuestion(question, answer, "Multi-query needles", "match", stated, draft.after(depth, stated))
