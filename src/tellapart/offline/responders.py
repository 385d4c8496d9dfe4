"""The functions that reply as models: registered here without Inspect, which takes a second to import."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Union

if TYPE_CHECKING:
    from inspect_ai.model import ModelOutput

USAGE_CHARACTERS_A_TOKEN = 4
"""What usage is made up from, since there is no tokenizer without a download; an estimate has its own."""

Reply = Union[str, "ModelOutput"]
"""Text, or a whole output for another stop reason."""

Responder = Callable[[str], Reply | Awaitable[Reply]]
"""From the last message to a reply; may be asynchronous, and may raise what a provider's client would."""

Turns = Sequence[tuple[str, str]]
"""Role (``system``, ``user``, ``assistant`` or ``tool``) and text of every message, the oldest first."""

ResponderToAll = Callable[[Turns], Reply | Awaitable[Reply]]
"""The same, from the whole conversation."""


@dataclass(frozen=True)
class Registered:
    """What replies to a whole conversation, and after how many seconds."""

    respond: ResponderToAll
    latency_s: float


RESPONDERS: dict[str, Registered] = {}
"""What replies, by name without ``offline/``."""


def respond(name: str, *, latency_s: float = 0.0) -> Callable[[Responder], Responder]:
    """Make a function the model ``offline/NAME``; ``latency_s`` is before every reply."""

    def register(function: Responder) -> Responder:
        RESPONDERS[name] = Registered(lambda turns: function(turns[-1][1]), latency_s)
        return function

    return register


def respond_to_all(name: str, *, latency_s: float = 0.0) -> Callable[[ResponderToAll], ResponderToAll]:
    """Make a function that reads the whole conversation the model ``offline/NAME``, otherwise as ``respond``.

    @respond_to_all("echo")
    def echo(turns):
        said = [text for role, text in turns if role == "user"]
        return f"You have said {len(said)} things, and the first was {said[0]}"
    """

    def register(function: ResponderToAll) -> ResponderToAll:
        RESPONDERS[name] = Registered(function, latency_s)
        return function

    return register
