"""Graded probes as points of the curves of length."""

from __future__ import annotations

from collections.abc import Iterable

from tellapart.longcontext.case import AnswerKey
from tellapart.longcontext.grading.grades import GradedProbe
from tellapart.longcontext.lengths.curves import ProbePoint
from tellapart.longcontext.probes import item_of, rule_of


def points_of(graded: Iterable[GradedProbe], key: AnswerKey) -> list[ProbePoint]:
    """A point of each probe that asks for what messages said, in order.

    A banned word, whose evidence is the system prompt, and a question of early and late are none.

    Args:
        graded: The probes, without those of controls.
        key: What they were graded by.
    """
    return [
        ProbePoint(
            probe.model,
            item_of(probe.step.user_message) or probe.step.id,
            probe.case,
            probe.step.prompt_tokens,
            probe.distance_tokens,
            probe.depth,
            probe.grade.value,
            probe.grade.missing,
            intended_tokens(probe, key),
        )
        for probe in graded
        if rule_of(probe.step.id, probe.step.failure_mode, probe.expected) in ("facts", "enumeration")
    ]


def intended_tokens(probe: GradedProbe, key: AnswerKey) -> int | None:
    """How long the context was meant to be when a probe is asked; None where nobody says.

    A verification, which is asked at the end, has the design length of its case where it has none itself;
    what a file of answers says of a numbered case is how long such cases become, and asks for nothing.
    """
    own = probe.expected.intended_tokens if probe.expected else None
    return own or (key.cases.get(probe.case) if probe.step.type == "verification" else None)
