"""Probes asked alone: can they be guessed, and can they be answered with their evidence before the eyes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from tellapart.longcontext.case import AnswerKey, Case, CaseStep, Expected
from tellapart.longcontext.probes import rule_of

Sources = Callable[[Case, CaseStep, Expected | None], Sequence[CaseStep]]
"""The messages of a case that hold a probe's evidence, wherever they stand; see ``evidence.sources``."""


@dataclass(frozen=True)
class Alone:
    """A probe in a conversation of its own.

    Attributes:
        probe: As it is in the case.
        step: What is said; None where it cannot be asked.
        why: Why not; None where it can.
    """

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

    Args:
        case: What is played.
        key: The right answers; those beside a probe in YAML hold without it.
        sources: Finds the evidence.
    """
    found = []
    for probe in case.probes:
        expected = probe.expected or (key.expected(case.name, probe.id) if key else None)
        shown = sources(case, probe, expected)
        if shown or rule_of(probe.id, probe.failure_mode, expected) == "sink":
            text = "\n\n".join([*(message.text for message in shown), probe.text])
            found.append(Alone(probe, replace(probe, text=text)))
        else:
            why = "no right answer is known" if expected is None else "no message holds its evidence"
            found.append(Alone(probe, None, f"not asked: {why}"))
    return found
