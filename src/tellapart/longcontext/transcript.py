"""A conversation as it was played: its steps with their replies, as a file of experiment results has them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from tellapart.core.score_notes import Looks
from tellapart.longcontext.case import CaseStep, StepType

Control = Literal["closed-book", "oracle"]

SUITE = "longcontext"

RESULTS_FILE = "artifacts/experiment-results.json"
"""Where a run of ``run`` has its results."""

REPEAT = "REPEAT: "
"""What a repeated message begins with."""


@dataclass(frozen=True)
class Usage:
    """Tokens of one call; each None where it was not reported.

    Attributes:
        prompt_tokens: The whole conversation as it was sent, cached parts included.
        cache_hit_tokens: Part of the prompt that the provider had in a cache.
        cache_miss_tokens: The other part.
        cache_written_tokens: Of the other part, what went into a cache and is billed as such.
    """

    prompt_tokens: int | None = None
    completion_tokens: int | None = None
    total_tokens: int | None = None
    cache_hit_tokens: int | None = None
    cache_miss_tokens: int | None = None
    cache_written_tokens: int | None = None

    @property
    def both(self) -> int | None:
        """Tokens of prompt and reply together, as far as they are known; None where neither is."""
        parts = [n for n in (self.prompt_tokens, self.completion_tokens) if n is not None]
        return self.total_tokens if self.total_tokens is not None else sum(parts) if parts else None


@dataclass(frozen=True)
class PlayedStep:
    """One user turn and what came back.

    Attributes:
        response: What came back; None where nothing did.
        usage: None where none was reported.
        http_status: 200 for a reply, else what the provider said; None where it was not recorded.
        error_message: In the provider's words; None of a reply.
        conversation_length: Messages of the conversation after this step, without the system prompt.
        timestamp: Milliseconds since 1970; None where it was not recorded.
        forked: Whether neither the question nor the reply is part of what later steps were sent.
        cause: Why there is no response, in the words of a score table; None where there is one, or where the
            file does not say and ``http_status`` must do.
        given: Whether the response stands in the case and no model was asked for it.
        own_history: Whether it was said to a system that keeps the history itself. Then ``usage`` is what the
            system reports of the models inside it, which says nothing of the context.
    """

    id: str
    type: StepType
    failure_mode: str | None
    user_message: str
    response: str | None
    usage: Usage | None = None
    http_status: int | None = None
    error_message: str | None = None
    conversation_length: int | None = None
    timestamp: int | None = None
    forked: bool = False
    cause: str | None = None
    given: bool = False
    own_history: bool = False

    @property
    def shown(self) -> str:
        """What it gives to remember: what was sent, and below it the response where that is given."""
        return f"{self.user_message}\n\n{self.response}" if self.given else self.user_message

    @property
    def is_probe(self) -> bool:
        """Whether it is graded."""
        return self.type != "message"

    @property
    def is_repeat(self) -> bool:
        """Whether it repeats an earlier message."""
        return self.type == "message" and "-R" in self.id

    @property
    def prompt_tokens(self) -> int | None:
        """Tokens of the context, measured; None where it was not measured."""
        return self.usage.prompt_tokens if self.usage and not self.own_history else None


@dataclass(frozen=True)
class PlayedCase:
    """One conversation as it was played.

    Attributes:
        steps: In the order in which they were played.
        system: The system prompt; None where the record does not hold it, as those of other programs do not.
        model: Who answered; the name of the file where the record does not say.
        epoch: Which attempt at the same case, from 0.
        started_at: Milliseconds since 1970; None where it was not recorded.
        recorded: What the record itself says in sums, by its own names: ``totalMessages``, ``peakTokens``,
            ``totalSteps``, ``failedSteps``.
        control: None of an experiment. ``closed-book``: every probe was asked alone, with nothing before it;
            ``oracle``: with nothing before it but the messages that hold its evidence.
        not_asked: What was not reached, in order, since the conversation stopped before it.
    """

    name: str
    steps: tuple[PlayedStep, ...]
    system: str | None = None
    model: str = ""
    epoch: int = 0
    started_at: int | None = None
    finished_at: int | None = None
    recorded: tuple[tuple[str, int], ...] = ()
    control: Control | None = None
    not_asked: tuple[CaseStep, ...] = ()

    @property
    def probes(self) -> tuple[PlayedStep, ...]:
        """Steps that are graded."""
        return tuple(step for step in self.steps if step.is_probe)

    @property
    def peak_tokens(self) -> int | None:
        """The most tokens of one call, prompt and reply together; None where tokens were not counted.

        Those that a system reports are not counted: it need not send the whole conversation.
        """
        usages = (step.usage for step in self.steps if not step.own_history)
        return max((usage.both for usage in usages if usage and usage.both), default=None)

    def before(self, position: int) -> list[PlayedStep]:
        """The steps that the conversation held when the one at ``position`` was asked, in order.

        Forked steps are in nobody's conversation, and a turn without a response was taken back.
        """
        return [s for s in self.steps[:position] if not s.forked and s.response is not None]

    def material(self, position: int) -> list[str]:
        """The texts that messages had shown when the step at ``position`` was asked, in order.

        What probes ask for shows nothing.
        """
        return [step.shown for step in self.before(position) if not step.is_probe]


@dataclass(frozen=True)
class Results:
    """All that a file of results holds.

    Attributes:
        cases: In the file's order.
        generated_at: Milliseconds since 1970; None where the file does not say.
        source: The file, for messages.
        notes: What in it could not be used, for people.
        looks: How it was played, if until models were told apart.
    """

    cases: Sequence[PlayedCase]
    generated_at: int | None = None
    source: str = ""
    notes: tuple[str, ...] = ()
    looks: Looks | None = None
