"""Which probes code can grade, as follows from their keys and questions."""

from __future__ import annotations

from collections.abc import Iterator

from tellapart.longcontext.lint.findings import percent
from tellapart.longcontext.lint.inputs import LintInputs, ProbeContext
from tellapart.longcontext.results import Finding


def decidable_of(inputs: LintInputs) -> dict[tuple[str, str], bool]:
    """Whether code can grade each probe that has an answer, by case and step."""
    return {
        (conversation.name, probe.step.id): is_decidable(probe)
        for conversation in inputs.conversations
        for probe in conversation.probes
        if probe.kind.can_grade(probe.expected)
    }


def is_decidable(probe: ProbeContext) -> bool:
    """Whether code can grade a probe."""
    return probe.expected is None or probe.kind.decidable(probe.step.user_message, probe.expected)


def gradable(inputs: LintInputs) -> Iterator[Finding]:
    """Warnings: probes that a judge or a person must grade; information: their share."""
    decidable = decidable_of(inputs)
    for (case, step), can in decidable.items():
        if not can:
            message = (
                "code cannot grade it, as the right answer can be said in other words: use --grader auto, or let the "
                "key hold nothing but the value that is asked for"
            )
            yield Finding("warning", "gradable", case, step, message)
    if decidable:
        open_ = sum(not can for can in decidable.values())
        message = (
            f"code can grade {len(decidable) - open_} of {len(decidable)} probes; {percent(open_, len(decidable))} "
            "need a judge or a person"
        )
        yield Finding("info", "gradable", None, None, message)
