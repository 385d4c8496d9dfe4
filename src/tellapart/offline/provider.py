"""A provider of Inspect that needs no network: ``offline/NAME`` replies with what a function says."""

from __future__ import annotations

from collections.abc import Awaitable
from difflib import get_close_matches
from typing import Any

import anyio
from inspect_ai.model import (
    ChatMessage,
    GenerateConfig,
    ModelAPI,
    ModelCall,
    ModelOutput,
    ModelUsage,
    modelapi,
)
from inspect_ai.tool import ToolChoice, ToolInfo
from rich.markup import escape

from tellapart.errors import UsageError
from tellapart.llm.inspect_private import PrerequisiteError
from tellapart.llm.models import OFFLINE
from tellapart.offline.responders import RESPONDERS, USAGE_CHARACTERS_A_TOKEN


def calls_tool(name: str, **arguments: Any) -> ModelOutput:
    """A reply that calls a tool, for models on which agents run; the next message is the tool's answer."""
    return ModelOutput.for_tool_call("offline", name, arguments, content="")


@modelapi(OFFLINE)
class Offline(ModelAPI):
    """The provider."""

    def __init__(
        self,
        model_name: str,
        base_url: str | None = None,
        api_key: str | None = None,
        config: GenerateConfig = GenerateConfig(),  # noqa: B008
        **_: Any,
    ) -> None:
        """Find the function that replies; else raise an error that Inspect shows without a traceback."""
        super().__init__(model_name, base_url, api_key, [], config)
        if model_name not in RESPONDERS:
            error = UsageError(f"there is no model 'offline/{model_name}'", next_step=_there_are(model_name))
            raise PrerequisiteError(escape(str(error))) from error
        self._registered = RESPONDERS[model_name]

    async def generate(
        self,
        input: list[ChatMessage],
        tools: list[ToolInfo],
        tool_choice: ToolChoice,
        config: GenerateConfig,
    ) -> tuple[ModelOutput, ModelCall]:
        """Reply to the messages, with usage by length unless the reply has its own."""
        if self._registered.latency_s:
            await anyio.sleep(self._registered.latency_s)
        reply = self._registered.respond([(message.role, message.text) for message in input])
        if isinstance(reply, Awaitable):
            reply = await reply
        output = reply if isinstance(reply, ModelOutput) else ModelOutput.from_content(self.model_name, reply)
        output.usage = output.usage or _usage(input, output)
        sampling = config.model_dump(exclude_none=True, include=_SHOWN)
        return output, ModelCall.create(
            {"model": self.model_name, **sampling}, {"content": output.completion}
        )


def _there_are(name: str) -> str:
    """All models, those first that are called much like it."""
    names = sorted(RESPONDERS)
    close = get_close_matches(name, names, n=len(names) or 1)
    hint = f"Did you mean 'offline/{close[0]}'? " if close else ""
    rest = [candidate for candidate in names if candidate not in close]
    return f"{hint}There are: {', '.join(f'offline/{candidate}' for candidate in (*close, *rest))}."


_SHOWN = {"temperature", "max_tokens", "seed", "reasoning_effort"}


def _usage(input: list[ChatMessage], output: ModelOutput) -> ModelUsage:
    sent = -(-sum(len(message.text) for message in input) // USAGE_CHARACTERS_A_TOKEN)
    back = -(-len(output.completion) // USAGE_CHARACTERS_A_TOKEN)
    return ModelUsage(input_tokens=sent, output_tokens=back, total_tokens=sent + back)
