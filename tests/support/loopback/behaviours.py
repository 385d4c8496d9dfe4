"""What a test can have the loopback server do, and what the server saw."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

When = Literal["before", "within"]
"""Before the first byte of a response, or in the middle of its body."""

WireName = Literal["anthropic", "openai", "openai-responses"]
"""Anthropic's Messages API, OpenAI's chat completions and what is like them, OpenAI's Responses API."""


@dataclass(frozen=True)
class ToolCall:
    """A call of a tool that the model wants.

    Attributes:
        name: Of the tool.
        arguments: JSON-able.
    """

    name: str
    arguments: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Reply:
    """A reply with status 200.

    Attributes:
        text: What the model says; may be empty, or half a JSON.
        stop: Why it ended. ``refusal`` is Anthropic's stop reason and the field ``refusal`` of OpenAI's
            message; ``content_filter`` is OpenAI's finish reason, and on Anthropic's wire a refusal.
            With ``max_tokens`` and ``content_filter`` a response of OpenAI's Responses API is ``incomplete``.
        tool_calls: Calls of tools; with one, ``stop`` must be ``end``, and the wire says ``tool_use`` or
            ``tool_calls``.
        usage: Tokens in and out; None makes them up from the lengths, four characters a token.
        cached: Of the tokens in, those that came from a cache and those that went into one; None where the
            provider does not speak of caches, which OpenAI's Responses API always does. Only Anthropic says
            how many went into one.
        after_s: Seconds until the first byte, on top of the server's latency.
    """

    text: str = ""
    stop: Literal["end", "max_tokens", "refusal", "content_filter"] = "end"
    tool_calls: tuple[ToolCall, ...] = ()
    usage: tuple[int, int] | None = None
    cached: tuple[int, int] | None = None
    after_s: float = 0.0


@dataclass(frozen=True)
class Status:
    """An error, in the form of the wire.

    Attributes:
        code: HTTP status, such as 401, 402, 403, 404, 429, 500, 529.
        message: What the provider says about it.
        retry_after: Seconds in the header ``retry-after``; None for no such header.
        type: Of the error as the provider names it; None for the usual one of this status.
        location: Where a status such as 307 redirects to, an address or a path; None for no such header.
        after_s: Seconds until the first byte, on top of the server's latency.
    """

    code: int
    message: str = "as planned"
    retry_after: float | None = None
    type: str | None = None
    location: str | None = None
    after_s: float = 0.0


@dataclass(frozen=True)
class Page:
    """A response that is no JSON of a provider, such as the page of a proxy.

    Attributes:
        body: As text.
        code: HTTP status.
        content_type: Of the body.
    """

    body: str
    code: int = 200
    content_type: str = "text/html"


@dataclass(frozen=True)
class Cut:
    """The connection ends without a whole response.

    Attributes:
        when: Before the first byte, or after half the body of ``reply``.
        reply: What would have been said.
        after_s: Seconds until then, on top of the server's latency.
    """

    when: When = "before"
    reply: Reply = Reply("never whole")
    after_s: float = 0.0


@dataclass(frozen=True)
class Hang:
    """The connection stays open, and nothing more arrives.

    Attributes:
        when: Before the first byte, or after half the body of ``reply``.
        reply: What would have been said.
    """

    when: When = "before"
    reply: Reply = Reply("never whole")


Behaviour = Reply | Status | Page | Cut | Hang


@dataclass(frozen=True)
class Request:
    """A request as it arrived.

    Attributes:
        number: From 1, in order of arrival.
        path: Without the query.
        headers: Names in lower case.
        body: The JSON object; empty where there was none.
        at_s: Seconds since the server started.
        wire: ``anthropic`` for ``/v1/messages``, ``openai-responses`` for ``/v1/responses``, else ``openai``.
    """

    number: int
    path: str
    headers: Mapping[str, str]
    body: Mapping[str, Any]
    at_s: float
    wire: WireName

    @property
    def messages(self) -> list[tuple[str, str]]:
        """Role and text of every message, the first one first; empty where there is none.

        Instructions that the wire keeps apart from messages are a message of the role ``system``.
        """
        apart = self.body.get("system") or self.body.get("instructions")
        system = [("system", _text(apart))] if apart else []
        messages = self.body.get("input") or self.body.get("messages") or []
        if isinstance(messages, str):
            return [*system, ("user", messages)]
        return [*system, *((turn.get("role") or "", _text(turn.get("content") or "")) for turn in messages)]

    @property
    def prompt(self) -> str:
        """Text of the last message, whoever said it; empty where there is none."""
        return self.messages[-1][1] if self.messages else ""

    @property
    def key(self) -> str | None:
        """The key that came with it, in ``x-api-key`` or as a bearer token."""
        bearer = self.headers.get("authorization", "").partition(" ")[2]
        return self.headers.get("x-api-key") or bearer or None


def _text(content: str | list[dict[str, Any]]) -> str:
    return content if isinstance(content, str) else "".join(part.get("text", "") for part in content)


Respond = Callable[[Request], Behaviour | str]
"""From a request to what the server does; a text is a ``Reply`` of it."""


def in_turn(*behaviours: Behaviour | str, then: Behaviour | str | Respond = "ok") -> Respond:
    """Do one thing after another, in order of arrival."""

    def respond(request: Request) -> Behaviour | str:
        if request.number <= len(behaviours):
            return behaviours[request.number - 1]
        return then(request) if callable(then) else then

    return respond
