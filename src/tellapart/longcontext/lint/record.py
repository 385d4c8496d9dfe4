"""Whether the record is what happened, contexts are as long as meant, and probes have answers."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence

from tellapart.longcontext.case import Length, item_of, least_of, most_of, share_of, thousands
from tellapart.longcontext.lint.inputs import LintedConversation, LintInputs
from tellapart.longcontext.probes import Probe, kind_of
from tellapart.longcontext.results import Finding
from tellapart.longcontext.transcript import PlayedCase
from tellapart.longcontext.truncation import scan
from tellapart.report.numbers import listed, plural, whole_percent


def truncation(inputs: LintInputs) -> Iterator[Finding]:
    """Errors: where a conversation was cut without notice; warnings: where nobody can know."""
    for conversation in inputs.played:
        if any(step.own_history for step in conversation.played.steps):
            message = (
                "an assistant kept the history itself: what it lost of it is unknown, not clean, and only "
                "its answers show it"
            )
            yield conversation.finds("truncation", "info", None, message)
            continue
        cuts = scan(conversation.played)
        for cut in cuts.truncations:
            lasting = (
                f", and again at {plural(cut.steps - 1, 'step')} up to {cut.last_step_id}"
                if cut.steps > 1
                else ""
            )
            message = (
                f"silently truncated ({cut.rule}): {cut.prompt_tokens:,} prompt tokens after "
                f"{cut.previous_prompt_tokens:,}, where about {cut.expected_prompt_tokens:,} were to be sent"
                f"{lasting}. Answers from here on rest on part of the conversation"
            )
            yield conversation.finds("truncation", "error", cut.step_id, message)
        for step_id in cuts.unknown:
            message = (
                "no usable token count here or before: whether the context was cut is unknown, not clean"
            )
            yield conversation.finds("truncation", "warning", step_id, message)


def roles(inputs: LintInputs) -> Iterator[Finding]:
    """Errors: a user turn right after another one, whose reply never came."""
    remedy = "providers merge or refuse that; take a failed turn back, or stop there"
    for conversation in inputs.played:
        dangling: str | None = None
        length = 0
        for step in conversation.played.steps:
            now = step.conversation_length
            if step.forked or now is None:
                continue
            if dangling and now > length:
                message = f"two user turns in a row, as {dangling} got no reply and stayed there"
                yield conversation.finds("roles", "error", step.id, message, remedy)
            dangling = step.id if step.response is None and now > length else None
            length = now


def summary(inputs: LintInputs) -> Iterator[Finding]:
    """Warnings: sums of the record that its own rows do not give."""
    for conversation in inputs.played:
        rows = _sums(conversation.played)
        differ = [
            f"{name} is recorded as {value:,}, and its steps give {rows[name]:,}"
            for name, value in conversation.played.recorded
            if rows.get(name, value) != value
        ]
        if differ:
            remedy = "figures here come from the steps only"
            yield conversation.finds("summary", "warning", None, listed(differ), remedy)


def _sums(played: PlayedCase) -> dict[str, int]:
    sums = {
        "totalSteps": len(played.steps),
        "failedSteps": sum(step.response is None for step in played.steps),
        "peakTokens": played.peak_tokens or 0,
    }
    lengths = [step.conversation_length for step in played.steps if not step.forked]
    noted = [length for length in lengths if length is not None]
    return {**sums, "totalMessages": max(noted)} if noted else sums


def same_item(inputs: LintInputs) -> Iterator[Finding]:
    """Warnings: probes that ask the same and are one item together."""
    by_item: dict[str, dict[str, str]] = {}
    for conversation in inputs.conversations:
        for step in conversation.played.probes:
            by_item.setdefault(item_of(step.user_message), {}).setdefault(step.id, conversation.name)
    for steps in by_item.values():
        for step_id, case in steps.items():
            if len(steps) > 1:
                ids = listed(list(steps), most=10)
                message = f"asked {len(steps)} times ({ids}), which is one item. Ask for other facts as well"
                yield Finding("warning", "same-item", case, step_id, message)


# Lengths

_SHORT, _LONG = 0.75, 4 / 3
"""Parts of the meant length within which a context is as it was meant."""


def coverage(inputs: LintInputs) -> Iterator[Finding]:
    """Warnings: contexts that are not as long as meant; information: gaps by decile and probes a cell."""
    pairs: list[tuple[Length, int]] = []
    for conversation in inputs.conversations:
        meant = conversation.intended_tokens
        # Repeats will make a plan as long as it is meant to be before its probes are asked.
        if conversation.planned and inputs.probes_last and meant is not None:
            continue
        if meant and conversation.probes:
            total = conversation.total_tokens
            is_short = total < least_of(meant)
            remedy = "fill it with --target-tokens, or state less"
            remedy = remedy if is_short else "state the real length, or shorten it"
            yield from _off(conversation, None, "grows to", total, meant, remedy)
        for probe in conversation.probes:
            if meant := probe.key.intended_tokens:
                pairs.append((meant, probe.context_tokens))
                asked = (probe.step.id, "asked at", probe.context_tokens)
                yield from _off(conversation, *asked, meant, "report this length")
    if pairs:
        yield Finding("info", "coverage", None, None, _deciles(pairs))
    if cells := [probe for _, probe in inputs.probes if probe.evidence.depth is not None]:
        yield Finding("info", "coverage", None, None, _cells(cells))


def _off(
    conversation: LintedConversation, step: str | None, what: str, tokens: int, meant: Length, remedy: str
) -> Iterator[Finding]:
    """A warning where a length is not as it was meant."""
    share = share_of(tokens, meant)
    if not _SHORT <= share <= _LONG:
        ends = " to ".join(f"{end:,}" for end in dict.fromkeys((least_of(meant), most_of(meant))))
        about = "~" if conversation.planned else ""
        message = f"{what} {about}{tokens:,} tokens where ~{ends} were meant ({whole_percent(share)})"
        yield conversation.finds("coverage", "warning", step, message, remedy)


def _deciles(pairs: Sequence[tuple[Length, int]]) -> str:
    """How much of the meant length was reached, in tenths of the longest that was meant."""
    top = max(least_of(meant) for meant, _ in pairs)
    by_decile: dict[int, list[float]] = {}
    for meant, reached in pairs:
        by_decile.setdefault(min(9, 10 * least_of(meant) // top), []).append(share_of(reached, meant))
    parts = [
        f"{thousands(top * tenth // 10)}-{thousands(top * (tenth + 1) // 10)} "
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
        f"up to {(1024 << doubling) / 1000:.3g}K "
        + "/".join(str(counts[doubling, third]) for third in range(3))
        for doubling in range(max(key[0] for key in counts) + 1)
    ]
    return "probes by length and place of the evidence (beginning/middle/end): " + ", ".join(rows)


def order(inputs: LintInputs) -> Iterator[Finding]:
    """Errors: probes that come before the repeats which are to make the context long.

    Checkpoints that stand where the case has them are right where every verification comes after.
    """
    for conversation in inputs.conversations:
        total = f"{conversation.total_tokens:,}"
        if conversation.planned:
            meant = conversation.intended_tokens
            is_filled = meant is None or conversation.total_tokens >= least_of(meant)
            note = conversation.case.note if conversation.case else ""
            if inputs.probes_last or meant is None or is_filled or not re.search(r"\brepeat", note, re.I):
                continue
            early: Sequence[Probe] = conversation.probes
            message = (
                f"probes come before repeats: the note asks to repeat messages up to {least_of(meant):,} "
                f"tokens, the case has ~{total}, and this is asked before. Run with --probes-last"
            )
        else:
            early = [probe for probe in conversation.probes if any(step.is_repeat for step in probe.later)]
            at_end = any(probe.step.type == "verification" for probe in early)
            if not at_end and len(early) < len(conversation.probes):
                continue
            message = (
                f"asked before the repeats: its context is what it was then, not the {total} tokens that "
                f"the conversation grew to{conversation.which}. Run with --probes-last"
            )
        for probe in early:
            yield Finding("error", "order", conversation.name, probe.step.id, message)


# Answers


def answers(inputs: LintInputs) -> Iterator[Finding]:
    """Warnings: probes without an answer; information: answers without a probe."""
    asked = dict.fromkeys(_probes(inputs))
    key = inputs.key
    if key.by_id or key.by_case:
        for case, step_id, failure_mode in asked:
            expected = key.expected(case, step_id)
            if not kind_of(failure_mode, expected).has_key(expected):
                message = "no answer is known: it cannot be graded. Add one to the answers"
                yield Finding("warning", "answers", case, step_id, message)
        places = {(case, step_id.casefold()) for case, step_id, _ in asked}
        known = {id_ for _, id_ in places} | {step_id.casefold() for _, step_id in key.by_case}
        alone: list[tuple[str | None, str]] = [
            (None, id_) for id_ in key.by_id if id_.casefold() not in known
        ]
        alone += [(case, id_) for case, id_ in key.by_case if (case, id_.casefold()) not in places]
        for of_case, step_id in alone:
            message = "this answer has no probe among what is given"
            yield Finding("info", "answers", of_case, step_id, message)


def _probes(inputs: LintInputs) -> Iterator[tuple[str, str, str | None]]:
    """Case, id and failure mode of every probe of cases and results; what was not reached is one as well."""
    for case in inputs.cases:
        yield from ((case.name, step.id, step.failure_mode) for step in case.probes)
    for played in (case for results in inputs.results for case in results.cases):
        yield from ((played.name, step.id, step.failure_mode) for step in played.probes)
        left = (step for step in played.not_asked if step.is_probe)
        yield from ((played.name, step.id, step.failure_mode) for step in left)


def decidable(inputs: LintInputs) -> dict[tuple[str, str], bool]:
    """Whether code can grade each probe that has an answer, by case and step."""
    return {
        (conversation.name, probe.step.id): probe.decidable
        for conversation, probe in inputs.probes
        if probe.expected is not None and probe.has_key
    }


def undecidable(inputs: LintInputs) -> Iterator[Finding]:
    """Warnings: probes that a judge or a person must grade, with their share."""
    by_place = decidable(inputs)
    left = [place for place, can in by_place.items() if not can]
    for case, step in left:
        message = (
            "code cannot grade it, as the right answer can be said in other words; this holds of "
            f"{whole_percent(len(left) / len(by_place))} of all probes. Name a judge when you grade, or let "
            "the key hold nothing but the value that is asked for"
        )
        yield Finding("warning", "undecidable", case, step, message)
