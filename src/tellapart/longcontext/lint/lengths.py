"""Whether contexts are as long as they were meant to be when their probes are asked."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence

from tellapart.longcontext.lint.findings import finding, plain
from tellapart.longcontext.lint.inputs import LintedConversation, LintInputs
from tellapart.longcontext.probes import Probe
from tellapart.longcontext.results import Finding
from tellapart.longcontext.token_ranges import Length, least_of, most_of, share_of

_SHORT, _LONG = 0.75, 4 / 3
"""Parts of the meant length within which a context is as it was meant."""
_THIRDS = ("beginning", "middle", "end")


def coverage(inputs: LintInputs) -> Iterator[Finding]:
    """Warnings: contexts that are not as long as meant; information: gaps by decile and probes a cell."""
    for conversation in inputs.conversations:
        yield from _of_conversation(conversation, inputs.probes_last)
    pairs = [
        (probe.expected.intended_tokens, probe.context_tokens)
        for conversation in inputs.conversations
        for probe in conversation.probes
        if probe.expected and probe.expected.intended_tokens and not _filled(conversation, inputs.probes_last)
    ]
    if pairs:
        yield Finding("info", "coverage", None, None, _deciles(pairs))
    cells = [
        probe
        for conversation in inputs.conversations
        for probe in conversation.probes
        if probe.evidence.depth is not None
    ]
    if cells:
        yield Finding("info", "coverage", None, None, _cells(cells))


def _of_conversation(conversation: LintedConversation, probes_last: bool | None) -> Iterator[Finding]:
    intended = conversation.intended_tokens
    about = "~" if conversation.planned else ""
    filled = _filled(conversation, probes_last)
    if (
        intended
        and not filled
        and conversation.probes
        and not _SHORT <= share_of(conversation.total_tokens, intended) <= _LONG
    ):
        pattern = (
            f"grows to {about}{{reached_tokens}} tokens where {_meant(intended)} were meant "
            f"({{reached}}){plain(conversation.which)}: {_remedy(conversation.total_tokens, intended)}"
        )
        figures = _reached(conversation.total_tokens, intended)
        yield finding("warning", "coverage", conversation.name, None, pattern, **figures)
    for probe in conversation.probes:
        meant = probe.expected.intended_tokens if probe.expected else None
        if meant and not filled and not _SHORT <= share_of(probe.context_tokens, meant) <= _LONG:
            pattern = (
                f"asked at {about}{{reached_tokens}} tokens where {_meant(meant)} were meant "
                f"({{reached}}){plain(conversation.which)}: report this length"
            )
            figures = _reached(probe.context_tokens, meant)
            yield finding("warning", "coverage", conversation.name, probe.step.id, pattern, **figures)


def _reached(tokens: int, meant: Length) -> dict[str, int | float]:
    figures = {"reached_tokens": tokens, "meant_tokens": least_of(meant), "reached": share_of(tokens, meant)}
    return figures | ({"meant_most_tokens": most_of(meant)} if isinstance(meant, tuple) else {})


def _meant(meant: Length) -> str:
    """The place of a length that was meant in a pattern."""
    return "~{meant_tokens}" + (" to {meant_most_tokens}" if isinstance(meant, tuple) else "")


def _filled(conversation: LintedConversation, probes_last: bool | None) -> bool:
    """Whether repeats will make it as long as it is meant to be before its probes are asked."""
    return conversation.planned and bool(probes_last) and conversation.intended_tokens is not None


def _remedy(total: int, intended: Length) -> str:
    return (
        "fill it with --target-tokens, or state less"
        if total < least_of(intended)
        else "state the real length, or shorten it"
    )


def _deciles(pairs: Sequence[tuple[Length, int]]) -> str:
    """How much of the meant length was reached, in tenths of the longest that was meant."""
    top = max(least_of(meant) for meant, _ in pairs)
    by_decile: dict[int, list[float]] = {}
    for meant, reached in pairs:
        by_decile.setdefault(min(9, 10 * least_of(meant) // top), []).append(share_of(reached, meant))
    parts = [
        f"{_k(top * tenth // 10)}-{_k(top * (tenth + 1) // 10)} "
        + (f"{100 * sum(values) / len(values):.0f} % (n={len(values)})" if values else "no probe")
        for tenth in range(10)
        for values in [by_decile.get(tenth, [])]
    ]
    return "reached of the length that was meant, by decile: " + ", ".join(parts)


def _cells(cells: Sequence[Probe]) -> str:
    """Probes by length, in doublings, and by the third of the context that their evidence is in."""
    counts: Counter[tuple[int, int]] = Counter()
    for probe in cells:
        doubling = max(0, (max(probe.context_tokens, 1) - 1).bit_length() - 10)
        counts[doubling, min(2, int(3 * (probe.evidence.depth or 0.0)))] += 1
    rows = [
        f"up to {_k(1024 << doubling)} " + "/".join(str(counts[doubling, third]) for third in range(3))
        for doubling in range(max(key[0] for key in counts) + 1)
    ]
    return f"probes by length and place of the evidence ({'/'.join(_THIRDS)}): " + ", ".join(rows)


def _k(tokens: int) -> str:
    return f"{tokens / 1000:.3g}K" if tokens >= 1000 else str(tokens)


def order(inputs: LintInputs) -> Iterator[Finding]:
    """Errors: probes that come before the repeats which are to make the context long.

    In a case file, those of a case that is to be repeated up to a length that its messages do not have,
    unless it is said that probes come last. In results, those with repeats after them; checkpoints that stand
    where the case has them are right where every verification comes after the repeats.
    """
    for conversation in inputs.conversations:
        yield from (
            _planned(conversation, inputs.probes_last) if conversation.planned else _played(conversation)
        )


def _planned(conversation: LintedConversation, probes_last: bool | None) -> Iterator[Finding]:
    case, meant = conversation.case, conversation.intended_tokens
    intended = None if meant is None else least_of(meant)
    if probes_last or case is None or intended is None or not re.search(r"\brepeat", case.note, re.I):
        return
    if conversation.total_tokens >= intended:
        return
    message = (
        f"probes come before repeats: the note asks to repeat messages up to {intended:,} tokens, the case "
        f"has ~{conversation.total_tokens:,}, and this is asked before. Run with --probes-last"
    )
    for probe in conversation.probes:
        yield Finding("error", "order", conversation.name, probe.step.id, message)


def _played(conversation: LintedConversation) -> Iterator[Finding]:
    early = [probe for probe in conversation.probes if any(step.is_repeat for step in probe.later)]
    if not any(probe.step.type == "verification" for probe in early) and len(early) < len(
        conversation.probes
    ):
        return
    message = (
        f"asked before the repeats: its context is what it was then, not the "
        f"{conversation.total_tokens:,} tokens that the conversation grew to{conversation.which}. Run with "
        "--probes-last"
    )
    for probe in early:
        yield Finding("error", "order", conversation.name, probe.step.id, message)
