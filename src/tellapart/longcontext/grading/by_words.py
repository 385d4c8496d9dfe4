"""A response against a right answer that has no numbers, names or identifiers: its words."""

from __future__ import annotations

from tellapart.longcontext.case import Expected
from tellapart.longcontext.facts.facts import worded
from tellapart.longcontext.grading.grades import Grade
from tellapart.longcontext.grading.manner import hedges, refuses

_PLAIN = (
    "the and for was were are with that this from not but its has had have who which what you your they "
    "their into than then did does there been be is it in of to at on by an as or a study should model all"
)
_STOP = frozenset(_PLAIN.split())


def content_words(text: str) -> tuple[str, ...]:
    """The words of a text that carry its meaning, folded, each once, in order."""
    return tuple(dict.fromkeys(word for word in worded(text).split() if len(word) > 2 and word not in _STOP))


def shared_words(question: str, text: str, expected: Expected) -> tuple[str, ...]:
    """Words of the right answer that the question does not have and the text has."""
    asked, said = set(content_words(question)), set(content_words(text))
    return tuple(word for word in content_words(expected.answer or "") if word not in asked and word in said)


def grade_words(question: str, response: str, text: str, expected: Expected) -> Grade:
    """CORRECT with all words of the right answer beyond the question's, PARTIAL with some."""
    shared = shared_words(question, text, expected)
    asked = set(content_words(question))
    wanted = [word for word in content_words(expected.answer or "") if word not in asked]
    wanted = wanted or list(content_words(expected.answer or ""))
    if not shared and (refuses(response) or hedges(response) or not response.strip()):
        return Grade("REFUSED", "It says that it does not know.", " ".join(wanted))
    missing = [word for word in wanted if word not in content_words(text)]
    if not missing:
        return Grade("CORRECT", "It has all words of the right answer.", " ".join(wanted))
    if shared:
        return Grade(
            "PARTIAL",
            f"It has {' '.join(shared)} of the right answer, not {' '.join(missing)}.",
            " ".join(missing),
        )
    return Grade("HALLUCINATED", "It has nothing of the right answer.", " ".join(missing))
