"""Where a conversation was cut without a word."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from tellapart.longcontext.played import PlayedCase

TruncationRule = Literal["plateau", "drop", "shortfall"]


@dataclass(frozen=True)
class Truncation:
    """A step whose prompt cannot have held the whole conversation.

    Attributes:
        model: Who was asked.
        case: Name of the conversation.
        epoch: Which playing of it.
        step_id: The step.
        previous_prompt_tokens: Of the step that the conversation had before it.
        prompt_tokens: Of this step.
        expected_prompt_tokens: What they should be about.
        conversation_length: Messages of the conversation after the step.
        rule: ``plateau`` and ``drop`` are the document's; ``shortfall`` sees what is missing while the count
            still grows.
    """

    model: str
    case: str
    epoch: int
    step_id: str
    previous_prompt_tokens: int
    prompt_tokens: int
    expected_prompt_tokens: int
    conversation_length: int
    rule: TruncationRule


@dataclass(frozen=True)
class Scan:
    """What was found in one conversation.

    Attributes:
        found: Truncations, in order.
        unknown: Steps of which nothing can be said, for want of usage here or before.
        checked: How many steps were compared.
    """

    found: tuple[Truncation, ...]
    unknown: tuple[str, ...]
    checked: int


def scan(case: PlayedCase) -> Scan:
    """Compare the prompt tokens of each step with those before it."""
    return Scan((), tuple(step.id for step in case.steps), 0)
