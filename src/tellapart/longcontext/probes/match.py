"""Probes whose answer is a set of strings: the share of them that a response contains."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from tellapart.longcontext.case import Expected
from tellapart.longcontext.grades import Grade
from tellapart.longcontext.probes.kind import ProbeKind, answer_of
from tellapart.longcontext.probes.needs import Needs, Part
from tellapart.longcontext.rules.refusals import refuses
from tellapart.longcontext.values import facts_of

_BETWEEN = re.compile(r";|,(?=\s)")


class _Match(ProbeKind):
    name = "match"
    precedence = 80

    def can_grade(self, expected: Expected | None) -> bool:
        return bool(strings_of(answer_of(expected)))

    def needs_judge(self, expected: Expected) -> bool:
        return False

    def needs(self, question: str, expected: Expected) -> Needs:
        strings = strings_of(answer_of(expected))
        return Needs(tuple(Part(text, texts=(text,), facts=facts_of(text)) for text in strings))

    def gives_away(self, question: str, expected: Expected) -> bool:
        """Whether the question has one of the strings."""
        return any(_has(question, text) for text in strings_of(answer_of(expected)))

    def grade(self, question: str, response: str, expected: Expected, material: Sequence[str]) -> Grade:
        return grade_match(response, strings_of(answer_of(expected)))


KIND = _Match()


def strings_of(answer: str) -> tuple[str, ...]:
    """The strings of an answer such as ``84; 1,912; Drova``, each once.

    They are separated by semicolons, or by commas that a space follows; the comma of ``1,912`` is part of it.
    """
    return tuple(dict.fromkeys(text for text in map(str.strip, _BETWEEN.split(answer)) if text))


def grade_match(response: str, strings: Sequence[str]) -> Grade:
    """Grade by the share of strings that a response contains, in any order and letter case.

    All of them: CORRECT. Some: PARTIAL with the share as its value. None: REFUSED where the response says
    that it does not know or says nothing, else HALLUCINATED. What else the response contains does not count
    against it, and a string that is part of a longer word counts, as published.

    Source:
        Hsieh et al. 2024, "RULER: What's the Real Context Size of Your Long-Context Language Models?",
        section 4: a prediction is scored by whether it contains the outputs (``string_match_all`` of the
        code that its authors published, which all tasks but question answering use).
    """
    absent = [text for text in strings if not _has(response, text)]
    correct, of = len(strings) - len(absent), len(strings)
    counts = f"{correct}/{of} correct"
    if not absent:
        grade = Grade("CORRECT", f"{counts}.", ", ".join(strings))
    elif correct:
        grade = Grade("PARTIAL", f"{counts}: not {', '.join(absent)}.", absent[0])
    elif refuses(response) or not response.strip():
        grade = Grade("REFUSED", f"{counts}: it says that it does not know.")
    else:
        grade = Grade("HALLUCINATED", f"{counts}: not {', '.join(absent)}.", absent[0])
    # One string is right or wrong; there is nothing to count.
    return replace(grade, correct=correct, of=of) if of > 1 else grade


def _has(text: str, string: str) -> bool:
    return string.casefold() in text.casefold()
