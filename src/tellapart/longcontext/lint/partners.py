"""Whether probes, answers and steps have their partners, and are as many as they seem."""

from __future__ import annotations

from collections.abc import Iterator

from tellapart.longcontext.keys import unknown_steps, unmatched
from tellapart.longcontext.lint.findings import Finding
from tellapart.longcontext.lint.subject import Subject
from tellapart.longcontext.lint.words import listed
from tellapart.longcontext.probes import item_of


def same_item(subject: Subject) -> Iterator[Finding]:
    """Warnings: probes that ask the same and are one item together."""
    asked: dict[str, dict[str, str]] = {}
    for one in subject.conversations:
        for step in one.played.probes:
            asked.setdefault(item_of(step.user_message), {}).setdefault(step.id, one.name)
    for steps in asked.values():
        for step_id, case in steps.items():
            if len(steps) > 1:
                message = (
                    f"asked {len(steps)} times ({listed(list(steps), 10)}): right answers to one question "
                    "are one item, however many they are. Ask for other facts as well"
                )
                yield Finding("warning", "same-item", case, step_id, message)


def answers(subject: Subject) -> Iterator[Finding]:
    """Warnings: probes without an answer; information: answers without a probe, and steps of no case."""
    if subject.key.by_id or subject.key.by_case:
        alone = unmatched(subject.cases, subject.key)
        played = unmatched(subject.results, subject.key)
        for case, step_id in dict.fromkeys((*alone.probes, *played.probes)):
            message = "no answer is known: it cannot be graded. Add one to the answers"
            yield Finding("warning", "answers", case, step_id, message)
        nobody = [id_ for id_ in alone.answers if id_ in played.answers or not subject.results]
        if not subject.cases:
            nobody = list(played.answers)
        for id_ in nobody:
            name, _, step_id = id_.rpartition("/")
            message = "this answer has no probe among what is given"
            yield Finding("info", "answers", name or None, step_id, message)
    for case, step_id in unknown_steps(subject.results, subject.cases):
        yield Finding("warning", "answers", case, step_id, "played, but no case that is given has this step")
