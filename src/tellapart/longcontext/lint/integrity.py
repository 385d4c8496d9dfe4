"""Whether what is recorded is what happened, and whether probes and answers have their partners."""

from __future__ import annotations

from collections.abc import Iterator

from tellapart.longcontext.case import item_of
from tellapart.longcontext.lint.findings import listed
from tellapart.longcontext.lint.inputs import LintedConversation, LintInputs
from tellapart.longcontext.lint.partners import unknown_steps, unmatched
from tellapart.longcontext.results import Finding
from tellapart.longcontext.transcript import PlayedCase
from tellapart.longcontext.truncation import Truncation, scan


def truncation(inputs: LintInputs) -> Iterator[Finding]:
    """Errors: where a conversation was cut without notice; warnings: where nobody can know."""
    for one in _played(inputs):
        cuts = scan(one.played)
        for cut in cuts.truncations:
            yield Finding("error", "truncation", one.name, cut.step_id, _cut(cut) + one.which)
        for step_id in cuts.unknown:
            message = (
                "no usable token count here or before: whether the context was cut is unknown, not clean"
            )
            yield Finding("warning", "truncation", one.name, step_id, message + one.which)


def roles(inputs: LintInputs) -> Iterator[Finding]:
    """Errors: a user turn right after another one, whose reply never came."""
    for one in _played(inputs):
        dangling: str | None = None
        length = 0
        for step in one.played.steps:
            now = step.conversation_length
            if step.forked or now is None:
                continue
            if dangling and now > length:
                message = (
                    f"two user turns in a row: {dangling} got no reply and stayed in the conversation"
                    f"{one.which}. Providers merge or refuse that; take a failed turn back, or stop there"
                )
                yield Finding("error", "roles", one.name, step.id, message)
            dangling = step.id if step.response is None and now > length else None
            length = now


def summary(inputs: LintInputs) -> Iterator[Finding]:
    """Warnings: sums of the record that its own rows do not give."""
    for one in _played(inputs):
        rows = _sums(one.played)
        differ = [
            f"{name} is recorded as {value:,}, and its steps give {rows[name]:,}"
            for name, value in one.played.recorded
            if rows.get(name) is not None and rows[name] != value
        ]
        if differ:
            message = f"{listed(differ)}{one.which}: figures here come from the steps only"
            yield Finding("warning", "summary", one.name, None, message)


def _played(inputs: LintInputs) -> list[LintedConversation]:
    return [one for one in inputs.conversations if not one.planned]


def _cut(cut: Truncation) -> str:
    lasting = f", and again at {cut.steps - 1} steps up to {cut.last_step_id}" if cut.steps > 1 else ""
    return (
        f"silently truncated ({cut.rule}): {cut.prompt_tokens:,} prompt tokens after "
        f"{cut.previous_prompt_tokens:,}, where about {cut.expected_prompt_tokens:,} were to be sent"
        f"{lasting}. Answers from here on rest on part of the conversation"
    )


def _sums(played: PlayedCase) -> dict[str, int]:
    lengths = [step.conversation_length for step in played.steps if not step.forked]
    sums = {
        "totalSteps": len(played.steps),
        "failedSteps": sum(step.response is None for step in played.steps),
        "peakTokens": played.peak_tokens or 0,
    }
    noted = [length for length in lengths if length is not None]
    return {**sums, "totalMessages": max(noted)} if noted else sums


def same_item(inputs: LintInputs) -> Iterator[Finding]:
    """Warnings: probes that ask the same and are one item together."""
    by_item: dict[str, dict[str, str]] = {}
    for one in inputs.conversations:
        for step in one.played.probes:
            by_item.setdefault(item_of(step.user_message), {}).setdefault(step.id, one.name)
    for steps in by_item.values():
        for step_id, case in steps.items():
            if len(steps) > 1:
                message = (
                    f"asked {len(steps)} times ({listed(list(steps), 10)}): right answers to one question "
                    "are one item, however many they are. Ask for other facts as well"
                )
                yield Finding("warning", "same-item", case, step_id, message)


def answers(inputs: LintInputs) -> Iterator[Finding]:
    """Warnings: probes without an answer; information: answers without a probe, and steps of no case."""
    if inputs.key.by_id or inputs.key.by_case:
        alone = unmatched(inputs.cases, inputs.key)
        played = unmatched(inputs.results, inputs.key)
        for case, step_id in dict.fromkeys((*alone.probes, *played.probes)):
            message = "no answer is known: it cannot be graded. Add one to the answers"
            yield Finding("warning", "answers", case, step_id, message)
        nobody = [id_ for id_ in alone.answers if id_ in played.answers or not inputs.results]
        if not inputs.cases:
            nobody = list(played.answers)
        for id_ in nobody:
            name, _, step_id = id_.rpartition("/")
            message = "this answer has no probe among what is given"
            yield Finding("info", "answers", name or None, step_id, message)
    for case, step_id in unknown_steps(inputs.results, inputs.cases):
        yield Finding(
            "warning", "answers", case, step_id, "this step was played, but none of the given cases has it"
        )
