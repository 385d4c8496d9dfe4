"""Which step of a case comes when."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from tellapart.longcontext.case import Case, CaseStep
from tellapart.longcontext.played import REPEAT

Order = Literal["probes-last", "checkpoints-in-place", "as-written"]
"""Where probes stand when messages are repeated: all after the last repeat; checkpoints where they are
written and only verifications after it; or all before the first, as the documented experiment had them, which
leaves nothing to be asked once the context is long."""


@dataclass(frozen=True)
class Playing:
    """How cases are played.

    Attributes:
        target_tokens: Messages are repeated while the most tokens of one call are under this; None repeats
            nothing, and everything is played as it is written.
        max_repeats: Most rounds of repeats.
        order: Only matters where something is repeated.
        fork_probes: Whether each probe is asked from a snapshot, so that neither it nor its answer is in what
            later steps are sent.
    """

    target_tokens: int | None = None
    max_repeats: int = 20
    order: Order = "probes-last"
    fork_probes: bool = False


@dataclass(frozen=True)
class Plan:
    """The steps of one conversation.

    Attributes:
        opening: Played first.
        rounds: Repeats, a round each; played one by one while the context is short of its target.
        closing: Played last.
    """

    opening: tuple[CaseStep, ...]
    rounds: tuple[tuple[CaseStep, ...], ...]
    closing: tuple[CaseStep, ...]

    @property
    def repeats(self) -> Iterator[CaseStep]:
        """All repeats in order."""
        return (step for one in self.rounds for step in one)


def plan(case: Case, playing: Playing) -> Plan:
    """Say which step comes when."""
    if playing.target_tokens is None:
        return Plan(case.steps, (), ())
    rounds = tuple(_round(case.messages, n) for n in range(1, playing.max_repeats + 1))
    last = {"probes-last": ("checkpoint", "verification"), "checkpoints-in-place": ("verification",)}
    types = last.get(playing.order, ())
    first = tuple(step for step in case.steps if step.type not in types)
    return Plan(first, rounds, tuple(step for step in case.steps if step.type in types))


def _round(messages: Sequence[CaseStep], number: int) -> tuple[CaseStep, ...]:
    return tuple(
        replace(message, id=f"{message.id}-R{number}", text=REPEAT + message.text) for message in messages
    )
