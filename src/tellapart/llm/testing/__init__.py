"""A server on this machine that speaks the wires of model providers, for tests without a network or a key."""

from tellapart.llm.testing.behaviours import (
    Behaviour,
    Cut,
    Hang,
    Page,
    Reply,
    Request,
    Respond,
    Status,
    ToolCall,
    in_turn,
)
from tellapart.llm.testing.server import LoopbackServer

__all__ = [
    "Behaviour",
    "Cut",
    "Hang",
    "LoopbackServer",
    "Page",
    "Reply",
    "Request",
    "Respond",
    "Status",
    "ToolCall",
    "in_turn",
]
