"""A probe in its conversation: what it asks for, what was shown before it, and its grades."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from tellapart.llm.reasoning import without_reasoning
from tellapart.longcontext.case import AnswerKey, Case, CaseStep, Expected, Length
from tellapart.longcontext.defaults import TOKENS_A_CHARACTER
from tellapart.longcontext.grades import Answered, Grade
from tellapart.longcontext.probes.evidence import Evidence, Needs, Turns, locations
from tellapart.longcontext.probes.kinds import ProbeKind, answer_parts, kind_of, needs_of
from tellapart.longcontext.tokens import estimated
from tellapart.longcontext.transcript import PlayedCase, PlayedStep


@dataclass(frozen=True)
class Probe:
    """One probe of a conversation that was played, or of a plan with empty responses."""

    case: PlayedCase
    position: int | None
    step: PlayedStep
    expected: Expected | None
    rate: float = TOKENS_A_CHARACTER
    grades: tuple[Grade, ...] = ()
    turns: Turns | None = field(default=None, compare=False, repr=False)

    @property
    def place(self) -> tuple[str, str, int, str]:
        """Model, case, epoch and step."""
        return self.case.model, self.case.name, self.case.epoch, self.step.id

    @cached_property
    def kind(self) -> ProbeKind:
        """What it asks for, and with it how it is graded."""
        return kind_of(self.step.failure_mode, self.expected)

    @property
    def key(self) -> Expected:
        """The right answer, with nothing in it where nothing is known."""
        return self.expected or Expected(self.step.id)

    @property
    def failure_mode(self) -> str | None:
        """What it looks for, by the step or else by the key."""
        return self.step.failure_mode or self.key.failure_mode

    @property
    def has_key(self) -> bool:
        """Whether what is known of the answer is enough."""
        return self.kind.has_key(self.expected)

    @property
    def decidable(self) -> bool:
        """Whether code can grade it, as follows from key and question alone."""
        return self.has_key and self.kind.decidable(self.step.user_message, self.key)

    @property
    def needs(self) -> Needs:
        """What had to be shown before it."""
        return needs_of(self.kind, self.step.user_message, self.key)

    @property
    def material(self) -> list[str]:
        """What the messages before it had shown, in order."""
        return [] if self.position is None else self.case.material(self.position)

    @property
    def earlier(self) -> tuple[PlayedStep, ...]:
        """The steps before it; none of one that was never reached."""
        return self.case.steps[: self.position or 0]

    @property
    def later(self) -> tuple[PlayedStep, ...]:
        """The steps after it; none of one that was never reached."""
        return () if self.position is None else self.case.steps[self.position + 1 :]

    @cached_property
    def evidence(self) -> Evidence:
        """What the conversation held of its evidence."""
        if self.position is None:
            return Evidence()
        turns = self.turns or Turns(self.case)
        answer = answer_parts(self.kind, self.step.user_message, self.key)
        return turns.evidence(self.position, self.needs, answer, self.rate)

    @property
    def context_tokens(self) -> int:
        """Tokens of its prompt: as they were counted, else estimated from what was said before."""
        return self.step.prompt_tokens or sent_tokens(self.case, self.position or 0, self.rate)

    @property
    def grade(self) -> Grade:
        """The grade that counts."""
        return self.grades[0]

    def intended_tokens(self, key: AnswerKey) -> Length | None:
        """How long the context was meant to be when it is asked; None where it is not stated."""
        of_case = key.cases.get(self.case.name) if self.step.type == "verification" else None
        return self.key.intended_tokens or of_case


def sent_tokens(case: PlayedCase, position: int, rate: float) -> int:
    """Estimate the tokens of the prompt of a step: all that was said before it, and what it asks."""
    said = (f"{step.user_message}{step.response or ''}" for step in case.before(position))
    return estimated("".join([case.system or "", *said, case.steps[position].user_message]), rate)


def probes_of(case: PlayedCase, key: AnswerKey, rate: float) -> Iterator[Probe]:
    """The probes that were played, in the order in which they were asked."""
    turns = Turns(case)
    for position, step in enumerate(case.steps):
        if step.is_probe:
            yield Probe(case, position, step, key.expected(case.name, step.id), rate, turns=turns)


def sources(case: Case, step: CaseStep, expected: Expected | None) -> tuple[CaseStep, ...]:
    """The messages of a case that hold a probe's evidence, in order."""
    key = expected or step.expected or Expected(step.id)
    needs = needs_of(kind_of(step.failure_mode, key), step.text, key)
    located, _ = locations([message.shown for message in case.messages], needs)
    return tuple(case.messages[index] for index in sorted({location.index for location in located}))


def grade_by_rules(step: PlayedStep, expected: Expected | None, material: Sequence[str]) -> Grade:
    """Grade one probe without a model, in the order of the original experiment's special cases."""
    if step.response is None:
        message = f" ({step.error_message})" if step.error_message else ""
        return Grade("ERROR", f"There is no response{message}.", missing=missing_of(step))
    kind = kind_of(step.failure_mode, expected)
    if not kind.has_key(expected):
        return Grade("EVAL_ERROR", "No right answer is known.", missing="infeasible")
    expected = expected or Expected(step.id)
    return kind.grade(Answered(step.user_message, without_reasoning(step.response), expected, material))


def missing_of(step: PlayedStep) -> str:
    """Why there is no response, as score tables put it: the record's cause, else by message or status."""
    if step.cause:
        return step.cause
    message = (step.error_message or "").lower()
    if re.search(r"content[ _]?(?:filter|policy)|moderation|safety|refus", message):
        return "refusal"
    return "timeout" if step.http_status in (408, 504, 524) or "timed out" in message else "provider"
