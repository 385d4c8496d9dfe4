"""One call to a model: what is sent, and what came back, as the journal holds it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, Literal, Protocol

from pydantic import BaseModel

from tellapart.llm.connection import reply_config
from tellapart.llm.failures import failure_of, failure_of_output, fatal_error, status_of
from tellapart.llm.models import LanguageModel

if TYPE_CHECKING:
    from inspect_ai.model import ChatMessage, GenerateConfig, Model, ModelOutput

Messages = list[dict[str, str]]
"""Role and content of each message, the oldest first."""

Call = dict[str, Any]
"""A call as the journal has it: a reply with its facts, or the ``failure`` that came instead."""


@dataclass(frozen=True)
class TurnFacts:
    """What a turn is, for systems that keep the history themselves; a bare model is sent its text alone.

    A ``message`` gives material, a ``probe`` asks for it, ``history`` was said before, and has the ``reply``
    of then. ``session`` is that of the user; ``date`` is as the case writes it.
    """

    id: str = ""
    type: Literal["message", "probe", "history"] = "message"
    session: str | None = None
    date: str | None = None
    reply: str | None = None


@dataclass(frozen=True)
class Turn:
    """A turn of a conversation that is about to be said; ``after`` is the key of the call before it."""

    conversation: str
    text: str
    after: str | None
    system: str | None
    facts: TurnFacts


@dataclass(frozen=True)
class Request:
    """A call that may be made, or found in a journal by a hash of all that is sent.

    ``line`` is what the journal says of it. A question has no ``turn``, and models that are sent schemas are
    sent that of ``reply``.
    """

    key: str
    id: str
    replica: int
    messages: Callable[[], Messages]
    line: Mapping[str, Any]
    reply: type[BaseModel] | None = None
    turn: Turn | None = None


class Caller(Protocol):
    """Who answers calls: a journal, the wire, or an estimate."""

    async def call(self, request: Request) -> Call:
        """The call with everything that came back."""


async def make_call(
    connected: Model, messages: Messages, model: LanguageModel, reply: type[BaseModel] | None = None
) -> Call:
    """Send messages and give what came back: a reply and its facts, or the failure of the provider."""
    config = reply_config(model, reply) if reply else None
    _, call = await generate(connected, chat(messages), model, config=config)
    return call


def chat(messages: Messages) -> list[ChatMessage]:
    """Messages as Inspect has them."""
    from inspect_ai.model import ChatMessageAssistant, ChatMessageSystem, ChatMessageUser

    kinds = {"system": ChatMessageSystem, "user": ChatMessageUser, "assistant": ChatMessageAssistant}
    return [kinds[message["role"]](content=message["content"]) for message in messages]


async def generate(
    connected: Model,
    messages: Sequence[ChatMessage],
    model: LanguageModel,
    *,
    config: GenerateConfig | None = None,
    tools: Any = (),
) -> tuple[ModelOutput | None, Call]:
    """Send messages of Inspect; its output, None where none came after all retries, and the call."""
    from inspect_ai.log import transcript
    from inspect_ai.model import GenerateConfig

    before, output = transcript().history.event_count, None
    try:
        output = await connected.generate(list(messages), tools=tools, config=config or GenerateConfig())
        call = replied(output)
    except Exception as error:
        if (fatal := fatal_error(error, model)) is not None:
            raise fatal from None
        call = _without_reply(error)
    events = transcript().history.events_from(before)
    return output, {**call, "attempts": max(sum(event.event == "model" for event in events), 1)}


def replied(output: ModelOutput) -> Call:
    """Give what a model of Inspect replied as the journal has it; tokens in include those of caches."""
    call: Call = {"reply": output.completion, "stop_reason": output.stop_reason, "served": output.model}
    if (unread := failure_of_output(output)) is not None:
        call["unread"] = asdict(unread)
    if (usage := output.usage) is not None:
        read, written = usage.input_tokens_cache_read, usage.input_tokens_cache_write
        tokens_in = usage.input_tokens + (read or 0) + (written or 0)
        call["usage"] = {"input_tokens": tokens_in, "output_tokens": usage.output_tokens}
        if read is not None or written is not None:
            call["cached"] = {"read_tokens": read or 0, "written_tokens": written or 0}
    return call


def _without_reply(error: Exception) -> Call:
    why, status = failure_of(error), status_of(error)
    facts = {} if status is None else {"status": status}
    if why.kind != "context_length":
        return {"failure": asdict(why), **facts}
    # The same prompt will never fit, so this is final, as where a provider says it in a reply.
    return {"reply": "", "stop_reason": "model_length", "served": "", "unread": asdict(why), **facts}
