"""Whether rules can see what a right answer says."""

from __future__ import annotations

from collections.abc import Iterator

from tellapart.longcontext.lint.findings import listed
from tellapart.longcontext.lint.inputs import LintedConversation, LintInputs, ProbeContext
from tellapart.longcontext.results import Finding
from tellapart.longcontext.rules.answer_spec import AnswerSpec


def gradable(inputs: LintInputs) -> Iterator[Finding]:
    """Warnings: probes whose right answer says something that is asked for and that rules cannot see."""
    for conversation, probe, spec in _specs(inputs):
        if spec.coverage < 1:
            hidden = listed([repr(part) for part in spec.hidden]) or "the answer"
            message = (
                f"rules see {100 * spec.coverage:.0f} % of what is asked for, and not {hidden}, which can be "
                "said in other words: the grade is EVAL_ERROR. Use --grader auto, or say in the key what to "
                "'accept' or what is 'required'"
            )
            yield Finding("warning", "gradable", conversation.name, probe.step.id, message)


def _specs(inputs: LintInputs) -> Iterator[tuple[LintedConversation, ProbeContext, AnswerSpec]]:
    for conversation in inputs.conversations:
        for probe in conversation.probes:
            if probe.expected is None:
                continue
            material = conversation.played.material(probe.position)
            spec = probe.kind.spec(probe.step.user_message, probe.expected, material)
            if spec is not None:
                yield conversation, probe, spec
