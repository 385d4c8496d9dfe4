"""The probes that were asked, or should have been, each with what is known of its right answer."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from tellapart.longcontext.case import AnswerKey, Case, CaseStep, Expected
from tellapart.longcontext.played import PlayedCase, PlayedStep


@dataclass(frozen=True)
class AskedProbe:
    """One probe to be graded.

    Attributes:
        case: The conversation.
        position: Of the step among those that were played; None of one that was never reached.
        step: As it was played.
        expected: What is known of the right answer; None where nothing is.
    """

    case: PlayedCase
    position: int | None
    step: PlayedStep
    expected: Expected | None

    @property
    def material(self) -> list[str]:
        """What the user had said in the conversation when it was asked, in order."""
        if self.position is None:
            return []
        return [step.user_message for step in self.case.before(self.position)]


def asked_probes(
    played: Sequence[PlayedCase], key: AnswerKey, cases: Mapping[str, Case]
) -> Iterator[AskedProbe]:
    """Go through the probes of all conversations, in the order in which they were asked.

    Where a conversation broke off with an error, the probes that were never reached follow, those that the
    results name and those of the case file, each once and without a response, for the reason of the last
    failure.

    Args:
        played: The conversations.
        key: Of all of them.
        cases: Case files by the names of their cases; those that are not there add nothing.
    """
    for case in played:
        written = cases.get(case.name)
        for position, step in enumerate(case.steps):
            if step.is_probe:
                yield AskedProbe(case, position, step, key.expected(case.name, step.id))
        yield from _unreached(case, written, key)


def _unreached(case: PlayedCase, written: Case | None, key: AnswerKey) -> Iterator[AskedProbe]:
    last = next((step for step in reversed(case.steps) if step.response is None), None)
    broke_off = last is not None and last is case.steps[-1]
    of_file = {probe.id: probe for probe in written.probes} if written is not None else {}
    left = {s.id: s if s.text else of_file.get(s.id, s) for s in case.not_asked if s.is_probe}
    if broke_off:
        left |= {id_: probe for id_, probe in of_file.items() if id_ not in left}
    there = {step.id for step in case.steps}
    for probe in left.values():
        if probe.id not in there:
            step = _without_response(probe, last or case.steps[-1])
            yield AskedProbe(case, None, step, key.expected(case.name, probe.id))


def _without_response(probe: CaseStep, last: PlayedStep) -> PlayedStep:
    return PlayedStep(
        probe.id,
        probe.type,
        probe.failure_mode,
        probe.text,
        None,
        http_status=last.http_status,
        error_message=f"never asked: the conversation ended at {last.id}"
        + (f" ({last.error_message})" if last.error_message else ""),
        cause=last.cause,
    )
