"""How far the evidence is, and whether it stands there more than once."""

from __future__ import annotations

from collections.abc import Iterator

from tellapart.longcontext.lint.findings import Finding, Severity
from tellapart.longcontext.lint.subject import Asked, Conversation, Subject
from tellapart.longcontext.played import REPEAT

_PASTED = 10
"""A copy counts as pasted next to the question where the original is as many times farther away."""


def distance(subject: Subject) -> Iterator[Finding]:
    """Information: the nearest evidence of each probe, beside the length of the context."""
    for conversation in subject.conversations:
        for asked in conversation.asked:
            evidence = asked.evidence
            if evidence.nearest is None or evidence.distance_tokens is None or evidence.depth is None:
                continue
            message = (
                f"evidence in {_called(evidence.nearest)}, ~{evidence.distance_tokens:,} tokens before the "
                f"question; context {_context(conversation, asked)}, depth {100 * evidence.depth:.0f} %"
                f"{conversation.which}"
            )
            yield Finding("info", "distance", conversation.name, asked.step.id, message)


def repeats(subject: Subject) -> Iterator[Finding]:
    """Evidence that stands in several messages; an error where it was pasted again next to the question."""
    for conversation in subject.conversations:
        steps = {step.id: step for step in conversation.played.steps}
        for asked in conversation.asked:
            shown = asked.evidence.shown_in
            near, first = asked.evidence.distance_tokens, asked.evidence.first_distance_tokens
            if len(shown) < 2 or near is None or first is None:
                continue
            copy = steps.get(shown[-1])
            repeated = copy is not None and (copy.is_repeat or copy.user_message.startswith(REPEAT.strip()))
            yield Finding(
                _severity(repeated, near, first),
                "repeats",
                conversation.name,
                asked.step.id,
                f"the evidence stands in {len(shown)} messages ({shown[0]} … {shown[-1]}): the nearest is "
                f"~{near:,} tokens before the question, the first ~{first:,}{conversation.which}. "
                f"Read the result at {near:,} tokens, whatever the context"
                f"{'' if repeated else '; to test the distance, show it once'}",
            )


def _severity(repeated: bool, near: int, first: int) -> Severity:
    return "error" if not repeated and near * _PASTED < first else "warning"


def _called(id_: str) -> str:
    return "the system prompt" if id_ == "system" else id_


def _context(conversation: Conversation, asked: Asked) -> str:
    measured = asked.step.prompt_tokens is not None
    return f"{'' if measured else '~'}{asked.context_tokens:,}"
