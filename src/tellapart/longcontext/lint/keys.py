"""Which probes code can grade, as follows from their keys and questions."""

from __future__ import annotations

from collections.abc import Iterator

from tellapart.longcontext.lint.findings import percent
from tellapart.longcontext.lint.inputs import LintInputs
from tellapart.longcontext.results import Finding


def decidable_of(inputs: LintInputs) -> dict[tuple[str, str], bool]:
    """Whether code can grade each probe that has an answer, by case and step."""
    return {
        (conversation.name, probe.step.id): probe.decidable
        for conversation in inputs.conversations
        for probe in conversation.probes
        if probe.expected is not None and probe.can_be_graded
    }


def decidable_rows(inputs: LintInputs) -> list[dict[str, object]]:
    """The same for scripts, a row for each probe, in the form of findings."""
    return [
        {
            "severity": "info",
            "check": "decidable",
            "case": case,
            "step": step,
            "decidable": can,
            "message": "code can grade it" if can else "a judge or a person must grade it",
        }
        for (case, step), can in decidable_of(inputs).items()
    ]


def gradable(inputs: LintInputs) -> Iterator[Finding]:
    """Warnings: probes that a judge or a person must grade, with their share."""
    decidable = decidable_of(inputs)
    left = sum(not can for can in decidable.values())
    for (case, step), can in decidable.items():
        if not can:
            message = (
                "code cannot grade it, as the right answer can be said in other words; this holds of "
                f"{percent(left, len(decidable))} of all probes. Name a judge when you grade, or let "
                "the key hold nothing but the value that is asked for"
            )
            yield Finding("warning", "gradable", case, step, message)
