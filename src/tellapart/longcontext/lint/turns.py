"""Whether what is recorded is what happened: turns, sums and silent cuts."""

from __future__ import annotations

from collections.abc import Iterator

from tellapart.longcontext.lint.findings import Finding
from tellapart.longcontext.lint.subject import Conversation, Subject
from tellapart.longcontext.lint.words import listed
from tellapart.longcontext.played import PlayedCase
from tellapart.longcontext.truncation import Truncation, scan


def truncation(subject: Subject) -> Iterator[Finding]:
    """Errors: where a conversation was cut without a word; warnings: where nobody can know."""
    for one in _played(subject):
        found = scan(one.played)
        for cut in found.found:
            yield Finding("error", "truncation", one.name, cut.step_id, _cut(cut) + one.which)
        for step_id in found.unknown:
            message = (
                "no usable token count here or before: whether the context was cut is unknown, not clean"
            )
            yield Finding("warning", "truncation", one.name, step_id, message + one.which)


def roles(subject: Subject) -> Iterator[Finding]:
    """Errors: a user turn right after another one, whose reply never came."""
    for one in _played(subject):
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


def summary(subject: Subject) -> Iterator[Finding]:
    """Warnings: sums of the record that its own rows do not give."""
    for one in _played(subject):
        rows = _sums(one.played)
        differ = [
            f"{name} is recorded as {value:,}, and its steps give {rows[name]:,}"
            for name, value in one.played.recorded
            if rows.get(name) is not None and rows[name] != value
        ]
        if differ:
            message = f"{listed(differ)}{one.which}: figures here come from the steps only"
            yield Finding("warning", "summary", one.name, None, message)


def _played(subject: Subject) -> list[Conversation]:
    return [one for one in subject.conversations if not one.planned]


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
    known = [length for length in lengths if length is not None]
    return {**sums, "totalMessages": max(known)} if known else sums
