"""Tokens: how long contexts were meant to be and became, and where context was dropped."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from tellapart.longcontext.page.view import View
from tellapart.longcontext.results import ConversationRecord, ProbeRecord
from tellapart.longcontext.token_ranges import about
from tellapart.longcontext.truncation import Truncation
from tellapart.report import numbers as show
from tellapart.report.tables import Cell, Table, figure, table

NO_USAGE = "no usage was recorded"


def of_probe(probe: ProbeRecord) -> str:
    """How long the context of a probe was meant to be."""
    least = probe.intended_tokens
    return show.DASH if least is None else about(least, probe.intended_most_tokens)


def of_case(playing: ConversationRecord) -> str:
    """How long a conversation was meant to become."""
    least = playing.expected_tokens
    return show.DASH if least is None else about(least, playing.expected_most_tokens)


FAR_BELOW = 0.75
"""A peak below this share of what was intended is far below it."""

MOST_WARNINGS = 10
"""Warning blocks of one conversation; further steps are named in a line."""

MOST_NAMES = 6
"""Conversations that are named where the same is said of all."""

SILENT = "silent truncation"
_INCOMPLETE = (
    "This means the model's answers to verification questions are based on INCOMPLETE context, without any "
    "indication to the caller"
)


@dataclass(frozen=True)
class Observation:
    """What is to be seen in the counts of one conversation.

    Attributes:
        text: In a sentence or two.
        points: What that means, where context was dropped.
        warnings: The document's block for each step that was asked with less than the whole conversation.
    """

    text: str
    points: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()


def name_of(view: View, playing: ConversationRecord) -> str:
    """What a conversation is called: its case, with model and epoch where there are several."""
    parts = [playing.name]
    parts += [playing.model] if view.several_models else []
    parts += [f"epoch {playing.epoch}"] if view.epochs > 1 else []
    return " · ".join(parts)


def sizes(view: View) -> Table:
    """Steps, messages and peak of each conversation, beside what was expected."""
    columns: dict[str, Callable[[ConversationRecord], Cell | str]] = {
        "Case": lambda one: one.name,
        "Steps": lambda one: show.count(one.steps),
        "Messages": lambda one: figure(one.messages, show.count, NO_USAGE),
        # A recorded peak of 0 where every step failed is no measurement.
        "Peak Tokens": lambda one: figure(one.peak_tokens or None, show.count, NO_USAGE),
        "Expected": of_case,
    }
    if view.several_models:
        columns["Model"] = lambda one: one.model
    if view.epochs > 1:
        columns["Epoch"] = lambda one: str(one.epoch)
    rows = [[cell(one) for cell in columns.values()] for one in view.conversations]
    return table("sizes", "How long each conversation became", list(columns), rows)


def observations(view: View) -> list[Observation]:
    """Say of each conversation what its counts show, and nothing that they do not.

    Conversations of which the same can be said are reported together, where the first of them stands.
    """
    brief = len(view.conversations) > MOST_NAMES
    together: dict[tuple[str, tuple[str, ...], tuple[str, ...]], list[str]] = {}
    for conversation in view.conversations:
        seen = _truncated(conversation) if conversation.truncations else _observed(conversation, brief)
        together.setdefault((seen.text, seen.points, seen.warnings), []).append(name_of(view, conversation))
    return [
        Observation(f"{_listed(names)}: {text}", points, warnings)
        for (text, points, warnings), names in together.items()
    ]


def _listed(names: list[str]) -> str:
    left = len(names) - MOST_NAMES
    return show.listed([*names[:MOST_NAMES], f"{left} more"] if left > 0 else names)


def _observed(conversation: ConversationRecord, brief: bool) -> Observation:
    counted = [step for step in conversation.tokens if step.prompt_tokens is not None]
    failed = _failures(conversation)
    if not counted:
        why = f"{failed}, and no usage was recorded" if failed else "no usage was recorded"
        return Observation(f"{why}, so it is unknown whether context was dropped.")
    if {step.step for step in counted} <= set(conversation.unknown):
        return Observation("no token counts to compare, so it is unknown whether context was dropped.")
    unknown = [step for step in conversation.unknown if step != counted[0].step]
    reached = [] if brief and not far_below(conversation) else [_reached(conversation)]
    parts = [*reached, "no sign of truncation in the steps with known usage"]
    parts += [failed] if failed else []
    if unknown:
        parts.append(
            f"nothing is known of {show.plural(len(unknown), 'step')}, because no usage was recorded"
        )
    text = f"{'; '.join(parts)}."
    if far_below(conversation):
        text += " The messages were simply too few, so this says nothing about contexts as long as intended."
    return Observation(text)


def far_below(playing: ConversationRecord) -> bool:
    """Whether the peak is known to be far below what was intended."""
    least, peak = playing.expected_tokens, playing.peak_tokens
    return bool(least and peak and peak < FAR_BELOW * least)


def _reached(conversation: ConversationRecord) -> str:
    peak, meant = conversation.peak_tokens, of_case(conversation)
    text = f"the context peaked at {show.count(peak)} tokens" if peak else "the peak is unknown"
    if meant == show.DASH or not peak:
        return text
    return f"{text}, {'far below the' if far_below(conversation) else 'with'} {meant} intended"


def _truncated(conversation: ConversationRecord) -> Observation:
    first = conversation.truncations[0].step_id
    reached = _reached(conversation)
    who = conversation.model or "The provider"
    text = (
        f"{reached}. This indicates {SILENT} from step {first} on: {who} "
        f"{'did not return HTTP 400 or any error, but ' if not conversation.failed_steps else ''}"
        "quietly dropped earlier conversation history. This is itself a critical finding:"
    )
    blocks = tuple(_warning(cut) for cut in conversation.truncations)
    return Observation(text, tuple(_points(conversation)), blocks)


def _points(conversation: ConversationRecord) -> list[str]:
    cuts = conversation.truncations
    points = []
    if set(conversation.statuses) == {"200"}:
        points.append("No API error was raised (all httpStatus = 200)")
    elif conversation.failed_steps:
        points.append(f"Besides, {_failures(conversation)}")
    if not conversation.failed_steps:
        points.append("The model kept responding as if everything was fine")
    if any(step.rule in ("plateau", "drop") for step in cuts):
        points.append(
            "But prompt_tokens stopped growing or even decreased, proving context was silently discarded"
        )
    else:
        points.append("But prompt_tokens grew by less than what was added, so context was silently discarded")
    return points + ([_INCOMPLETE] if _verified_after(conversation, cuts[0].step_id) else [])


def _verified_after(conversation: ConversationRecord, step_id: str) -> bool:
    ids = [step.step for step in conversation.tokens]
    after = conversation.tokens[ids.index(step_id) :] if step_id in ids else []
    return any(step.type == "verification" for step in after)


def _warning(cut: Truncation) -> str:
    """The document's block, and a line for what only the stronger rule sees."""
    lines = [
        f"⚠️ SILENT TRUNCATION DETECTED at step {' '.join(cut.step_id.split())}",
        f"Previous step prompt_tokens: {cut.previous_prompt_tokens}",
        f"This step prompt_tokens: {cut.prompt_tokens}",
        f"Conversation history size: {cut.conversation_length} messages",
        "The model silently dropped context without returning an error.",
    ]
    if cut.rule == "shortfall":
        lines.append(f"Expected prompt_tokens: about {cut.expected_prompt_tokens}")
    return "\n".join(lines)


def _failures(conversation: ConversationRecord) -> str:
    """How many steps failed and with which status; empty where none did."""
    failed = conversation.failed_steps
    if not failed:
        return ""
    other = {status: n for status, n in conversation.statuses.items() if status != "200"}
    named = show.listed([f"HTTP {s}: {n}" if s.isdecimal() else f"no status: {n}" for s, n in other.items()])
    return f"{failed} of {show.plural(conversation.steps, 'step')} failed" + (f" ({named})" if named else "")
