"""Tokens: how long contexts were meant to be and became, and where context was dropped."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from tellapart.longcontext.case import about
from tellapart.longcontext.page.view import View
from tellapart.longcontext.results import ConversationRecord
from tellapart.longcontext.truncation import Truncation
from tellapart.report import numbers as show
from tellapart.report.charts import Axis, Chart, Drawing, Point, Rule, curves
from tellapart.report.document import Passage, Section, present
from tellapart.report.figures import FIGURES
from tellapart.report.palette import MUTED, Look
from tellapart.report.tables import Cell, Table, figure

_NO_USAGE = FIGURES["measured_tokens"].undefined

_MOST_DRAWN = 9

SILENT = "silent truncation"


def section(view: View) -> Section:
    """Sizes, prompt tokens at each step, and what they show."""
    shown = (sizes(view),)
    return Section(
        "tokens",
        "Tokens",
        unknown(view),
        charts=present(_steps_chart(view)),
        tables=() if view.many_cases else shown,
        folded=shown if view.many_cases else (),
        passages=tuple(_passages(view)),
    )


def sizes(view: View) -> Table:
    """Steps, messages and peak of each conversation, beside the intended length."""
    columns: dict[str, Callable[[ConversationRecord], Cell | str]] = {
        "Case": lambda one: one.name,
        "Steps": lambda one: show.count(one.steps),
        "Messages": lambda one: figure(one.messages, show.count, _NO_USAGE),
        # A recorded peak of 0 where every step failed is no measurement.
        "Peak Tokens": lambda one: figure(one.peak_tokens or None, show.count, _NO_USAGE),
        "Expected": lambda one: about(one.expected_tokens, one.expected_most_tokens),
    }
    if view.several_models:
        columns["Model"] = lambda one: one.model
    if view.epochs > 1:
        columns["Epoch"] = lambda one: str(one.epoch)
    return view.table("sizes", "How long each conversation became", view.conversations, columns)


def unknown(view: View) -> str:
    """In how many conversations nothing shows that context was dropped, and in how many that is unknown."""
    n = len(view.conversations)
    cut = sum(bool(one.truncations) for one in view.conversations)
    open_ = sum(not one.truncations and bool(one.unknown) for one in view.conversations)
    of = show.plural(n, "conversation")
    parts = [f"No sign of lost context in {n - cut - open_} of {of}."] if n - cut - open_ else []
    parts += [f"Unknown in {open_} of {of}, where token counts are missing."] if open_ else []
    return " ".join(parts)


def observations(view: View) -> Iterator[tuple[str, list[str], list[str]]]:
    """Of each conversation that was cut what its counts show, what that means, and the warnings."""
    for one in view.conversations:
        if one.truncations:
            yield _observed(one, view.name_of(one)), _meanings(one), list(map(_warning, one.truncations))


def _passages(view: View) -> Iterator[Passage]:
    for text, points, warnings in observations(view):
        blocks = [("Warning", warning) for warning in warnings]
        yield Passage("Key observation", text, (("What that means", "\n".join(points)), *blocks))


def _observed(conversation: ConversationRecord, name: str) -> str:
    cuts, failed = conversation.truncations, conversation.failed_steps
    peak, meant = conversation.peak_tokens, conversation.expected_tokens
    reached = f"the context peaked at {show.count(peak)} tokens" if peak else "the peak is unknown"
    if peak and meant:
        reached += f", with {about(meant, conversation.expected_most_tokens)} intended"
    return (
        f"{name}: {reached}. This indicates {SILENT} from step {cuts[0].step_id} on: "
        f"{conversation.model or 'The provider'} "
        f"{'' if failed else 'did not return HTTP 400 or any error, but '}"
        "quietly dropped earlier conversation history. This is itself a critical finding:"
    )


def _meanings(conversation: ConversationRecord) -> list[str]:
    cuts = conversation.truncations
    stands_still = any(cut.rule in ("plateau", "drop") for cut in cuts)
    ids = [step.step for step in conversation.tokens]
    after = conversation.tokens[ids.index(cuts[0].step_id) :] if cuts[0].step_id in ids else ()
    points = {
        "No API error was raised (all httpStatus = 200)": set(conversation.statuses) == {"200"},
        "The model kept responding as if everything was fine": not conversation.failed_steps,
        "But prompt_tokens stopped growing or even decreased, proving context was silently discarded": (
            stands_still
        ),
        "But prompt_tokens grew by less than what was added, so context was silently discarded": (
            not stands_still
        ),
        "This means the model's answers to verification questions are based on INCOMPLETE context, without "
        "any indication to the caller": any(step.type == "verification" for step in after),
    }
    return [point for point, holds in points.items() if holds]


def _warning(cut: Truncation) -> str:
    """The original experiment's block, and a line for what only the stronger rule sees."""
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


def _steps_chart(view: View) -> Chart | None:
    """A panel for each conversation; None where no step has a count."""
    counted = [one for one in view.conversations if any(s.prompt_tokens is not None for s in one.tokens)]
    if not counted:
        return None
    drawn = sorted(counted, key=lambda one: not one.truncations)[:_MOST_DRAWN]
    left = len(counted) - len(drawn)
    description = (
        "Circles are messages, strokes repeated messages, diamonds probes. A triangle and a broken line mark "
        "a step that cannot have held the whole conversation."
        + (f" {show.plural(left, 'further conversation')} not drawn." if left else "")
    )
    title = "Prompt tokens at each step"
    return Chart("prompt-tokens", title, description, lambda width: _steps(view, drawn, width))


def _steps(view: View, conversations: Sequence[ConversationRecord], width: int) -> Drawing:
    lines: list[Point] = []
    marks: list[Point] = []
    rules, axes = list[Rule](), dict[str, Axis]()
    for conversation in conversations:
        panel = view.name_of(conversation)
        cut = [truncation.step_id for truncation in conversation.truncations]
        axes[panel] = Axis("Step", (0, len(conversation.tokens) + 1), 5, "d")
        for i, step in enumerate(conversation.tokens, start=1):
            if step.prompt_tokens is None:
                continue
            if not step.forked:
                lines.append(Point(i, step.prompt_tokens, "conversation", panel=panel))
            shape, size = ("circle" if step.type == "message" else "diamond"), 36
            if step.step in cut:
                rules.append(Rule(i, panel))
                shape, size = "triangle-down", 110
            elif step.repeat:
                shape, size = "stroke", 70
            text = step.step if cut[:1] == [step.step] else ""
            marks.append(Point(i, step.prompt_tokens, shape=shape, size=size, text=text, panel=panel))
    looks = {"conversation": Look(MUTED, "circle", (1, 0))}
    y = Axis(None, ticks=4, format=",d", zero=True)
    return curves(lines, width, axes, y, looks=looks, marks=marks, rules=rules, height=180, widest=700)
