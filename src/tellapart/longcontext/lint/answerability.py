"""Whether the evidence of each probe was shown before it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from tellapart.longcontext.case import Case
from tellapart.longcontext.evidence.needs import Needs
from tellapart.longcontext.evidence.searching import places
from tellapart.longcontext.lint.findings import Finding
from tellapart.longcontext.lint.subject import Asked, Conversation, Subject
from tellapart.longcontext.lint.words import listed


def answerability(subject: Subject) -> Iterator[Finding]:
    """Errors: probes of whose evidence something was never shown in their own conversation.

    Without an answer, a probe that refers to an entry that was never shown. A denial of what no text could
    show is answerable, and so is a rule of a system prompt that the record does not hold.
    """
    for conversation in subject.conversations:
        for asked in conversation.asked:
            if asked.answered and asked.evidence.missing and not _excused(conversation, asked):
                message = _message(subject.cases, conversation, asked)
                yield Finding("error", "answerability", conversation.name, asked.step.id, message)


def _excused(conversation: Conversation, asked: Asked) -> bool:
    needs = asked.needs
    if needs.how == "system":
        return conversation.played.system is None
    return all(part.denies and not part.entities for part in needs.parts)


def _message(cases: Sequence[Case], conversation: Conversation, asked: Asked) -> str:
    needs = asked.needs
    if needs.how == "system":
        return (
            f"nothing before this question forbids {needs.banned!r}: the check measures nothing. Put the "
            "rule into the system prompt"
        )
    missing = asked.evidence.missing
    if len(missing) == len(needs.parts):
        what = f"never provided: no earlier message of this conversation shows {listed(missing)}"
        why = "no model can answer, and a wrong answer says nothing about its memory"
    else:
        what = f"{len(missing)} of {len(needs.parts)} never provided: {listed(missing)}"
        why = "no model can answer in full"
    without = replace(needs, parts=tuple(part for part in needs.parts if part.name in missing))
    return f"{what}; {why}. {_remedy(cases, conversation, asked, without)}"


def _remedy(cases: Sequence[Case], conversation: Conversation, asked: Asked, needs: Needs) -> str:
    later = [step for step in conversation.played.steps[asked.position + 1 :] if not step.is_probe]
    held = _held([step.user_message for step in later], needs)
    if held:
        ids = [later[index].id for index in held]
        return f"{listed(ids)} shows it only after the question: ask later"
    for case in cases:
        if case.name == conversation.name:
            continue
        held = _held([message.text for message in case.messages], needs)
        if held:
            ids = [case.messages[index].id for index in held]
            file = case.source.rpartition("/")[2] or case.name
            return f"{case.name} holds it ({listed(ids)}): run and lint with --continues {file}"
    return "Show it first, or leave the probe out"


def _held(texts: Sequence[str], needs: Needs) -> list[int]:
    """Which texts hold all of it; none where any of it is missing."""
    found, missing = places(texts, needs)
    return [] if missing else sorted({place.index for place in found})
