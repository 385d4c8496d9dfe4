"""A provider of Inspect that needs no network: ``offline/NAME`` replies with what a function of that name says."""

from __future__ import annotations

from collections.abc import Callable
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

CHARACTERS_A_TOKEN = 4
"""What usage is made up from, since there is no tokenizer without a download."""

Responder = Callable[[str], str | ModelOutput]
"""From the last message to a reply: its text, or a whole output for another stop reason."""

_RESPONDERS: dict[str, Responder] = {}


def respond(name: str) -> Callable[[Responder], Responder]:
    """Make a function the model ``offline/NAME``; a later one of the same name takes its place."""

    def register(function: Responder) -> Responder:
        _RESPONDERS[name] = function
        return function

    return register


@modelapi("offline")
class Offline(ModelAPI):
    """The provider; ``latency_s`` as a model argument makes it as slow as a network."""

    def __init__(
        self,
        model_name: str,
        base_url: str | None = None,
        api_key: str | None = None,
        config: GenerateConfig = GenerateConfig(),  # noqa: B008
        latency_s: float = 0.0,
        **_: Any,
    ) -> None:
        """Find the function that replies.

        Raises:
            ValueError: There is none of that name.
        """
        super().__init__(model_name, base_url, api_key, [], config)
        if model_name not in _RESPONDERS:
            raise ValueError(f"there is no offline model {model_name!r}; there are {sorted(_RESPONDERS)}")
        self._respond = _RESPONDERS[model_name]
        self._latency_s = latency_s

    async def generate(
        self,
        input: list[ChatMessage],
        tools: list[ToolInfo],
        tool_choice: ToolChoice,
        config: GenerateConfig,
    ) -> tuple[ModelOutput, ModelCall]:
        """Reply to the last message, with usage by length."""
        if self._latency_s:
            await anyio.sleep(self._latency_s)
        reply = self._respond(input[-1].text)
        output = reply if isinstance(reply, ModelOutput) else ModelOutput.from_content(self.model_name, reply)
        sent, back = (
            -(-len(text) // CHARACTERS_A_TOKEN)
            for text in ("".join(message.text for message in input), output.completion)
        )
        output.usage = ModelUsage(input_tokens=sent, output_tokens=back, total_tokens=sent + back)
        sampling = config.model_dump(exclude_none=True, include={"temperature", "max_tokens", "seed"})
        return output, ModelCall.create(
            {"model": self.model_name, **sampling}, {"content": output.completion}
        )
