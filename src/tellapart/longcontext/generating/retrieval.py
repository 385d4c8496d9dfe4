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


def multi_key(draft: Draft) -> list[TaskQuestion]:
    """Ask for the value of one key out of several; its sentence stands at the depth, the others anywhere."""
    questions = []
    for depth in draft.depths():
        key, value = draft.unused.name(), draft.unused.identifier(_VALUE)
        evidence = STATED.format(key=key, value=value)
        others = [
            draft.anywhere(STATED.format(key=draft.unused.name(), value=draft.unused.identifier(_VALUE)))
            for _ in range(KEYS - 1)
        ]
        placed = (Placed(depth, evidence), *others)
        questions.append(
            TaskQuestion(ASKED.format(key=key), value, "Multi-key needles", "match", (evidence,), placed)
        )
    return questions


def multi_value(draft: Draft) -> list[TaskQuestion]:
    """Ask for all values of one key; the first stands at the depth, the others anywhere behind it."""
    questions = []
    for depth in draft.depths():
        key = draft.unused.name()
        values = [draft.unused.identifier(_VALUE) for _ in range(VALUES)]
        sentences = tuple(ALSO.format(key=key, value=value) for value in values)
        questions.append(
            TaskQuestion(
                ALL_VALUES.format(key=key),
                ", ".join(values),
                "Multi-value needles",
                "match",
                sentences,
                tuple(map(Placed, draft.after(depth, VALUES), sentences)),
            )
        )
    return questions


def multi_query(draft: Draft) -> list[TaskQuestion]:
    """Ask for the values of several keys at once; the first stands at the depth, the others behind it."""
    questions = []
    for depth in draft.depths():
        keys = [draft.unused.name() for _ in range(QUERIES)]
        values = [draft.unused.identifier(_VALUE) for _ in keys]
        sentences = tuple(
            STATED.format(key=key, value=value) for key, value in zip(keys, values, strict=True)
        )
        order = draft.rng.permutation(QUERIES).tolist()
        names = [keys[i] for i in order]
        questions.append(
            TaskQuestion(
                ALL_KEYS.format(keys=f"{', '.join(names[:-1])} and {names[-1]}"),
                ", ".join(values[i] for i in order),
                "Multi-query needles",
                "match",
                sentences,
                tuple(map(Placed, draft.after(depth, QUERIES), sentences)),
            )
        )
    return questions
