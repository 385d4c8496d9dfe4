"""Whether the answer stands where no memory is needed."""

from __future__ import annotations

from collections.abc import Iterator

from tellapart.longcontext.evidence.needs import denies
from tellapart.longcontext.facts.facts import facts_of
from tellapart.longcontext.lint.findings import Finding
from tellapart.longcontext.lint.subject import Asked, Conversation, Subject
from tellapart.longcontext.lint.words import listed
from tellapart.longcontext.probes import item_of, rule_of


def self_leak(subject: Subject) -> Iterator[Finding]:
    """Warnings: answers that an earlier reply has, or will have; errors: that the question itself has."""
    for conversation in subject.conversations:
        for asked in conversation.asked:
            if _own(asked):
                message = "the question states its own answer: ask without it"
                yield Finding("error", "self-leak", conversation.name, asked.step.id, message)
            elif message := _planned(conversation, asked) if conversation.planned else _played(asked):
                yield Finding("warning", "self-leak", conversation.name, asked.step.id, message)


def _own(asked: Asked) -> bool:
    """Whether the question has all facts of the answer; a denial repeats what it denies."""
    answer = asked.expected.answer if asked.expected else None
    if (
        not answer
        or denies(answer)
        or rule_of(asked.step.id, asked.step.failure_mode, asked.expected) != "facts"
    ):
        return False
    facts = {fact.normal for fact in facts_of(answer)}
    return bool(facts) and facts <= {fact.normal for fact in facts_of(asked.step.user_message)}


def _played(asked: Asked) -> str:
    leaks = asked.evidence.leaks
    if not leaks:
        return ""
    by_probe = any(not leak.startswith("M") for leak in leaks)
    advice = "run with --fork-probes" if by_probe else "let the message ask for something else"
    return (
        f"the reply to {listed(leaks)} already states the answer: the model may repeat itself instead of "
        f"remembering the source; {advice}"
    )


def _planned(conversation: Conversation, asked: Asked) -> str:
    """The same question, asked earlier in the same conversation."""
    if rule_of(asked.step.id, asked.step.failure_mode, asked.expected) == "sink":
        return ""
    item = item_of(asked.step.user_message)
    same = [
        step.id
        for step in conversation.played.steps[: asked.position]
        if step.is_probe and item_of(step.user_message) == item
    ]
    if not same:
        return ""
    return (
        f"{same[0]} asked the same before, and its reply stays in the conversation: the model may repeat "
        "itself instead of remembering the source; run with --fork-probes"
    )
