"""Whether probes are asked when the conversation is as long as it is said to be."""

from __future__ import annotations

import re
from collections.abc import Iterator

from tellapart.longcontext.lint.findings import Finding
from tellapart.longcontext.lint.subject import Conversation, Subject


def order(subject: Subject) -> Iterator[Finding]:
    """Errors: probes that come before the repeats which are to make the context long.

    In a case file, those of a case that is to be repeated up to a length that its messages do not have,
    unless it is said that probes come last. In results, those with repeats after them; checkpoints that stand
    where the case has them are right where every verification comes after the repeats.
    """
    for one in subject.conversations:
        yield from _planned(one, subject.probes_last) if one.planned else _played(one)


def _planned(one: Conversation, probes_last: bool | None) -> Iterator[Finding]:
    case, intended = one.case, one.intended_tokens
    if probes_last or case is None or intended is None or not re.search(r"\brepeat", case.note, re.I):
        return
    if one.total_tokens >= intended:
        return
    message = (
        f"probes come before repeats: the note asks to repeat messages up to {intended:,} tokens, the case "
        f"has ~{one.total_tokens:,}, and this is asked before. Run with --probes-last"
    )
    for asked in one.asked:
        yield Finding("error", "order", one.name, asked.step.id, message)


def _played(one: Conversation) -> Iterator[Finding]:
    last = max((at for at, step in enumerate(one.played.steps) if step.is_repeat), default=-1)
    early = [asked for asked in one.asked if asked.position < last]
    if not any(asked.step.type == "verification" for asked in early) and len(early) < len(one.asked):
        return
    message = (
        f"asked before the repeats: its context is what it was then, not the {one.total_tokens:,} tokens "
        f"that the conversation grew to{one.which}. Run with --probes-last"
    )
    for asked in early:
        yield Finding("error", "order", one.name, asked.step.id, message)
