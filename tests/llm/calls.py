"""One call through a real provider of Inspect to the loopback server."""

import asyncio
from dataclasses import dataclass
from typing import Any

from pydantic import BaseModel, ConfigDict

from support.loopback import LoopbackServer
from tellapart.llm.connection import connect, reply_config
from tellapart.llm.models import LanguageModel
from tellapart.llm.usage import ModelUse

MODELS = {
    "anthropic": "anthropic/claude-haiku-4-5",
    "openai": "openai/gpt-4o",
    "openai-responses": "openai/gpt-5-mini",
    "openai-api": "openai-api/local/some-model",
    "deepseek": "deepseek/deepseek-chat",
    "ollama": "ollama/llama3",
}
"""A model of each provider that speaks HTTP of a known form; of OpenAI one for each of its two wires."""


class Choice(BaseModel):
    """A reply as a suite might want it."""

    model_config = ConfigDict(extra="forbid")

    selected: int


@dataclass
class Called:
    """What became of a call: an output or an error, and what was seen of it on both ends."""

    output: Any
    error: BaseException | None
    server: LoopbackServer
    wire: Any
    model: LanguageModel


def effective(wire):
    """The parameters that went out, as a run's record has them."""
    return ModelUse(sent=wire.parameters, calls=1).effective()


def at(server, name, **asked):
    """A model behind the loopback server, which is not waited for."""
    address = server.base_url(name.partition("/")[0])
    return LanguageModel(name, base_url=address, **{"first_wait_s": 0.0, "max_retries": 1, **asked})


def call(name, respond="ok", *, times=1, **asked):
    """Ask ``times`` times, one after another; the last outcome counts."""
    with LoopbackServer(respond) as server:
        model = at(server, name, **asked)
        connected, wire = connect(model, max_connections=2)

        async def ask():
            output = error = None
            for _ in range(times):
                output = error = None
                try:
                    output = await connected.generate("Which?", config=reply_config(model, Choice))
                except Exception as raised:
                    error = raised
            return output, error

        return Called(*asyncio.run(ask()), server, wire, model)
