"""A server on this machine that speaks the wires of model providers, for tests without a network or a key.

It speaks Anthropic's Messages API, OpenAI's chat completions (which DeepSeek, Ollama and most other servers
speak too) and OpenAI's Responses API, and does what a test plans: a reply, an error, a connection that is cut
or hangs. The name of a model decides the wire: Inspect asks ``openai/gpt-4o`` by chat completions, and by
responses models that think or that it does not know.
"""

from support.loopback.behaviours import (
    Behaviour,
    Cut,
    Hang,
    Page,
    Reply,
    Request,
    Respond,
    Status,
    ToolCall,
    WireName,
    in_turn,
)
from support.loopback.server import LoopbackServer

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
    "WireName",
    "in_turn",
]
