"""What a kind of probe says of its probes; a module with ``KIND`` is a kind."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import ClassVar

from tellapart.longcontext.case import Expected
from tellapart.longcontext.grades import Category, Grade
from tellapart.longcontext.probes.needs import Needs, Part, parts_of_answer
from tellapart.longcontext.values import facts_of


@dataclass(frozen=True)
class JudgePrompt:
    """One way of asking a judge.

    Attributes:
        name: Of its file in ``prompts/``, and in records of runs.
        offered: What the judge may say of a response that there is.
        answer: What the prompt shows of the right answer, by the template's names.
    """

    name: str
    offered: tuple[Category, ...]
    answer: Callable[[Expected], dict[str, str | None]]


# The document's prompt, with its fields marked as material. It names further categories, which are decided
# without a judge: ERROR of a response that there is contradicts itself, and nobody asked for PASS or FAIL.
RIGHT_OR_WRONG = JudgePrompt(
    "judge",
    ("CORRECT", "PARTIAL", "HALLUCINATED", "CONFUSED", "REFUSED"),
    lambda expected: {"expected": "; or: ".join(expected.answers) or "(none)"},
)
"""Whether a response is right, by the answer in words."""


class ProbeKind:
    """Everything that follows from what a probe asks for.

    A kind has to say how its probes are graded (``grade``); of all else the methods here say what holds of
    one right answer in words.

    Attributes:
        name: In case files, as ``rule``, and in records.
        precedence: Where a failure mode or an answer fits several kinds, the lowest counts.
        failure_mode: A failure mode that contains this, in lower case, means this kind; None where none does.
        one_answer: Whether there is one right answer that comes from the messages. Only then can it be
            guessed or given away, is a repeated question the same item, and does the probe count in curves
            and effective lengths.
        of_system: Whether it asks if a rule of the system prompt is followed, which no message need repeat.
        has_entries: Whether lines with numbers in a file of answers are the entries of a list.
    """

    name: ClassVar[str]
    precedence: ClassVar[int]
    failure_mode: ClassVar[str | None] = None
    one_answer: ClassVar[bool] = True
    of_system: ClassVar[bool] = False
    has_entries: ClassVar[bool] = False
    judge: ClassVar[JudgePrompt] = RIGHT_OR_WRONG

    def is_given(self, expected: Expected, failure_mode: str) -> bool:
        """Whether what is known of the answer means this kind; the failure mode is in lower case."""
        return False

    def can_grade(self, expected: Expected | None) -> bool:
        """Whether what is known of the answer is enough to grade it; None: nothing is known."""
        return bool(answer_of(expected))

    def needs_judge(self, expected: Expected) -> bool:
        """Whether the judge grades it, where there is one; else rules do, whoever the grader is."""
        return True

    def needs(self, question: str, expected: Expected) -> Needs:
        """What must have been shown before the question."""
        return Needs(parts_of_answer(question, expected.answer or ""))

    def never_shown(self, expected: Expected, material: Sequence[str]) -> tuple[Part, ...]:
        """What must have been shown for an answer to mean anything, where none of it was; else nothing.

        Such a probe measures nothing, whatever comes back, and has no score.
        """
        return ()

    def decidable(self, question: str, expected: Expected) -> bool:
        """Whether code can grade a response, as follows from key and question alone."""
        return not self.needs_judge(expected)

    def banned(self, expected: Expected | None) -> str | None:
        """The word that a response must not have; None where no word is forbidden."""
        return None

    def gives_away(self, question: str, expected: Expected) -> bool:
        """Whether the question states its own answer."""
        return False

    def grade(self, question: str, response: str, expected: Expected, material: Sequence[str]) -> Grade:
        """Grade a response without a model."""
        raise NotImplementedError


def answer_of(expected: Expected | None) -> str:
    """The right answer in words; empty where there is none."""
    return ((expected.answer if expected else None) or "").strip()


def lists_entries(expected: Expected) -> bool:
    """Whether a list is the answer: "See the list below." is none that could be right or wrong."""
    return bool(expected.entries) and not facts_of(answer_of(expected))
