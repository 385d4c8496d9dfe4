"""What a person sees while cases are played: a block a step, and how many steps, tokens and dollars."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING

from tellapart.cli.progress import reporter
from tellapart.llm.budget import cost, dollars

if TYPE_CHECKING:
    from tellapart.core.progress import Progress, Step
    from tellapart.llm.budget import Limits
    from tellapart.longcontext.run import RunRequest
    from tellapart.longcontext.transcript import PlayedCase, PlayedStep

_FIRST_WORDS = 100
"""Characters of a reply that are shown."""


class Watching:
    """Reports steps as they are played; see ``watching``."""

    def __init__(self, request: RunRequest, limits: Limits, progress: Progress, step: Step) -> None:
        """Report on a request."""
        self._request, self._limits, self._progress, self._step = request, limits, progress, step
        self._done, self._total, self._tokens, self._dollars = 0, _steps_of(request), 0, 0.0

    def on_step(self, conversation: PlayedCase, step: PlayedStep) -> None:
        """Report a step."""
        if not step.given:
            self._progress(f"{self._name(conversation)} {_block(step)}")
        self._advance(conversation, [step], step.id)

    def on_recorded(self, conversation: PlayedCase) -> None:
        """Report a conversation that is in a journal whole."""
        self._progress(f"{self._name(conversation)}: all {len(conversation.steps)} steps are recorded")
        self._advance(conversation, conversation.steps, "recorded")

    def _name(self, conversation: PlayedCase) -> str:
        epoch = f", epoch {conversation.epoch}" if self._request.epochs > 1 else ""
        model = f", {conversation.model}" if len(self._request.models) > 1 else ""
        return f"{conversation.name}{epoch}{model}"

    def _advance(self, conversation: PlayedCase, steps: Sequence[PlayedStep], where: str) -> None:
        price = self._limits.price_of(conversation.model)
        for usage in (step.usage for step in steps if step.usage):
            sent, back = usage.prompt_tokens or 0, usage.completion_tokens or 0
            self._tokens += sent + back
            if price:
                cached, written = usage.cache_hit_tokens or 0, usage.cache_written_tokens or 0
                self._dollars += cost(price, sent, back, cached, written)
        # How many repeats there will be is not known before.
        self._total += sum(step.is_repeat for step in steps)
        self._done += len(steps)
        money = f", {dollars(self._dollars)} US dollars" if price and self._tokens else ""
        note = f", {self._tokens:,} tokens{money}; {self._name(conversation)} {where}"
        self._step.update(self._done, note=note, total=self._total)


def _block(step: PlayedStep) -> str:
    status = "no status" if step.http_status is None else f"HTTP {step.http_status}"
    if step.own_history:
        status = "answered" if step.response is not None else "not answered"
    usage = step.usage
    tokens = f"{usage.prompt_tokens:,} + {usage.completion_tokens:,} tokens" if usage else "tokens not known"
    words = step.response if step.response is not None else f"{step.cause}: {step.error_message}"
    # On one line, and without what a terminal would obey.
    line = "".join(c if c.isprintable() else "�" for c in " ".join(words.split()))
    shown = line if len(line) <= _FIRST_WORDS else f"{line[:_FIRST_WORDS]}…"
    return f"{step.id} ({step.type}{', forked' if step.forked else ''}): {tokens}, {status}\n  {shown}"


def _steps_of(request: RunRequest) -> int:
    """How many steps a request has, repeats not counted."""
    steps = sum(len(case.probes if request.control else case.steps) for case in request.cases)
    return steps * request.epochs * len(request.models)


@contextmanager
def watching(request: RunRequest, limits: Limits, *, quiet: bool) -> Iterator[Watching]:
    """Report on stderr how far it is while the block lasts, unless ``quiet``."""
    progress = reporter(quiet=quiet)
    with progress.step("played", _steps_of(request), unit="steps") as step:
        yield Watching(request, limits, progress, step)
