"""Which steps a conversation asks, and when: a case as it is played, or as a control.

A control asks each probe alone: can it be guessed without the conversation (closed-book), and can it be
answered with nothing but its evidence (oracle)?
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

from tellapart.longcontext.case import AnswerKey, Case, CaseStep, Expected
from tellapart.longcontext.defaults import MAX_REPEATS
from tellapart.longcontext.probes import kind_of
from tellapart.longcontext.transcript import REPEAT


@dataclass(frozen=True)
class Playing:
    """How cases are played.

    Messages are repeated, in at most ``max_repeats`` rounds, while the most tokens of one call are under
    ``target_tokens``. Probes come after the last repeat; or before the first, as the original experiment had
    them, which leaves nothing to be asked once the context is long. Forked probes are asked from a snapshot,
    so that neither they nor their answers are in what later steps are sent.
    """

    target_tokens: int | None = None
    max_repeats: int = MAX_REPEATS
    probes_last: bool = True
    fork_probes: bool = False


@dataclass(frozen=True)
class ConversationPlan:
    """The steps of one conversation; rounds of repeats are played while it is short of its target."""

    opening: tuple[CaseStep, ...]
    rounds: tuple[tuple[CaseStep, ...], ...]
    closing: tuple[CaseStep, ...]

    @property
    def repeats(self) -> Iterator[CaseStep]:
        """All repeats in order."""
        return (step for steps in self.rounds for step in steps)


def plan(case: Case, playing: Playing) -> ConversationPlan:
    """Say which step comes when."""
    if playing.target_tokens is None:
        return ConversationPlan(case.steps, (), ())
    rounds = tuple(_round(case.messages, n) for n in range(1, playing.max_repeats + 1))
    if not playing.probes_last:
        return ConversationPlan(case.steps, rounds, ())
    return ConversationPlan(case.messages, rounds, case.probes)


def _round(messages: Sequence[CaseStep], number: int) -> tuple[CaseStep, ...]:
    return tuple(
        replace(message, id=f"{message.id}-R{number}", text=REPEAT + message.text, session=None, date=None)
        for message in messages
    )


Sources = Callable[[Case, CaseStep, Expected | None], Sequence[CaseStep]]
"""The messages of a case that hold a probe's evidence, wherever they stand; see ``evidence.sources``."""


@dataclass(frozen=True)
class Alone:
    """A probe in a conversation of its own: what is said, or why it cannot be asked."""

    probe: CaseStep
    step: CaseStep | None
    why: str | None = None


def closed_book(case: Case) -> list[Alone]:
    """Each probe with nothing before it but the system prompt: who answers it has guessed, or knew."""
    return [Alone(probe, probe) for probe in case.probes]


def oracle(case: Case, key: AnswerKey | None, sources: Sources) -> list[Alone]:
    """Each probe with the messages that hold its evidence before it, all in one user turn.

    One turn, since replies to those messages would be evidence as well. A probe whose evidence is in no
    message is not asked, but for one that the system prompt alone decides: it has that before it anyway.
    """
    alone = []
    for probe in case.probes:
        expected = probe.expected or (key.expected(case.name, probe.id) if key else None)
        shown = sources(case, probe, expected)
        if shown or kind_of(probe, expected).of_system:
            text = "\n\n".join([*(message.shown for message in shown), probe.text])
            alone.append(Alone(probe, replace(probe, text=text)))
        else:
            why = "no right answer is known" if expected is None else "no message holds its evidence"
            alone.append(Alone(probe, None, f"not asked: {why}"))
    return alone
