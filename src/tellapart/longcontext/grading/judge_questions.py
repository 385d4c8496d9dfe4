"""What a judge is asked about a response, and what its reply is worth."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from functools import cache

from tellapart.llm.prompts import Prompt, read_prompt
from tellapart.llm.questions import Answer, Question
from tellapart.llm.quoting import quote, visible
from tellapart.longcontext.case import Expected
from tellapart.longcontext.grading.gradable import AskedProbe
from tellapart.longcontext.grading.grades import Category, Grade
from tellapart.longcontext.grading.three_lines import THREE_LINES, Evaluated
from tellapart.longcontext.probes import rule_of

CATEGORIES: tuple[Category, ...] = ("CORRECT", "PARTIAL", "HALLUCINATED", "CONFUSED", "REFUSED")
"""What a judge may say of a response that there is. The prompt has the document's others too, which are
decided without a judge: ``ERROR`` of a response that there is contradicts itself, and nobody asked for
``PASS`` or ``FAIL``."""

OF_RECENCY: tuple[Category, ...] = ("RECENCY_BIAS_DETECTED", "NO_BIAS")
"""What a judge may say of a probe for recency."""

_PACKAGE = "tellapart.longcontext.grading"


@cache
def judge_prompt() -> Prompt:
    """The prompt of most probes: the document's, with its fields marked as material."""
    return read_prompt(_PACKAGE, "judge")


@cache
def recency_prompt() -> Prompt:
    """The prompt of probes for recency."""
    return read_prompt(_PACKAGE, "recency")


class JudgeQuestions(Collection[Question[Evaluated]]):
    """The questions about probes, all repeats of one in a row; prompts are made while they are iterated.

    Attributes:
        probes: Each with a response.
        repeats: How often each is judged, at least 1.
    """

    def __init__(self, probes: Sequence[AskedProbe], repeats: int = 1) -> None:
        """Ask about ``probes``."""
        self.probes, self.repeats = probes, repeats

    def __len__(self) -> int:
        """Count the questions."""
        return len(self.probes) * self.repeats

    def __contains__(self, question: object) -> bool:
        """Never asked, but part of a collection."""
        return any(question == own for own in self)

    def __iter__(self) -> Iterator[Question[Evaluated]]:
        """Make the questions, in the order of the probes."""
        for number, probe in enumerate(self.probes):
            recency = _asks_for_recency(probe)
            prompt = _prompt(probe, recency)
            offered = OF_RECENCY if recency else CATEGORIES
            for repeat in range(self.repeats):
                id_ = question_id(number, probe, repeat)
                yield Question(id_, prompt, Evaluated, _one_of(offered), repeat, THREE_LINES)


def question_id(number: int, probe: AskedProbe, repeat: int) -> str:
    """Name a question: the probe's place, model, case, epoch and step, and which asking it is."""
    case = probe.case
    return visible(f"{number}:{case.model}/{case.name}.{case.epoch}/{probe.step.id}#{repeat}")


def judge_grade(answer: Answer[Evaluated], judging: int) -> Grade:
    """What one asking says; a judge that said nothing that could be used has not said that it is wrong."""
    value, failure = answer.value, answer.failure
    if value is not None:
        category: Category = value.score  # type: ignore[assignment]  # the question's check has seen to it
        return Grade(category, value.reason, value.key_detail, "judge", judging=judging)
    assert failure is not None
    said = f"{failure.cause} ({failure.kind}): {' '.join(visible(failure.detail).split())}"
    missing = "budget" if failure.cause == "budget" else "judge"
    return Grade(
        "EVAL_ERROR", "The judge gave no evaluation.", "", "judge", missing, note=said, judging=judging
    )


def _asks_for_recency(probe: AskedProbe) -> bool:
    return rule_of(probe.step.id, probe.step.failure_mode, probe.expected) == "recency"


def _prompt(probe: AskedProbe, recency: bool) -> str:
    step, expected = probe.step, probe.expected or Expected(probe.step.id)
    parts = {
        "step_id": step.id,
        "failure_mode": step.failure_mode or expected.failure_mode or "(none)",
        "question": step.user_message,
        "response": step.response or "",
        "test": expected.test,
    }
    if recency:
        parts |= {"early": expected.early, "late": expected.late}
    else:
        parts["expected"] = expected.answer or "(none)"
    shown = {name: text for name, text in parts.items() if text is not None}
    quoted = quote(shown.values())
    filled = dict(zip(shown, quoted.texts, strict=True))
    template = recency_prompt() if recency else judge_prompt()
    return template.render(marker=quoted.marker, **{name: filled.get(name, "") for name in parts})


@cache
def _one_of(offered: tuple[Category, ...]) -> Callable[[Evaluated], str | None]:
    def check(reply: Evaluated) -> str | None:
        wrong = reply.score not in offered
        return f"the score is none of {', '.join(offered)}" if wrong else None

    return check
