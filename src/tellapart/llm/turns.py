"""How far an agent may go: turns, time, tokens, and replies of which nothing comes."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from tellapart.llm.questions import Cause
from tellapart.llm.tools import SUBMIT, SubmittedAnswer

MOST_WITHOUT_TOOLS = 3
"""Replies in a row that call no tool; the last of them ends it."""

MOST_UNUSABLE = 2
"""Answers in a row that cannot be used: the first is sent back with what is wrong."""

WARNED_BEFORE = 2
"""Turns that are left when the model is told so."""


@dataclass(frozen=True)
class AgentLimits:
    """What one agent may take, for one answer.

    Attributes:
        turns: Replies of the model, at least 1.
        seconds: All waiting and all tools included.
        tokens: In and out, of all replies together; the reply that passes it is the last. None for no limit.
    """

    turns: int = 40
    seconds: float = 900.0
    tokens: int | None = None


@dataclass(frozen=True)
class Stopped:
    """Why an agent has no answer.

    Attributes:
        cause: As a score table counts it.
        kind: What happened exactly: those of ``questions.Kind``, and ``turns`` and ``tokens``.
        detail: In the words of whoever noticed.
    """

    cause: Cause
    kind: str
    detail: str


class Ended(Exception):
    """The agent goes no further."""

    def __init__(self, why: Stopped) -> None:
        super().__init__(why.detail)
        self.why = why


@dataclass
class Turns:
    """How far one agent has come."""

    limits: AgentLimits
    usage: dict[str, int] = field(
        default_factory=lambda: {"turns": 0, "tool_calls": 0, "input_tokens": 0, "output_tokens": 0}
    )
    _without_tools: int = 0
    _unusable: int = 0

    def count(self, usage: dict[str, int], tool_calls: int) -> None:
        """Count a reply."""
        for name, number in {**usage, "turns": 1, "tool_calls": tool_calls}.items():
            self.usage[name] += number

    def before(self, messages: list[Any], handed: SubmittedAnswer[Any]) -> None:
        """See whether there may be another turn, and warn when they run out."""
        from inspect_ai.model import ChatMessageUser

        self._look_at_last(messages, handed)
        turns, tokens = self.limits.turns, self.usage["input_tokens"] + self.usage["output_tokens"]
        left = turns - self.usage["turns"]
        if left <= 0:
            raise Ended(Stopped("budget", "turns", f"no answer in {turns} turns"))
        if self.limits.tokens is not None and tokens >= self.limits.tokens:
            raise Ended(Stopped("budget", "tokens", f"no answer in {tokens:,} tokens"))
        if left == WARNED_BEFORE < turns:
            messages.append(
                ChatMessageUser(content=f"{left} turns are left. Hand in what you have found with {SUBMIT}.")
            )

    def _look_at_last(self, messages: list[Any], handed: SubmittedAnswer[Any]) -> None:
        """Count replies of which nothing comes, in a row."""
        last = max((i for i, m in enumerate(messages) if m.role == "assistant"), default=None)
        if last is None:
            return
        calls = messages[last].tool_calls or ()
        self._without_tools = 0 if calls else self._without_tools + 1
        if self._without_tools >= MOST_WITHOUT_TOOLS:
            raise Ended(Stopped("parse", "not_json", f"{SUBMIT} was not called, nor any other tool"))
        wrong = [
            m.error.message for m in messages[last:] if m.role == "tool" and m.function == SUBMIT and m.error
        ]
        self._unusable = self._unusable + 1 if wrong else 0
        if self._unusable >= MOST_UNUSABLE:
            raise Ended(Stopped("parse", handed.kind or "schema", wrong[-1][:500]))
