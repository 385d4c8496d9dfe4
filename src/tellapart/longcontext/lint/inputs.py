"""What is linted: conversations as they are planned or were played, each probe with its evidence."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from tellapart.core.severity import Severity
from tellapart.longcontext.case import AnswerKey, Case, Length, key_of
from tellapart.longcontext.probes import Probe, probes_of, sent_tokens
from tellapart.longcontext.results import Finding
from tellapart.longcontext.tokens import tokens_a_character
from tellapart.longcontext.transcript import PlayedCase, PlayedStep, Results


@dataclass(frozen=True)
class LintedConversation:
    """One conversation."""

    played: PlayedCase
    case: Case | None
    planned: bool
    rate: float
    key: AnswerKey
    skip: frozenset[str] = frozenset()
    which: str = ""

    @property
    def name(self) -> str:
        """Of its case."""
        return self.played.name

    @cached_property
    def probes(self) -> tuple[Probe, ...]:
        """Its probes, in the order in which they are asked."""
        probes = probes_of(self.played, self.key, self.rate)
        return tuple(probe for probe in probes if probe.step.id not in self.skip)

    @property
    def intended_tokens(self) -> Length | None:
        """How long it was meant to grow, by its case or by the answers; None where it is not stated."""
        intended = self.case.intended_tokens if self.case else None
        return intended if intended is not None else self.key.intended_of(self.name)

    @cached_property
    def total_tokens(self) -> int:
        """Its length: the peak that was measured, else what all that is sent is estimated to be."""
        peak = self.played.peak_tokens
        return sent_tokens(self.played, len(self.played.steps) - 1, self.rate) if peak is None else peak

    def finds(
        self, check: str, severity: Severity, step: str | None, message: str, remedy: str = ""
    ) -> Finding:
        """Give a finding on it or on one of its steps, which says which attempt it was."""
        return Finding(severity, check, self.name, step, message + self.which, remedy)


@dataclass(frozen=True)
class LintInputs:
    """Everything that is linted."""

    cases: Sequence[Case]
    conversations: Sequence[LintedConversation]
    controls: Sequence[PlayedCase]
    key: AnswerKey
    results: Sequence[Results] = ()
    graded: Sequence[Probe] = ()
    probes_last: bool | None = None

    @property
    def played(self) -> list[LintedConversation]:
        """The conversations that were played."""
        return [conversation for conversation in self.conversations if not conversation.planned]

    @property
    def probes(self) -> Iterator[tuple[LintedConversation, Probe]]:
        """Every probe with its conversation."""
        return ((conversation, probe) for conversation in self.conversations for probe in conversation.probes)


def lint_inputs(
    cases: Sequence[Case],
    results: Sequence[Results] = (),
    key: AnswerKey | None = None,
    graded: Sequence[Probe] = (),
    probes_last: bool | None = None,
) -> LintInputs:
    """Bring cases, results and answers together by the names of cases."""
    by_name = {case.name: case for case in cases}
    played = [_with_system(case, by_name.get(case.name)) for result in results for case in result.cases]
    answers = key_of(cases, key)
    rate = tokens_a_character(played)
    real = [case for case in played if case.control is None]
    conversations = [
        LintedConversation(
            *(one, by_name.get(one.name), False),
            tokens_a_character([one]) if any(step.prompt_tokens for step in one.steps) else rate,
            answers,
            which=_which(one, [other for other in real if other.name == one.name]),
        )
        for one in real
    ]
    for case in cases:
        steps = (step for one in real if one.name == case.name for step in one.probes)
        answered = frozenset(step.id for step in steps if step.response is not None)
        # A plan is a case in which every turn got an empty reply, but for those that are given.
        turns = (
            PlayedStep(*step.turn, step.reply or "", given=step.reply is not None) for step in case.steps
        )
        plan = PlayedCase(case.name, tuple(turns), case.system)
        conversations.append(LintedConversation(plan, case, True, rate, answers, answered))
    controls = [case for case in played if case.control is not None]
    return LintInputs(cases, conversations, controls, answers, results, graded, probes_last)


def _with_system(played: PlayedCase, case: Case | None) -> PlayedCase:
    return replace(played, system=case.system) if case and played.system is None else played


def _which(case: PlayedCase, same: Sequence[PlayedCase]) -> str:
    parts = [case.model] if len({other.model for other in same}) > 1 else []
    parts += [f"epoch {case.epoch}"] if len({other.epoch for other in same}) > 1 else []
    return f" ({', '.join(parts)})" if parts else ""
